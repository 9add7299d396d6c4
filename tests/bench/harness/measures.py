"""What is measured of each contestant. A measure returns named figures; the load generator checks every answer on the way."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace

from contestants import LOAD, Contestant
from servers import Running, pinned, serving

Figures = dict[str, float]
TOOLS = 1003


@dataclass(frozen=True)
class Settings:
    seconds: float
    warm: float
    starts: int
    sessions: int
    target: Contestant
    """The server that clients call."""


@dataclass(frozen=True)
class Measure:
    name: str
    transport: str
    run: Callable[[Contestant, Settings], Figures]
    figure: str
    """The figure that the table shows."""
    unit: str
    more_is_better: bool
    for_floors: bool = True
    for_sessionless: bool = True
    era: str | None = None
    """The era that it is about; none if the contestant's newest will do."""

    def fits(self, contestant: Contestant) -> bool:
        return (
            contestant.can(self.transport)
            and (self.era is None or self.era in contestant.eras)
            and (self.for_floors or not contestant.floor)
            and (self.for_sessionless or contestant.sessions)
        )


def load(mode: str, *words: str, command: list[str] | None = None, many: bool = False) -> Figures:
    """Runs the load generator on the second core; a wrong answer is an error here."""
    call = [*pinned(1), str(LOAD), mode, *words]
    if command is not None:
        # `env` becomes the server, as `taskset` does: the process id stays that of the child.
        call += ["--", *pinned(0), "env", *(["MANY=1"] if many else []), *command]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"the load generator ended with {done.returncode}")
    return {name: value for name, value in json.loads(done.stdout).items() if value is not None}


def spans(settings: Settings) -> list[str]:
    return ["--seconds", str(settings.seconds), "--warm", str(settings.warm)]


def over(server: Running, era: str, what: str, connections: int, settings: Settings, *more: str) -> Figures:
    return load(
        "http", server.address, "--pid", str(server.pid), "--era", era, "--what", what,
        "--connections", str(connections), *spans(settings), *more,
    )  # fmt: skip


def http(era: str, connections: int) -> Measure:
    def run(contestant: Contestant, settings: Settings) -> Figures:
        with serving(contestant, {}) as server:
            return over(server, era, "add", connections, settings)

    return Measure(f"HTTP {era}, {connections} at once", "http", run, "per_second", "/s", True, era=era)


def stdio(era: str, depth: int) -> Measure:
    def run(contestant: Contestant, settings: Settings) -> Figures:
        return load("stdio", "--era", era, "--depth", str(depth), *spans(settings), command=contestant.stdio)

    return Measure(f"stdio {era}, {depth} at once", "stdio", run, "per_second", "/s", True, era=era)


def client(in_flight: int) -> Measure:
    """Calls of a client, with the defaults a user gets, against a server that costs next to nothing."""

    def run(contestant: Contestant, settings: Settings) -> Figures:
        with serving(settings.target, {}) as server:
            call = [*pinned(1), *contestant.client, f"http://{server.address}/mcp"]
            call += [str(in_flight), str(settings.warm), str(settings.seconds)]
            done = subprocess.run(call, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"the client ended with {done.returncode}")
        return json.loads(done.stdout)

    return Measure(f"client, {in_flight} at once", "client", run, "per_second", "/s", True)


def cold_start(contestant: Contestant, settings: Settings) -> Figures:
    return load("cold", "--count", str(settings.starts), command=contestant.stdio)


def listing(contestant: Contestant, settings: Settings) -> Figures:
    with serving(contestant, {"MANY": "1"}) as server:
        return over(server, contestant.eras[0], "list", 1, settings, "--tools", str(TOOLS))


def big_result(contestant: Contestant, settings: Settings) -> Figures:
    with serving(contestant, {}) as server:
        return over(server, contestant.eras[0], "big", 1, settings)


def memory(contestant: Contestant, settings: Settings) -> Figures:
    with serving(contestant, {}) as server:
        few = replace(settings, seconds=0.05, warm=0)
        idle = over(server, contestant.eras[0], "add", 1, few)["memory_kib_after"]
        loaded = over(server, contestant.eras[0], "add", 64, settings)["memory_kib_after"]
        return {"idle_mib": idle / 1024, "loaded_mib": loaded / 1024}


def session_memory(contestant: Contestant, settings: Settings) -> Figures:
    with serving(contestant, {}) as server:
        return load("sessions", server.address, "--pid", str(server.pid), "--count", str(settings.sessions))


MEASURES = [
    *(http(era, connections) for era in ("modern", "legacy") for connections in (1, 16, 64)),
    *(stdio(era, depth) for era in ("modern", "legacy") for depth in (1, 32)),
    *(client(in_flight) for in_flight in (1, 64)),
    Measure("cold start to first answer", "stdio", cold_start, "ms", "ms", False),
    Measure("listing of 1,000 tools", "http", listing, "per_second", "/s", True, for_floors=False),
    Measure("result of 1 MB", "http", big_result, "per_second", "/s", True, for_floors=False),
    Measure("memory idle", "http", memory, "idle_mib", "MiB", False),
    Measure("memory of an idle legacy session", "http", session_memory, "kib_per_session", "KiB", False, False, False),
]
