"""Official clients against this project's servers: each over each transport and era."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from processes import free_port, listening

HERE = Path(__file__).parent
CACHE = Path(os.environ["OMNIPORT_CACHE"])
SERVERS = {
    "python": [sys.executable, str(HERE / "server.py")],
    "node": ["node", str(Path(os.environ["OMNIPORT_NODE"]) / "programs/tests/interop/node/server.js")],
}
SWIFT = Path(os.environ["OMNIPORT_BIN"]) / "omniport-swift-interop"
# Not every machine can have Swift; `make build` says why.
if SWIFT.exists():
    SERVERS["swift"] = [str(SWIFT), "serve"]
RUN_SECONDS = 180
STEPS = [
    "connect", "ping", "list", "structured", "tool error", "bad arguments", "progress", "logging", "elicitation",
    "sampling", "roots", "read", "not found", "subscribe", "prompt", "complete",
]  # fmt: skip


class Peer(NamedTuple):
    title: str
    command: list[str]
    eras: list[str]
    transports: list[str]


class Case(NamedTuple):
    peer: Peer
    era: str
    transport: str
    server: str

    @property
    def title(self) -> str:
        return f"{self.peer.title} to {self.server}, {self.era}, {self.transport}"


def _python(generation: int) -> list[str]:
    return [str(CACHE / f"interop-mcp-{generation}/bin/python"), str(HERE / f"mcp_{generation}.py")]


def _node(generation: int) -> list[str]:
    return [
        os.environ["OMNIPORT_NODE22"],
        "--import",
        str(HERE / "packages.mjs"),
        str(HERE / f"typescript_{generation}.mjs"),
    ]


PEERS = [
    Peer("python 1", _python(1), ["legacy"], ["stdio", "http", "sse"]),
    Peer("python 2", _python(2), ["legacy", "modern"], ["stdio", "http"]),
    Peer("typescript 1", _node(1), ["legacy"], ["stdio", "http", "sse"]),
    Peer("typescript 2", _node(2), ["legacy", "modern"], ["stdio", "http"]),
]
Results = dict[str, str]
"""For each step: "" or what went wrong."""


def cases(words: list[str]) -> list[Case]:
    """The cases whose titles hold all of the words."""
    every = [
        Case(peer, era, transport, server)
        for peer in PEERS
        for era in peer.eras
        for transport in peer.transports
        for server in SERVERS
    ]
    return [case for case in every if all(word in case.title for word in words)]


async def run(case: Case) -> Results:
    """Runs one client, and says for each step how it went."""
    async with serving(case.server, case.transport) as target:
        process = await asyncio.create_subprocess_exec(
            *case.peer.command,
            case.era,
            case.transport,
            *target,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, errors = await asyncio.wait_for(process.communicate(), RUN_SECONDS)
        except asyncio.TimeoutError:
            process.kill()
            return dict.fromkeys(STEPS, f"the client was not done after {RUN_SECONDS} seconds")
    results = dict.fromkeys(STEPS, f"did not run; the client ended with status {process.returncode}")
    for line in output.decode().splitlines():
        with contextlib.suppress(ValueError, TypeError, KeyError):
            said = json.loads(line)
            results[said["step"]] = "" if said["ok"] else said["detail"]
    if any(results.values()):
        print(f"--- {case.title}\n{errors.decode()}", file=sys.stderr)
    return results


@contextlib.asynccontextmanager
async def serving(server: str, transport: str) -> AsyncIterator[list[str]]:
    """What the client connects to: a command, or the URL of a server that runs meanwhile."""
    if transport == "stdio":
        yield [*SERVERS[server], "stdio"]
        return
    port = free_port()
    async with listening([*SERVERS[server], "http", str(port)], port):
        yield [f"http://127.0.0.1:{port}/{'sse' if transport == 'sse' else 'mcp'}"]
