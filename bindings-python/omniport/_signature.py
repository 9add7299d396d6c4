"""What a handler is: its parameters, which of them the model sees, and how it has to be run."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_origin

from . import _docstring
from ._schema import facts, hints
from .errors import DefinitionError

EMPTY = inspect.Parameter.empty
Kind = inspect._ParameterKind


class Depends:
    """A parameter that the server fills in: `db: Session = Depends(open_session)` or `Annotated[Session, Depends(open_session)]`.

    The function may be sync, async, or a generator whose part after `yield` cleans up when the call is over; it may take the
    Context and other dependencies. Its value is made once per call, unless `use_cache` is False.
    """

    __slots__ = ("dependency", "use_cache")

    def __init__(self, dependency: Callable[..., Any], *, use_cache: bool = True) -> None:
        self.dependency = dependency
        self.use_cache = use_cache

    def __repr__(self) -> str:
        return f"Depends({name_of(self.dependency)})"


@dataclass(frozen=True)
class Parameter:
    """One parameter that the caller of the tool sees."""

    name: str
    """Its name in the function."""
    published: str
    """Its name in the schema: the alias, if it has one (P06)."""
    annotation: Any
    kind: Kind
    default: Any = facts.UNSET
    factory: Callable[[], Any] | None = None
    description: str | None = None

    @property
    def required(self) -> bool:
        """Whether a call must name it: no default, and None is no value of it (S07)."""
        return self.default is facts.UNSET and self.factory is None and not hints.accepts_none(self.annotation)

    @property
    def fallback(self) -> Any:
        """What the function gets when a call does not name it."""
        if self.factory is not None:
            return self.factory()
        return None if self.default is facts.UNSET else self.default


@dataclass(frozen=True)
class Signature:
    """A function as the server sees it."""

    function: Callable[..., Any]
    subject: str
    """How errors name it: "tool `add`"."""
    description: str
    parameters: tuple[Parameter, ...]
    context: str | None
    """The parameter that takes the Context."""
    dependencies: dict[str, Depends]
    order: tuple[tuple[str, Kind], ...]
    """All parameters that are passed, in the order of the function."""
    returns: Any
    is_async: bool
    is_generator: bool
    is_async_generator: bool


def inspect_function(function: Callable[..., Any], subject: str) -> Signature:
    """Reads the signature; DefinitionError names the parameter that cannot be used."""
    if isinstance(function, (classmethod, staticmethod)):
        function = function.__func__ if isinstance(function, staticmethod) else _refuse_classmethod(subject)
    if not callable(function):
        raise DefinitionError(f"{subject}: {function!r} cannot be called")
    target = _target(function)
    try:
        signature = _signature(function)
    except (ValueError, TypeError) as error:
        raise DefinitionError(f"{subject}: its signature cannot be read: {error}") from error
    annotations = {
        name: parameter.annotation for name, parameter in signature.parameters.items() if parameter.annotation is not EMPTY
    }
    if signature.return_annotation is not EMPTY:
        annotations["return"] = signature.return_annotation
    types = hints.resolve(target, annotations, subject)
    doc = _docstring.parse(inspect.getdoc(function if not isinstance(function, functools.partial) else function.func))
    context: str | None = None
    dependencies: dict[str, Depends] = {}
    visible: list[Parameter] = []
    for parameter in signature.parameters.values():
        annotation = types.get(parameter.name, EMPTY)
        dependency = _dependency(annotation, parameter.default)
        if is_context(annotation):
            if context is not None:
                raise DefinitionError(f"{subject}: both `{context}` and `{parameter.name}` take the Context")
            context = parameter.name
        elif dependency is not None:
            dependencies[parameter.name] = dependency
        elif parameter.kind in (Kind.VAR_POSITIONAL, Kind.VAR_KEYWORD):
            stars = "*" if parameter.kind is Kind.VAR_POSITIONAL else "**"
            raise DefinitionError(f"{subject}: `{stars}{parameter.name}` has no JSON form; name each parameter")
        elif not (isinstance(function, functools.partial) and parameter.name in function.keywords):
            visible.append(_visible(parameter, annotation, doc.parameters.get(parameter.name)))
    _refuse_twins(visible, subject)
    passed = {parameter.name for parameter in visible} | set(dependencies) | ({context} if context else set())
    return Signature(
        function=function,
        subject=subject,
        description=doc.description,
        parameters=tuple(visible),
        context=context,
        dependencies=dependencies,
        order=tuple((name, parameter.kind) for name, parameter in signature.parameters.items() if name in passed),
        returns=types.get("return", EMPTY),
        is_async=inspect.iscoroutinefunction(target),
        is_generator=inspect.isgeneratorfunction(target),
        is_async_generator=inspect.isasyncgenfunction(target),
    )


def name_of(function: Any) -> str:
    """The name a person would call the function by."""
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", None) or type(function).__name__)


def is_context(annotation: Any) -> bool:
    """Whether the annotation is the Context, in any of its spellings: optional, annotated, with type arguments."""
    inner, _ = hints.split(annotation)
    if hints.is_union(inner):
        return any(is_context(member) for member in hints.members(inner))
    base = get_origin(inner) or inner
    return isinstance(base, type) and getattr(base, "__omniport_context__", False) is True


def _target(function: Callable[..., Any]) -> Any:
    """The function whose code runs: inside partials, and behind `__call__` of an object."""
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    if inspect.isclass(target):
        target = target.__init__
    elif not inspect.isroutine(target):
        target = type(target).__call__
    return getattr(target, "__func__", target)


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    if sys.version_info >= (3, 14):
        import annotationlib

        return inspect.signature(function, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(function)


def _refuse_classmethod(subject: str) -> Any:
    raise DefinitionError(
        f"{subject}: a class method is registered through its class, `app.tool(Class.method)`, after the class body"
    )


def _dependency(annotation: Any, default: Any) -> Depends | None:
    _, metadata = hints.split(annotation)
    for candidate in (default, *reversed(metadata)):
        if isinstance(candidate, Depends):
            return candidate
        if type(candidate).__name__ == "Depends" and callable(getattr(candidate, "dependency", None)):
            return Depends(candidate.dependency, use_cache=getattr(candidate, "use_cache", True))
    return None


def _visible(parameter: inspect.Parameter, annotation: Any, described: str | None) -> Parameter:
    _, metadata = hints.split(annotation)
    found = facts.read(metadata)
    default = found.default if parameter.default is EMPTY else parameter.default
    factory = found.factory
    if type(default).__name__ == "FieldInfo":  # `x: int = Field(5, description="...")`
        own = facts.read([default])
        annotation = _annotate(annotation, default)
        found.alias = own.alias or found.alias
        default, factory = own.default, own.factory or factory
    return Parameter(
        name=parameter.name,
        published=found.alias or parameter.name,
        annotation=annotation,
        kind=parameter.kind,
        default=default,
        factory=factory,
        description=described or None,
    )


def _annotate(annotation: Any, metadata: Any) -> Any:
    from typing import Annotated

    return Annotated[Any if annotation is EMPTY else annotation, metadata]


def _refuse_twins(parameters: list[Parameter], subject: str) -> None:
    seen: set[str] = set()
    for parameter in parameters:
        if parameter.published in seen:
            raise DefinitionError(f"{subject}: two parameters are published as `{parameter.published}`")
        seen.add(parameter.published)
