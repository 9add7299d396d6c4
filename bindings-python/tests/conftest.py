"""What all tests share. They run on the installed package, native module included: `make test-python` installs the wheel first."""

import asyncio
import sys
from pathlib import Path

import pytest

# Helpers of the tests only. The package's own sources must not be found here: without the native module beside them they would be
# tested instead of the wheel, on a stand-in.
sys.path.insert(0, str(Path(__file__).parent))

import fake_native
import omniport._native  # noqa: F401


@pytest.fixture
def fake(monkeypatch):
    """The server modules on the fake engine, whether the real one is there or not."""
    from omniport import _hooks, _pump, _registry

    for module in (_hooks, _pump, _registry):
        monkeypatch.setattr(module, "_native", fake_native)
    return fake_native


@pytest.fixture
def run():
    """Runs a coroutine function to its end on a loop of its own, within ten seconds."""

    def runner(main, *args):
        return asyncio.run(asyncio.wait_for(main(*args), 10))

    return runner
