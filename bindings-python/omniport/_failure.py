"""What a handler raised, as the caller learns of it, and as the log does (P11)."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, NamedTuple, TypeGuard

from ._parameters import ArgumentError
from ._result import dumps, safe_text, whole_text
from .errors import Error, ToolError

log = logging.getLogger("omniport")


class Failure(NamedTuple):
    """The arguments of `Engine.fail` after the token."""

    kind: str
    code: int | None
    message: str
    data: bytes | None


def failure_of(error: BaseException) -> Failure:
    """Never raises, whatever the exception does when it is looked at: a call without an answer would hang (P11)."""
    try:
        found = _failure_of(error)
    except BaseException:
        return Failure("internal", None, type(error).__name__, None)
    return found._replace(message=whole_text(found.message))


def _failure_of(error: BaseException) -> Failure:
    if isinstance(error, Error):
        code = error.code if _is_code(error.code) else None
        return Failure("protocol" if code is not None else error.kind, code, safe_text(error), _data(error.data))
    if isinstance(error, (ToolError, ArgumentError)) or type(error).__name__ == "ToolError":
        return Failure("tool", None, _text(error), None)
    foreign = _protocol_error(error)
    if foreign is not None:
        return foreign
    return Failure("internal", None, _text(error), None)


def report(subject: str, error: BaseException) -> None:
    """Logs the traceback. Arguments and results are never logged (security 47); what the model was told on purpose is no fault."""
    try:
        if isinstance(error, (ToolError, ArgumentError, Error)):
            log.debug("%s failed: %s", subject, type(error).__name__)
        else:
            log.error("%s failed", subject, exc_info=error)
    except BaseException:
        log.error("%s failed with %s, which cannot be shown", subject, type(error).__name__)


def _protocol_error(error: BaseException) -> Failure | None:
    """The protocol error of another SDK (`McpError`), recognised by its shape."""
    facts: Any = getattr(error, "error", None)
    code = getattr(facts, "code", None)
    message = getattr(facts, "message", None)
    if not _is_code(code) or not isinstance(message, str):
        return None
    return Failure("protocol", code, message, _data(getattr(facts, "data", None)))


def _is_code(code: Any) -> TypeGuard[int]:
    return type(code) is int and -(2**63) <= code < 2**63


def _data(data: Any) -> bytes | None:
    """The `data` of an error; what cannot be written (a list that holds itself) is left out rather than the whole error."""
    try:
        return dumps(data) if data is not None else None
    except Exception:
        return None


def _text(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"The handler tried to end the server (exit code {safe_text(error.code)})"
    if isinstance(error, KeyboardInterrupt):
        return "The handler was interrupted"
    if isinstance(error, asyncio.CancelledError):
        return "The handler cancelled itself"
    inner: Any = getattr(error, "exceptions", None)
    if isinstance(inner, tuple) and inner and all(isinstance(one, BaseException) for one in inner):
        return f"{safe_text(error)}: " + "; ".join(_text(one) for one in inner)
    text = safe_text(error)
    name = type(error).__name__
    # The text of a KeyError is only the key, and some exceptions have none at all.
    return f"{name}: {text}" if isinstance(error, LookupError) and text else text or name
