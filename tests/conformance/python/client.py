"""The client of the conformance suite: does what the scenario in MCP_CONFORMANCE_SCENARIO wants to see."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from omniport import Client

Scenario = Callable[[Client], Awaitable[None]]


async def list_tools(client: Client) -> None:
    await client.list_tools()


async def call_first_tool(client: Client) -> None:
    tool, *_ = await client.list_tools()
    await client.call_tool(tool.name, {"a": 2, "b": 3} if tool.input_schema.get("properties") else {})


async def call_every_tool(client: Client) -> None:
    for tool in await client.list_tools():
        await client.call_tool(tool.name, {name: "x" for name in tool.input_schema.get("required", [])})


async def call_wanted_tools(client: Client) -> None:
    await client.list_tools()
    for call in json.loads(os.environ["MCP_CONFORMANCE_CONTEXT"])["toolCalls"]:
        await client.call_tool(call["name"], call["arguments"])


async def use_each_kind(client: Client) -> None:
    for tool in await client.list_tools():
        await client.call_tool(tool.name)
    for resource in await client.list_resources():
        await client.read_resource(resource.uri)
    for prompt in await client.list_prompts():
        await client.get_prompt(prompt.name)


async def answer_in_rounds(client: Client) -> None:
    await asyncio.gather(client.call_tool("test_mrtr_echo_state"), client.call_tool("test_mrtr_unrelated"))
    await client.call_tool("test_mrtr_no_state")
    await client.call_tool("test_mrtr_no_result_type")


async def echo_schema(client: Client) -> None:
    schemas = {tool.name: tool.input_schema for tool in await client.list_tools()}
    await client.call_tool("json_schema_echo", {"schema": schemas["json_schema_2020_12_tool"]})


SCENARIOS: dict[str, Scenario] = {
    "initialize": list_tools,
    "tools_call": call_first_tool,
    "elicitation-sep1034-client-defaults": call_first_tool,
    "sse-retry": call_first_tool,
    "request-metadata": list_tools,
    "sep-2322-client-request-state": answer_in_rounds,
    "http-standard-headers": use_each_kind,
    "http-custom-headers": call_wanted_tools,
    "http-invalid-tool-headers": call_every_tool,
    "json-schema-ref-no-deref": list_tools,
    "json-schema-2020-12-preservation": echo_schema,
}


def accept_defaults(question: dict[str, Any]) -> dict[str, Any]:
    """A user who changes nothing in the form."""
    members = question["requestedSchema"]["properties"]
    return {name: member["default"] for name, member in members.items() if "default" in member} or {"confirmed": True}


def think(_: dict[str, Any]) -> str:
    return "A thought"


async def main(url: str) -> None:
    scenario = SCENARIOS[os.environ["MCP_CONFORMANCE_SCENARIO"]]
    async with Client(url, name="conformance", on_elicit=accept_defaults, on_sample=think, roots=["file:///home"]) as client:
        await scenario(client)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
