"""The MCP Inspector's command line against this project's servers: a process for each request, and what it prints of the answer."""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any, NamedTuple

from clients import SERVERS, serving
from walks import Outcome

SECONDS = 60
COMMAND = [
    os.environ["OMNIPORT_NODE22"],
    f"{os.environ['OMNIPORT_NPM']}/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    "--cli",
]
WAYS = [("legacy", "stdio"), ("legacy", "sse"), ("modern", "stdio"), ("modern", "http")]
TOOLS = ["chat", "count", "fail", "order", "think", "touch", "weather", "where"]
TOOL_ERROR = 5
"""The status of the command for a result that says it is an error."""


class Case(NamedTuple):
    server: str
    era: str
    transport: str

    @property
    def title(self) -> str:
        return f"inspector to {self.server}, {self.era}, {self.transport}"


class Check(NamedTuple):
    title: str
    arguments: list[str]
    """A method and what belongs to it."""
    expected: Any
    """Of the result, these members; or a part of the error message."""
    status: int = 0


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


CHECKS = [
    Check("initialize", ["initialize"], {"instructions": "Ask for the weather."}),
    Check("tools", ["tools/list"], {"tools": [{"name": name} for name in TOOLS]}),
    Check(
        "structured",
        ["tools/call", "--tool-name", "weather", "--tool-arg", "city=Oslo"],
        {"structuredContent": {"city": "Oslo", "celsius": 21.5}},
    ),
    Check("number", ["tools/call", "--tool-name", "count", "--tool-arg", "to=2"], {"content": [_text("2")]}),
    Check(
        "tool error", ["tools/call", "--tool-name", "fail"], {"isError": True, "content": [_text("The oven is cold")]}, TOOL_ERROR
    ),
    Check(
        "bad arguments",
        ["tools/call", "--tool-name", "weather", "--tool-args-json", '{"city": 5}'],
        {"isError": True},
        TOOL_ERROR,
    ),
    Check("resources", ["resources/list"], {"resources": [{"uri": "note://picture"}, {"uri": "note://welcome"}]}),
    Check("templates", ["resources/templates/list"], {"resourceTemplates": [{"uriTemplate": "note://{name}/text"}]}),
    Check(
        "read", ["resources/read", "--uri", "note://second/text"], {"contents": [{"text": "Call Ada", "mimeType": "text/plain"}]}
    ),
    Check("not found", ["resources/read", "--uri", "note://nothing"], "note://nothing", 1),
    Check("prompts", ["prompts/list"], {"prompts": [{"name": "greet"}]}),
    Check(
        "prompt",
        ["prompts/get", "--prompt-name", "greet", "--prompt-args", "name=Ada"],
        {"messages": [{"role": "user", "content": _text("Greet Ada in a warm way")}]},
    ),
]


def cases(words: list[str]) -> list[Case]:
    """The cases whose titles hold all of the words."""
    every = [Case(server, era, transport) for server in SERVERS for era, transport in WAYS]
    return [case for case in every if all(word in case.title for word in words)]


async def run(case: Case) -> Outcome:
    begun = time.monotonic()
    problems: dict[str, str] = {}
    async with serving(case.server, case.transport) as target:
        for check in CHECKS:
            problem = await _problem(check, case, target)
            if problem:
                problems[check.title] = problem
    return Outcome(len(CHECKS) - len(problems), problems, time.monotonic() - begun)


async def _problem(check: Check, case: Case, target: list[str]) -> str:
    options = ["--protocol-era", case.era, "--format", "json", "--quiet"]
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *target, "--method", *check.arguments, *options,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        output, errors = await asyncio.wait_for(process.communicate(), SECONDS)
    except asyncio.TimeoutError:
        process.kill()
        return f"not done after {SECONDS} seconds"
    said = (output + errors).decode()
    if process.returncode != check.status:
        return f"status {process.returncode}: {said}"
    if isinstance(check.expected, str):
        return "" if check.expected in said else said
    return "" if _holds(check.expected, json.loads(output)["result"]) else said


def _holds(expected: Any, found: Any) -> bool:
    """Objects may have more members, and lists are in whatever order the server has."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(name in found and _holds(one, found[name]) for name, one in expected.items())
    if isinstance(expected, list):
        return len(expected) == len(found) and all(any(_holds(one, other) for other in found) for one in expected)
    return expected == found
