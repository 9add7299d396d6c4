"""Tools by what they send while they run: log messages, progress, changed lists, an early end of the stream."""

from __future__ import annotations

import asyncio

from omniport import Context, Server

RECONNECT_SECONDS = 0.1
"""How long `test_reconnection` goes on after its stream has ended."""


def test_tool_with_logging(cx: Context) -> str:
    """Sends three log messages."""
    cx.info("Tool execution started")
    cx.info("Tool processing data")
    cx.info("Tool execution completed")
    return "Tool with logging executed successfully"


def test_logging_tool(cx: Context) -> str:
    """Sends a log message, which only callers that asked for messages may see."""
    cx.info("Diagnostic message")
    return "Logging evaluated"


def test_tool_with_progress(cx: Context) -> str:
    """Reports progress three times."""
    for done in (0, 50, 100):
        cx.progress(done, 100, f"Completed step {done} of 100")
    return "Tool with progress executed successfully"


async def test_reconnection(cx: Context) -> str:
    """Ends its event stream before it answers, so that the client has to come back for the answer."""
    cx.close_stream()
    await asyncio.sleep(RECONNECT_SECONDS)
    return "Reconnection test completed successfully"


async def test_streaming_elicitation(cx: Context) -> str:
    """Reports progress and then asks the user."""
    cx.progress(50, 100)
    answer = await cx.elicit("May the tool go on?", bool)
    return f"The user said {answer.action}"


def register(app: Server) -> None:
    app.add_tool(test_tool_with_logging)
    app.add_tool(test_logging_tool)
    app.add_tool(test_tool_with_progress)
    app.add_tool(test_reconnection)
    app.add_tool(test_streaming_elicitation)

    # Registering a name again replaces what it named, and clients are told that the list has changed.

    def replaceable() -> str:
        "Is registered anew by test_trigger_tool_change and test_trigger_prompt_change."
        return "Still here"

    def replace_tool() -> str:
        "Changes the list of tools."
        app.add_tool(replaceable, name="test_replaceable_tool")
        return "The tools have changed"

    def replace_prompt() -> str:
        "Changes the list of prompts."
        app.add_prompt(replaceable, name="test_replaceable_prompt")
        return "The prompts have changed"

    app.add_tool(replaceable, name="test_replaceable_tool")
    app.add_prompt(replaceable, name="test_replaceable_prompt")
    app.add_tool(replace_tool, name="test_trigger_tool_change")
    app.add_tool(replace_prompt, name="test_trigger_prompt_change")
