"""What a tool returned, as the text that the engine completes the call with."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, get_args, get_origin

import msgspec

from . import content
from ._schema import Publisher, Unsupported, hints
from ._signature import EMPTY

Encode = Callable[[Any], bytes]

_FAST = frozenset({int, float, str, bool, list, dict})
_STRUCTURED = b'{"structuredContent":'
_EMPTY = b'{"content":[]}'
_TEXT = b'{"content":[{"type":"text","text":'
_TEXT_END = b"}]}"
_TYPE_MODULES = ("omniport.types", "mcp.types", "mcp_types")
_BLOCK_TYPES = {"text", "image", "audio", "resource", "resource_link"}


def output_schema(annotation: Any) -> dict[str, Any] | None:
    """The schema of what a return annotation promises; None when it promises nothing that has one (P08)."""
    inner, metadata = hints.split(annotation)
    if getattr(inner, "__name__", "") == "CallToolResult" and metadata and isinstance(metadata[0], type):
        annotation = metadata[0]  # `Annotated[CallToolResult, Model]`: the handler makes the result, the model describes its data
    if annotation is EMPTY or _has_no_data(annotation):
        return None
    publisher = Publisher("output")
    try:
        schema = publisher.finish(publisher.schema(annotation))
    except (Unsupported, NameError, RecursionError):
        return None
    except Exception as error:
        if type(error).__module__.startswith("pydantic"):
            return None  # a model that pydantic itself cannot publish
        raise
    return schema or None


def _has_no_data(annotation: Any) -> bool:
    """None, and whatever holds content blocks or whole results."""
    inner, _ = hints.split(annotation)
    if inner in (None, type(None)):
        return True
    if hints.is_union(inner):
        return any(_has_no_data(member) for member in hints.members(inner) if member is not type(None))
    base = get_origin(inner) or inner
    if isinstance(base, type) and (
        issubclass(base, (*content.BLOCKS, content.ToolResult)) or base.__module__.startswith(_TYPE_MODULES)
    ):
        return True
    return any(_has_no_data(arg) for arg in get_args(inner) if isinstance(arg, type) and arg is not type(None))


def encoder(schema: dict[str, Any] | None) -> Encode:
    """Makes the result text; with a schema plain data is structured, without one only objects are."""
    if schema is None:
        return _encode_loose
    bare_array = schema.get("type") == "array" and not {"items", "prefixItems"} & set(schema)
    return _encode_bare_array if bare_array else _encode_structured


def _encode_structured(value: Any) -> bytes:
    if type(value) in _FAST:
        return _STRUCTURED + dumps(value) + b"}"
    if value is None:
        return b'{"content":[],"structuredContent":null}'
    special = _encode_special(value)
    return special if special is not None else _STRUCTURED + dumps(_drained(value)) + b"}"


def _encode_bare_array(value: Any) -> bytes:
    """`-> list` may mean data or blocks; only the value tells. The published schema wants a structured value in any case."""
    return dumps({"content": blocks(value), "structuredContent": value}) if _mixed(value) else _encode_structured(value)


def _encode_loose(value: Any) -> bytes:
    if type(value) is str:
        return _TEXT + dumps(value) + _TEXT_END
    if value is None:
        return _EMPTY
    special = _encode_special(value)
    if special is not None:
        return special
    value = _drained(value)
    if _mixed(value):
        return dumps({"content": blocks(value)})
    text = dumps(value)
    if text[:1] == b"{":
        return _STRUCTURED + text + b"}"
    return _TEXT + dumps(_as_text(value, text)) + _TEXT_END


def _encode_special(value: Any) -> bytes | None:
    """Results and blocks that say themselves what they are."""
    if isinstance(value, content.ToolResult):
        return _encode_tool_result(value)
    if is_block(value):
        return dumps({"content": blocks(value)})
    if type(value).__module__.startswith(_TYPE_MODULES) and hasattr(value, "content"):
        return dumps(value)
    if isinstance(value, (list, tuple)) and _mixed(value):
        # `(content, structured)` is how a handler of the official SDK returns both.
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], dict) and isinstance(value[0], (list, tuple)):
            return dumps({"content": blocks(value[0]), "structuredContent": value[1]})
        return dumps({"content": blocks(value)})
    return None


def _encode_tool_result(result: content.ToolResult) -> bytes:
    members: dict[str, Any] = {}
    if result.content is not None or result.structured_content is None:
        members["content"] = blocks(result.content)
    if result.structured_content is not None:
        members["structuredContent"] = result.structured_content
    if result.is_error:
        members["isError"] = True
    if result.meta is not None:
        members["_meta"] = result.meta
    return dumps(members)


def blocks(value: Any) -> list[Any]:
    """Content blocks for anything: blocks stay, text becomes a text block, other data its JSON text."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [block for item in value for block in blocks(item)]
    if isinstance(value, dict) and value.get("type") in _BLOCK_TYPES:
        return [value]  # only where content is asked for: a tool's plain result of this shape is data
    if is_block(value):
        make = getattr(value, "to_content", None)
        return [make() if make is not None else value]
    value = _drained(value)
    return [{"type": "text", "text": value if isinstance(value, str) else _as_text(value, dumps(value))}]


