"""Tools as objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...content import ToolResult

__all__ = ["Tool", "ToolResult"]


class Tool:
    """A tool to register by `FastMCP(tools=[...])` or `FastMCP.add_tool`."""

    def __init__(self, fn: Callable[..., Any], **options: Any) -> None:
        self.fn = fn
        self.options = options

    @classmethod
    def from_function(cls, fn: Callable[..., Any], name: str | None = None, **options: Any) -> Tool:
        """`options`: those of `FastMCP.tool`."""
        return cls(fn, name=name, **options)
