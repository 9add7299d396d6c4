"""Runs each client over each transport and era, prints a table of steps, and fails if a step failed or did not run."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
CACHE = Path(os.environ["OMNIPORT_CACHE"])
SERVER = [sys.executable, str(HERE / "server.py")]
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

    @property
    def title(self) -> str:
        return f"{self.peer.title}, {self.era}, {self.transport}"


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


async def main(words: list[str]) -> int:
    cases = [Case(peer, era, transport) for peer in PEERS for era in peer.eras for transport in peer.transports]
    cases = [case for case in cases if all(word in case.title for word in words)]
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(case: Case) -> Results:
        async with slots:
            return await _run(case)

    results = await asyncio.gather(*(one(case) for case in cases))
    _print_table(cases, results)
    failed = 0
    for case, found in zip(cases, results, strict=True):
        for step, problem in found.items():
            if problem:
                failed += 1
                print(f"{case.title}: {step}: {problem}")
    print(f"{len(cases) * len(STEPS) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


async def _run(case: Case) -> Results:
    async with _target(case.transport) as target:
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
async def _target(transport: str) -> AsyncIterator[list[str]]:
    """What the client connects to: a command, or the URL of a server that runs meanwhile."""
    if transport == "stdio":
        yield [*SERVER, "stdio"]
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = await asyncio.create_subprocess_exec(*SERVER, "http", str(port))
    try:
        while True:
            if process.returncode is not None:
                raise RuntimeError(f"the server ended with status {process.returncode} before it listened")
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                break
        yield [f"http://127.0.0.1:{port}/{'sse' if transport == 'sse' else 'mcp'}"]
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def _print_table(cases: list[Case], results: list[Results]) -> None:
    width = max(len(step) for step in STEPS)
    for number, case in enumerate(cases, 1):
        print(f"{number:>3}  {case.title}")
    print(f"\n{'':<{width}}", *(f"{number:>5}" for number in range(1, len(cases) + 1)))
    for step in STEPS:
        print(f"{step:<{width}}", *(f"{'FAIL' if found[step] else 'ok':>5}" for found in results))
    print()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
