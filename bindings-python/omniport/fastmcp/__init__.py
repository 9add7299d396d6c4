"""The decorator API that most Python servers are written in, on this engine.

`from omniport.fastmcp import FastMCP` in place of `from mcp.server.fastmcp import FastMCP` or `from fastmcp import FastMCP` is
meant to be the only change. The submodules that servers import from exist under the same names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _signature
from .server import Context, FastMCP
from .utilities.types import Audio, File, Image

if TYPE_CHECKING:
    from ..client import Client

Depends = _signature.Depends

__all__ = ["Audio", "Client", "Context", "Depends", "FastMCP", "File", "Icon", "Image"]


class Icon:
    """A picture that stands for a server, tool, resource or prompt."""

    def __init__(self, src: str, mimeType: str | None = None, sizes: list[str] | None = None, **more: Any) -> None:
        self._members = {"src": src, "mimeType": mimeType, "sizes": sizes, **more}

    def to_content(self) -> dict[str, Any]:
        return {name: value for name, value in self._members.items() if value is not None}


def __getattr__(name: str) -> Any:
    if name == "Client":
        from ..client import Client

        return Client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
