"""What is asked of a server, apart from who waits for the answer and how."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypedDict, TypeVar, cast, overload

import msgspec

from .._result import dumps
from ..errors import DefinitionError, InvalidParams

P = ParamSpec("P")
T = TypeVar("T")
Tell = Callable[[dict[str, Any]], Any]
"""Takes what the server tells, as the protocol's own object; may be async."""


class CallOptions(TypedDict, total=False):
    """What one call wants to have different from its client."""

    timeout: float
    """Seconds to wait for the answer; each progress starts them anew."""
    total_timeout: float
    """Seconds to wait in all, whatever progress there is."""
    headers: Mapping[str, str]
    """HTTP headers of this call, besides those of the client; the same name replaces."""
    safe: bool
    """Whether it may be sent again when the connection was lost before the answer. Without it reads may, and tools that say that
    they only read or are idempotent."""
    fresh: bool
    """Asks the server although a cached answer would do."""
    meta: Mapping[str, Any]
    """Members of `_meta`."""
    on_progress: Tell
    """Gets `{"progress", "total"?, "message"?}`, before the call returns."""
    on_log: Tell
    """Gets the log messages that the server sends for this call, where it says for which call they are."""


_NATIVE = frozenset({"timeout", "total_timeout", "headers", "safe", "fresh"})
_OURS = frozenset({"meta", "on_progress", "on_log"})


class Request(Generic[T]):
    """One request: what the engine is given, and what its answer is read with."""

    __slots__ = ("on_log", "on_progress", "options", "params", "read", "what")

    def __init__(
        self,
        what: str,
        params: dict[str, Any],
        read: Callable[[bytes], T],
        options: CallOptions,
        **native: Any,
    ) -> None:
        self.what = what
        self.read = read
        self.on_progress = options.get("on_progress")
        self.on_log = options.get("on_log")
        self.options: bytes | None = None
        if options or native:
            given: dict[str, Any] = dict(options)
            if not _NATIVE.issuperset(given):
                unknown = given.keys() - _NATIVE - _OURS
                if unknown:
                    raise TypeError(f"a call has no option {sorted(unknown)[0]!r}")
            if given.get("meta"):
                params["_meta"] = given["meta"]
            for limit in ("timeout", "total_timeout"):
                if limit in given:
                    check_seconds(limit, given[limit])
            native.update((name, given[name]) for name in _NATIVE & given.keys() if given[name] is not None)
            if self.on_progress is not None or self.on_log is not None:
                native["listens"] = {"progress": self.on_progress is not None, "log": self.on_log is not None}
            if native:
                self.options = dumps(native)
        self.params = written(params)


def written(params: dict[str, Any]) -> bytes:
    """The JSON text of parameters. A number that JSON does not have is an error: it would be sent as null."""
    try:
        text = dumps(params)
    except ValueError:  # the slow way of writing refuses such numbers, and does not say where they are
        refuse_unwritable(params, "")
        raise
    if b"null" in text:
        refuse_unwritable(params, "")
    return text


def refuse_unwritable(value: Any, path: str) -> None:
    """Raises `InvalidParams` that names the first number which is none."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidParams(f"`{path}` is {float(value)}, which JSON has no number for")
    elif isinstance(value, Mapping):
        for name, item in cast("Mapping[Any, Any]", value).items():
            refuse_unwritable(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(cast("Sequence[Any]", value)):
            refuse_unwritable(item, f"{path}[{place}]")
    elif isinstance(value, msgspec.Struct):
        refuse_unwritable(msgspec.structs.asdict(value), path)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        refuse_unwritable({field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, path)
    elif (listed := getattr(value, "tolist", None)) is not None:  # numpy's
        refuse_unwritable(listed(), path)


def check_seconds(name: str, value: float | None) -> None:
    """No JSON has the numbers that are none: what says "for ever" would be taken for "as usual"."""
    if isinstance(value, float) and not math.isfinite(value):
        raise DefinitionError(f"`{name}` must be a positive number of seconds, got {value}")


class Awaits:
    """Answers are awaited."""

    def __init_subclass__(cls) -> None:
        _make(cls, _awaited)

    async def _ask(self, request: Request[T]) -> T:
        raise NotImplementedError


class Waits:
    """Answers are waited for."""

    def __init_subclass__(cls) -> None:
        _make(cls, _waited)

    def _ask(self, request: Request[T]) -> T:
        raise NotImplementedError


class method(Generic[P, T]):
    """Makes a method of a function that builds a request: awaited where the class is `Awaits`, waited for where it is `Waits`."""

    def __init__(self, build: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self.build = build
        self.__doc__ = build.__doc__

    if TYPE_CHECKING:

        @overload
        def __get__(self, face: Awaits, owner: Any = None) -> Callable[P, Coroutine[Any, Any, T]]: ...
        @overload
        def __get__(self, face: Waits, owner: Any = None) -> Callable[P, T]: ...
        def __get__(self, face: Any, owner: Any = None) -> Any: ...


def _make(cls: type, make: Callable[[Any], Any]) -> None:
    """Puts real functions where the requests are described, so that a call costs nothing to look up."""
    for base in cls.__mro__:
        for name, value in list(vars(base).items()):
            if isinstance(value, method) and name not in vars(cls):
                setattr(cls, name, make(value.build))


def _awaited(build: Callable[..., Request[Any]]) -> Any:
    @functools.wraps(build)
    async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return await self._ask(build(self, *args, **kwargs))

    return call


def _waited(build: Callable[..., Request[Any]]) -> Any:
    @functools.wraps(build)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._ask(build(self, *args, **kwargs))

    return call
