"""The threads that sync handlers run on.

One worker at most is on its way to the queue at any time, and wakes the next only when it finds more than its own job. So
short jobs are done by one thread in a row, without hand-overs of the interpreter lock, and blocking ones spread over many.
"""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

Job = tuple[contextvars.Context, Callable[..., None], tuple[Any, ...], bool]
_UNSETTLED = 32


class Workers:
    """A pool that grows on demand up to `limit` threads. Jobs must not raise."""

    def __init__(self, limit: int, settle: Callable[[], None]) -> None:
        """`settle` sends what jobs have finished; quick jobs in a row share one call of it."""
        self._limit = limit
        self._settle = settle
        self._jobs: deque[Job] = deque()
        self._lock = threading.Lock()
        self._idle: list[threading.Lock] = []
        self._coming = False
        self._count = 0
        self._closed = False

    def submit(self, quick: bool, context: contextvars.Context, job: Callable[..., None], *args: Any) -> None:
        """Runs `job(*args)` in `context` on some worker, in the order of submission. `quick`: it took microseconds last time."""
        self._jobs.append((context, job, args, quick))
        if not self._coming:
            self._call_one()

    def close(self) -> None:
        """Ends the workers once the queue is empty; one that is stuck in a job ends with the process."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for sleeper in idle:
            sleeper.release()

    def _call_one(self) -> None:
        with self._lock:
            if self._coming:
                return
            if self._idle:
                self._coming = True
                self._idle.pop().release()
            elif self._count < self._limit and not self._closed:
                self._coming = True
                self._count += 1
                # Daemon: a tool that never returns must not keep the process from ending.
                thread = threading.Thread(target=self._work, name=f"omniport-worker-{self._count}", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the system gives no more threads: those there are will do
                    self._coming = False
                    self._count -= 1
                    if not self._count:
                        raise

    def _work(self) -> None:
        sleeper = threading.Lock()
        sleeper.acquire()
        while True:
            with self._lock:
                self._coming = False
            self._drain()
            with self._lock:
                if self._jobs:
                    continue
                if self._closed:
                    self._count -= 1
                    return
                self._idle.append(sleeper)
            sleeper.acquire()

    def _drain(self) -> None:
        jobs = self._jobs
        unsettled = 0
        while True:
            try:
                context, job, args, quick = jobs.popleft()
            except IndexError:
                break
            if jobs and not self._coming:
                self._call_one()
            if unsettled and (not quick or unsettled >= _UNSETTLED):
                self._settle()  # a finished answer must not wait for a slow job
                unsettled = 0
            context.run(job, *args)
            unsettled += 1
        self._settle()
