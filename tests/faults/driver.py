"""A client in a process of its own, and what the system says of that process."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PATIENCE = 60.0
"""Seconds after which a client counts as hanging; every bound that a test sets is far below."""


@dataclass
class Failed(Exception):
    """What a client's error says."""

    kind: str
    message: str = ""
    code: int | None = None
    facts: dict[str, str] | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.message} {self.facts}"


class Driver:
    def __init__(self, language: str) -> None:
        self._process = subprocess.Popen(
            [str(HERE / "drive"), language], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None, text=True, bufsize=1
        )
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._arrived: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            self._arrived.put(json.loads(text))
        self._arrived.put(None)

    @property
    def pid(self) -> int:
        return self._process.pid

    def order(self, do: str, **members: Any) -> int:
        """Gives an order and does not wait; its number."""
        number = next(self._numbers)
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, "as": number, **members}) + "\n")
        return number

    def answer(self, number: int) -> Any:
        """Waits for the answer to an order; a failure is raised."""
        while number not in self._answers:
            try:
                said = self._arrived.get(timeout=PATIENCE)
            except queue.Empty:
                raise TimeoutError(f"order {number} was not answered: the client hangs") from None
            if said is None:
                raise RuntimeError(f"the driver ended with {self._process.wait()}")
            self._answers[said["as"]] = said
        said = self._answers.pop(number)
        if "failed" in said:
            raise Failed(**said["failed"])
        return said["ok"]

    def do(self, do: str, **members: Any) -> Any:
        return self.answer(self.order(do, **members))

    def connect(self, target: str | list[str], **options: Any) -> Any:
        where = {"url": target} if isinstance(target, str) else {"command": target}
        return self.do("connect", target=where, options=options)

    def call(self, tool: str = "echo", text: str = "hello", **members: Any) -> Any:
        return self.do("call", tool=tool, arguments={"text": text}, **members)

    def tell(self, what: Callable[[Any], bool]) -> Any:
        """What the client was told, as soon as that is enough: answers may overtake notifications."""
        end = time.monotonic() + PATIENCE
        while not what(told := self.do("tell")):
            assert time.monotonic() < end, f"never told: {told}"
        return told

    def resident_kib(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def children(self) -> list[int]:
        """The processes below it that are left, zombies included."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent == self.pid:
                    found.append(int(entry.name))
        return found

    def end(self) -> int:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise TimeoutError("the driver does not end: the client hangs") from None


@contextlib.contextmanager
def driving(language: str) -> Iterator[Driver]:
    driver = Driver(language)
    try:
        yield driver
        assert driver.end() == 0
    finally:
        driver._process.kill()
        driver._process.wait()


def is_running(pid: int) -> bool:
    """Whether a process is left and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
