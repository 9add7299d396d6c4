"""Runs the client scenarios of the conformance suite: there the suite is the server, and starts our client for each scenario."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from suite import HERE, Outcome, Outcomes, Run, command, problems_of

_LISTED = re.compile(r"^\s*- (\S+) \[([^\]]*)\]", re.MULTILINE)
_PASSED = re.compile(r"^Passed: (\d+)/(\d+)", re.MULTILINE)


async def run_clients(language: str, run: Run) -> Outcomes:
    """All scenarios of the revision, but for extensions and the OAuth flows."""
    outcomes: Outcomes = {}
    for scenario in await _scenarios(run):
        outcomes[scenario] = await _run_one(language, run, scenario)
    return outcomes


async def _scenarios(run: Run) -> list[str]:
    process = await asyncio.create_subprocess_exec(*command(run), "list", "--client", stdout=asyncio.subprocess.PIPE)
    listed = (await process.communicate())[0].decode()
    # The clients here have no OAuth flow of their own: a token is given to them as a header.
    return [name for name, versions in _LISTED.findall(listed) if run.version in versions and not name.startswith("auth/")]


async def _run_one(language: str, run: Run, scenario: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        process = await asyncio.create_subprocess_exec(
            *command(run), "client", "--command", f"{HERE / 'connect'} {language}", "--scenario", scenario,
            "--spec-version", run.version, "--output-dir", folder,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        output = (await process.communicate())[0].decode()
        found = _PASSED.search(output)
        passed, all_checks = (int(found[1]), int(found[2])) if found else (0, 0)
        outcome = Outcome(passed, all_checks - passed)
        for file in Path(folder).glob("**/checks.json"):
            outcome.problems += problems_of(file)
        if not found or (process.returncode and not outcome.problems):
            outcome.failed += 1
            outcome.problems.append(f"FAILURE the client ended badly:\n{output[-2000:]}")
        return outcome
