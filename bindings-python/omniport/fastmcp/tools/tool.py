"""The same names under the path of the independent package."""

from . import Tool, ToolResult

__all__ = ["Tool", "ToolResult"]
