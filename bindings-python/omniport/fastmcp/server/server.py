"""The same class under the path of the independent package."""

from .app import FastMCP

__all__ = ["FastMCP"]
