"""The vectors through the Swift package: streams over pipes, HTTP over sockets, by its own web server and by a foreign one.

Set `VECTOR` to a part of an id to run only those.
"""

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from runner.files import Run, foreign, runs
from runner.process import Programs
from runner.run import perform

ALL = [run for one in runs() for run in (one, foreign(one)) if run is not None]
RUNS = [run for run in ALL if os.environ.get("VECTOR", "") in run.id]


Outcomes = dict[str, Future[None]]
WORKERS = 4
"""Some runs wait for seconds, and starting a process is most of the work of the others."""


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest) -> Iterator[Outcomes]:
    """Every run that was asked for, at work."""
    programs = Programs([str(Path(os.environ["OMNIPORT_BIN"], "omniport-swift-vectors"))], spare=WORKERS)
    wanted = [
        item.callspec.params["run"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
    ]
    with ThreadPoolExecutor(WORKERS) as pool:
        yield {run.id: pool.submit(perform, run, programs) for run in wanted if run.skipped() is None}
        pool.shutdown(cancel_futures=True)
    programs.close()


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.id)
def test_vector(run: Run, outcomes: Outcomes):
    reason = run.skipped()
    if reason is not None:
        pytest.skip(reason)
    outcomes[run.id].result()


def test_nothing_else_is_skipped():
    reasons = Counter(run.skipped() for run in ALL)
    del reasons[None]
    assert reasons == {
        "needs a clock that the runner moves": 87,
        "needs a foreign web server that mounts this one": 1,
        "needs settings of the server's own HTTP side": 3,
        "asks for paths that a foreign web server keeps to itself": 3,
        "asks after a stop, where a foreign web server takes nothing more": 2,
        "needs several streams to one server, and a process has one stdin": 39,
    }
