"""Expected values: JSON with a few matchers, and values that are caught in one step and used in another."""

from __future__ import annotations

import json
import re
from typing import Any

Bindings = dict[str, Any]

_LITERAL = {"$closed", "$schema", "$defs"}
"""Members that are no matchers: `$closed` belongs to its object, the others are words of JSON Schema."""
_NOTHING: Any = object()
_WHOLE = re.compile(r"\$\{([^${}:]*)\}")
_PART = re.compile(r"\$\{([^}]*)\}", re.DOTALL)


class Mismatch(AssertionError):
    """Names the place and both sides."""


def check(pattern: Any, actual: Any, bindings: Bindings, path: str = "") -> None:
    """Raises Mismatch where the value is not as the pattern says."""
    if isinstance(pattern, dict) and any(key.startswith("$") and key not in _LITERAL for key in pattern):
        for name, argument in pattern.items():
            _matcher(name, argument, actual, bindings, path)
    elif actual is _NOTHING:
        raise Mismatch(f"{path}: expected {_shown(pattern)}, found nothing")
    elif isinstance(pattern, dict) and isinstance(actual, dict):
        _object(pattern, actual, bindings, path)
    elif isinstance(pattern, list) and isinstance(actual, list):
        if len(pattern) != len(actual):
            raise Mismatch(f"{path}: expected {len(pattern)} items, found {len(actual)}: {_shown(actual)}")
        for index, (expected, found) in enumerate(zip(pattern, actual)):
            check(expected, found, bindings, f"{path}[{index}]")
    elif not same(pattern, actual):
        raise Mismatch(f"{path}: expected {_shown(pattern)}, found {_shown(actual)}")


def matches(pattern: Any, actual: Any, bindings: Bindings, path: str = "") -> bool:
    try:
        check(pattern, actual, bindings, path)
    except Mismatch:
        return False
    return True


def same(a: Any, b: Any) -> bool:
    """Equal as JSON: `true` is not 1, integers are compared exactly, and `1` and `1.0` are the same."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def _object(expected: dict[str, Any], found: dict[str, Any], bindings: Bindings, path: str) -> None:
    """Objects are open: members that the pattern does not name may be there, unless it says `$closed`."""
    for key, pattern in expected.items():
        if key != "$closed":
            check(pattern, found.get(key, _NOTHING), bindings, f"{path}.{key}")
    extra = found.keys() - expected.keys()
    if expected.get("$closed") is True and extra:
        raise Mismatch(f"{path}: the member `{min(extra)}` should not be there")


def _matcher(name: str, argument: Any, actual: Any, bindings: Bindings, path: str) -> None:
    if name == "$absent":
        holds = (argument is True) == (actual is _NOTHING)
    elif actual is _NOTHING:
        holds = False
    elif name == "$each":
        for index, item in enumerate(_array(actual, path)):
            check(argument, item, bindings, f"{path}[{index}]")
        return
    elif name == "$contains":
        return _contains(argument, _array(actual, path), bindings, path)
    else:
        holds = _holds(name, argument, actual, bindings, path)
    if not holds:
        raise Mismatch(f"{path}: expected {name} {_shown(argument)}, found {_shown(actual)}")


def _holds(name: str, argument: Any, actual: Any, bindings: Bindings, path: str) -> bool:
    texts = argument if isinstance(argument, list) else [argument]
    match name:
        case "$any":
            return True
        case "$bind":
            bindings[argument] = actual
            return True
        case "$ref":
            return argument in bindings and same(bindings[argument], actual)
        case "$type":
            return _kind(actual) == argument
        case "$has":
            return isinstance(actual, str) and all(text in actual for text in texts)
        case "$lacks":
            return isinstance(actual, str) and all(text not in actual for text in texts)
        case "$starts":
            return isinstance(actual, str) and all(actual.startswith(text) for text in texts)
        case "$not":
            return not matches(argument, actual, bindings, path)
        case "$length":
            return isinstance(actual, (str, list, dict)) and len(actual) == argument
        case "$min_length":
            return isinstance(actual, (str, list, dict)) and len(actual) >= argument
        case "$excludes":
            return not any(matches(argument, item, bindings, path) for item in _array(actual, path))
    raise ValueError(f"{path}: unknown matcher {name}")


def _contains(patterns: list[Any], items: list[Any], bindings: Bindings, path: str) -> None:
    """Each pattern matches some item, and no item two of them."""
    left = list(items)
    for pattern in patterns:
        place = next((place for place, item in enumerate(left) if matches(pattern, item, bindings, path)), None)
        if place is None:
            raise Mismatch(f"{path}: no item matches {_shown(pattern)}: {_shown(items)}")
        del left[place]


def _array(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise Mismatch(f"{path}: expected an array, found {_shown(value)}")
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds[type(value)]


def _shown(value: Any) -> str:
    return "nothing" if value is _NOTHING else json.dumps(value, ensure_ascii=False)[:3000]


def fill(value: Any, bindings: Bindings) -> Any:
    """Puts values in: `"${name}"` becomes the value itself, `${name}` inside a longer text its text, `${repeat:text:times}` a
    long text."""
    if isinstance(value, str):
        whole = _WHOLE.fullmatch(value)
        return bindings[whole[1]] if whole else _fill_text(value, bindings)
    if isinstance(value, list):
        return [fill(item, bindings) for item in value]
    if isinstance(value, dict):
        return {_fill_text(key, bindings): fill(item, bindings) for key, item in value.items()}
    return value


def _fill_text(text: str, bindings: Bindings) -> str:
    def one(found: re.Match[str]) -> str:
        if found[1].startswith("repeat:"):
            piece, _, times = found[1].removeprefix("repeat:").rpartition(":")
            return piece * int(times)
        value = bindings[found[1]]
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    return _PART.sub(one, text)
