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
# One Node for everybody, the machine's: versions differ more than a peer does.
NODE = "node"
NODE_PROGRAMS = Path(os.environ["OMNIPORT_NODE"]) / "programs" / "tests" / "bench" / "node"


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
    eras: tuple[str, ...] = ("modern", "legacy")
    """What it speaks, the newest first."""
    client: list[str] = field(default_factory=list)
    """The command that calls a server, if there is a client: its URL, the calls in flight and the times follow."""

    def can(self, transport: str) -> bool:
        return bool({"stdio": self.stdio, "http": self.http, "client": self.client}[transport])


def python(venv: str, script: str, *words: str) -> list[str]:
    return [str(CACHE / f"venv-{venv}" / "bin" / "python"), str(BENCH / "peers" / "python" / script), *words]


def node(script: str, *words: str) -> list[str]:
    return [NODE, str(CACHE / "node" / script), *words]


def ours(language: str) -> Contestant:
    # What `serve` becomes; without its shell, so that a cold start is the server's own.
    client: list[str] = []
    if language == "rust":
        command, client = [str(RELEASE / "omniport-bench-server")], [str(RELEASE / "omniport-bench-client")]
    elif language == "python":
        interpreter = str(Path(os.environ["OMNIPORT_VENV"]) / "bin" / "python")
        command, client = [interpreter, str(BENCH / "python" / "server.py")], [interpreter, str(BENCH / "python" / "client.py")]
    elif language == "node":
        command, client = [NODE, str(NODE_PROGRAMS / "server.js")], [NODE, str(NODE_PROGRAMS / "client.js")]
    elif language == "swift":
        command = [str(RELEASE / "omniport-swift-bench")]
        client = [*command, "client"]
    else:  # Node without a schema library, whose loading is most of a cold start
        command = [NODE, str(NODE_PROGRAMS / "plain.js")]
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
        *node_peers(),
    ]


def node_peers() -> list[Contestant]:
    return [
        Contestant(
            "node server 2",
            stdio=node("server_2.mjs", "stdio"),
            http=node("server_2.mjs", "http", "PORT"),
            sessions=False,
            client=node("client_2.mjs"),
        ),
        Contestant(
            "node server 2 best",
            stdio=node("server_2_best.mjs", "stdio"),
            http=node("server_2_best.mjs", "http", "PORT"),
            sessions=False,
        ),
        Contestant(
            "node sdk 1",
            stdio=node("sdk_1.mjs", "stdio"),
            http=node("sdk_1.mjs", "http", "PORT"),
            eras=("legacy",),
            client=node("client_1.mjs"),
        ),
        Contestant(
            "node floor",
            stdio=node("floor.mjs", "stdio"),
            http=node("floor.mjs", "http", "PORT"),
            floor=True,
            sessions=False,
        ),
    ]


def target_of_clients(everyone: list[Contestant]) -> Contestant:
    """The server that clients are measured against: the floor, and this project's own where there are no peers."""
    return next((one for one in everyone if one.name == "hyper floor"), everyone[0])


def contestants(*, with_peers: bool) -> list[Contestant]:
    languages = ["rust", "python", "node", "node plain"]
    # Not every machine can have it; `make build` says why.
    if (RELEASE / "omniport-swift-bench").exists():
        languages.append("swift")
    return [*(ours(name) for name in languages), *(peers() if with_peers else [])]
