"""Answers as typed results. Nothing that a server adds, or gets wrong in one place, loses the rest (W17, Y14)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar, cast

import msgspec

from .. import types
from .._failure import log
from ..errors import Error, InvalidRequest, ToolError, make

T = TypeVar("T")


def decode(text: bytes | str) -> Any:
    """`text` as plain data. Numbers out of the range of the quick decoder cost time, not the answer they are in."""
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> float:
    try:
        return int(digits)
    except ValueError:  # more digits than Python reads
        return float(digits)


def reader(kind: type[T]) -> Callable[[bytes], T]:
    """Reads an answer as `kind`."""
    typed = msgspec.json.Decoder(kind).decode

    def read(text: bytes) -> T:
        try:
            return typed(text)
        except msgspec.MsgspecError:
            return lenient(decode(text), kind)

    return read


def lenient(value: Any, kind: type[T]) -> T:
    """`value` as the struct `kind`; members of a wrong shape stay as they are. What lacks a member that must be there raises
    `InvalidRequest`, whose `data` is the value."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        problem = str(error)
    if not isinstance(value, dict):
        raise InvalidRequest(f"the answer of the server is no {kind.__name__}: {problem}", data=value)
    members: dict[str, Any] = {}
    given_members = cast("dict[str, Any]", value)
    for field in _fields(kind):
        if field.encode_name in given_members:
            given = given_members[field.encode_name]
            try:
                members[field.name] = msgspec.convert(given, field.type)
            except (msgspec.ValidationError, TypeError, NameError):
                members[field.name] = given
    try:
        return kind(**members)
    except TypeError:
        raise InvalidRequest(f"the answer of the server is no {kind.__name__}: {problem}", data=value) from None


def _fields(kind: type[Any]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def list_reader(member: str, kind: type[T]) -> Callable[[bytes], list[T]]:
    """Reads the items of a listing. One that cannot be read is left out with a warning."""

    def read(text: bytes) -> list[T]:
        whole = decode(text)
        items = whole.get(member)
        if not isinstance(items, list):
            raise InvalidRequest(f"the server's answer has no list {member!r}", data=whole)
        read_items = [_item(item, kind) for item in cast("list[Any]", items)]
        return [item for item in read_items if item is not None]

    return read


def page_reader(member: str, kind: type[Any], page: type[T]) -> Callable[[bytes], T]:
    """Reads one page of a listing; its items as `list_reader` does."""
    read_items = list_reader(member, kind)
    attribute = next(field.name for field in _fields(page) if field.encode_name == member)

    def read(text: bytes) -> T:
        whole = decode(text)
        result = lenient({**whole, member: []}, page)
        setattr(result, attribute, read_items(text))
        return result

    return read


def _item(value: Any, kind: type[T]) -> T | None:
    try:
        return lenient(value, kind)
    except InvalidRequest as error:
        log.warning("an item of the server's list was left out: %s", error)
        return None


class InputRequired(bytes):
    """The answer of a call by hand that says what input it needs."""


def by_hand(kind: type[T]) -> Callable[[bytes], T | types.InputRequiredResult]:
    """Reads an answer that may say what input it needs."""
    complete, asks = reader(kind), reader(types.InputRequiredResult)

    def read(text: bytes) -> T | types.InputRequiredResult:
        return asks(text) if isinstance(text, InputRequired) else complete(text)

    return read


def nothing(text: bytes) -> None:
    """Reads an answer that says only that it worked."""


def plain(text: bytes) -> Any:
    """Reads an answer as it is."""
    return decode(text)


def error_of(text: bytes) -> Error:
    """The exception for a failure, with every fact."""
    facts: dict[str, Any] = decode(text)
    given: dict[str, Any] = facts.get("context") or {}
    context = {name: str(value) for name, value in given.items()}
    error = make(
        str(facts.get("kind", "remote")),
        str(facts.get("message", "")),
        code=facts.get("code"),
        retry=bool(facts.get("retry")),
        context=context,
    )
    error.data = facts.get("data")
    return error


read_tool_result = reader(types.CallToolResult)


def read_good_tool_result(text: bytes) -> types.CallToolResult:
    """As `read_tool_result`; a result that says `isError` is raised."""
    result = read_tool_result(text)
    if result.is_error:
        given: Any = result.content
        texts: list[Any] = [getattr(block, "text", None) for block in given] if isinstance(given, list) else []
        raise ToolError("\n".join(text for text in texts if isinstance(text, str)))
    return result
