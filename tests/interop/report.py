"""Runs official clients here and our clients there, prints tables, and fails if a check failed or did not run."""

from __future__ import annotations

import asyncio
import os
import sys

import clients
import inspector
import walks


async def main(words: list[str]) -> int:
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    async def one(does):
        async with slots:
            return await does

    theirs, commands, ours = clients.cases(words), inspector.cases(words), walks.cases(words)
    results = await asyncio.gather(
        *(one(clients.run(case)) for case in theirs),
        *(one(inspector.run(case)) for case in commands),
        *(one(walks.run(case)) for case in ours),
    )
    steps, outcomes = results[: len(theirs)], results[len(theirs) :]
    checked = [*commands, *ours]
    if theirs:
        _print_steps(theirs, steps)
    if checked:
        _print_checks(checked, outcomes)
    problems = [
        (case.title, step, problem) for case, found in zip(theirs, steps, strict=True) for step, problem in found.items() if problem
    ]
    passed = sum(len(found) for found in steps) - len(problems)
    for case, outcome in zip(checked, outcomes, strict=True):
        passed += outcome.passed
        problems += [(case.title, check, problem) for check, problem in outcome.problems.items()]
    for title, check, problem in problems:
        print(f"{title}: {check}: {problem}")
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems or not results else 0


def _print_steps(cases: list[clients.Case], results: list[clients.Results]) -> None:
    width = max(len(step) for step in clients.STEPS)
    for number, case in enumerate(cases, 1):
        print(f"{number:>3}  {case.title}")
    print(f"\n{'':<{width}}", *(f"{number:>5}" for number in range(1, len(cases) + 1)))
    for step in clients.STEPS:
        print(f"{step:<{width}}", *(f"{'FAIL' if found[step] else 'ok':>5}" for found in results))
    print()


def _print_checks(cases: list[inspector.Case | walks.Case], outcomes: list[walks.Outcome]) -> None:
    width = max(len(case.title) for case in cases)
    for case, outcome in zip(cases, outcomes, strict=True):
        failed = f", {len(outcome.problems)} FAILED" if outcome.problems else ""
        print(f"{case.title:<{width}}  {outcome.passed:>3} checks passed in {outcome.seconds:4.1f} s{failed}")
    print()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
