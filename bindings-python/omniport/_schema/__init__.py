"""Python types to JSON Schema, and JSON text to values of those types. No part of it needs the engine."""

from .decode import constrained, convert, decodable, hook
from .publish import Publisher, Unsupported, with_default

__all__ = ["Publisher", "Unsupported", "constrained", "convert", "decodable", "hook", "with_default"]
