"""Exceptions under the names that servers raise and catch."""

from ..errors import Error, NotFound
from ..errors import ToolError as _ToolError


class FastMCPError(Exception):
    """Base of the errors here."""


class ToolError(FastMCPError, _ToolError):
    """The model should read this text and act on it."""


class ResourceError(FastMCPError):
    """A resource cannot be read."""


class PromptError(FastMCPError):
    """A prompt cannot be made."""


class ValidationError(FastMCPError):
    """A value is not what it should be."""


class InvalidSignature(FastMCPError):
    """A function cannot be used as it is written."""


NotFoundError = NotFound
McpError = Error
