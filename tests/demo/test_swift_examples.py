"""The Swift examples do what they say. What they print is compared as a whole: they are read with their output beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from omniport import Client, Error
from test_sqlite_server import EXAMPLES, READS, make

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


async def told(server: list[str], database: Path, era: str) -> dict[str, Any]:
    """Everything that a client can see of a SQLite server, but for how its schemas are written."""
    async with Client([*server, "--db", str(database)], era=era) as client:
        seen: dict[str, Any] = {"instructions": client.instructions, "server": client.server_info["name"]}
        seen["tools"] = {tool.name: tool.description for tool in await client.list_tools()}
        seen["resources"] = [(one.uri, one.name, one.description, one.mime_type) for one in await client.list_resources()]
        templates = await client.list_resource_templates()
        seen["templates"] = [(one.uri_template, one.name, one.description, one.mime_type) for one in templates]
        prompts = await client.list_prompts()
        seen["prompts"] = [(one.name, one.description, [(a.name, a.required) for a in one.arguments]) for one in prompts]
        for sql in [
            *READS,
            "SELECT * FROM orders",
            "SELECT 1.0, 9e18, NULL, x'00', 9007199254740993, 'é'",
            "SELEC 1",
            "DELETE FROM orders",
        ]:
            result = await client.call_tool("query_database", {"sql": sql})
            seen[sql] = (
                result.is_error or False,
                result.structured_content,
                None if result.structured_content else result.content[0].text,
            )
        seen["list_tables"] = (await client.call_tool("list_tables", {})).structured_content
        seen["db://tables"] = json.loads((await client.read_resource("db://tables")).contents[0].text)
        schema = (await client.read_resource("db://tables/books/schema")).contents[0]
        seen["schema"] = (schema.uri, schema.mime_type, schema.text)
        with pytest.raises(Error) as missing:
            await client.read_resource("db://tables/nowhere/schema")
        seen["missing"] = (missing.value.code, missing.value.message)
        for arguments in [{"code": "x"}, {"code": "x", "language": "swift"}]:
            seen[f"review {len(arguments)}"] = (await client.get_prompt("code_review", arguments)).messages[0].content.text
        return seen


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_sqlite_server_is_as_the_python_one(era: str, tmp_path: Path) -> None:
    database = make(tmp_path / "bookshop.db")
    assert await told([program("sqlite-server")], database, era) == await told(
        [sys.executable, str(EXAMPLES / "sqlite_server.py")], database, era
    )


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_sqlite_server_over_http(era: str, tmp_path: Path) -> None:
    command = [program("sqlite-server"), "--db", str(make(tmp_path / "bookshop.db")), "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            said, url = server.stderr.readline().split()
            assert said == "serving"
            async with Client(url, era=era) as client:
                assert {tool.name for tool in await client.list_tools()} == {"list_tables", "query_database"}
        finally:
            server.terminate()
