"""The server class and the Context of its handlers."""

from .app import FastMCP, Settings
from .context import Context

__all__ = ["Context", "FastMCP", "Settings"]
