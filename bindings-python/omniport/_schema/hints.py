"""Annotations as types: postponed ones resolved, `Annotated` taken apart."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any, get_args, get_origin

from ..errors import DefinitionError

EMPTY = inspect.Parameter.empty


def resolve(function: Callable[..., Any], annotations: dict[str, Any], subject: str) -> dict[str, Any]:
    """The annotations of `function`, each a real type (P04).

    Names are looked up in the globals of the innermost wrapped function, its closure, its type parameters, and, for classes
    that are local to the function around it, the calling frames of the same module.
    """
    inner = inspect.unwrap(function)
    globals_: dict[str, Any] = getattr(inner, "__globals__", {})
    locals_ = _closure(inner)
    return {name: _resolve_one(name, annotation, globals_, locals_, subject) for name, annotation in annotations.items()}


def _resolve_one(name: str, annotation: Any, globals_: dict[str, Any], locals_: dict[str, Any], subject: str) -> Any:
    holder = types.SimpleNamespace(__annotations__={name: annotation})
    try:
        return typing.get_type_hints(holder, globals_, locals_, include_extras=True)[name]
    except NameError:
        pass  # perhaps a class that is local to a calling function: seen below
    except Exception as error:
        raise DefinitionError(f"{subject}: the annotation of {_what(name)} cannot be evaluated: {error}") from error
    try:
        return typing.get_type_hints(holder, globals_, _frames(globals_) | locals_, include_extras=True)[name]
    except NameError as error:
        missing = error.name or str(error)
        raise DefinitionError(
            f"{subject}: the annotation of {_what(name)} uses the name `{missing}`, which does not exist at run time "
            "(is it imported under TYPE_CHECKING only?)"
        ) from None


def _what(name: str) -> str:
    return "the return value" if name == "return" else f"the parameter `{name}`"


def _closure(function: Any) -> dict[str, Any]:
    code = getattr(function, "__code__", None)
    found: dict[str, Any] = {parameter.__name__: parameter for parameter in getattr(function, "__type_params__", ())}
    for name, cell in zip(code.co_freevars if code else (), function.__closure__ or () if code else ()):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue  # the variable is not bound yet
    return found


def _frames(globals_: dict[str, Any]) -> dict[str, Any]:
    """The local names of the calling functions in the module of `globals_`, inner ones first in rank."""
    found: dict[str, Any] = {}
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals is globals_ and frame.f_locals is not globals_:
            found = {**frame.f_locals, **found}
        frame = frame.f_back
    return found


def split(annotation: Any) -> tuple[Any, list[Any]]:
    """The type inside `Annotated` and all its metadata, outermost last; PEP 695 aliases and qualifiers are looked through."""
    metadata: list[Any] = []
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            metadata = [*annotation.__metadata__, *metadata]
            annotation = annotation.__origin__
        elif origin in _QUALIFIERS:
            annotation = get_args(annotation)[0]
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        else:
            return annotation, metadata


_QUALIFIERS: set[Any] = {typing.Final, typing.ClassVar}
for _module in (typing, sys.modules.get("typing_extensions")):
    for _name in ("Required", "NotRequired", "ReadOnly"):
        if _module is not None and hasattr(_module, _name):
            _QUALIFIERS.add(getattr(_module, _name))


def is_union(annotation: Any) -> bool:
    """Whether it is `A | B`, `Union` or `Optional`."""
    return get_origin(annotation) in (typing.Union, types.UnionType)


def members(annotation: Any) -> Iterator[Any]:
    """The alternatives of a union, nested ones flattened."""
    for member in get_args(annotation):
        if is_union(member):
            yield from members(member)
        else:
            yield member


def accepts_none(annotation: Any) -> bool:
    """Whether None is a value of the type as written."""
    inner, _ = split(annotation)
    if inner in (None, type(None), Any, object):
        return inner not in (Any, object)
    return is_union(inner) and any(accepts_none(member) for member in members(inner))


def is_pydantic(cls: Any) -> bool:
    """Whether pydantic alone knows how to read and write `cls`. Does not import pydantic."""
    return isinstance(cls, type) and (
        hasattr(cls, "__pydantic_core_schema__")
        or hasattr(cls, "__get_pydantic_core_schema__")
        or hasattr(cls, "__pydantic_validator__")
    )


def class_hints(cls: type) -> dict[str, Any]:
    """The annotations of a class and its bases, resolved; local classes of the calling functions are found as well."""
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError:
        module = sys.modules.get(cls.__module__)
        return typing.get_type_hints(cls, localns=_frames(vars(module)) if module else None, include_extras=True)
