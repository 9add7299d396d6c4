"""A read-only SQLite server: any database, asked with SQL, over stdio or (with --http PORT) over HTTP.

That nothing can be written is SQLite's own doing and not a list of keywords: the file is opened read-only, and an authorizer sees
each action of a statement as it is compiled. `WITH x AS (...) DELETE ...` is refused, a column called `created_at` is not.
"""

import argparse
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from make_sample_db import sample_database
from omniport import InvalidParams, Server, ToolError

MAX_ROWS, MAX_SECONDS, MAX_BYTES = 100, 5.0, 1_000_000  # the last of one value
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
PRAGMAS = {"table_info", "data_version"}  # the second is what full-text search needs
DENIED = {"load_extension", "fts3_tokenizer"}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--db", type=Path, help="the database (default: a small sample)")
parser.add_argument("--http", type=int, metavar="PORT", help="serve HTTP on this port instead of stdio")
options = parser.parse_args()
database = options.db or sample_database()
app = Server("sqlite", instructions="Look at list_tables or db://tables/{table}/schema before you write a query.")


@dataclass
class Rows:
    columns: list[str]
    rows: list[list[Any]]
    more_rows: bool
    note: str


@dataclass
class Table:
    name: str
    kind: str
    columns: str


def authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    allowed = (
        action in READING
        or (action == sqlite3.SQLITE_FUNCTION and second not in DENIED)
        or (action == sqlite3.SQLITE_PRAGMA and first in PRAGMAS)
        # Asked by SQLite itself when it first meets a virtual table such as json_each; it lets no statement do it.
        or (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master")
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


@contextmanager
def reading() -> Iterator[sqlite3.Connection]:
    """A connection for one call: it can only read, and its time and memory have an end."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(authorize)
        if sys.version_info >= (3, 11):
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
        end = time.monotonic() + MAX_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        yield connection


@app.tool
def query_database(sql: str) -> Rows:
    """Run one SQL statement that reads; at most 100 rows come back, and `more_rows` says whether there were more."""
    try:
        with reading() as connection:
            cursor = connection.execute(sql)
            columns, rows = [name for name, *_ in cursor.description or []], cursor.fetchmany(MAX_ROWS + 1)
    except (sqlite3.Error, sqlite3.Warning) as error:
        reasons = {"interrupted": f"it took longer than {MAX_SECONDS:g} s", "not authorized": "only reading is allowed"}
        raise ToolError(f"SQLite refused the statement: {reasons.get(str(error), error)}") from None
    more = len(rows) > MAX_ROWS
    note = f"only the first {MAX_ROWS} rows are shown; narrow the query for the rest" if more else ""
    shown = [[f"<{len(v)} bytes>" if isinstance(v, bytes) else v for v in row] for row in rows[:MAX_ROWS]]
    return Rows(columns, shown, more, note)


@app.tool
@app.resource("db://tables", name="tables", mime_type="application/json")
def list_tables() -> list[Table]:
    """The tables and views, with their columns."""
    with reading() as connection:
        found = connection.execute(
            "SELECT t.name, t.type, group_concat(c.name, ', ') FROM sqlite_master AS t, pragma_table_info(t.name) AS c"
            " WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' GROUP BY t.name ORDER BY t.name"
        )
        return [Table(*row) for row in found]


@app.resource("db://tables/{table}/schema", name="schema", mime_type="text/x-sql")
def schema(table: str) -> str:
    """The statement that made a table or view."""
    with reading() as connection:
        row = connection.execute("SELECT sql FROM sqlite_master WHERE name = ? AND sql IS NOT NULL", [table]).fetchone()
    if row is None:
        raise InvalidParams(f"no table {table!r}; there are {', '.join(known.name for known in list_tables())}")
    return row[0]


@app.prompt
def code_review(code: str, language: str = "python") -> str:
    """Ask for a review of some code."""
    return f"Review this {language} code. Name bugs first, then what is hard to read.\n\n```{language}\n{code}\n```"


if options.http is None:
    app.run()
else:
    app.run("http", port=options.http, on_ready=lambda at: print(f"serving http://{at}/mcp", file=sys.stderr, flush=True))