def is_block(value: Any) -> bool:
    """Whether the value is a content block: of this package, or of a types module."""
    if isinstance(value, content.BLOCKS):
        return True
    if isinstance(value, dict):
        return False
    return hasattr(value, "to_content") or (
        type(value).__module__.startswith(_TYPE_MODULES) and getattr(value, "type", None) in _BLOCK_TYPES
    )


def _mixed(value: Any) -> bool:
    """Whether blocks are among the items, or in a list among them."""
    if type(value) not in (list, tuple):
        return False
    return any(_mixed(item) if type(item) in (list, tuple) else type(item) not in _FAST and is_block(item) for item in value)


def _drained(value: Any) -> Any:
    return list(value) if isinstance(value, Iterator) and not isinstance(value, AsyncIterator) else value


def _as_text(value: Any, encoded: bytes) -> str:
    if isinstance(value, (int, float, str, bool, list, tuple, dict)):
        return encoded.decode() if not isinstance(value, str) else value
    # Bare text (a date, a UUID, an enum) is shown without its quotes.
    return msgspec.json.decode(encoded) if encoded[:1] == b'"' else encoded.decode()


_encoder = msgspec.json.Encoder(enc_hook=lambda value: plain(value))


def dumps(value: Any) -> bytes:
    """JSON text of any value. What has no form in JSON becomes its `str`."""
    try:
        return _encoder.encode(value)
    except (OverflowError, TypeError, ValueError):
        # Numbers beyond 64 bits, keys that are no text, half surrogate pairs: rare, so the slow way may handle them.
        return json.dumps(_tame(value), default=lambda other: msgspec.json.decode(_encoder.encode(other)), allow_nan=False).encode()


def _tame(value: Any) -> Any:
    if isinstance(value, dict):
        return {whole_text(key if isinstance(key, str) else safe_text(key)): _tame(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_tame(item) for item in value]
    return whole_text(value) if type(value) is str else value


def whole_text(text: str) -> str:
    """Text without half surrogate pairs (names of files that are no UTF-8 have them), which strict peers refuse to read."""
    return text.encode("utf-8", "replace").decode()


def plain(value: Any) -> Any:
    """A value that msgspec does not know, in terms of values it does; no library is imported to find out."""
    if isinstance(value, type):
        return safe_text(value)
    dump = getattr(value, "model_dump_json", None)
    if dump is not None:
        exclude = type(value).__module__.startswith(_TYPE_MODULES)
        return msgspec.Raw(dump(by_alias=True, exclude_none=exclude).encode())
    if hasattr(value, "to_content"):
        return value.to_content()
    module = type(value).__module__.partition(".")[0]
    if module in ("pandas", "polars") and hasattr(value, "columns"):
        return value.to_dicts() if module == "polars" else value.to_dict(orient="records")
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "to_list"):
        return value.to_list()
    if isinstance(value, Iterator):
        return list(value)
    if isinstance(value, (str, int, float)):
        return value.real if isinstance(value, (int, float)) else str.__str__(value)
    if isinstance(value, (memoryview, bytearray)):
        return bytes(value)
    if isinstance(value, Mapping):
        return dict(value)
    return safe_text(value)


def safe_text(value: Any) -> str:
    """`str(value)`, also when the value's own `__str__` or `__repr__` is broken (P11)."""
    try:
        return str(value)
    except BaseException:
        return f"<{type(value).__name__}>"
