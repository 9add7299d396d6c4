"""Omniport: MCP servers and clients, on one engine in Rust.

Names are loaded on first use, so that `import omniport` stays cheap and a stdio server loads no HTTP, client or model code.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors, logging, types
    from ._elicit import ElicitResult
    from ._signature import Depends
    from .client import Client, SyncClient
    from .content import Audio, EmbeddedResource, File, Image, ResourceLink, ToolResult
    from .context import Context, Principal, SampleResult, get_context
    from .errors import (
        Cancelled,
        Closed,
        DefinitionError,
        Error,
        InternalError,
        InvalidParams,
        InvalidRequest,
        LimitError,
        MethodNotFound,
        MissingCapability,
        NotFound,
        Refused,
        RuleError,
        Timeout,
        ToolError,
        UnsupportedVersion,
    )
    from .server import Server

_WHERE = {
    "Audio": "content", "Client": "client", "Context": "context", "Depends": "_signature", "ElicitResult": "_elicit",
    "EmbeddedResource": "content", "File": "content", "Image": "content", "Principal": "context", "ResourceLink": "content",
    "SampleResult": "context", "Server": "server", "SyncClient": "client", "ToolResult": "content", "get_context": "context",
    **dict.fromkeys(
        (
            "Cancelled", "Closed", "DefinitionError", "Error", "InternalError", "InvalidParams", "InvalidRequest", "LimitError",
            "MethodNotFound", "MissingCapability", "NotFound", "Refused", "RuleError", "Timeout", "ToolError", "UnsupportedVersion",
        ),
        "errors",
    ),
}  # fmt: skip
_MODULES = {"errors", "logging", "types", "client", "server", "context", "content", "fastmcp"}

__all__ = [
    "Audio", "Cancelled", "Client", "Closed", "Context", "DefinitionError", "Depends", "ElicitResult", "EmbeddedResource",
    "Error", "File", "Image", "InternalError", "InvalidParams", "InvalidRequest", "LimitError", "MethodNotFound",
    "MissingCapability", "NotFound", "Principal", "Refused", "ResourceLink", "RuleError", "SampleResult", "Server", "SyncClient",
    "Timeout", "ToolError", "ToolResult", "UnsupportedVersion", "errors", "get_context", "logging", "types",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(import_module(f".{_WHERE[name]}", __name__), name)
    elif name in _MODULES:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
