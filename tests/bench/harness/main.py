"""Runs the rounds: in each one every measure of every contestant, in an order that turns, so that nobody is always first."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from contestants import CACHE, LOAD, Contestant, contestants, target_of_clients
from measures import MEASURES, Figures, Measure, Settings
from report import Results, median, number, ratios, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/bench/run", description=__doc__)
    parser.add_argument("filter", nargs="?", default="", help="only measures or contestants with this in their name")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5, help="of load for each measure")
    parser.add_argument("--quick", action="store_true", help="this project only and briefly: are all answers right?")
    options = parser.parse_args()
    if not LOAD.exists():
        parser.error("the load generator is not built; run `make build`")
    everyone = contestants(with_peers=not options.quick)
    target = target_of_clients(everyone)
    if options.quick:
        settings, rounds = Settings(seconds=0.3, warm=0.05, starts=1, sessions=100, target=target), 1
    else:
        settings, rounds = Settings(options.seconds, warm=0.4, starts=5, sessions=2000, target=target), options.rounds
    plan = chosen(everyone, options.filter)
    if not plan:
        parser.error(f"nothing is called {options.filter!r}")
    results: Results = {}
    failures: list[str] = []
    for at in range(rounds):
        play(at, rounds, plan, settings, results, failures)
    publish(results, everyone, failures, quick=options.quick)
    return 1 if any(contestant.name in failure for failure in failures for contestant in everyone if contestant.ours) else 0


def chosen(everyone: list[Contestant], word: str) -> list[tuple[Measure, Contestant]]:
    return [
        (measure, contestant)
        for measure in MEASURES
        for contestant in everyone
        if measure.fits(contestant) and word.lower() in f"{measure.name} {contestant.name}".lower()
    ]


def play(
    at: int,
    rounds: int,
    plan: list[tuple[Measure, Contestant]],
    settings: Settings,
    results: Results,
    failures: list[str],
) -> None:
    for measure in MEASURES:
        mine = [contestant for other, contestant in plan if other is measure]
        turn = at % len(mine) if mine else 0
        for contestant in mine[turn:] + mine[:turn]:
            began = time.monotonic()
            try:
                figures = measure.run(contestant, settings)
            except (RuntimeError, OSError) as error:
                failures.append(f"{measure.name}, {contestant.name}: {error}")
                said = f"FAILED: {error}"
            else:
                results.setdefault(measure.name, {}).setdefault(contestant.name, []).append(figures)
                said = summary(measure, figures)
            took = time.monotonic() - began
            print(f"[{at + 1}/{rounds}] {measure.name:<34} {contestant.name:<16} {said}  ({took:.1f} s)", flush=True)


def summary(measure: Measure, figures: Figures) -> str:
    cost = f", {figures['cpu_us']:.1f} µs CPU" if "cpu_us" in figures else ""
    return f"{number(median([figures], measure.figure) or 0)} {measure.unit}{cost}"


def publish(results: Results, everyone: list[Contestant], failures: list[str], *, quick: bool) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    raw = CACHE / "last.json"
    raw.write_text(json.dumps({"cores": os.cpu_count(), "results": results, "failures": failures}, indent=1))
    if not quick:
        text = f"{table(results, everyone)}\n\n{ratios(results, everyone)}\n"
        Path(CACHE / "last.md").write_text(text)
        print(f"\n{text}")
    print(f"raw figures: {raw}")
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
