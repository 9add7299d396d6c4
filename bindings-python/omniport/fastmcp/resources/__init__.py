"""Resources as objects."""

from .types import BinaryResource, DirectoryResource, FileResource, FunctionResource, Resource, TextResource

__all__ = ["BinaryResource", "DirectoryResource", "FileResource", "FunctionResource", "Resource", "TextResource"]
