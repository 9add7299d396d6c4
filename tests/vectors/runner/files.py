"""The files, and the runs that they ask for: one for each revision and transport."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FOLDER = Path(__file__).parents[1]
LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
_GROUPS = {"all": [*LEGACY, MODERN], "legacy": LEGACY, "modern": [MODERN]}
_KEYS = {"rule", "spec", "cases", "revisions", "transports", "server", "client", "vars", "steps"}
_OF_ITS_OWN_HTTP = {"json_only", "cors_origin", "allowed_hosts"}
"""Settings that a server has where it listens itself. Behind a foreign web server that one decides."""
_ENDPOINTS = {"/mcp", "/sse", "/messages"}


@dataclass(frozen=True)
class Client:
    """What the runner's own client says of itself."""

    capabilities: dict[str, Any] = field(default_factory=dict)
    handshake: bool = True
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """One vector for one revision over one transport."""

    path: str
    rule: str
    revision: str
    transport: str
    """`stream`, `http` (the server listens itself), or `foreign` (HTTP, through a web server that is not Omniport's)."""
    server: dict[str, Any]
    client: Client
    vars: dict[str, Any]
    steps: list[dict[str, Any]]

    @property
    def id(self) -> str:
        return f"{self.path}-{self.revision}-{self.transport}"

    @property
    def is_modern(self) -> bool:
        return self.revision == MODERN

    def skipped(self) -> str | None:
        """Why it cannot run here, if it cannot."""
        if any("advance_ms" in step for step in self.steps):
            return "needs a clock that the runner moves"
        if self.transport != "foreign" and any("mount" in step.get("http", {}) for step in self.steps):
            return "needs a foreign web server that mounts this one"
        if self.transport == "foreign" and (reason := self._decided_by_others()):
            return reason
        clients = {step.get("on", "main") for step in self.steps if _of_client(step)}
        if self.transport == "stream" and len(clients) > 1:
            return "needs several streams to one server, and a process has one stdin"
        return None

    def _decided_by_others(self) -> str | None:
        """What it looks at that a foreign web server decides, not the server behind it."""
        if _OF_ITS_OWN_HTTP & set(self.server):
            return "needs settings of the server's own HTTP side"
        requests = [step["http"] for step in self.steps if "http" in step]
        if any(_endpoint(request.get("path", "/mcp")) not in _ENDPOINTS for request in requests):
            return "asks for paths that a foreign web server keeps to itself"
        verbs = [verb for step in self.steps for verb in step if verb in ("stop", "http")]
        if "stop" in verbs and "http" in verbs[verbs.index("stop") :]:
            return "asks after a stop, where a foreign web server takes nothing more"
        return None


def _endpoint(path: str) -> str:
    """The path that a web server looks at; it may be a whole URL, or have been told by the server."""
    if path.startswith("${"):
        return "/messages"
    return urlsplit(path).path.rstrip("/")


def _of_client(step: dict[str, Any]) -> bool:
    return not {"stop", "advance_ms", "response", "leave"} & set(step)


def runs() -> list[Run]:
    """Every run of every file, in the order of the paths."""
    return [run for path in sorted(FOLDER.rglob("*.json")) if _is_of_server(path) for run in _runs(path)]


def foreign(run: Run) -> Run | None:
    """The same run through a foreign web server, for one over HTTP."""
    return replace(run, transport="foreign") if run.transport == "http" else None


def _is_of_server(path: Path) -> bool:
    """Those below `client` are rules of clients, which the engine keeps for every language."""
    return path.relative_to(FOLDER).parts[0] not in {"standard.json", "client"}


def _runs(path: Path) -> list[Run]:
    vector = json.loads(path.read_text(encoding="utf-8"))
    unknown = set(vector) - _KEYS
    if unknown:
        raise ValueError(f"{path}: unknown members {sorted(unknown)}")
    revisions = [name for group in vector["revisions"] for name in _GROUPS.get(group, [group])]
    return [
        Run(
            path=path.relative_to(FOLDER).with_suffix("").as_posix(),
            rule=vector["rule"],
            revision=revision,
            transport=transport,
            server=vector.get("server", {}),
            client=Client(**vector.get("client", {})),
            vars=_vars(vector.get("vars", {}), revision),
            steps=vector["steps"],
        )
        for revision in revisions
        for transport in vector.get("transports", ["stream"])
    ]


def _vars(groups: dict[str, dict[str, Any]], revision: str) -> dict[str, Any]:
    era = "modern" if revision == MODERN else "legacy"
    return {**groups.get(era, {}), **groups.get(revision, {})}
