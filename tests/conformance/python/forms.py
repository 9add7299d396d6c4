"""Tools that ask the client's user or model one question: forms with defaults and choices, a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from omniport import Context, ElicitResult, Server

DEFAULTS_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "User name", "default": "John Doe"},
        "age": {"type": "integer", "description": "User age", "default": 30},
        "score": {"type": "number", "description": "User score", "default": 95.5},
        "status": {
            "type": "string",
            "description": "User status",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "description": "Verification status", "default": True},
    },
    "required": [],
}

CHOICES_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "description": "One option", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {
            "type": "string",
            "description": "One option with titles",
            "oneOf": [
                {"const": "value1", "title": "First Option"},
                {"const": "value2", "title": "Second Option"},
                {"const": "value3", "title": "Third Option"},
            ],
        },
        "legacyEnum": {
            "type": "string",
            "description": "One option, titles the old way",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {
            "type": "array",
            "description": "Several options",
            "minItems": 1,
            "maxItems": 3,
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
        },
        "titledMulti": {
            "type": "array",
            "description": "Several options with titles",
            "minItems": 1,
            "maxItems": 3,
            "items": {
                "anyOf": [
                    {"const": "value1", "title": "First Choice"},
                    {"const": "value2", "title": "Second Choice"},
                    {"const": "value3", "title": "Third Choice"},
                ]
            },
        },
    },
    "required": [],
}


@dataclass
class User:
    username: str
    email: str


def _outcome(answer: ElicitResult[Any]) -> str:
    return f"action={answer.action}, content={msgspec.json.encode(answer.content or {}).decode()}"


async def test_elicitation(cx: Context, message: str) -> str:
    """Asks the user for a name and an address."""
    return f"User response: {_outcome(await cx.elicit(message, User))}"


async def test_elicitation_sep1034_defaults(cx: Context) -> str:
    """Asks with a default for each kind of member."""
    answer = await cx.elicit("Please review and update the form fields with defaults", DEFAULTS_FORM)
    return f"Elicitation completed: {_outcome(answer)}"


async def test_elicitation_sep1330_enums(cx: Context) -> str:
    """Asks with every kind of choice."""
    answer = await cx.elicit("Please select options from the enum fields", CHOICES_FORM)
    return f"Elicitation completed: {_outcome(answer)}"


async def test_sampling(cx: Context, prompt: str) -> str:
    """Asks the client's model."""
    return f"LLM response: {(await cx.sample(prompt, max_tokens=100)).text}"


async def test_missing_capability(cx: Context) -> str:
    """Needs a model, and fails for a client that did not declare one."""
    return (await cx.sample("Hello", max_tokens=1)).text


def register(app: Server) -> None:
    app.add_tool(test_elicitation)
    app.add_tool(test_elicitation_sep1034_defaults)
    app.add_tool(test_elicitation_sep1330_enums)
    app.add_tool(test_sampling)
    app.add_tool(test_missing_capability)
