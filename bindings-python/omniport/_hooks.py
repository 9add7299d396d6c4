"""The questions that the engine asks the server's author: who is this, what may they see, what has happened."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from . import _native
from ._pump import Handler
from ._registry import Registry
from ._result import dumps
from ._runner import Runner, observer
from .context import Context, Principal
from .errors import Refused

Authenticate = Callable[[dict[str, str]], Any]
Visible = Callable[[Context, str, list[str]], Any]


class _Headers(msgspec.Struct):
    headers: dict[str, str] = {}


class _Names(msgspec.Struct):
    kind: str
    names: list[str]


def install(
    registry: Registry,
    runner: Runner,
    *,
    auth: Authenticate | None,
    visible: Visible | None,
    audit: Callable[[dict[str, Any]], Any] | None,
    on_event: Callable[[dict[str, Any]], Any] | None,
) -> None:
    """Puts the hooks that are given where events find them."""
    if auth is not None:
        registry.fix(_native.AUTHENTICATE, _authenticate(auth))
    if visible is not None:
        registry.fix(_native.VISIBLE, _visible(visible))
    if audit is not None:
        runner.on_audit = observer(audit, msgspec.json.decode)
    if on_event is not None:
        runner.on_event = observer(on_event, msgspec.json.decode)


def _authenticate(auth: Authenticate) -> Handler:
    decode_headers = msgspec.json.Decoder(_Headers).decode

    def encode(principal: Any) -> bytes:
        # Only an explicit subject lets a caller in: False, None, {"authenticated": False} and the like do not (X12).
        if isinstance(principal, dict) and isinstance(principal.get("subject"), str):
            principal = msgspec.convert(principal, Principal)
        if not isinstance(principal, Principal) or not principal.subject:
            raise Refused("The credentials were refused")
        return dumps(principal)

    return Handler(
        "authentication",
        lambda text: decode_headers(text).headers,
        lambda _, headers: auth(headers),
        encode,
        is_async=inspect.iscoroutinefunction(auth),
    )


def _visible(visible: Visible) -> Handler:
    decode_names = msgspec.json.Decoder(_Names).decode

    def encode(names: Iterable[str]) -> bytes:
        return dumps(list(names))

    return Handler(
        "visibility",
        decode_names,
        lambda cx, asked: visible(cx, asked.kind, asked.names),
        encode,
        is_async=inspect.iscoroutinefunction(visible),
    )
