"""The same messages under the path of the independent package."""

from .base import AssistantMessage, Message, Prompt, PromptResult, UserMessage

__all__ = ["AssistantMessage", "Message", "Prompt", "PromptResult", "UserMessage"]
