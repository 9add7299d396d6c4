"""Calling a handler: values in their places, dependencies made and cleaned up, streams collected."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from ._signature import Depends, Kind, Signature, inspect_function, name_of
from .errors import DefinitionError

if TYPE_CHECKING:
    from .context import Context

Call = Callable[["Context", tuple[Any, ...]], Any]
"""Takes the context and the decoded values; returns the result, or an awaitable of it."""


class Invoker:
    """How to run one handler. `call` is a coroutine function when `is_async`, else it must run where blocking is allowed."""

    __slots__ = ("call", "is_async")

    def __init__(self, signature: Signature) -> None:
        place = _placer(signature)
        plan = [(name, _Provider(dependency, signature.subject)) for name, dependency in signature.dependencies.items()]
        lazily = any(provider.is_async for _, provider in plan)
        self.is_async = signature.is_async or signature.is_async_generator or lazily
        if not plan:
            self.call = place if signature.is_async else _collecting(signature, place)
        elif self.is_async:
            self.call = _with_async_plan(signature, plan)
        else:
            self.call = _with_plan(signature, plan)


def _placer(signature: Signature) -> Call:
    """Puts the values where the function takes them; the common shapes need no dict."""
    function = signature.function
    names = [parameter.name for parameter in signature.parameters]
    order = [name for name, _ in signature.order]
    plain = all(kind in (Kind.POSITIONAL_ONLY, Kind.POSITIONAL_OR_KEYWORD) for _, kind in signature.order)
    if plain and not signature.dependencies and _gapless(signature):
        if order == names:
            return lambda _, values: function(*values)
        if order == [signature.context, *names]:
            return lambda cx, values: function(cx, *values)
        if order == [*names, signature.context]:
            return lambda cx, values: function(*values, cx)

    def call(cx: Context, values: tuple[Any, ...]) -> Any:
        return _call_with(signature, {**dict(zip(names, values)), **({signature.context: cx} if signature.context else {})})

    return call


def _gapless(signature: Signature) -> bool:
    """Whether the passed parameters are the first ones of the function, so that position alone finds them."""
    try:
        parameters = list(inspect.signature(signature.function).parameters)
    except (ValueError, TypeError, NameError):
        return False
    return parameters[: len(signature.order)] == [name for name, _ in signature.order]


def _call_with(signature: Signature, given: dict[str, Any]) -> Any:
    args = [given.pop(name) for name, kind in signature.order if kind is Kind.POSITIONAL_ONLY]
    return signature.function(*args, **given)


def _collecting(signature: Signature, place: Call) -> Call:
    if signature.is_async_generator:

        async def stream(cx: Context, values: tuple[Any, ...]) -> list[Any]:
            return [item async for item in place(cx, values)]

        return stream
    if signature.is_generator:
        return lambda cx, values: list(place(cx, values))
    return place


class _Provider:
    """One dependency, ready to be made."""

    def __init__(self, dependency: Depends, subject: str) -> None:
        where = f"{subject}: dependency `{name_of(dependency.dependency)}`"
        self.signature = signature = inspect_function(dependency.dependency, where)
        wrong = [parameter.name for parameter in signature.parameters if parameter.required]
        if wrong:
            raise DefinitionError(f"{where} needs a value for `{wrong[0]}`, which neither a Context nor a dependency gives")
        self.key = dependency.dependency if dependency.use_cache else object()
        self.needs = [(name, _Provider(inner, where)) for name, inner in signature.dependencies.items()]
        self.manage: Any = None
        if signature.is_async_generator:
            self.manage = asynccontextmanager(signature.function)
        elif signature.is_generator:
            self.manage = contextmanager(signature.function)
        self.is_async = signature.is_async or signature.is_async_generator or any(need.is_async for _, need in self.needs)

    def arguments(self, cx: Context, found: dict[str, Any]) -> dict[str, Any]:
        return {**found, self.signature.context: cx} if self.signature.context else found

    def make(self, cx: Context, stack: ExitStack, cache: dict[Any, Any]) -> Any:
        if self.key in cache:
            return cache[self.key]
        given = self.arguments(cx, {name: need.make(cx, stack, cache) for name, need in self.needs})
        value = stack.enter_context(self.manage(**given)) if self.manage else self.signature.function(**given)
        cache[self.key] = value
        return value

    async def make_async(self, cx: Context, stack: AsyncExitStack, cache: dict[Any, Any]) -> Any:
        if self.key in cache:
            return cache[self.key]
        given = self.arguments(cx, {name: await need.make_async(cx, stack, cache) for name, need in self.needs})
        if self.signature.is_async_generator:
            value = await stack.enter_async_context(self.manage(**given))
        elif self.manage:
            value = stack.enter_context(self.manage(**given))
        else:
            value = self.signature.function(**given)
            if inspect.isawaitable(value):
                value = await value
        cache[self.key] = value
        return value


def _given(signature: Signature, cx: Context, values: tuple[Any, ...]) -> dict[str, Any]:
    given = dict(zip((parameter.name for parameter in signature.parameters), values))
    if signature.context:
        given[signature.context] = cx
    return given


def _with_plan(signature: Signature, plan: list[tuple[str, _Provider]]) -> Call:
    def call(cx: Context, values: tuple[Any, ...]) -> Any:
        cache: dict[Any, Any] = {}
        with ExitStack() as stack:
            given = _given(signature, cx, values)
            given |= {name: provider.make(cx, stack, cache) for name, provider in plan}
            result = _call_with(signature, given)
            return list(result) if signature.is_generator else result

    return call


def _with_async_plan(signature: Signature, plan: list[tuple[str, _Provider]]) -> Call:
    async def call(cx: Context, values: tuple[Any, ...]) -> Any:
        cache: dict[Any, Any] = {}
        async with AsyncExitStack() as stack:
            given = _given(signature, cx, values)
            for name, provider in plan:
                given[name] = await provider.make_async(cx, stack, cache)
            if signature.is_async:
                return await _call_with(signature, given)
            if signature.is_async_generator:
                return [item async for item in _call_with(signature, given)]
            # A sync handler must not block the loop only because one of its dependencies is async (P01).
            result = await cx.in_thread(_call_with, signature, given)
            return list(result) if signature.is_generator else result

    return call
