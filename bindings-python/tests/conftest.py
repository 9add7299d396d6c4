"""Makes the package importable from the source tree, and stands in for the native module where it is not built."""

import asyncio
import importlib.util
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
for place in (HERE, HERE.parent):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

import fake_native

HAS_NATIVE = importlib.util.find_spec("omniport._native") is not None
if not HAS_NATIVE:
    sys.modules["omniport._native"] = fake_native


@pytest.fixture
def fake(monkeypatch):
    """The server and client modules on the fake engine, whether the real one is there or not."""
    from omniport import _hooks, _pump, _registry, client

    for module in (_hooks, _pump, _registry, client):
        monkeypatch.setattr(module, "_native", fake_native)
    return fake_native


@pytest.fixture
def run():
    """Runs a coroutine function to its end on a loop of its own, within ten seconds."""

    def runner(main, *args):
        return asyncio.run(asyncio.wait_for(main(*args), 10))

    return runner
