"""What a fake server answers while it does nothing wrong: the handshake of its era, one listing, and the tool `echo`."""

from __future__ import annotations

import json
from typing import Any

Message = dict[str, Any]

TOOLS = [
    {"name": "echo", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "write", "inputSchema": {"type": "object"}},
]


def reply(message: Message, era: str) -> Message | None:
    """The right answer; nothing to a notification, nor to an answer of the client's."""
    if "id" not in message or "method" not in message:
        return None
    result = _result(message["method"], message.get("params") or {}, era)
    if result is None:
        return failure(message, -32601, "no such method")
    return answer(message, result)


def answer(message: Message, result: Message) -> Message:
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def failure(message: Message, code: int, text: str) -> Message:
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text}}


def text_of(message: Message, text: str, era: str) -> Message:
    """The answer to a call of a tool."""
    kind = {"resultType": "complete"} if era == "modern" else {}
    return answer(message, {**kind, "content": [{"type": "text", "text": text}]})


def log(text: str) -> Message:
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": text}}


def line(message: Message) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def _result(method: str, params: Message, era: str) -> Message | None:
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if era == "modern" else {}
    if method == "server/discover" and era == "modern":
        return {**hints, "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "logging": {}}}
    if method == "initialize" and era == "legacy":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-11-25"),
            "capabilities": {"tools": {}, "logging": {}},
            "serverInfo": {"name": "fake", "version": "1"},
        }
    if method == "ping" and era == "legacy":
        return {}
    if method == "tools/list":
        return {**hints, "tools": TOOLS}
    if method == "tools/call":
        kind = {"resultType": "complete"} if era == "modern" else {}
        text = str(params.get("arguments", {}).get("text", ""))
        return {**kind, "content": [{"type": "text", "text": text}]}
    return None
