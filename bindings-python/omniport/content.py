"""What a tool can return besides plain data: images, audio, files, links, and whole results."""

from __future__ import annotations

import base64
import binascii
import mimetypes
import re
from pathlib import Path
from typing import Any

_SUFFIX_TYPES = {
    "jpg": "jpeg",
    "jpe": "jpeg",
    "svg": "svg+xml",
    "tif": "tiff",
    "mp3": "mpeg",
    "oga": "ogg",
    "m4a": "mp4",
    "wave": "wav",
}
_DATA_URI = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),(.*)", re.DOTALL | re.IGNORECASE)


class _Media:
    """Bytes with a type, kept as standard base64 without line breaks (Y22)."""

    kind: str
    fallback: str

    def __init__(
        self,
        data: bytes | bytearray | memoryview | str | None = None,
        *,
        path: str | Path | None = None,
        format: str | None = None,
        mime_type: str | None = None,
        annotations: dict[str, Any] | None = None,
        meta: dict[str, Any] | None = None,
    ) -> None:
        """Exactly one of `data` (bytes, base64 text in any alphabet, or a `data:` URI) and `path`, which is read when it is sent.

        The type is `mime_type`, else that of `format` ("png", "jpg"), else that of the URI or file name, else the class's own.
        """
        if (data is None) == (path is None):
            raise ValueError(f"{type(self).__name__} takes exactly one of data and path")
        self.path = Path(path) if path is not None else None
        self.annotations = annotations
        self.meta = meta
        self._base64: str | None = None
        named = mime_type or (self._type_of(format) if format else None)
        if isinstance(data, str):
            self._base64, found = _from_text(data)
            named = named or found
        elif data is not None:
            self._base64 = base64.b64encode(data).decode()
        elif self.path is not None and named is None:
            named = mimetypes.guess_type(self.path.name)[0]
        self.mime_type: str = named or self.fallback

    @property
    def data(self) -> bytes:
        """The bytes themselves."""
        return base64.b64decode(self.to_base64())

    def to_base64(self) -> str:
        """Standard base64 without line breaks."""
        if self._base64 is not None:
            return self._base64
        assert self.path is not None
        return base64.b64encode(self.path.read_bytes()).decode()

    def to_content(self) -> dict[str, Any]:
        """The content block of the protocol."""
        block = {"type": self.kind, "data": self.to_base64(), "mimeType": self.mime_type}
        return _with_extras(block, self.annotations, self.meta)

    @classmethod
    def _type_of(cls, format: str) -> str:
        format = format.lower().lstrip(".")
        return format if "/" in format else f"{cls.kind}/{_SUFFIX_TYPES.get(format, format)}"


class Image(_Media):
    """A picture: `Image(data=png_bytes, format="png")`, `Image(path="chart.png")`, `Image("data:image/gif;base64,...")`."""

    kind = "image"
    fallback = "image/png"

    def to_image_content(self) -> dict[str, Any]:
        return self.to_content()


class Audio(_Media):
    """A sound: `Audio(path="voice.wav")`."""

    kind = "audio"
    fallback = "audio/wav"

    def to_audio_content(self) -> dict[str, Any]:
        return self.to_content()


class EmbeddedResource:
    """The contents of a resource inside a result; `text` or `data`."""

    def __init__(
        self,
        uri: str,
        *,
        text: str | None = None,
        data: bytes | None = None,
        mime_type: str | None = None,
        annotations: dict[str, Any] | None = None,
        meta: dict[str, Any] | None = None,
    ) -> None:
        if (text is None) == (data is None):
            raise ValueError("EmbeddedResource takes exactly one of text and data")
        self.uri = uri
        self.text = text
        self.data = data
        self.mime_type = mime_type
        self.annotations = annotations
        self.meta = meta

    def to_contents(self) -> dict[str, Any]:
        """The member of a resource's `contents`."""
        contents: dict[str, Any] = {"uri": self.uri}
        if self.mime_type is not None:
            contents["mimeType"] = self.mime_type
        if self.text is not None:
            contents["text"] = self.text
        else:
            contents["blob"] = base64.b64encode(self.data or b"").decode()
        return contents

    def to_content(self) -> dict[str, Any]:
        """The content block of the protocol."""
        return _with_extras({"type": "resource", "resource": self.to_contents()}, self.annotations, self.meta)


