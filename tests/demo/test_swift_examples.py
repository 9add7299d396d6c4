"""The Swift examples do what they say. What they print is compared as a whole: they are read with their output beside them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from omniport import Client

pytestmark = pytest.mark.swift

NOTES = """\
added: Water the plants
[#] Book a table
[##] Buy milk
[###] Write to Bob
imported: 2 new, 1 known
notes: ["Buy milk","Call Ada","Water the plants","Book a table","Write to Bob"]
asked: Delete all 5 notes?
The notes were kept.
added: Feed the cat
asked: Delete all 6 notes?
The notes are gone.
notes: []
"""


def program(name: str) -> str:
    command = Path(os.environ.get("OMNIPORT_BIN", "")) / f"omniport-swift-{name}"
    assert command.is_file(), "OMNIPORT_BIN does not say where the compiled examples are; make test-swift does"
    return str(command)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_hello(era: str) -> None:
    async with Client([program("hello")], era=era) as client:
        (tool,) = await client.list_tools()
        assert (tool.name, tool.description) == ("add", "Add two numbers.")
        assert (await client.call_tool("add", {"a": 1, "b": 2})).content[0].text == "3"
        wrong = await client.call_tool("add", {"a": 1})
        assert wrong.is_error
        assert "b" in wrong.content[0].text


def test_host() -> None:
    told = run(program("host"), program("hello"))
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout == "MCP 2026-07-28, hello\ntool: add\n1 + 2 = 3\n"


def test_host_says_what_went_wrong() -> None:
    for command in [[], ["/nowhere/server"], ["false"]]:
        told = run(program("host"), *command)
        assert (told.returncode, told.stdout) == (1, "")
        assert len(told.stderr.splitlines()) == 1, told.stderr


def test_app() -> None:
    told = run(program("notes"))
    assert (told.returncode, told.stderr, told.stdout) == (0, "", NOTES)


def test_sqlite_server_without_a_database() -> None:
    for arguments in [[], ["--db"], ["--db", "/nowhere.db"]]:
        told = run(program("sqlite-server"), *arguments)
        assert (told.returncode, told.stdout) == (2, "")
        assert len(told.stderr.splitlines()) == 1, told.stderr
