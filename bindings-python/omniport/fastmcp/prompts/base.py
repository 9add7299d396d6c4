"""The messages that a prompt function returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

Role = Literal["user", "assistant"]


class Message:
    """One message; `content` is a text, a content block, or data that is shown as JSON."""

    def __init__(self, content: Any, role: Role = "user") -> None:
        self.role: Role = role
        self.content = content


class UserMessage(Message):
    """What the user says."""

    def __init__(self, content: Any, role: Role = "user") -> None:
        super().__init__(content, role)


class AssistantMessage(Message):
    """What the model says."""

    def __init__(self, content: Any, role: Role = "assistant") -> None:
        super().__init__(content, role)


class Prompt:
    """A prompt to register by `FastMCP.add_prompt`."""

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, title: str | None = None, description: str | None = None
    ) -> None:
        self.fn, self.name, self.title, self.description = fn, name, title, description

    @classmethod
    def from_function(
        cls, fn: Callable[..., Any], name: str | None = None, title: str | None = None, description: str | None = None, **_: Any
    ) -> Prompt:
        return cls(fn, name, title, description)


class PromptResult:
    """Messages with a description."""

    def __init__(self, messages: Any, description: str | None = None) -> None:
        self.messages = messages if isinstance(messages, list) else [messages]
        self.description = description
