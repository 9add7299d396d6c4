"""Resources to register by `FastMCP.add_resource`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Resource:
    """Base of the kinds of resources; `read` gives the content."""

    def __init__(
        self,
        *,
        uri: Any,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        **more: Any,
    ) -> None:
        self.uri = str(uri)
        self.name = name or self.uri
        self.title, self.description, self.mime_type = title, description, mime_type
        self.icons, self.annotations, self.meta = more.get("icons"), more.get("annotations"), more.get("meta")

    def read(self) -> Any:
        raise NotImplementedError


class TextResource(Resource):
    """Fixed text."""

    def __init__(self, *, text: str, **options: Any) -> None:
        super().__init__(**{"mime_type": "text/plain", **options})
        self.text = text

    def read(self) -> str:
        return self.text


class BinaryResource(Resource):
    """Fixed bytes."""

    def __init__(self, *, data: bytes, **options: Any) -> None:
        super().__init__(**options)
        self.data = data

    def read(self) -> bytes:
        return self.data


class FunctionResource(Resource):
    """What a function returns, made when it is asked for."""

    def __init__(self, *, fn: Callable[[], Any], **options: Any) -> None:
        super().__init__(**options)
        self.fn = fn
        self.read = fn  # the function itself, so that an async one stays async

    @classmethod
    def from_function(cls, fn: Callable[..., Any], uri: Any, **options: Any) -> FunctionResource:
        return cls(fn=fn, uri=uri, **options)


class FileResource(Resource):
    """A file, read when it is asked for."""

    def __init__(self, *, path: str | Path, is_binary: bool | None = None, **options: Any) -> None:
        super().__init__(**{"mime_type": "text/plain", **options})
        self.path = Path(path)
        self.is_binary = is_binary if is_binary is not None else not str(self.mime_type).startswith("text/")

    def read(self) -> str | bytes:
        return self.path.read_bytes() if self.is_binary else self.path.read_text("utf-8")


class DirectoryResource(Resource):
    """The names of the files in a directory, as JSON."""

    def __init__(self, *, path: str | Path, recursive: bool = False, pattern: str | None = None, **options: Any) -> None:
        super().__init__(**{"mime_type": "application/json", **options})
        self.path, self.recursive, self.pattern = Path(path), recursive, pattern or "*"

    def read(self) -> str:
        found = self.path.rglob(self.pattern) if self.recursive else self.path.glob(self.pattern)
        return json.dumps({"files": sorted(str(file.relative_to(self.path)) for file in found if file.is_file())}, indent=2)
