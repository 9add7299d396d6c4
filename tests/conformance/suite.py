"""Runs the conformance suite against one server, and reads what it found."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "interop"))
from processes import free_port, listening

HERE = Path(__file__).parent

_SUMMARY = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """One invocation of the suite."""

    package: str
    version: str
    """The revision of the specification; its scenarios are run at this revision."""

    @property
    def title(self) -> str:
        return self.version if self.package == "conformance" else f"{self.version} (0.1)"


RUNS = [
    Run("conformance", "2025-06-18"),
    Run("conformance", "2025-11-25"),
    Run("conformance", "2026-07-28"),
    Run("conformance-0.1", "2025-06-18"),
    Run("conformance-0.1", "2025-11-25"),
]


@dataclass
class Outcome:
    """What one scenario found."""

    passed: int = 0
    failed: int = 0
    problems: list[str] = field(default_factory=list)
    """Failures and warnings, as text."""


Outcomes = dict[str, Outcome]


def command(run: Run) -> list[str]:
    """How the suite is started."""
    script = Path(os.environ["OMNIPORT_NPM"], "node_modules/@modelcontextprotocol", run.package, "dist/index.js")
    return [os.environ["OMNIPORT_NODE22"], str(script)]


async def run_against(language: str, run: Run) -> Outcomes:
    """All scenarios of the revision, pending and draft ones too but no extensions, against a server of its own."""
    async with _serving(language) as url:
        with tempfile.TemporaryDirectory() as folder:
            selection = ("--suite", "all", "--spec-version", run.version, "--output-dir", folder)
            process = await asyncio.create_subprocess_exec(
                *command(run), "server", "--url", url, *selection,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            )  # fmt: skip
            output = (await process.communicate())[0].decode()
            return _read(output, process.returncode, Path(folder))


def _read(output: str, status: int | None, folder: Path) -> Outcomes:
    outcomes = {name: Outcome(int(passed), int(failed)) for name, passed, failed in _SUMMARY.findall(output)}
    for file in sorted(folder.glob("server-*/checks.json")):
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
        outcomes.setdefault(scenario, Outcome()).problems += problems_of(file)
    for name, outcome in outcomes.items():
        if outcome.failed and not outcome.problems:
            outcome.problems.append(f"FAILURE {name} could not be run")
    if not outcomes or (status and not any(outcome.failed for outcome in outcomes.values())):
        outcomes["(the suite itself)"] = Outcome(0, 1, [f"FAILURE it ended with status {status}:\n{output[-2000:]}"])
    return outcomes


def problems_of(file: Path) -> list[str]:
    """The failures and warnings in a file of checks that the suite has written."""
    return [
        f"{check['status']} {check['id']}: {check.get('errorMessage') or check['description']}"
        for check in json.loads(file.read_text())
        if check["status"] in ("FAILURE", "WARNING")
    ]


@contextlib.asynccontextmanager
async def _serving(language: str) -> AsyncIterator[str]:
    port = free_port()
    async with listening([str(HERE / "serve"), language, str(port)], port):
        yield f"http://127.0.0.1:{port}/mcp"
