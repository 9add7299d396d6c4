"""Every test runs with every language's client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from driver import Driver, driving

FAKES = Path(__file__).resolve().parent / "fakes"
LANGUAGES = ["rust", "python", "node"]
# Not every machine can have Swift; `make build` says why.
if Path(os.environ["OMNIPORT_BIN"], "omniport-swift-drive").exists():
    LANGUAGES.append("swift")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--language", choices=LANGUAGES, action="append", help="only this language's client; may be given again")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "language" in metafunc.fixturenames:
        metafunc.parametrize("language", metafunc.config.getoption("--language") or LANGUAGES)


@pytest.fixture
def client(language: str) -> Iterator[Driver]:
    with driving(language) as driver:
        yield driver


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., list[str]]:
    """The command of a server process with a fault; it leaves what it heard and how often it was started in `tmp_path`."""
    return lambda fault, era="legacy": [sys.executable, str(FAKES / "process.py"), era, fault, str(tmp_path)]


@dataclass
class Web:
    port: int
    name: str

    def __call__(self, fault: str, argument: str = "-", era: str = "legacy", more: str = "") -> str:
        return f"http://127.0.0.1:{self.port}/{era}/{fault}/{argument}/{self.name}{more}"

    def seen(self, url: str, method: str | None = None) -> list[dict[str, Any]]:
        """The requests that came to that URL."""
        path = url.split(f":{self.port}", 1)[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/seen{path}") as said:
            seen = json.load(said)
        return [note for note in seen if method is None or note.get("method") == method]


@pytest.fixture(scope="session")
def web_port() -> Iterator[int]:
    server = subprocess.Popen([sys.executable, str(FAKES / "web.py")], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield int(server.stdout.readline())
    server.kill()
    server.wait()


@pytest.fixture
def web(web_port: int, request: pytest.FixtureRequest) -> Web:
    name = "".join(letter if letter.isalnum() else "-" for letter in request.node.name)
    return Web(web_port, name)
