"""Server processes that die, stall, babble, or do not want to end."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from driver import Driver, Failed, driving, is_running

Fake = Callable[..., list[str]]
QUICK = {"recover_wait": 0.01, "recover_wait_max": 0.05, "child_exit": 0.5}
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def heard(folder: Path, method: str) -> int:
    return (folder / "heard").read_text().count(f'"method":"{method}"')


@ERAS
def test_c06_a_server_that_dies_at_its_start_is_explained(client: Driver, fake: Fake, era: str):
    with pytest.raises(Failed) as failed:
        client.connect(fake("dies_at_start", era), limits=QUICK)
    assert failed.value.facts is not None
    assert failed.value.facts["exit"] == "3" and "cannot open the database" in failed.value.facts["stderr"]
    assert client.children() == []


def test_c06_programs_that_cannot_be_started(client: Driver, tmp_path: Path):
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for command in (["no-such-program-here"], [str(plain)], [str(tmp_path)]):
        with pytest.raises(Failed, match=Path(command[0]).name):
            client.connect(command)


@ERAS
def test_c11_a_safe_call_survives_the_death_of_its_server(client: Driver, fake: Fake, tmp_path: Path, era: str):
    client.connect(fake("dies_in_first_call", era), limits=QUICK)
    assert client.do("list") == ["echo", "write"]
    assert client.call("echo", "again") == ["again"], "`echo` says that it only reads"
    assert (tmp_path / "starts").read_text() == "2"
    client.tell(lambda told: told["states"][-3:] == ["ready", "recovering", "ready"])


@ERAS
def test_c11_an_unsafe_call_fails_at_once_and_the_next_one_works(client: Driver, fake: Fake, tmp_path: Path, era: str):
    client.connect(fake("dies_in_first_call", era), limits=QUICK)
    client.do("list")
    with pytest.raises(Failed) as failed:
        client.call("write")
    assert failed.value.kind == "closed" and failed.value.facts is not None
    assert "about to die" in failed.value.facts["stderr"] and failed.value.facts["signal"] == "9"
    assert client.call("write", "next") == ["next"]
    assert (tmp_path / "starts").read_text() == "2"


def test_c11_a_server_that_dies_again_and_again_is_given_up(client: Driver, fake: Fake, tmp_path: Path):
    client.connect(fake("dies_in_every_call"), limits={**QUICK, "recover_tries": 3})
    client.do("list")
    for _ in range(3):
        with pytest.raises(Failed) as failed:
            client.call("echo", timeout=10)
        assert failed.value.facts is not None and failed.value.facts.get("exit") == "7", failed.value
    assert int((tmp_path / "starts").read_text()) < 20, "no crash loop"


@ERAS
def test_a_silent_server_costs_the_time_limit_and_nothing_else(client: Driver, fake: Fake, tmp_path: Path, era: str):
    client.connect(fake("is_silent", era), limits=QUICK)
    with pytest.raises(Failed) as failed:
        client.call("echo", timeout=0.2)
    assert failed.value.kind == "timeout"
    assert client.call("write", "still here") == ["still here"], "Y24: a slow call is no dead server"
    assert heard(tmp_path, "notifications/cancelled") == 1 and (tmp_path / "starts").read_text() == "1"


@ERAS
def test_w02_w22_junk_is_ignored_and_never_answered(client: Driver, fake: Fake, tmp_path: Path, era: str):
    client.connect(fake("answers_junk", era), limits=QUICK)
    assert client.do("list") == ["echo", "write"]
    assert client.call("echo", "a\u2028b\u0085c") == ["a\u2028b\u0085c"]
    assert b'"error"' not in (tmp_path / "heard").read_bytes()


def test_c04_a_flood_on_stderr_blocks_nothing(client: Driver, fake: Fake):
    client.connect(fake("floods_stderr"), limits=QUICK)
    before = client.resident_kib()
    assert client.do("list") == ["echo", "write"]
    assert client.call() == ["hello"]
    assert client.resident_kib() - before < 40_000


@ERAS
def test_y09_a_flood_of_notifications_delays_no_result(client: Driver, fake: Fake, era: str):
    client.connect(fake("floods_notifications", era), limits=QUICK)
    assert client.call() == ["hello"]
    assert client.call("write", "next") == ["next"]
    assert client.resident_kib() < 400_000


def test_a_storm_of_changes_becomes_few_refreshes(client: Driver, fake: Fake, tmp_path: Path):
    client.connect(fake("changes_its_tools"), limits=QUICK)
    client.do("list")
    assert client.call() == ["hello"]
    assert client.call("write", "next") == ["next"]
    assert heard(tmp_path, "tools/list") < 20


@ERAS
def test_w23_an_output_that_closes_ends_its_calls(client: Driver, fake: Fake, era: str):
    client.connect(fake("closes_its_output", era), limits={**QUICK, "recover_tries": 0})
    with pytest.raises(Failed) as failed:
        client.call("write")
    assert failed.value.kind == "closed"


@ERAS
def test_x03_late_and_double_answers_reach_nobody(client: Driver, fake: Fake, era: str):
    client.connect(fake("answers_late", era), limits=QUICK)
    with pytest.raises(Failed, match="timeout"):
        client.call("write", timeout=0.2)
    for number in range(3):
        assert client.call("echo", f"own {number}") == [f"own {number}"]


@ERAS
def test_a_double_answer_counts_once(client: Driver, fake: Fake, era: str):
    client.connect(fake("answers_twice", era), limits=QUICK)
    assert [client.call("echo", str(number)) for number in range(50)] == [[str(number)] for number in range(50)]


def test_w20_a_long_answer_in_small_pieces(client: Driver, fake: Fake):
    client.connect(fake("answers_in_pieces"), limits=QUICK)
    assert len(client.call()[0]) == 4 << 20


def test_w20_a_line_beyond_the_limit_fails_its_call_and_nothing_else(client: Driver, fake: Fake):
    client.connect(fake("answers_a_line_without_end"), limits={**QUICK, "message_bytes": 1 << 20})
    with pytest.raises(Failed, match="message_bytes"):
        client.call("write", timeout=20)
    assert client.call() == ["hello"]
    assert client.resident_kib() < 300_000


def test_a_server_that_stops_reading_holds_nobody(client: Driver, fake: Fake):
    client.connect(fake("stops_reading"), limits=QUICK)
    client.do("list")
    calls = [client.order("call", tool="write", arguments={"text": "x" * 200_000}, timeout=1) for _ in range(50)]
    for call in calls:
        with pytest.raises(Failed):
            client.answer(call)
    client.do("close")
    assert client.children() == []


@ERAS
def test_y24_a_server_that_hangs_is_replaced(client: Driver, fake: Fake, tmp_path: Path, era: str):
    client.connect(fake("hangs_in_a_call", era), limits={**QUICK, "ping_every": 0.3, "ping_for": 0.3})
    client.do("list")
    assert client.call("echo", "after all", timeout=30) == ["after all"]
    assert (tmp_path / "starts").read_text() == "2"


def test_c09_big_messages_both_ways(client: Driver, fake: Fake):
    client.connect(fake("echoes_big_messages"), limits=QUICK)
    calls = [client.order("call", tool="echo", arguments={"text": f"{number:04}" * 65_000}) for number in range(100)]
    for number, call in enumerate(calls):
        assert client.answer(call) == [f"{number:04}" * 65_000]


def test_c01_grandchildren_end_with_their_server(client: Driver, fake: Fake, tmp_path: Path):
    client.connect(fake("leaves_children"), limits=QUICK)
    client.do("list")
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert all(is_running(pid) for pid in pids)
    client.do("close")
    assert not any(is_running(pid) for pid in pids) and client.children() == []


def test_c01_a_client_that_is_killed_leaves_no_server(language: str, tmp_path: Path, fake: Fake):
    with pytest.raises(AssertionError), driving(language) as client:
        client.connect(fake("is_silent"), limits=QUICK)
        server = client.children()[0]
        os.kill(client.pid, signal.SIGKILL)
    until_gone(server)


def until_gone(pid: int) -> None:
    """The end of another's child: the system tells it through a descriptor."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 20)[0], "the server outlives its client"
    finally:
        os.close(descriptor)


def test_nothing_is_left_of_many_connections(client: Driver, fake: Fake):
    def once() -> None:
        client.connect(fake("answers_junk"), limits=QUICK)
        client.call()
        client.do("close")

    for _ in range(3):
        once()
    threads, descriptors = client.threads(), client.descriptors()
    for _ in range(20):
        once()
    assert client.children() == []
    assert client.threads() <= threads + 2 and client.descriptors() <= descriptors + 2


def test_the_end_of_a_client_without_close(language: str, fake: Fake):
    with driving(language) as client:
        client.connect(fake("is_silent"), limits=QUICK)
        server = client.children()[0]
    until_gone(server)
