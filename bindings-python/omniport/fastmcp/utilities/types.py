"""Media that tools return."""

from __future__ import annotations

from typing import Any

from ... import content


class _Positional:
    """`path` before `data`, as callers of this API pass them."""

    def __init__(
        self: Any, path: Any = None, data: Any = None, format: str | None = None, annotations: Any = None, **more: Any
    ) -> None:
        super().__init__(data, path=path, format=format, annotations=annotations, **more)  # pyright: ignore[reportCallIssue]


class Image(_Positional, content.Image):
    """`Image(path=...)` or `Image(data=..., format="png")`."""


class Audio(_Positional, content.Audio):
    """`Audio(path=...)` or `Audio(data=..., format="wav")`."""


File = content.File
