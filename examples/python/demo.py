"""Drives sqlite_server.py with the project's own client: over stdio, then over HTTP in both eras of the protocol.

`python demo.py [--db PATH]`; the exit code is 0 only if every step did what it should.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from make_sample_db import sample_database
from omniport import Client, Error

SERVER = Path(__file__).with_name("sqlite_server.py")
BEST_SELLERS = "SELECT title, author, sold, revenue FROM sales ORDER BY revenue DESC LIMIT 6"
COLOURS = sys.stdout.isatty() and "NO_COLOR" not in os.environ


class Unexpected(Exception):
    """A step had another outcome than it should."""


def paint(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if COLOURS else text


class Report:
    """What a person sees: one line for each step, and below it what came back."""

    def __init__(self) -> None:
        self.failed = 0
        self.passed = 0

    def heading(self, text: str, detail: str) -> None:
        print(f"\n{paint('1;36', text)}  {paint('2', detail)}\n")

    async def step(self, title: str, work: Callable[[], Awaitable[list[str]]], *, brief: bool) -> None:
        began = time.perf_counter()
        try:
            lines = await work()
        except (Error, Unexpected, OSError) as error:
            self.failed += 1
            mark, lines, brief = paint("31", "✗"), [f"{type(error).__name__}: {error}"], False
        else:
            self.passed += 1
            mark = paint("32", "✓")
        took = f"{(time.perf_counter() - began) * 1000:.1f} ms"
        print(f"  {mark} {title} {paint('2', '·' * (58 - len(title)))} {took:>9}")
        if not brief:
            print("".join(f"      {line}\n" for line in lines))


class Walk:
    """The steps, the same on each transport."""

    def __init__(self, client: Client, table: str, query: str) -> None:
        self.client = client
        self.table = table
        self.query = query

    async def tools(self) -> list[str]:
        tools = await self.client.list_tools()
        expect({tool.name for tool in tools} == {"list_tables", "query_database"}, "these are not the server's tools")
        return [f"{tool.name:<16}{paint('2', first_line(tool.description))}" for tool in tools]

    async def rows(self) -> list[str]:
        result = await self.client.call_tool("query_database", {"sql": self.query}, raise_on_error=True)
        found = result.structured_content
        expect(bool(found["columns"]), "a query without columns")
        return [paint("2", self.query), "", *aligned(found["columns"], found["rows"]), *([found["note"]] if found["note"] else [])]

    async def schema(self) -> list[str]:
        result = await self.client.read_resource(f"db://tables/{quote(self.table, safe='')}/schema")
        text = text_of(result.contents[0])
        expect("CREATE" in text.upper(), "no schema came")
        return text.splitlines()

    async def prompt(self) -> list[str]:
        result = await self.client.get_prompt("code_review", {"code": "def f(x): return x + x"})
        text = text_of(result.messages[0].content)
        expect("python" in text, "the default language is missing")
        return text.splitlines()

    async def write(self) -> list[str]:
        attempts = [
            f"DELETE FROM {quoted(self.table)}",
            f"WITH doomed AS (SELECT 1) DELETE FROM {quoted(self.table)}",
            "ATTACH 'elsewhere.db' AS elsewhere",
        ]
        lines = []
        for sql in attempts:
            result = await self.client.call_tool("query_database", {"sql": sql})
            expect(result.is_error is True, f"{sql} was not refused")
            lines.append(f"{sql:<56} {paint('33', text_of(result.content[0]))}")
        return lines

    async def wrong(self) -> list[str]:
        result = await self.client.call_tool("query_database", {"sql": 7})
        expect(result.is_error is True, "a number was taken for SQL")
        return [paint("33", line) for line in text_of(result.content[0]).splitlines()]

    async def all(self, report: Report, *, brief: bool) -> None:
        await report.step("the tools", self.tools, brief=brief)
        await report.step("a query", self.rows, brief=brief)
        await report.step(f"the schema of {self.table}", self.schema, brief=brief)
        await report.step("a prompt", self.prompt, brief=brief)
        await report.step("writes are refused", self.write, brief=brief)
        await report.step("a wrong argument is explained", self.wrong, brief=brief)


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Unexpected(otherwise)


def text_of(block: Any) -> str:
    return block["text"] if isinstance(block, dict) else block.text


def first_line(text: str | None) -> str:
    return (text or "").split("\n", 1)[0]


def quoted(name: str) -> str:
    """An identifier of SQL, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def aligned(columns: list[str], rows: list[list[Any]]) -> list[str]:
    """A table for the terminal; numbers to the right."""
    texts = [["" if value is None else cut(str(value)) for value in row] for row in rows]
    widths = [max(len(text) for text in column) for column in zip(columns, *texts, strict=True)]
    numeric = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(columns))]

    def line(cells: list[str]) -> str:
        columns = zip(cells, widths, numeric, strict=True)
        return "  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns).rstrip()

    return [paint("1", line(columns)), "  ".join("─" * width for width in widths), *map(line, texts)]


def cut(text: str, most: int = 40) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


@contextlib.asynccontextmanager
async def over_http(database: Path) -> AsyncIterator[str]:
    """The server as a child on a free port; its URL."""
    command = [sys.executable, str(SERVER), "--db", str(database), "--http", "0"]
    child = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert child.stderr is not None
    try:
        async for line in child.stderr:
            if line.startswith(b"serving "):
                yield line.split()[1].decode()
                break
        else:
            raise Unexpected("the server ended before it served")
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.terminate()
        await child.wait()


async def first_query(client: Client) -> tuple[str, str]:
    """A table of the database and a query that every database of its kind can answer; the sample has a better one."""
    tables = json.loads(text_of((await client.read_resource("db://tables")).contents[0]))
    names = [table["name"] for table in tables]
    if "books" in names and "sales" in names:
        return "books", BEST_SELLERS
    expect(bool(names), "the database has no tables")
    return names[0], f"SELECT * FROM {quoted(names[0])} LIMIT 6"


async def demo(database: Path) -> int:
    report = Report()
    print(paint("1", "Omniport"), paint("2", f"a read-only SQLite server and its client; the database is {database}"))
    began = time.perf_counter()
    async with Client([sys.executable, str(SERVER), "--db", str(database)]) as client:
        took = (time.perf_counter() - began) * 1000
        report.heading("stdio", f"MCP {client.protocol_version}, the server started and answered in {took:.0f} ms")
        table, query = await first_query(client)
        await Walk(client, table, query).all(report, brief=False)
    async with over_http(database) as url:
        for era in ("legacy", "modern"):
            async with Client(url, era=era) as client:
                report.heading(f"HTTP, {era}", f"MCP {client.protocol_version}, {url}")
                await Walk(client, table, query).all(report, brief=True)
    outcome = f"{report.passed} steps worked" + (f", {report.failed} did not" if report.failed else "")
    print(f"\n{paint('1;31' if report.failed else '1;32', outcome)}")
    return 1 if report.failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, help="a database of your own (default: a sample, made anew)")
    options = parser.parse_args()
    if options.db and not options.db.is_file():
        parser.error(f"there is no file {options.db}")
    try:
        return asyncio.run(demo(options.db or sample_database()))
    except (Error, Unexpected, OSError) as error:
        print(f"{paint('31', '✗')} {type(error).__name__}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
