"""Handlers of the `input_required` scenarios: each question bears the key under which the scenario answers it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from omniport import Context, ElicitResult, Server


@dataclass
class Name:
    name: str


@dataclass
class Color:
    color: str


@dataclass
class Confirmation:
    ok: bool


@dataclass
class Background:
    context: str


def _name(answer: ElicitResult[Name]) -> str:
    return answer.content.name if answer.content else "stranger"


async def test_input_required_result_elicitation(cx: Context) -> str:
    """Asks the user for a name."""
    return f"Hello, {_name(await cx.elicit('What is your name?', Name, key='user_name'))}!"


async def test_input_required_result_sampling(cx: Context) -> str:
    """Asks the client's model."""
    sample = await cx.sample("What is the capital of France?", max_tokens=100, key="capital_question")
    return f"Sampling result: {sample.text}"


async def test_input_required_result_list_roots(cx: Context) -> str:
    """Asks for the client's roots."""
    return f"Found {len(await cx.list_roots(key='client_roots'))} root(s)"


async def test_input_required_result_request_state(cx: Context) -> str:
    """Asks for a confirmation; the sealed state comes back with the answer."""
    return await _confirmed(cx, "state-ok")


async def test_input_required_result_tampered_state(cx: Context) -> str:
    """Asks for a confirmation; an altered state never gets here."""
    return await _confirmed(cx, "integrity-ok")


async def _confirmed(cx: Context, word: str) -> str:
    answer = await cx.elicit("Please confirm", Confirmation, key="confirm")
    return word if answer.content and answer.content.ok else "not confirmed"


async def test_input_required_result_multiple_inputs(cx: Context) -> str:
    """Asks three questions at once."""
    name, greeting, roots = await asyncio.gather(
        cx.elicit("What is your name?", Name, key="user_name"),
        cx.sample("Generate a greeting", max_tokens=50, key="greeting"),
        cx.list_roots(key="client_roots"),
    )
    return f"Name: {_name(name)}; Greeting: {greeting.text}; Roots: {len(roots)}"


async def test_input_required_result_multi_round(cx: Context) -> str:
    """Asks twice, one question after the other."""
    name = await cx.elicit("Step 1: What is your name?", Name, key="step1")
    color = await cx.elicit("Step 2: What is your favorite color?", Color, key="step2")
    return f"{_name(name)} likes {color.content.color if color.content else 'no color'}"


async def test_input_required_result_capabilities(cx: Context) -> str:
    """Asks only what the client can answer."""
    asked: list[Any] = []
    if "elicitation" in cx.capabilities:
        asked.append(cx.elicit("Which value?", str, key="elicit_input"))
    if "sampling" in cx.capabilities:
        asked.append(cx.sample("Sample request", max_tokens=50, key="sample_input"))
    return f"Got {len(await asyncio.gather(*asked))} answer(s)"


async def test_input_required_result_prompt(cx: Context) -> str:
    """Asks for a context to use in the prompt."""
    answer = await cx.elicit("What context should the prompt use?", Background, key="user_context")
    return f"Prompt with context: {answer.content.context if answer.content else 'none'}"


def register(app: Server) -> None:
    app.add_tool(test_input_required_result_elicitation)
    app.add_tool(test_input_required_result_sampling)
    app.add_tool(test_input_required_result_list_roots)
    app.add_tool(test_input_required_result_request_state)
    app.add_tool(test_input_required_result_tampered_state)
    app.add_tool(test_input_required_result_multiple_inputs)
    app.add_tool(test_input_required_result_multi_round)
    app.add_tool(test_input_required_result_capabilities)
    app.add_prompt(test_input_required_result_prompt)
