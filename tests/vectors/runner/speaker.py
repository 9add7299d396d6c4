"""The runner's client: what it writes for each revision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .files import Client, Run

Message = dict[str, Any]
Headers = dict[str, Any]


def encode(message: Any) -> str:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Speaker:
    """One run's revision and what its client says of itself."""

    revision: str
    is_modern: bool
    client: Client

    @classmethod
    def of(cls, run: Run) -> Speaker:
        return cls(run.revision, run.is_modern, run.client)

    def meta(self) -> Message:
        """The metadata of a modern request; legacy ones have none."""
        if not self.is_modern:
            return {}
        return {
            "io.modelcontextprotocol/protocolVersion": self.revision,
            "io.modelcontextprotocol/clientInfo": {"name": "vectors", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": self.client.capabilities,
        }

    def request(self, message: Message) -> Message:
        """A request in the words of the revision; members of the vector's own `_meta` win."""
        message = {**message, "jsonrpc": "2.0"}
        params = message.get("params", {})
        if self.is_modern and isinstance(params, dict):
            own = params.get("_meta")
            message["params"] = {**params, "_meta": {**self.meta(), **(own if isinstance(own, dict) else {})}}
        return message

    def initialize(self) -> Message:
        """The first message of a legacy client."""
        params = {
            "protocolVersion": self.revision,
            "capabilities": self.client.capabilities,
            "clientInfo": {"name": "vectors", "version": "1"},
        }
        return {"jsonrpc": "2.0", "id": "handshake", "method": "initialize", "params": params}

    def headers(self, message: Message, session: str | None) -> Headers:
        """The headers that a message needs over HTTP, in lower case."""
        headers: Headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        headers.update(self.client.headers)
        if session is not None:
            headers["mcp-session-id"] = session
        method = message.get("method", "")
        if self.revision >= "2025-06-18" and not (method == "initialize" and not self.is_modern):
            headers["mcp-protocol-version"] = self.revision
        if self.is_modern:
            headers["mcp-method"] = method
            named = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}.get(method)
            name = message.get("params", {}).get(named) if named else None
            if isinstance(name, str):
                headers["mcp-name"] = name
        return headers
