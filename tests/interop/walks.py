"""This project's clients against servers of other hands: every server of servers.json over each of its transports."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from processes import free_port, listening, marked

HERE = Path(__file__).parent
CACHE = Path(os.environ["OMNIPORT_CACHE"])
RUN_SECONDS = 120
STDERR_BYTES = 4000
MARK = "OMNIPORT_INTEROP_CASE"
WALKERS = {
    "rust": [str(Path(os.environ["OMNIPORT_BIN"]) / "omniport-interop")],
    "python": [sys.executable, str(HERE / "walk.py")],
    "node": ["node", str(Path(os.environ["OMNIPORT_NODE"]) / "programs/tests/interop/node/walk.js")],
}
SWIFT = Path(os.environ["OMNIPORT_BIN"]) / "omniport-swift-interop"
# Not every machine can have Swift; `make build` says why.
if SWIFT.exists():
    WALKERS["swift"] = [str(SWIFT), "walk"]
PLACES = {
    "HERE": str(HERE),
    "NODE": os.environ["OMNIPORT_NODE22"],
    "NODE_PATH": f"{Path(os.environ['OMNIPORT_NODE22']).parent}:{os.environ['PATH']}",
    "NPM": os.environ["OMNIPORT_NPM"],
    "MODULES": f"{os.environ['OMNIPORT_NPM']}/node_modules",
    "PYTHON_1": str(CACHE / "interop-mcp-1/bin/python"),
    "PYTHON_2": str(CACHE / "interop-mcp-2/bin/python"),
    "PUBLISHED": str(CACHE / "interop-published/bin"),
    "RMCP": str(CACHE / "interop-target/debug/omniport-interop-rmcp"),
}
DEFAULTS: dict[str, Any] = {
    "lists": {}, "calls": [], "reads": [], "templates": {}, "prompts": {}, "completions": [],
}  # fmt: skip


class Case(NamedTuple):
    walker: str
    server: dict[str, Any]
    transport: str

    @property
    def title(self) -> str:
        return f"{self.walker} to {self.server['title']}, {self.transport}"


class Outcome(NamedTuple):
    passed: int
    problems: dict[str, str]
    seconds: float


def cases(words: list[str]) -> list[Case]:
    """The cases whose titles hold all of the words."""
    servers = json.loads((HERE / "servers.json").read_text(encoding="utf-8"))
    every = [
        Case(walker, merged(servers, server), transport)
        for server in servers["servers"]
        for transport in server["transports"]
        for walker in WALKERS
    ]
    return [case for case in every if all(word in case.title for word in words)]


def merged(servers: dict[str, Any], server: dict[str, Any]) -> dict[str, Any]:
    return {**DEFAULTS, "answers": servers["answers"], **servers["offers"].get(server.get("offers"), {}), **server}


def planned(server: dict[str, Any], transport: str) -> dict[str, Any]:
    """What a walker has to know of one transport: what differs there is said at the transport."""
    case = {**server, **server["transports"][transport]}
    instead = {**server.get("instead", {}), **server["transports"][transport].get("instead", {})}
    case["calls"] = [
        {"tool": call["tool"], "arguments": call.get("arguments", {}), **instead[call["tool"]]} if call["tool"] in instead else call
        for call in case["calls"]
    ]
    for name in ("title", "offers", "transports", "instead"):
        case.pop(name, None)
    return case


async def run(case: Case) -> Outcome:
    """Starts the server where the client does not, and follows the client through its checks."""
    begun = time.monotonic()
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="omniport-interop-") as scratch, tempfile.TemporaryFile() as errors:
        try:
            await asyncio.wait_for(_walk(case, Path(scratch), errors, found), RUN_SECONDS)
        except asyncio.TimeoutError:
            found["run"] = f"not done after {RUN_SECONDS} seconds"
        except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
            found["run"] = str(error)
        if any(found.values()):
            errors.seek(0)
            print(f"--- {case.title}\n{errors.read()[-STDERR_BYTES:].decode(errors='replace')}", file=sys.stderr)
    if "close" not in found and "run" not in found:
        found["run"] = f"the client ended before it closed; checks until then: {list(found)}"
    problems = {name: problem for name, problem in found.items() if problem}
    return Outcome(len(found) - len(problems), problems, time.monotonic() - begun)


async def _walk(case: Case, scratch: Path, errors: BinaryIO, found: dict[str, str]) -> None:
    plan = planned(case.server, case.transport)
    port = free_port()
    places = {**PLACES, "SCRATCH": str(scratch), "PORT": str(port)}
    plan = json.loads(string.Template(json.dumps(plan)).safe_substitute(places))
    for name, text in plan.pop("files", {}).items():
        (scratch / name).write_text(text, encoding="utf-8")
    for command in plan.pop("prepare", []):
        subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    async with contextlib.AsyncExitStack() as stack:
        if "url" in plan:
            await stack.enter_async_context(listening(plan.pop("command"), port, plan.pop("env", None), errors))
        else:
            plan["env"] = {**plan.get("env", {}), MARK: str(scratch)}
        (scratch / "case.json").write_text(json.dumps(plan), encoding="utf-8")
        async for check in _checks([*WALKERS[case.walker], str(scratch / "case.json")], str(scratch)):
            name, again = check["check"], 1
            while name in found:  # a tool may be called more than once
                again += 1
                name = f"{check['check']} ({again})"
            found[name] = "" if check["ok"] else check["detail"] or "failed"


async def _checks(command: list[str], mark: str) -> AsyncIterator[dict[str, Any]]:
    process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    try:
        async for line in process.stdout:
            check = json.loads(line)
            if check["check"] == "close":
                # The client lives yet: nothing else may have ended the server's processes.
                left = marked(MARK, mark)
                if left:
                    check = {**check, "ok": False, "detail": f"{check['detail']} left behind: {left}"}
                process.stdin.close()
            yield check
        await process.wait()
        if process.returncode:
            yield {"check": "exit", "ok": False, "detail": f"the client ended with status {process.returncode}"}
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
