"""A server process with one fault: `process.py ERA FAULT [FOLDER]`. FOLDER gets what a test looks at: processes, starts, lines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from peer import Message, line, log, reply, text_of

ERA, FAULT = sys.argv[1], sys.argv[2]
FOLDER = Path(sys.argv[3]) if len(sys.argv) > 3 else None
FLOOD = 100_000


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message: Message | None) -> None:
    if message is not None:
        write(line(message))


def is_call(message: Message, tool: str | None = None) -> bool:
    return message.get("method") == "tools/call" and (tool is None or message["params"]["name"] == tool)


def starts() -> int:
    """How often it was started, this time included."""
    assert FOLDER is not None
    counter = FOLDER / "starts"
    count = int(counter.read_text()) + 1 if counter.exists() else 1
    counter.write_text(str(count))
    return count


def dies_at_start(_: Message) -> None:
    sys.stderr.write("cannot open the database\n")
    sys.exit(3)


def dies_in_first_call(message: Message) -> None:
    if is_call(message) and START == 1:
        sys.stderr.write("about to die\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    send(reply(message, ERA))


def dies_in_every_call(message: Message) -> None:
    if is_call(message):
        sys.stderr.write("out of memory\n")
        sys.exit(7)
    send(reply(message, ERA))


def is_silent(message: Message) -> None:
    """Never answers a call; everything else at once."""
    if not is_call(message, "echo"):
        send(reply(message, ERA))


def answers_junk(message: Message) -> None:
    write(b'Server starting...\n\xff\xfe\x00 bytes\n{"level":"info"}\n[]\n{"jsonrpc":"2.0","id":\n\n42\n')
    write(
        b'{"jsonrpc":"2.0","id":987654321,"result":{}}\n{"jsonrpc":"2.0","id":"x","result":{}}\n{"jsonrpc":"2.0","id":null,"result":{}}\n'
    )
    send(reply(message, ERA))


def floods_stderr(message: Message) -> None:
    if message.get("method") == "tools/list":
        for _ in range(10):
            sys.stderr.buffer.write(b"noise " * 170_000 + b"\n")
        sys.stderr.buffer.write(b"x" * 5_000_000)
        sys.stderr.buffer.write(bytes(range(256)) * 4_000)
        sys.stderr.buffer.flush()
    send(reply(message, ERA))


def floods_notifications(message: Message) -> None:
    if is_call(message):
        write(b"".join(line(log(f"message {number}")) for number in range(FLOOD)))
    send(reply(message, ERA))


def closes_its_output(message: Message) -> None:
    if is_call(message):
        sys.stdout.close()
        os.close(1)
        for _ in sys.stdin.buffer:
            pass
        sys.exit(0)
    send(reply(message, ERA))


def answers_late(message: Message) -> None:
    """Answers the tool `write` together with whatever comes next, and twice."""
    if is_call(message, "write"):
        LATE.append(message)
        return
    for late in LATE:
        send(text_of(late, "late", ERA))
        send(text_of(late, "later", ERA))
    LATE.clear()
    send(reply(message, ERA))


def answers_twice(message: Message) -> None:
    send(reply(message, ERA))
    if is_call(message):
        send(text_of(message, "again", ERA))


def answers_in_pieces(message: Message) -> None:
    data = line(reply(message, ERA) or {}) if "id" in message else b""
    if is_call(message):
        data = line(text_of(message, "x" * (4 << 20), ERA))
    for at in range(0, len(data), 1024):
        write(data[at : at + 1024])


def answers_a_line_without_end(message: Message) -> None:
    if is_call(message, "write"):
        for _ in range(80):
            write(b"x" * (1 << 20))
        write(b"\n")
    else:
        send(reply(message, ERA))


def stops_reading(message: Message) -> None:
    send(reply(message, ERA))
    if message.get("method") == "tools/list":
        while True:
            time.sleep(3600)


def hangs_in_a_call(message: Message) -> None:
    """From the first call on it neither reads nor writes, and it heeds no signal that can be refused."""
    if is_call(message) and START == 1:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(3600)
    send(reply(message, ERA))


def leaves_children(message: Message) -> None:
    if message.get("method") == "tools/list" and FOLDER is not None:
        child = subprocess.Popen(["sh", "-c", "sleep 3600 & wait"])
        (FOLDER / "pids").write_text(f"{os.getpid()} {child.pid}")
    send(reply(message, ERA))


def changes_its_tools(message: Message) -> None:
    send(reply(message, ERA))
    if is_call(message):
        notice = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        write(line(notice) * FLOOD)


def echoes_big_messages(message: Message) -> None:
    """One thread: while it writes, it does not read (C09)."""
    send(reply(message, ERA))


FAULTS: dict[str, Callable[[Message], None]] = {
    name: fault
    for name, fault in globals().items()
    if callable(fault) and getattr(fault, "__module__", "") == "__main__" and name not in ("write", "send", "is_call", "starts")
}
LATE: list[Message] = []
START = starts() if FOLDER is not None else 1


def main() -> None:
    fault = FAULTS[FAULT]
    if FOLDER is not None:
        with (FOLDER / "heard").open("ab") as heard:
            for text in sys.stdin.buffer:
                heard.write(text)
                heard.flush()
                fault(json.loads(text))
    else:
        for text in sys.stdin.buffer:
            fault(json.loads(text))


if __name__ == "__main__":
    main()
