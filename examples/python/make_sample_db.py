"""Makes the sample database of the examples, the same one each time: a small bookshop. `python make_sample_db.py [PATH]`"""

import random
import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

SCHEMA = """
CREATE TABLE authors (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT NOT NULL
);
CREATE TABLE books (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    author_id INTEGER NOT NULL REFERENCES authors (id),
    published INTEGER,
    price REAL NOT NULL CHECK (price > 0),
    stock INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT UNIQUE,
    created_at TEXT NOT NULL
);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    book_id INTEGER NOT NULL REFERENCES books (id),
    quantity INTEGER NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE VIEW sales AS
    SELECT books.title, authors.name AS author, sum(orders.quantity) AS sold,
        round(sum(orders.quantity * books.price), 2) AS revenue
    FROM orders JOIN books ON books.id = orders.book_id JOIN authors ON authors.id = books.author_id
    GROUP BY books.id;
"""
AUTHORS = [
    ("Jane Austen", "United Kingdom", [("Emma", 1815), ("Persuasion", 1817), ("Pride and Prejudice", 1813)]),
    ("Jorge Luis Borges", "Argentina", [("Ficciones", 1944), ("El Aleph", 1949)]),
    ("Karel Čapek", "Czechia", [("R.U.R.", 1920), ("War with the Newts", 1936)]),
    ("Ursula K. Le Guin", "United States", [("The Dispossessed", 1974), ("A Wizard of Earthsea", 1968)]),
    ("Stanisław Lem", "Poland", [("Solaris", 1961), ("The Cyberiad", 1965), ("His Master's Voice", 1968)]),
    ("Sei Shōnagon", "Japan", [("The Pillow Book", None)]),
    ("Mary Shelley", "United Kingdom", [("Frankenstein", 1818)]),
    ("Chinua Achebe", "Nigeria", [("Things Fall Apart", 1958), ("Arrow of God", 1964)]),
]
FIRST = ["Ada", "Bela", "Chiara", "Dmitri", "Esra", "Farid", "Greta", "Hana", "Ivo", "Jun", "Kofi", "Lena"]
LAST = ["Adeyemi", "Berg", "Costa", "Dubois", "Eriksen", "Fischer", "García", "Horák"]


def make(path: Path) -> Path:
    """Writes the database to `path`, in place of what is there."""
    path.unlink(missing_ok=True)
    chance = random.Random(2026)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
        books = []
        for author_id, (name, country, titles) in enumerate(AUTHORS, 1):
            connection.execute("INSERT INTO authors VALUES (?, ?, ?)", [author_id, name, country])
            books += [(title, author_id, year, chance.randint(600, 2900) / 100, chance.randint(0, 40)) for title, year in titles]
        connection.executemany("INSERT INTO books (title, author_id, published, price, stock) VALUES (?, ?, ?, ?, ?)", books)
        names = [f"{first} {last}" for first in FIRST for last in LAST]
        people = [(name, f"{name.lower().replace(' ', '.')}@example.org", day(chance)) for name in chance.sample(names, 60)]
        connection.executemany("INSERT INTO customers (name, email, created_at) VALUES (?, ?, ?)", people)
        orders = [
            (chance.randint(1, len(people)), chance.randint(1, len(books)), chance.choice([1, 1, 1, 2, 3]), day(chance))
            for _ in range(500)
        ]
        connection.executemany("INSERT INTO orders (customer_id, book_id, quantity, created_at) VALUES (?, ?, ?, ?)", orders)
    return path


def day(chance: random.Random) -> str:
    return str(date(2025, 1, 1) + timedelta(days=chance.randrange(540)))


def sample_database() -> Path:
    """The sample in a temporary directory of its own."""
    return make(Path(tempfile.mkdtemp(prefix="omniport-")) / "bookshop.db")


if __name__ == "__main__":
    made = make(Path(sys.argv[1] if len(sys.argv) > 1 else "bookshop.db"))
    print(f"{made}: {made.stat().st_size} bytes")
