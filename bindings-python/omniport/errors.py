"""Exceptions: one class per kind of failure, each with every fact that the engine knew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

if TYPE_CHECKING:
    from ._native import Fault


class Error(Exception):
    """A failure with every fact its reader may need.

    Raised in a handler it becomes a protocol error: the caller gets `code`, `message` and `data`, and a model sees nothing.
    Raise `ToolError` for a text that the model should read and act on.
    """

    kind: ClassVar[str] = "remote"

    def __init__(
        self,
        message: str = "",
        *,
        code: int | None = None,
        data: Any = None,
        retry: bool = False,
        context: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """The JSON-RPC code; None: the code of the kind."""
        self.data = data
        """The `data` member of the JSON-RPC error, decoded."""
        self.retry = retry
        """Whether the same request may succeed later."""
        self.context: dict[str, str] = context or {}
        """Named facts: `status`, `exit`, `stderr`, `limit`, `tool`."""

    def __str__(self) -> str:
        facts = "".join(f" [{name}: {value}]" for name, value in self.context.items())
        return f"{self.message}{facts}"


class ParseError(Error):
    """The text is not JSON."""

    kind = "parse"


class InvalidRequest(Error):
    """JSON, but no message of the protocol."""

    kind = "invalid_request"


class MethodNotFound(Error):
    """The peer has no such method, or did not declare the capability it belongs to."""

    kind = "method_not_found"


class InvalidParams(Error):
    """The parameters of a known method are wrong."""

    kind = "invalid_params"


class NotFound(InvalidParams):
    """There is no such tool, resource or prompt. Raise it in a resource handler for a URI that names nothing."""

    kind = "not_found"


class InternalError(Error):
    """The server failed for a reason that is not the caller's."""

    kind = "internal"


class HeaderMismatch(Error):
    """An HTTP header and the body disagree, or a required header is missing."""

    kind = "header_mismatch"


class MissingCapability(Error):
    """The client did not declare the capability that the question or request needs."""

    kind = "missing_capability"


class UnsupportedVersion(Error):
    """The peer does not speak the revision of the protocol that was asked for."""

    kind = "unsupported_version"


class LimitError(Error):
    """A named limit was reached; `context["limit"]` is its name."""

    kind = "limit"


class Timeout(Error):
    """The call ran out of time."""

    kind = "timeout"


class Cancelled(Error):
    """The caller took the request back."""

    kind = "cancelled"


class Closed(Error):
    """The connection ended before the answer."""

    kind = "closed"


class Refused(Error):
    """Refused before the protocol looked at it: host, origin, credentials."""

    kind = "refused"


class DefinitionError(Error, TypeError):
    """A tool, resource, prompt or handler cannot be registered as it is written."""

    kind = "definition"


class IoError(Error):
    """Reading, writing, connecting or starting a process failed."""

    kind = "io"


class ToolError(Exception):
    """A failure of a tool that the model should read and act on: the result says `isError` and carries this text."""


class RuleError(RuntimeError):
    """The package is used in a way that cannot work: a second event loop, a forked process, blocking on the loop's own thread."""


def from_fault(fault: Fault) -> Error:
    """The exception for a failure inside the engine."""
    return make(fault.kind, fault.message, code=fault.code, data=fault.data, retry=fault.retry, context=dict(fault.context))


def make(
    kind: str,
    message: str,
    *,
    code: int | None = None,
    data: bytes | None = None,
    retry: bool = False,
    context: dict[str, str] | None = None,
) -> Error:
    """The exception of `kind`; `data` is JSON text. A kind that this version does not know is a plain `Error`."""
    decoded = msgspec.json.decode(data) if data else None
    return _CLASSES.get(kind, Error)(message, code=code, data=decoded, retry=retry, context=context)


_CLASSES: dict[str, type[Error]] = {
    cls.kind: cls
    for cls in (
        Error, ParseError, InvalidRequest, MethodNotFound, InvalidParams, NotFound, InternalError, HeaderMismatch,
        MissingCapability, UnsupportedVersion, LimitError, Timeout, Cancelled, Closed, Refused, DefinitionError, IoError,
    )
}  # fmt: skip
