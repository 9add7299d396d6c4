"""HTTP servers that stall, flood, lose sessions, answer others, redirect."""

from __future__ import annotations

import pytest
from conftest import Web
from driver import Driver, Failed

QUICK = {"recover_wait": 0.01, "recover_wait_max": 0.05}
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def test_h01_a_lost_session_is_begun_again_once_for_all_calls(client: Driver, web: Web):
    url = web("loses_its_session")
    client.connect(url, limits=QUICK)
    assert client.call("write", "first") == ["first"]
    calls = [client.order("call", tool="write", arguments={"text": str(number)}) for number in range(8)]
    assert [client.answer(call) for call in calls] == [[str(number)] for number in range(8)]
    begun = web.seen(url, "initialize")
    assert len(begun) == 2 and all("mcp-session-id" not in note["headers"] for note in begun)
    client.tell(lambda told: told["states"][-2:] == ["recovering", "ready"])


def test_h01_a_session_that_is_lost_again_is_an_error_and_no_loop(client: Driver, web: Web):
    url = web("loses_its_session", "always")
    client.connect(url, limits=QUICK)
    with pytest.raises(Failed, match="404"):
        client.call("write", timeout=20)
    assert len(web.seen(url, "initialize")) <= 3


@ERAS
@pytest.mark.parametrize("where", ["head", "body", "event"])
def test_y04_a_call_that_stalls_ends_at_its_own_limit(client: Driver, web: Web, era: str, where: str):
    client.connect(web("stalls", where, era), limits=QUICK)
    with pytest.raises(Failed) as failed:
        client.call("write", timeout=0.3)
    assert failed.value.kind == "timeout"
    assert client.call() == ["hello"]


@ERAS
@pytest.mark.parametrize("what", ["line", "body", "gzip"])
def test_security_13_18_an_answer_without_end_is_cut(client: Driver, web: Web, era: str, what: str):
    client.connect(web("sends_without_end", what, era), limits={**QUICK, "message_bytes": 4 << 20})
    with pytest.raises(Failed, match="message_bytes"):
        client.call(timeout=30)
    assert client.resident_kib() < 300_000
    client.do("close")


def test_security_13_a_body_that_nobody_reads_has_an_end(client: Driver, web: Web):
    client.connect(web("sends_without_end", "notice"), limits=QUICK)
    assert client.call() == ["hello"]
    client.do("close")


@ERAS
def test_y09_a_flood_of_events_delays_no_result(client: Driver, web: Web, era: str):
    client.connect(web("floods", era=era), limits=QUICK)
    assert client.call() == ["hello"]
    assert client.resident_kib() < 400_000


@ERAS
@pytest.mark.parametrize("fault", ["answers_twice", "answers_others"])
def test_answers_reach_whom_they_belong_to(client: Driver, web: Web, era: str, fault: str):
    client.connect(web(fault, era=era), limits=QUICK)
    calls = [client.order("call", tool="echo", arguments={"text": str(number)}) for number in range(30)]
    assert [client.answer(call) for call in calls] == [[str(number)] for number in range(30)]


@ERAS
@pytest.mark.parametrize("status", ["400", "401", "403", "404", "500", "503"])
def test_h14_a_page_instead_of_an_answer(client: Driver, web: Web, era: str, status: str):
    client.connect(web("answers_with", status, era), limits=QUICK)
    with pytest.raises(Failed, match=status) as failed:
        client.call("write", timeout=20)
    assert len(failed.value.message) < 1000 and failed.value.facts is not None and failed.value.facts["status"] == status


@ERAS
def test_a_connection_that_breaks_costs_unsafe_calls_only(client: Driver, web: Web, era: str):
    url = web("breaks_connections", era=era)
    client.connect(url, limits=QUICK)
    client.do("list")
    assert client.call("echo", "safe") == ["safe"]
    with pytest.raises(Failed):
        client.call("write", timeout=20)
    assert client.call("write", "next") == ["next"]
    assert len(web.seen(url, "tools/call")) == 4, "nothing was sent twice but what may be"


@ERAS
def test_security_25_a_redirect_to_another_origin_gets_nothing(client: Driver, web: Web, era: str):
    client.connect(web("redirects", "away", era), limits=QUICK, headers={"Authorization": "Bearer secret", "X-Key": "secret"})
    with pytest.raises(Failed) as failed:
        client.call("write", timeout=20)
    assert "secret" not in str(failed.value)
    stolen = web("right", era="modern").rsplit("/", 1)[0] + "/stolen"
    assert web.seen(stolen) == []


def test_a_redirect_in_a_circle_ends(client: Driver, web: Web):
    client.connect(web("redirects", "round"), limits=QUICK)
    with pytest.raises(Failed):
        client.call("write", timeout=20)


@pytest.mark.parametrize("how", ["405", "404", "500", "html", "hang"])
def test_h06_no_stream_by_get_harms_nobody(client: Driver, web: Web, how: str):
    url = web("says_no_to_get", how)
    client.connect(url, limits=QUICK)
    assert client.call() == ["hello"]
    client.do("close")
    assert sum(note["verb"] == "GET" for note in web.seen(url)) < 10, "no tight loop"


@pytest.mark.parametrize("how", ["empty", "null", "204", "text"])
def test_h03_odd_answers_to_notifications(client: Driver, web: Web, how: str):
    client.connect(web("accepts_oddly", how), limits=QUICK)
    assert client.call() == ["hello"]


@ERAS
def test_an_error_of_the_server_keeps_its_code(client: Driver, web: Web, era: str):
    client.connect(web("refuses_calls", era=era), limits=QUICK)
    with pytest.raises(Failed, match="not today") as failed:
        client.call()
    assert failed.value.code == -32050


def test_nothing_is_left_of_many_connections(client: Driver, web: Web):
    def once() -> None:
        client.connect(web("right"), limits=QUICK)
        client.call()
        client.do("close")

    for _ in range(5):
        once()
    threads, descriptors, memory = client.threads(), client.descriptors(), client.resident_kib()
    for _ in range(100):
        once()
    assert client.threads() <= threads + 2 and client.descriptors() <= descriptors + 4
    assert client.resident_kib() - memory < 20_000
