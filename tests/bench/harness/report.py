"""From figures to a table for people and JSON for machines."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from contestants import Contestant
from measures import MEASURES, Figures, Measure

Results = dict[str, dict[str, list[Figures]]]
"""Measure, contestant, rounds."""


def median(rounds: Iterable[Figures], figure: str) -> float | None:
    values = [figures[figure] for figures in rounds if figure in figures]
    return statistics.median(values) if values else None


def table(results: Results, contestants: list[Contestant]) -> str:
    """Medians; below each rate the CPU time of the server's process for one answer."""
    names = [contestant.name for contestant in shown(results, contestants)]
    lines = [row(["", *names]), row(["---", *["---:"] * len(names)])]
    for measure in measured(results):
        by_name = results[measure.name]
        lines.append(row([measure.name, *(cell(median(by_name.get(n, []), measure.figure), measure.unit) for n in names)]))
        costs = [median(by_name.get(name, []), "cpu_us") for name in names]
        if any(cost is not None for cost in costs):
            lines.append(row(["· CPU for each", *(cell(cost, "µs") for cost in costs)]))
        loaded = [median(by_name.get(name, []), "loaded_mib") for name in names]
        if any(size is not None for size in loaded):
            lines.append(row(["· after load", *(cell(size, "MiB") for size in loaded)]))
    return "\n".join(lines)


def ratios(results: Results, contestants: list[Contestant]) -> str:
    """How many times better each of ours is than each peer; the same by CPU time in brackets."""
    ours = [contestant.name for contestant in shown(results, contestants) if contestant.ours]
    others = [contestant.name for contestant in shown(results, contestants)]
    lines = [row(["", *(f"{mine} to {other}" for mine, other in pairs(ours, others))])]
    lines.append(row(["---", *["---:"] * (lines[0].count("|") - 2)]))
    for measure in measured(results):
        cells = []
        for mine, other in pairs(ours, others):
            by_name = results[measure.name]
            figure = better(by_name, mine, other, measure.figure, measure.more_is_better)
            cost = better(by_name, mine, other, "cpu_us", False)
            cells.append("" if figure is None else f"{number(figure)}×" + (f" ({number(cost)}×)" if cost else ""))
        lines.append(row([measure.name, *cells]))
    return "\n".join(lines)


def shown(results: Results, contestants: list[Contestant]) -> list[Contestant]:
    """Who was measured at all."""
    return [one for one in contestants if any(one.name in by_name for by_name in results.values())]


def pairs(ours: list[str], others: list[str]) -> list[tuple[str, str]]:
    """Each of ours with the peers of its language; Rust's with the floor of HTTP, too, and Swift's with Rust's."""
    node = ("node server 2", "node server 2 best", "node sdk 1", "node floor")
    kin = {
        "omniport rust": ("rmcp", "rmcp best", "hyper floor"),
        "omniport python": ("mcp", "mcp best", "fastmcp", "python floor"),
        "omniport node": node,
        "omniport node plain": node,
        "omniport swift": ("omniport rust",),
    }
    return [(mine, other) for mine in ours for other in kin[mine] if other in others]


def better(by_name: dict[str, list[Figures]], mine: str, other: str, figure: str, more: bool) -> float | None:
    a, b = median(by_name.get(mine, []), figure), median(by_name.get(other, []), figure)
    if not a or not b:
        return None
    return a / b if more else b / a


def measured(results: Results) -> list[Measure]:
    return [measure for measure in MEASURES if results.get(measure.name)]


def cell(value: float | None, unit: str) -> str:
    return "" if value is None else f"{number(value)} {unit}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
