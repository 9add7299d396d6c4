"""Types that msgspec can decode: what it cannot is given a stand-in class whose values `hook` makes.

The core has validated the arguments against the published schema before they come here, so decoding converts and does not check.
"""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import enum
import re
import types
import typing
from typing import Any, Literal, get_args, get_origin

import msgspec

from ..errors import DefinitionError
from . import facts, hints

Convert = collections.abc.Callable[[Any], Any]


class _AnyInstance(type):
    """msgspec checks what a hook made with isinstance, and a stand-in has no instances of its own."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return True


class _StandIn(metaclass=_AnyInstance):
    """Base of the classes that stand for a type msgspec refuses."""

    convert: Convert


def decodable(annotation: Any, subject: str) -> Any:
    """A type that msgspec decodes (with `hook`) to the values of `annotation`."""
    if type(annotation).__name__ == "TypeAliasType" and _contains(annotation.__value__, annotation):
        return Any  # what contains itself without a class is plain JSON data already
    inner, metadata = hints.split(annotation)
    if _validates(metadata) or _has_validating_fields(inner):
        return _stand_in(_by_pydantic(annotation, subject, TypeError("it has validators of pydantic")))
    simple = _simplify(inner, subject)
    try:
        msgspec.json.Decoder(simple, dec_hook=hook)
    except (TypeError, NameError, RecursionError) as error:
        return _stand_in(_by_pydantic(annotation if metadata else inner, subject, error))
    return simple


def _contains(annotation: Any, alias: Any) -> bool:
    """Whether a recursive alias names itself; aliases inside are looked into once."""
    waiting, seen = [annotation], {alias}
    while waiting:
        part = waiting.pop()
        if part is alias:
            return True
        if type(part).__name__ == "TypeAliasType" and part not in seen:
            seen.add(part)
            waiting.append(part.__value__)
        waiting += get_args(part)
    return False


def _validates(metadata: list[Any]) -> bool:
    """Whether pydantic has to run code on the value (`AfterValidator`, `StringConstraints(strip_whitespace=True)`).

    To pass over a validator in silence would let through what the author of the tool believes refused.
    """
    rewrites = ("strip_whitespace", "to_lower", "to_upper")
    return any(
        hasattr(item, "__get_pydantic_core_schema__") or any(getattr(item, name, None) for name in rewrites)
        for item in metadata
        if not isinstance(item, type)
    )


def _has_validating_fields(cls: Any) -> bool:
    """The same for the fields of a dataclass, which msgspec would make without a look at them."""
    if not dataclasses.is_dataclass(cls) or not isinstance(cls, type) or hints.is_pydantic(cls):
        return False
    try:
        fields = hints.class_hints(cls)
    except NameError:
        return False  # named when the schema is published
    return any(_validates(hints.split(field)[1]) for field in fields.values())


def constrained(annotation: Any, subject: str) -> Any:
    """As `decodable`, but the decoder also checks the constraints of the annotation itself, for arguments no core has checked."""
    inner, metadata = hints.split(annotation)
    found = facts.read(metadata)
    rules = {name: found.keywords[word] for name, word in facts.SCALARS.items() if word in found.keywords}
    rules |= {f"{bound}_length": size for bound, size in found.lengths.items()}
    simple = decodable(annotation, subject)
    if not rules:
        return simple
    meta = msgspec.Meta(**rules)
    parts = [decodable(part, subject) for part in hints.members(inner)] if hints.is_union(inner) else [simple]
    checked: Any = typing.Union[tuple(part if part is type(None) else typing.Annotated[part, meta] for part in parts)]
    try:
        msgspec.json.Decoder(checked, dec_hook=hook)
    except TypeError:
        return simple  # rules that msgspec does not know for this type
    return checked


def hook(wanted: Any, value: Any) -> Any:
    """Makes values of the types that msgspec does not know."""
    base: Any = get_origin(wanted) or wanted
    if issubclass(base, _StandIn):
        return base.convert(value)
    if hints.is_pydantic(base):
        return _pydantic_value(wanted, value)
    if base is memoryview or base is bytearray:
        return base(value)
    if base is re.Pattern:
        try:
            return re.compile(value)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
    if base is collections.defaultdict:
        return collections.defaultdict(None, value)
    if isinstance(value, base):
        return value
    return base(value)


def convert(value: Any, annotation: Any, subject: str = "value") -> Any:
    """`value` (plain JSON data) as a value of `annotation`; ValueError says what is wrong and where."""
    try:
        return msgspec.convert(value, decodable(annotation, subject), dec_hook=hook, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error


def _simplify(annotation: Any, subject: str) -> Any:
    if annotation is hints.EMPTY or annotation is object:
        return Any
    if hints.is_union(annotation):
        return _simplify_union(annotation, subject)
    origin = get_origin(annotation)
    if origin is Literal:
        return (
            annotation
            if all(type(value) in (str, int, type(None)) for value in get_args(annotation))
            else _stand_in(_choice(get_args(annotation)))
        )
    if isinstance(annotation, type) and origin is None:
        return _simplify_class(annotation, subject)
    args = get_args(annotation)
    if origin in _CONTAINERS and args:
        inner = tuple(arg if arg is Ellipsis else decodable(arg, subject) for arg in args)
        return _CONTAINERS[origin][inner]
    if origin in _REMADE and args:
        return _stand_in(_remake(origin, args, subject))
    return annotation


_CONTAINERS: dict[Any, Any] = {
    list: list, set: set, frozenset: frozenset, tuple: tuple, dict: dict,
    collections.abc.Sequence: list, collections.abc.MutableSequence: list, collections.abc.Iterable: list,
    collections.abc.Collection: list, collections.abc.Set: set, collections.abc.MutableSet: set,
    collections.abc.Mapping: dict, collections.abc.MutableMapping: dict,
}  # fmt: skip


_REMADE: dict[Any, Any] = {
    collections.deque: list, collections.OrderedDict: dict, collections.defaultdict: dict, collections.Counter: dict,
}  # fmt: skip


def _remake(origin: Any, args: tuple[Any, ...], subject: str) -> Convert:
    """Containers that msgspec does not know: their items are converted as those of a list or dict."""
    members = (*args, int) if origin is collections.Counter else args
    plain = decodable(_REMADE[origin][members], subject)
    factory = get_origin(args[-1]) or args[-1]
    makes_empty = factory in (list, dict, set, int, float, str, bool)

    def make(value: Any) -> Any:
        items = msgspec.convert(value, plain, dec_hook=hook, str_keys=True)
        if origin is collections.defaultdict:
            return collections.defaultdict(factory if makes_empty else None, items)
        return origin(items)

    return make


def _simplify_class(cls: type, subject: str) -> Any:
    if issubclass(cls, enum.Enum) and not hints.is_pydantic(cls):
        kinds = {type(member.value) for member in cls}
        return cls if kinds in ({str}, {int}) else _stand_in(_choice([member.value for member in cls], cls))
    return cls


def _simplify_union(annotation: Any, subject: str) -> Any:
    parts = [decodable(member, subject) for member in hints.members(annotation)]
    union = typing.Union[tuple(parts)]
    try:
        msgspec.json.Decoder(union, dec_hook=hook)
    except TypeError:
        optional = type(None) in parts
        solid = [part for part in parts if part is not type(None)]
        stand_in = _stand_in(_first_fit(solid))
        return stand_in | None if optional else stand_in
    return union


def _stand_in(make: Convert) -> type[_StandIn]:
    return types.new_class("StandIn", (_StandIn,), {}, lambda body: body.update(convert=staticmethod(make)))


def _choice(values: collections.abc.Iterable[Any], cls: Any = None) -> Convert:
    """Finds the listed value that is equal in value and type, since JSON `true` is not `1`."""
    table = [(value.value if isinstance(value, enum.Enum) else value, value) for value in values]

    def pick(value: Any) -> Any:
        for raw, listed in table:
            if raw == value and isinstance(raw, bool) == isinstance(value, bool):
                return cls(raw) if cls is not None else listed
        raise ValueError(f"Expected one of {[raw for raw, _ in table]}")

    return pick


def _first_fit(parts: list[Any]) -> Convert:
    """Tries the members of a union in order; the first that takes the value wins."""

    def pick(value: Any) -> Any:
        problems: list[str] = []
        for part in parts:
            try:
                return msgspec.convert(value, part, dec_hook=hook)
            except (msgspec.ValidationError, ValueError, TypeError) as error:
                problems.append(str(error))
        raise ValueError("; ".join(dict.fromkeys(problems)))

    return pick


def _pydantic_value(wanted: Any, value: Any) -> Any:
    validate = getattr(wanted, "model_validate", None)
    if validate is not None:
        return validate(value)
    return _adapter(wanted).validate_python(value)


_adapters: dict[Any, Any] = {}


def _adapter(wanted: Any) -> Any:
    from pydantic import TypeAdapter

    try:
        return _adapters[wanted]
    except KeyError:
        adapter = _adapters[wanted] = TypeAdapter(wanted)
        return adapter


def _by_pydantic(annotation: Any, subject: str, cause: Exception) -> Convert:
    """The last resort, for instance a dataclass with a union of dataclasses in a field: pydantic, if it is installed."""
    try:
        from pydantic import TypeAdapter

        adapter = TypeAdapter(annotation)
        if not adapter.pydantic_complete:
            adapter.rebuild()  # raises now, at registration, what a call would raise later
        return adapter.validate_python
    except ImportError:
        raise DefinitionError(
            f"{subject}: {annotation!r} cannot be decoded ({cause}); with pydantic installed it could be"
        ) from cause
    except Exception as error:
        raise DefinitionError(f"{subject}: {annotation!r} cannot be decoded: {error}") from cause
