"""Python types as JSON Schema (2020-12, without `$schema`).

A named type that is used once is inlined, since some hosts do not follow references; one that is used again, or contains
itself, goes to `$defs`.
"""

from __future__ import annotations

import collections
import collections.abc
import datetime
import decimal
import enum
import ipaddress
import os
import pathlib
import re
import typing
import uuid
from typing import Any, Literal, get_args, get_origin

import msgspec

from . import facts, hints
from .compounds import fields_of

Mode = Literal["input", "output"]


class Unsupported(TypeError):
    """The type has no JSON form."""


_ARRAYS = (list, tuple, set, frozenset, collections.deque)
_ABSTRACT_ARRAYS = (
    collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Iterable, collections.abc.Iterator,
    collections.abc.Collection, collections.abc.Generator, collections.abc.AsyncIterator, collections.abc.AsyncIterable,
    collections.abc.AsyncGenerator,
)  # fmt: skip
_SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
_OBJECTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)

_PLAIN: list[tuple[type, dict[str, Any]]] = [
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (str, {"type": "string"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (bytearray, {"type": "string", "contentEncoding": "base64"}),
    (memoryview, {"type": "string", "contentEncoding": "base64"}),
    (datetime.datetime, {"type": "string", "format": "date-time"}),
    (datetime.date, {"type": "string", "format": "date"}),
    (datetime.time, {"type": "string", "format": "time"}),
    (datetime.timedelta, {"type": "string", "format": "duration"}),
    (uuid.UUID, {"type": "string", "format": "uuid"}),
    (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    (ipaddress.IPv6Address, {"type": "string", "format": "ipv6"}),
    (re.Pattern, {"type": "string", "format": "regex"}),
    (pathlib.PurePath, {"type": "string", "format": "path"}),
    (os.PathLike, {"type": "string", "format": "path"}),
]


class Publisher:
    """Makes the schemas of one tool; `$defs` are shared between its parameters."""

    def __init__(self, mode: Mode) -> None:
        self.mode: Mode = mode
        self._definitions: dict[str, dict[str, Any]] = {}
        self._names: dict[Any, str] = {}

    def schema(self, annotation: Any) -> dict[str, Any]:
        """The schema of any annotation; references stay open until `finish`."""
        if type(annotation).__name__ == "TypeAliasType":
            return self._alias(annotation)
        inner, metadata = hints.split(annotation)
        found = facts.read(metadata)
        return found.apply(self._bare(inner))

    def _alias(self, alias: Any) -> dict[str, Any]:
        """`type Json = dict[str, Json] | str` may contain itself, so it is named like a class."""
        known = self._names.get(alias)
        if known is None:
            known = self._names[alias] = self._name(alias.__name__)
            self._definitions[known] = {}
            self._definitions[known] = self.schema(alias.__value__)
        return {"$ref": f"#/$defs/{known}"}

    def finish(self, schema: dict[str, Any]) -> dict[str, Any]:
        """`schema` with each definition that is used once put in its place, and the others in `$defs`."""
        return _Inliner(self._definitions).finish(schema)

    def _bare(self, annotation: Any) -> dict[str, Any]:
        if annotation is Any or annotation is object or annotation is hints.EMPTY:
            return {}
        if annotation is None or annotation is type(None):
            return {"type": "null"}
        if hints.is_union(annotation):
            return self._union(annotation)
        origin = get_origin(annotation)
        if origin is Literal:
            return _choices(list(get_args(annotation)))
        if isinstance(annotation, typing.TypeVar):
            return self.schema(annotation.__bound__) if annotation.__bound__ is not None else {}
        if isinstance(annotation, (str, typing.ForwardRef)):
            raise Unsupported(f"the name `{annotation}` is not resolved")
        base = origin or annotation
        if isinstance(base, type):
            return self._class(annotation, base)
        raise Unsupported(f"{annotation!r} has no JSON form")

    def _union(self, annotation: Any) -> dict[str, Any]:
        branches: list[dict[str, Any]] = []
        for member in hints.members(annotation):
            branch = self.schema(member)
            if branch not in branches:
                branches.append(branch)
        if {} in branches:
            return {}
        return branches[0] if len(branches) == 1 else {"anyOf": branches}

    def _class(self, annotation: Any, base: type) -> dict[str, Any]:
        if hints.is_pydantic(base):
            return self._pydantic(annotation)
        if issubclass(base, enum.Enum):
            return _choices([member.value for member in base])
        if fields_of(annotation) is not None:
            return self._named(annotation, base)
        if base is decimal.Decimal:
            text = {"type": "string", "format": "decimal"}
            return {"anyOf": [{"type": "number"}, text]} if self.mode == "input" else text
        if issubclass(base, _OBJECTS):
            return self._object(annotation)
        if issubclass(base, _ARRAYS) or base in _ABSTRACT_ARRAYS or issubclass(base, collections.abc.Set):
            return self._array(annotation, base)
        for known, schema in _PLAIN:
            if issubclass(base, known):
                return dict(schema)
        if base is msgspec.Raw:
            return {}
        raise Unsupported(f"`{base.__module__}.{base.__qualname__}` has no JSON form")

    def _array(self, annotation: Any, base: type) -> dict[str, Any]:
        args = get_args(annotation)
        if base is tuple and get_origin(annotation) is tuple and args[-1:] != (Ellipsis,):
            items = [self.schema(item) for item in args if item != ()]
            size = {"minItems": len(items), "maxItems": len(items)}
            return {"type": "array", "prefixItems": items, **size} if items else {"type": "array", **size}
        schema: dict[str, Any] = {"type": "array"}
        item = self.schema(args[0]) if args else {}
        if item:
            schema["items"] = item
        if issubclass(base, _SETS):
            schema["uniqueItems"] = True
        return schema

    def _object(self, annotation: Any) -> dict[str, Any]:
        args = get_args(annotation)
        schema: dict[str, Any] = {"type": "object"}
        if get_origin(annotation) is collections.Counter:
            args = (*args, int)
        if len(args) == 2:
            value = self.schema(args[1])
            schema["additionalProperties"] = value or True
            keys = self.schema(args[0])
            if keys.get("enum") or keys.get("pattern") or keys.get("format"):
                schema["propertyNames"] = {key: keys[key] for key in ("enum", "pattern", "format") if key in keys}
        return schema

    def _named(self, annotation: Any, base: type) -> dict[str, Any]:
        known = self._names.get(annotation)
        if known is None:
            known = self._name(base.__name__)
            self._names[annotation] = known
            self._definitions[known] = {}
            self._definitions[known] = self._compound(annotation, base)
        return {"$ref": f"#/$defs/{known}"}

    def _name(self, wanted: str) -> str:
        wanted = re.sub(r"\W+", "_", wanted).strip("_") or "Type"
        name, number = wanted, 2
        while name in self._definitions:
            name, number = f"{wanted}{number}", number + 1
        return name

    def _compound(self, annotation: Any, base: type) -> dict[str, Any]:
        compound = fields_of(annotation)
        assert compound is not None
        if compound.array:
            items = [self.schema(field.annotation) for field in compound.fields]
            least = sum(field.required for field in compound.fields)
            return {"type": "array", "prefixItems": items, "minItems": least, "maxItems": len(items)}
        properties: dict[str, Any] = {}
        required: list[str] = []
        if compound.tag is not None:
            properties[compound.tag[0]] = {"const": compound.tag[1]}
            required.append(compound.tag[0])
        for field in compound.fields:
            if self.mode == "input" and not field.settable:
                continue
            schema = self.schema(field.annotation)
            if not field.required and self.mode == "input":
                schema = with_default(schema, field.default)
            properties[field.name] = schema
            if field.required or (self.mode == "output" and not compound.open_ended):
                required.append(field.name)
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if compound.closed:
            schema["additionalProperties"] = False
        text = _own_doc(base)
        return {"description": text, **schema} if text else schema

    def _pydantic(self, annotation: Any) -> dict[str, Any]:
        from pydantic import TypeAdapter

        mode: Any = "validation" if self.mode == "input" else "serialization"
        schema = TypeAdapter(annotation).json_schema(mode=mode, ref_template="#/$defs/{model}")
        renamed: dict[str, str] = {}
        definitions: dict[str, Any] = schema.pop("$defs", {})
        for name, definition in definitions.items():
            renamed[name] = name if self._definitions.get(name) == definition else self._name(name)
            self._definitions[renamed[name]] = definition
        for name, new in renamed.items():
            self._definitions[new] = _rename(definitions[name], renamed)
        return _rename(schema, renamed)


def with_default(schema: dict[str, Any], default: Any) -> dict[str, Any]:
    """`schema` with its `default` published, if the default has a JSON form."""
    if default is facts.UNSET:
        return schema
    try:
        value = msgspec.json.decode(msgspec.json.encode(default, enc_hook=_default_hook))
    except (TypeError, ValueError, OverflowError):
        return schema
    return {**schema, "default": value}


def _default_hook(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError
    return dump(mode="json", by_alias=True)


def _choices(values: list[Any]) -> dict[str, Any]:
    values = [value.value if isinstance(value, enum.Enum) else value for value in values]
    kinds = {_KINDS.get(type(value)) for value in values}
    schema: dict[str, Any] = {"enum": values}
    if len(kinds) == 1 and None not in kinds:
        schema = {"type": kinds.pop(), **schema}
    return schema


_KINDS: dict[type, str] = {str: "string", int: "integer", bool: "boolean", float: "number", type(None): "null"}


def _own_doc(base: type) -> str | None:
    """The docstring a person wrote, not the one `dataclass` or a NamedTuple makes from the signature."""
    text = base.__dict__.get("__doc__")
    if not text or text.startswith(f"{base.__name__}(") or base.__module__ == "builtins":
        return None
    return str(text).strip()


def _rename(schema: Any, renamed: dict[str, str]) -> Any:
    if isinstance(schema, list):
        return [_rename(item, renamed) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: _rename(value, renamed) for key, value in schema.items()}
    reference = copy.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        copy["$ref"] = f"#/$defs/{renamed.get(name, name)}"
    mapping = copy.get("discriminator")
    if isinstance(mapping, dict):
        copy.pop("discriminator")  # an OpenAPI word; its mapping would point at names that may be inlined
    return copy


class _Inliner:
    def __init__(self, definitions: dict[str, dict[str, Any]]) -> None:
        self._definitions = definitions
        self._uses: dict[str, int] = {}
        self._open: set[str] = set()
        self._recursive: set[str] = set()

    def finish(self, schema: dict[str, Any]) -> dict[str, Any]:
        self._count(schema)
        kept = [name for name, uses in self._uses.items() if uses > 1 or name in self._recursive]
        root = self._place(schema, kept)
        if kept:
            root["$defs"] = {name: self._place(self._definitions[name], kept) for name in kept}
        return root

    def _count(self, schema: Any) -> None:
        for name in _references(schema):
            if name not in self._definitions:
                continue
            self._uses[name] = self._uses.get(name, 0) + 1
            if name in self._open:
                self._recursive.add(name)
            elif self._uses[name] == 1:
                self._open.add(name)
                self._count(self._definitions[name])
                self._open.discard(name)

    def _place(self, schema: Any, kept: list[str]) -> Any:
        if isinstance(schema, list):
            return [self._place(item, kept) for item in schema]
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        name = reference.rpartition("/")[2] if isinstance(reference, str) else None
        if name in self._definitions and name not in kept:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return self._place({**self._definitions[name], **rest}, kept)
        return {key: self._place(value, kept) for key, value in schema.items()}


def _references(schema: Any) -> collections.abc.Iterator[str]:
    if isinstance(schema, list):
        for item in schema:
            yield from _references(item)
    elif isinstance(schema, dict):
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/$defs/"):
            yield reference.rpartition("/")[2]
        for value in schema.values():
            yield from _references(value)
