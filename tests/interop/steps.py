"""What the Python clients share: each step prints one line of JSON, and a failed step does not stop the others."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 20
"""How long a step may wait for a notification."""


@contextmanager
def step(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        print(json.dumps({"step": name, "ok": False, "detail": f"{type(error).__name__}: {error}"}), flush=True)
    else:
        print(json.dumps({"step": name, "ok": True}), flush=True)


def same(found: Any, wanted: Any) -> None:
    if found != wanted:
        raise AssertionError(f"got {found!r}, wanted {wanted!r}")


def text_of(result: Any) -> str:
    return "".join(block.text for block in result.content)
