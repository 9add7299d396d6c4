"""What holds for every message that a server sends, whatever the vector is about."""

from __future__ import annotations

import json
from typing import Any

from .files import MODERN


class Ledger:
    """The requests of one client, and which of them were answered."""

    def __init__(self, revision: str) -> None:
        self._revision = revision
        self._methods: dict[str, str] = {}
        self._answered: set[str] = set()

    def sent(self, message: Any) -> None:
        """Notes what the client asks, also in a batch and in a request whose method is broken."""
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict) and "id" in one and not ({"result", "error"} & set(one) and "method" not in one):
                method = one.get("method")
                self._expect(json.dumps(one["id"]), method if isinstance(method, str) else "?")

    def sent_text(self, line: str) -> None:
        """Notes a raw line. The server may still find the id in one that is no JSON."""
        try:
            self.sent(json.loads(line))
        except (ValueError, RecursionError):
            _, found, rest = line.partition('"id":')
            if found:
                self._expect(rest.partition(",")[0].partition("}")[0].strip(), "?")

    def check(self, message: Any) -> None:
        """AssertionError for a message that no server may send."""
        if isinstance(message, list):
            assert self._revision == "2025-03-26", f"a batch for {self._revision}: {message}"
        for one in message if isinstance(message, list) else [message]:
            self._check_one(one)

    def _expect(self, key: str, method: str) -> None:
        self._methods[key] = method
        self._answered.discard(key)

    def _check_one(self, message: dict[str, Any]) -> None:
        assert message.get("jsonrpc") == "2.0", f"no JSON-RPC 2.0: {message}"
        kinds = [name for name in ("result", "error", "method") if name in message]
        assert len(kinds) == 1, f"one of `result`, `error` and `method`: {message}"
        if kinds == ["method"]:
            assert "id" not in message or self._revision != MODERN, f"a modern server sends no requests: {message}"
        elif kinds == ["error"]:
            self._check_error(message)
        else:
            self._check_result(message)

    def _check_error(self, message: dict[str, Any]) -> None:
        error = message["error"]
        assert type(error["code"]) is int and error["code"] and isinstance(error["message"], str), f"no error: {message}"
        if "id" in message:
            assert message["id"] is not None, f"an id that could not be read is left out: {message}"
            self._answers(message)

    def _check_result(self, message: dict[str, Any]) -> None:
        method = self._answers(message)
        if self._revision == MODERN and method != "initialize":
            result = message["result"]
            assert isinstance(result.get("resultType"), str), f"a modern result without `resultType`: {message}"
            server = result.get("_meta", {}).get("io.modelcontextprotocol/serverInfo")
            assert isinstance(server, dict), f"a modern result without `serverInfo`: {message}"

    def _answers(self, message: dict[str, Any]) -> str:
        """There is one answer for each request, and none for anything else."""
        key = json.dumps(message["id"])
        assert key in self._methods, f"an answer to nothing that was asked: {message}"
        assert key not in self._answered, f"a second answer: {message}"
        self._answered.add(key)
        return self._methods[key]
