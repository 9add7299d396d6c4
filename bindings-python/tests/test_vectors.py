"""The vectors of `tests/vectors` through this package: streams over the pipes of a process, HTTP over sockets.

Set `VECTOR` to a part of an id to run only those.
"""

import os
import sys
from collections import Counter

import pytest

if sys.platform == "win32":
    pytest.skip("needs fork", allow_module_level=True)

from runner.files import runs
from runner.run import perform
from vectors.forks import Forks

RUNS = [run for run in runs() if os.environ.get("VECTOR", "") in run.id]


@pytest.fixture(scope="module")
def forks():
    forks = Forks()
    yield forks
    forks.close()


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.id)
def test_vector(run, forks):
    reason = run.skipped()
    if reason is not None:
        pytest.skip(reason)
    perform(run, forks)


def test_nothing_else_is_skipped():
    reasons = Counter(run.skipped() for run in runs())
    del reasons[None]
    assert reasons == {
        "needs a clock that the runner moves": 53,
        "needs a foreign web server that mounts this one": 1,
        "needs several streams to one server, and a process has one stdin": 39,
    }
