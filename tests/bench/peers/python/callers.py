"""Many callers of one client at once, the same for every Python client: each sum is checked, and one wrong one ends the run."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field


@dataclass
class Caller:
    add: Callable[[int, int], Awaitable[int]]
    in_flight: int
    warm: float
    seconds: float
    latencies: list[float] = field(default_factory=list[float])
    start: float = 0
    cpu: float = 0

    async def loop(self, number: int, until: float) -> None:
        while (began := time.perf_counter()) < until:
            number += 1
            if await self.add(number, 1) != number + 1:
                raise RuntimeError(f"{number} + 1 was answered wrongly")
            if began >= self.start:
                self.latencies.append(time.perf_counter() - began)


async def run(caller: Caller) -> None:
    await caller.add(1, 2)
    caller.start = time.perf_counter() + caller.warm
    end = caller.start + caller.seconds
    loops = [caller.loop(number * 1_000_000, end) for number in range(caller.in_flight)]
    watch = asyncio.create_task(mark(caller))
    await asyncio.gather(*loops)
    await watch
    taken, used = time.perf_counter() - caller.start, time.process_time() - caller.cpu
    count = len(caller.latencies)
    ordered = sorted(caller.latencies)
    figures = {
        "per_second": count / taken,
        "cpu_us": used * 1e6 / max(count, 1),
        "p50_us": ordered[count // 2] * 1e6,
        "p99_us": ordered[count * 99 // 100] * 1e6,
    }
    print(json.dumps(figures))


async def mark(caller: Caller) -> None:
    """The CPU time is counted from the end of the warm-up."""
    await asyncio.sleep(caller.warm)
    caller.cpu = time.process_time()
