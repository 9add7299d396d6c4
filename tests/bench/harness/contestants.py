"""Who is measured: how each server is started, and what it can do."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ["OMNIPORT_CACHE"]) / "bench"
RELEASE = Path(os.environ["OMNIPORT_BIN"])
PEERS_RELEASE = CACHE / "target" / "release"
LOAD = RELEASE / "omniport-bench-load"


@dataclass(frozen=True)
class Contestant:
    name: str
    ours: bool = False
    stdio: list[str] = field(default_factory=list)
    """The command that serves stdio, if it does."""
    http: list[str] = field(default_factory=list)
    """The command that serves HTTP; the port is put where it says PORT."""
    floor: bool = False
    """Only `add`, without any protocol: what the ground below costs."""
    sessions: bool = True
    """Whether legacy clients get sessions."""
    client: list[str] = field(default_factory=list)
    """The command that calls a server, if there is a client: its URL, the calls in flight and the times follow."""

    def can(self, transport: str) -> bool:
        return bool({"stdio": self.stdio, "http": self.http, "client": self.client}[transport])


def python(venv: str, script: str, *words: str) -> list[str]:
    return [str(CACHE / f"venv-{venv}" / "bin" / "python"), str(BENCH / "peers" / "python" / script), *words]


def ours(language: str) -> Contestant:
    # What `serve` becomes; without its shell, so that a cold start is the server's own.
    if language == "rust":
        command, client = [str(RELEASE / "omniport-bench-server")], [str(RELEASE / "omniport-bench-client")]
    else:
        interpreter = str(Path(os.environ["OMNIPORT_VENV"]) / "bin" / "python")
        command, client = [interpreter, str(BENCH / "python" / "server.py")], [interpreter, str(BENCH / "python" / "client.py")]
    return Contestant(f"omniport {language}", True, [*command, "stdio"], [*command, "http", "PORT"], client=client)


def peers() -> list[Contestant]:
    rmcp, rmcp_client = str(PEERS_RELEASE / "rmcp-server"), str(PEERS_RELEASE / "rmcp-client")
    return [
        Contestant("rmcp", stdio=[rmcp, "stdio"], http=[rmcp, "http", "PORT"], client=[rmcp_client]),
        Contestant("rmcp best", http=[rmcp, "http", "PORT", "best"], sessions=False, client=[rmcp_client, "best"]),
        Contestant(
            "mcp",
            stdio=python("mcp", "mcp_server.py", "stdio"),
            http=python("mcp", "mcp_server.py", "http", "PORT"),
            client=python("mcp", "mcp_client.py"),
        ),
        Contestant("mcp best", http=python("mcp", "mcp_server.py", "http", "PORT", "best"), sessions=False),
        Contestant(
            "fastmcp",
            stdio=python("fastmcp", "fastmcp_server.py", "stdio"),
            http=python("fastmcp", "fastmcp_server.py", "http", "PORT"),
        ),
        Contestant("hyper floor", http=[str(PEERS_RELEASE / "hyper-floor"), "http", "PORT"], floor=True, sessions=False),
        Contestant(
            "python floor",
            stdio=python("floor", "floor.py", "stdio"),
            http=python("floor", "floor.py", "http", "PORT"),
            floor=True,
            sessions=False,
        ),
    ]


def target_of_clients(everyone: list[Contestant]) -> Contestant:
    """The server that clients are measured against: the floor, and this project's own where there are no peers."""
    return next((one for one in everyone if one.name == "hyper floor"), everyone[0])


def contestants(*, with_peers: bool) -> list[Contestant]:
    return [ours("rust"), ours("python"), *(peers() if with_peers else [])]
