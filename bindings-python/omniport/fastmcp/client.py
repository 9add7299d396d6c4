"""The client under the path of the independent package."""

from ..client import Client

__all__ = ["Client"]
