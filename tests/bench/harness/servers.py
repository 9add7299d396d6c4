"""Servers over HTTP as child processes, each on one core."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

from contestants import Contestant

START_SECONDS = 30.0


@dataclass
class Running:
    address: str
    pid: int


def pinned(core: int) -> list[str]:
    """What a command begins with to run on one core: the server on the first, the load on the second."""
    cores = sorted(os.sched_getaffinity(0))
    return ["taskset", "-c", str(cores[core])] if core < len(cores) and len(cores) > 1 else []


@contextlib.contextmanager
def serving(contestant: Contestant, environment: dict[str, str]) -> Iterator[Running]:
    """The contestant's server, from when it accepts connections."""
    port = free_port()
    command = [str(port) if word == "PORT" else word for word in contestant.http]
    child = subprocess.Popen(
        [*pinned(0), *command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until_it_accepts(child, port, contestant.name)
        yield Running(f"127.0.0.1:{port}", child.pid)
    finally:
        child.kill()
        child.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until_it_accepts(child: subprocess.Popen[bytes], port: int, name: str) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if child.poll() is not None:
            raise RuntimeError(f"{name} ended with {child.returncode} before it served")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise RuntimeError(f"{name} did not serve within {START_SECONDS:g} s")
