"""The examples that people copy must hold what they promise: they read what SQL can say, and nothing makes them write."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from omniport import Client, Error

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
sys.path.insert(0, str(EXAMPLES))
from make_sample_db import make  # noqa: E402

# The compiled examples: `make test-python` sets up that for a Node that has node:sqlite, `make test-swift` that in Swift.
NODE_SERVER = Path(os.environ.get("OMNIPORT_NODE", "")) / "programs/bindings-node/examples/sqlite-server.js"
SWIFT_SERVER = Path(os.environ.get("OMNIPORT_BIN", "")) / "omniport-swift-sqlite-server"
SERVERS = {
    "python": [sys.executable, str(EXAMPLES / "sqlite_server.py")],
    "node": [os.environ.get("OMNIPORT_NODE22", "node"), str(NODE_SERVER)],
    "swift": [str(SWIFT_SERVER)],
}

READS = [
    "SELECT created_at FROM orders LIMIT 1",
    "SELECT 'DROP TABLE books; DELETE' AS updated_insert",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT sum(x) FROM n",
    "SELECT value FROM json_each('[1, 2]')",
    "SELECT name FROM pragma_table_info('books')",
    "SELECT lower(title), replace(title, 'a', 'b') FROM books LIMIT 1",
    "SELECT * FROM sales ORDER BY revenue DESC LIMIT 3",
    "EXPLAIN QUERY PLAN SELECT * FROM orders",
    "VALUES (1), (2)",
]
REFUSED = [
    "DELETE FROM orders",
    "WITH doomed AS (SELECT 1) DELETE FROM orders",
    "INSERT INTO orders SELECT * FROM orders RETURNING id",
    "UPDATE books SET price = 1",
    "UPDATE sqlite_master SET sql = ''",
    "CREATE TABLE t (a)",
    "CREATE TEMP TABLE t (a)",
    "DROP TABLE orders",
    "ATTACH 'elsewhere.db' AS elsewhere",
    "VACUUM INTO 'copy.db'",
    "PRAGMA user_version = 3",
    "PRAGMA query_only = OFF",
    "PRAGMA writable_schema = ON",
    "BEGIN IMMEDIATE",
    "SELECT load_extension('x')",
    "SELECT 1; DELETE FROM orders",
    "SELECT zeroblob(500000000)",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
    "SELEC 1",
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # A path with what a URI must escape: an example that splices it would open another file.
    return make(tmp_path_factory.mktemp("shop?mode=rwc#1 %20") / "book shop.db")


@pytest.fixture(params=["python", "node", pytest.param("swift", marks=pytest.mark.swift)])
def server(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "node" and "OMNIPORT_NODE" not in os.environ:
        pytest.fail("OMNIPORT_NODE does not say where the compiled examples are; make test-python does")
    if request.param == "swift" and not SWIFT_SERVER.is_file():
        pytest.fail("OMNIPORT_BIN does not say where the compiled examples are; make test-swift does")
    return SERVERS[request.param]


@asynccontextmanager
async def serving(server: list[str], database: Path) -> AsyncIterator[Client]:
    async with Client([*server, "--db", str(database)]) as client:
        yield client


async def test_reads(server: list[str], database: Path) -> None:
    async with serving(server, database) as client:
        for sql in READS:
            result = await client.call_tool("query_database", {"sql": sql}, raise_on_error=True)
            assert result.structured_content["rows"], sql


async def test_writes_and_worse_are_refused(server: list[str], database: Path) -> None:
    before = database.read_bytes()
    async with serving(server, database) as client:
        for sql in REFUSED:
            result = await client.call_tool("query_database", {"sql": sql})
            assert result.is_error, sql
    assert database.read_bytes() == before
    assert sorted(path.name for path in database.parent.iterdir()) == [database.name]


async def test_many_rows_are_cut_and_say_so(server: list[str], database: Path) -> None:
    async with serving(server, database) as client:
        cut = (await client.call_tool("query_database", {"sql": "SELECT * FROM orders"})).structured_content
        assert (len(cut["rows"]), cut["more_rows"]) == (100, True)
        assert "100" in cut["note"]
        whole = (await client.call_tool("query_database", {"sql": "SELECT * FROM orders LIMIT 100"})).structured_content
        assert (len(whole["rows"]), whole["more_rows"], whole["note"]) == (100, False, "")


async def test_schemas_by_name_only(server: list[str], database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("""CREATE TABLE IF NOT EXISTS "it's; -- odd" (a)""")
    async with serving(server, database) as client:
        odd = await client.read_resource("db://tables/it%27s%3B%20--%20odd/schema")
        assert "odd" in odd.contents[0].text
        with pytest.raises(Error, match="books"):
            await client.read_resource("db://tables/nowhere/schema")
