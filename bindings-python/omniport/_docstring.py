"""The description of a function and of its parameters, read from its docstring (Google, NumPy or Sphinx style)."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple


class Docstring(NamedTuple):
    """What a docstring says: the text before its sections, and one text per parameter."""

    description: str
    parameters: dict[str, str]


def parse(text: str | None) -> Docstring:
    """Never fails: a docstring in no known style is all description."""
    if not text:
        return Docstring("", {})
    lines = inspect.cleandoc(text).splitlines()
    for read in (_sphinx, _numpy, _google):
        found = read(lines)
        if found is not None:
            return found
    return Docstring("\n".join(lines).strip(), {})


_GOOGLE_PARAMETERS = {"args:", "arguments:", "parameters:", "params:", "keyword args:", "keyword arguments:", "other parameters:"}
# The description of returned values and errors is of use to a model; examples and notes are too. Only parameter sections
# leave the description, because the schema carries them.
_GOOGLE_ENTRY = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*:\s*(.*)$")


def _google(lines: list[str]) -> Docstring | None:
    starts = [n for n, line in enumerate(lines) if line.strip().lower() in _GOOGLE_PARAMETERS]
    if not starts:
        return None
    parameters: dict[str, str] = {}
    rest: list[str] = []
    number = 0
    while number < len(lines):
        if number not in starts:
            rest.append(lines[number])
            number += 1
            continue
        outer = _indent(lines[number])
        block, number = _block(lines, number + 1, outer)
        _read_google(block, parameters)
    return Docstring(_tidy(rest), parameters)


def _block(lines: list[str], start: int, outer: int) -> tuple[list[str], int]:
    """The lines that are indented deeper than their heading, and where they end."""
    end = start
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > outer):
        end += 1
    return lines[start:end], end


def _read_google(block: list[str], parameters: dict[str, str]) -> None:
    inner = min((_indent(line) for line in block if line.strip()), default=0)
    name = None
    for line in block:
        entry = _GOOGLE_ENTRY.match(line.strip()) if _indent(line) == inner else None
        if entry:
            name = entry[1]
            parameters[name] = entry[2].strip()
        elif name is not None and line.strip():
            parameters[name] = f"{parameters[name]} {line.strip()}".strip()


_NUMPY_RULE = re.compile(r"^\s*-{3,}\s*$")
_NUMPY_PARAMETERS = {"parameters", "other parameters", "keyword arguments"}


def _numpy(lines: list[str]) -> Docstring | None:
    heads = [n for n in range(len(lines) - 1) if lines[n].strip() and _NUMPY_RULE.match(lines[n + 1])]
    if not any(lines[n].strip().lower() in _NUMPY_PARAMETERS for n in heads):
        return None
    parameters: dict[str, str] = {}
    rest = lines[: heads[0]]
    for place, head in enumerate(heads):
        end = heads[place + 1] if place + 1 < len(heads) else len(lines)
        if lines[head].strip().lower() in _NUMPY_PARAMETERS:
            _read_numpy(lines[head + 2 : end], _indent(lines[head]), parameters)
        else:
            rest += lines[head:end]
    return Docstring(_tidy(rest), parameters)


def _read_numpy(block: list[str], outer: int, parameters: dict[str, str]) -> None:
    names: list[str] = []
    for line in block:
        if not line.strip():
            continue
        if _indent(line) <= outer:
            names = [name.strip().lstrip("*") for name in line.split(":", 1)[0].split(",")]
            parameters.update(dict.fromkeys(names, ""))
        else:
            for name in names:
                parameters[name] = f"{parameters[name]} {line.strip()}".strip()


_SPHINX_FIELD = re.compile(r"^\s*:(\w+)(?:\s+([^:]*?))?:\s*(.*)$")
_SPHINX_PARAMETERS = {"param", "parameter", "arg", "argument", "key", "keyword"}


def _sphinx(lines: list[str]) -> Docstring | None:
    parameters: dict[str, str] = {}
    rest: list[str] = []
    name: str | None = None
    inside = False
    for line in lines:
        field = _SPHINX_FIELD.match(line)
        if field and field[1] in _SPHINX_PARAMETERS and field[2]:
            inside = True
            name = str(field[2]).split()[-1].lstrip("*")
            parameters[name] = field[3].strip()
        elif field and field[1] in {"type", "rtype"}:
            name, inside = None, True
        elif inside and line.strip() and _indent(line) > 0 and not field:
            if name is not None:
                parameters[name] = f"{parameters[name]} {line.strip()}".strip()
        else:
            name, inside = None, False
            rest.append(line)
    return Docstring(_tidy(rest), parameters) if parameters else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _tidy(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()
