"""The running call, for code that it is not handed to."""

from __future__ import annotations

from typing import Any

from ... import context as _context
from ..._signature import Depends
from .context import Context


def get_context() -> Context:
    """The Context of the running call."""
    found: Any = _context.get_context()
    return found


def get_http_headers(include_all: bool = False, **_: Any) -> dict[str, str]:
    """The headers of the running HTTP request, without credentials and what belongs to one connection; {} elsewhere."""
    cx = _context.current.get()
    if cx is None:
        return {}
    return {name: value for name, value in cx.headers.items() if include_all or name not in _HOP}


_HOP = {
    "accept", "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host", "keep-alive", "te",
    "transfer-encoding", "upgrade",
}  # fmt: skip


def CurrentContext() -> Any:
    """As a default value: the Context of the call."""
    return Depends(get_context)


def CurrentHeaders() -> Any:
    """As a default value: the headers of the request."""
    return Depends(get_http_headers)


__all__ = ["Context", "CurrentContext", "CurrentHeaders", "Depends", "get_context", "get_http_headers"]
