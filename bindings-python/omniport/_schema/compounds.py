"""The fields of dataclasses, TypedDicts, NamedTuples, msgspec structs and attrs classes, in one shape."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, NamedTuple, get_args, get_origin

import msgspec

from . import hints
from .facts import UNSET


class Field(NamedTuple):
    """One member as JSON sees it."""

    name: str
    annotation: Any
    required: bool
    default: Any = UNSET
    settable: bool = True


class Compound(NamedTuple):
    """A type made of named members."""

    fields: list[Field]
    array: bool = False
    """Written as an array, members in order."""
    closed: bool = False
    """Refuses members it does not name."""
    open_ended: bool = False
    """Optional members may be absent from a written value."""
    tag: tuple[str, Any] | None = None
    """The member that tells the types of a union apart, and its value here."""


def fields_of(annotation: Any) -> Compound | None:
    """The fields, with the arguments of a generic type put in; None if the type is not made of fields."""
    base = get_origin(annotation) or annotation
    if not isinstance(base, type):
        return None
    compound = _read(base)
    if compound is None:
        return None
    bindings = dict(zip(getattr(base, "__parameters__", ()), get_args(annotation)))
    if not bindings:
        return compound
    return compound._replace(fields=[field._replace(annotation=_bind(field.annotation, bindings)) for field in compound.fields])


def _read(base: type) -> Compound | None:
    if issubclass(base, msgspec.Struct):
        return _struct(base)
    if typing.is_typeddict(base) or type(base).__name__ == "_TypedDictMeta":
        return _typed_dict(base)
    if dataclasses.is_dataclass(base):
        return _dataclass(base)
    if issubclass(base, tuple) and hasattr(base, "_fields"):
        return _named_tuple(base)
    if hasattr(base, "__attrs_attrs__"):
        return _attrs(base)
    return None


def _struct(base: type[msgspec.Struct]) -> Compound:
    config = base.__struct_config__
    types = hints.class_hints(base)
    fields: list[Field] = []
    for field in msgspec.structs.fields(base):
        fields.append(
            Field(
                field.encode_name, types.get(field.name, field.type), field.required, _default(field.default, field.default_factory)
            )
        )
    tag = (config.tag_field, config.tag) if config.tag_field is not None else None
    return Compound(fields, config.array_like, config.forbid_unknown_fields, config.omit_defaults, tag)


def _typed_dict(base: Any) -> Compound:
    types = hints.class_hints(base)
    required: set[str] = set(base.__required_keys__)
    for name, annotation in types.items():
        # Under postponed annotations the class cannot see its own Required and NotRequired marks.
        mark = getattr(get_origin(_unannotated(annotation)), "_name", None)
        if mark == "NotRequired":
            required.discard(name)
        elif mark == "Required":
            required.add(name)
    return Compound([Field(name, annotation, name in required) for name, annotation in types.items()], open_ended=True)


def _unannotated(annotation: Any) -> Any:
    return annotation.__origin__ if get_origin(annotation) is typing.Annotated else annotation


def _dataclass(base: Any) -> Compound:
    types = hints.class_hints(base)
    fields: list[Field] = []
    for field in dataclasses.fields(base):
        default = _default(field.default, field.default_factory, dataclasses.MISSING)
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        fields.append(Field(field.name, types[field.name], required, default, field.init))
    return Compound(fields)


def _named_tuple(base: Any) -> Compound:
    types = hints.class_hints(base)
    defaults = base._field_defaults
    return Compound(
        [Field(name, types.get(name, Any), name not in defaults, defaults.get(name, UNSET)) for name in base._fields], array=True
    )


def _attrs(base: Any) -> Compound:
    types = hints.class_hints(base)
    fields: list[Field] = []
    for field in base.__attrs_attrs__:
        missing = type(field.default).__name__ in ("_Nothing", "NothingType") or repr(field.default) == "NOTHING"
        default = UNSET if missing or hasattr(field.default, "factory") else field.default
        fields.append(Field(field.name, types.get(field.name, Any), missing, default, field.init))
    return Compound(fields)


def _default(default: Any, factory: Any, missing: Any = msgspec.NODEFAULT) -> Any:
    if default is not missing:
        return default
    if factory is missing or factory not in (list, dict, set, frozenset, tuple):
        return UNSET  # a factory with an effect is not run for a schema
    return factory()


def _bind(annotation: Any, bindings: dict[Any, Any]) -> Any:
    if annotation in bindings:
        return bindings[annotation]
    parameters = getattr(annotation, "__parameters__", ())
    if not parameters:
        return annotation
    return annotation[tuple(bindings.get(parameter, parameter) for parameter in parameters)]
