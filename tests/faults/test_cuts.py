"""Streams and bodies that break off, at every byte there is."""

from __future__ import annotations

import pytest
from conftest import Web
from driver import Driver, Failed

QUICK = {"recover_wait": 0.001, "recover_wait_max": 0.002}
RETRY = len(b"retry: 1\n\n")


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_a_resumable_stream_is_taken_up_without_loss_or_doubles(client: Driver, web: Web, start: int):
    """With the first event the client knows where to take it up; before that the call is lost, and says so."""
    answered = lost = 0
    for at in range(start, start + 50):
        url = web("is_cut_in_its_stream", f"{at}i", more=f"-{at}")
        client.connect(url, limits=QUICK)
        before = client.do("tell")["log"]
        try:
            assert client.call("write", timeout=20) == ["the answer"]
            answered += 1
            expected = before + 2
            told = client.tell(lambda told, expected=expected: told["log"] >= expected)["log"]
            assert told == expected, f"cut at byte {at}: a message was doubled"
        except Failed as failed:
            assert failed.kind in ("closed", "io"), failed
            lost += 1
        assert len(web.seen(url, "tools/call")) == 1, "an unsafe call was sent twice"
        client.do("close")
    assert answered == 50 if start >= 150 else lost > 0 or answered > 0


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_stream_that_cannot_be_taken_up_fails_its_call(client: Driver, web: Web, era: str):
    answered = lost = 0
    for at in range(0, 420, 7):
        client.connect(web("is_cut_in_its_stream", str(at), era, more=f"-{at}"), limits=QUICK)
        try:
            assert client.call("write", timeout=20) == ["the answer"]
            answered += 1
        except Failed as failed:
            assert failed.kind in ("closed", "io"), failed
            lost += 1
        client.do("close")
    assert lost > 20, "most cuts come before the answer"
    assert answered + lost == 60


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_body_that_breaks_off_fails_its_call(client: Driver, web: Web, era: str):
    for at in range(0, 90, 3):
        client.connect(web("is_cut_in_its_body", str(at), era, more=f"-{at}"), limits=QUICK)
        with pytest.raises(Failed) as failed:
            client.call("write", timeout=20)
        assert failed.value.kind in ("closed", "io"), failed.value
        client.do("close")
