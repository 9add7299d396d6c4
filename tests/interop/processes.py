"""Processes of a case: servers that listen, and what is left of those that ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import BinaryIO

START_SECONDS = 60
PROCESSES = Path("/proc")


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.asynccontextmanager
async def listening(
    command: list[str], port: int, env: Mapping[str, str] | None = None, errors: BinaryIO | None = None
) -> AsyncIterator[None]:
    """The command as a server that listens on that port meanwhile; its whole group ends with it. `errors` takes its stderr."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=errors,
        env={**os.environ, **(env or {})},
        start_new_session=True,
    )
    try:
        await asyncio.wait_for(_accepts(process, port), START_SECONDS)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), 5)
        except asyncio.TimeoutError:  # it waits for a connection of its client to end
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _accepts(process: asyncio.subprocess.Process, port: int) -> None:
    while True:
        if process.returncode is not None:
            raise RuntimeError(f"the server ended with status {process.returncode} before it listened")
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            writer.close()
            return


def marked(variable: str, value: str) -> list[str]:
    """The command lines of the processes that have that variable of the environment; none where the system does not tell."""
    found: list[str] = []
    wanted = f"{variable}={value}".encode()
    for process in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # ended meanwhile, or is another user's
            if wanted in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip())
    return found
