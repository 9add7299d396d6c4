"""Runs the suite for each language and revision, prints a table per part, and fails if any check failed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from clients import run_clients
from suite import RUNS, Outcomes, Run, run_against

Part = Callable[[str, Run], Awaitable[Outcomes]]
LANGUAGES: dict[str, dict[str, Part]] = {
    "python": {"server": run_against, "client": run_clients},
    "rust": {"server": run_against, "client": run_clients},
    "node": {"server": run_against, "client": run_clients},
    "swift": {"server": run_against, "client": run_clients},
}
"""The parts that each language has."""


async def main(wanted: list[str]) -> int:
    languages = wanted or [name for name in LANGUAGES if name != "swift" or _has_swift()]
    unknown = [name for name in languages if name not in LANGUAGES]
    if unknown:
        print(f"unknown language {unknown[0]!r}; there are {', '.join(LANGUAGES)}", file=sys.stderr)
        return 2
    passed = failed = 0
    for language in languages:
        for title, part in LANGUAGES[language].items():
            results = await _all_runs(part, language)
            _print_table(f"{language} {title}", results)
            _print_problems(results)
            passed += sum(outcome.passed for outcomes in results for outcome in outcomes.values())
            failed += sum(outcome.failed for outcomes in results for outcome in outcomes.values())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _has_swift() -> bool:
    """Not every machine can have it; `make build` says why."""
    if Path(os.environ["OMNIPORT_BIN"], "omniport-swift-conformance").exists():
        return True
    print("swift is skipped: it is not built", file=sys.stderr)
    return False


async def _all_runs(part: Part, language: str) -> list[Outcomes]:
    """The runs side by side; each has a server of its own, so that none sees the list changes of another."""
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(index: int) -> Outcomes:
        async with slots:
            return await part(language, RUNS[index])

    return list(await asyncio.gather(*(one(index) for index in range(len(RUNS)))))


def _print_table(title: str, results: list[Outcomes]) -> None:
    names = list(dict.fromkeys(name for outcomes in reversed(results) for name in outcomes))
    width = max(len(name) for name in (title, *names))
    print(f"\n{title:<{width}}", *(f"{run.title:>16}" for run in RUNS))
    for name in names:
        print(f"{name:<{width}}", *(f"{_cell(outcomes, name):>16}" for outcomes in results))


def _cell(outcomes: Outcomes, name: str) -> str:
    outcome = outcomes.get(name)
    if outcome is None:
        return "-"
    warned = "!" if any(problem.startswith("WARNING") for problem in outcome.problems) else ""
    return f"{outcome.passed}/{outcome.passed + outcome.failed}{warned}"


def _print_problems(results: list[Outcomes]) -> None:
    print()
    for run, outcomes in zip(RUNS, results, strict=True):
        for name, outcome in outcomes.items():
            for problem in outcome.problems:
                print(f"{run.title} {name}: {problem}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