class File(EmbeddedResource):
    """A file as an embedded resource: `File(path="report.pdf")` or `File(data=csv_bytes, name="a", format="csv")`."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        data: bytes | None = None,
        name: str | None = None,
        format: str | None = None,
        mime_type: str | None = None,
        annotations: dict[str, Any] | None = None,
        meta: dict[str, Any] | None = None,
    ) -> None:
        if (data is None) == (path is None):
            raise ValueError("File takes exactly one of path and data")
        if path is not None:
            where = Path(path).absolute()
            uri, content = where.as_uri(), where.read_bytes()
            mime_type = mime_type or mimetypes.guess_type(where.name)[0]
        else:
            content = data or b""
            label = name or "file"
            uri = f"file:///{label}" if not format or label.endswith(f".{format}") else f"file:///{label}.{format}"
        if mime_type is None and format:
            mime_type = mimetypes.guess_type(f"x.{format.lstrip('.')}")[0] or f"application/{format}"
        mime_type = mime_type or "application/octet-stream"
        text = _text_of(content) if mime_type.startswith("text/") or mime_type == "application/json" else None
        super().__init__(
            uri, text=text, data=content if text is None else None, mime_type=mime_type, annotations=annotations, meta=meta
        )


class ResourceLink:
    """A pointer to a resource that the client can read on its own."""

    def __init__(
        self,
        uri: str,
        name: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        icons: list[dict[str, Any]] | None = None,
        annotations: dict[str, Any] | None = None,
        meta: dict[str, Any] | None = None,
    ) -> None:
        self.uri = uri
        self.name = name or uri
        self._extra = {"title": title, "description": description, "mimeType": mime_type, "size": size, "icons": icons}
        self.annotations = annotations
        self.meta = meta

    def to_content(self) -> dict[str, Any]:
        """The content block of the protocol."""
        block = {"type": "resource_link", "uri": self.uri, "name": self.name}
        block |= {key: value for key, value in self._extra.items() if value is not None}
        return _with_extras(block, self.annotations, self.meta)


class ToolResult:
    """A whole result, for a handler that wants to say each part itself."""

    def __init__(
        self,
        content: Any = None,
        structured_content: Any = None,
        *,
        meta: dict[str, Any] | None = None,
        is_error: bool = False,
    ) -> None:
        """`content`: a text, a block or a list of them; None: the structured value is mirrored as text."""
        self.content = content
        self.structured_content = structured_content
        self.meta = meta
        self.is_error = is_error


BLOCKS = (_Media, EmbeddedResource, ResourceLink)
"""The classes here whose `to_content` gives a content block."""


def _from_text(text: str) -> tuple[str, str | None]:
    """Base64 text of any flavour, or a `data:` URI, as standard base64; with the type that a URI names."""
    mime_type = None
    uri = _DATA_URI.fullmatch(text.strip())
    if uri:
        mime_type = uri[1].strip().lower() or None
        text = uri[3]
        if "base64" not in uri[2].lower():
            from urllib.parse import unquote_to_bytes

            return base64.b64encode(unquote_to_bytes(text)).decode(), mime_type
    compact = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        data = base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(f"the data is no base64: {error}") from None
    return base64.b64encode(data).decode(), mime_type


def bytes_of(block: Any) -> bytes:
    """The bytes of an image, a sound or the contents of a resource that a server gave; text is encoded as UTF-8 (Y22).

    Base64 of any flavour and a `data:` URI are read; ValueError for what is none of them, or has no bytes at all.
    """
    inner = _member(block, "resource")
    if inner is not None:
        block = inner
    for name in ("data", "blob"):
        data = _member(block, name)
        if isinstance(data, str):
            return base64.b64decode(_from_text(data)[0])
    text = _member(block, "text")
    if isinstance(text, str):
        return text.encode()
    raise ValueError(f"this content has no bytes: {type(block).__name__}")


def _member(block: Any, name: str) -> Any:
    return block.get(name) if isinstance(block, dict) else getattr(block, name, None)


def _text_of(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _with_extras(block: dict[str, Any], annotations: dict[str, Any] | None, meta: dict[str, Any] | None) -> dict[str, Any]:
    if annotations is not None:
        block["annotations"] = annotations
    if meta is not None:
        block["_meta"] = meta
    return block
