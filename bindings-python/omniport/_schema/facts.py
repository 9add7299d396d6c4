"""What the metadata of an annotation says: description, constraints, alias, default, whatever library wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SCALARS = {
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
_TEXTS = ("title", "description", "examples")
UNSET: Any = object()


class Facts:
    """The sum of the metadata of one annotation."""

    __slots__ = ("alias", "default", "factory", "keywords", "lengths")

    def __init__(self) -> None:
        self.keywords: dict[str, Any] = {}
        self.lengths: dict[str, int] = {}
        self.alias: str | None = None
        self.default: Any = UNSET
        self.factory: Any = None

    def apply(self, schema: dict[str, Any]) -> dict[str, Any]:
        """`schema` with these facts; lengths take the keyword that fits the type."""
        if not self.keywords and not self.lengths:
            return schema
        if "$ref" in schema and set(self.keywords) - {"title", "description", "default", "examples"}:
            schema = {"allOf": [schema]}
        target = _constrained(schema) if "anyOf" in schema else schema
        noun = {"array": "Items", "object": "Properties"}.get(target.get("type", ""), "Length")
        texts = {key: value for key, value in self.keywords.items() if key in _TEXTS}
        rules = {key: value for key, value in self.keywords.items() if key not in _TEXTS}
        rules |= {f"{bound}{noun}": size for bound, size in self.lengths.items()}
        if target is schema:
            return {**schema, **rules, **texts}
        branches = [{**branch, **rules} if branch is target else branch for branch in schema["anyOf"]]
        return {**schema, "anyOf": branches, **texts}


def _constrained(schema: dict[str, Any]) -> dict[str, Any]:
    """The branch that a constraint on an optional value is about."""
    branches = [branch for branch in schema["anyOf"] if branch.get("type") != "null"]
    return branches[0] if len(branches) == 1 else schema


def read(metadata: Iterable[Any]) -> Facts:
    """Reads strings, `msgspec.Meta`, `pydantic.Field`, `annotated_types` and `Doc` by their attributes; none is imported."""
    facts = Facts()
    for item in metadata:
        _read_one(item, facts)
    return facts


def _read_one(item: Any, facts: Facts) -> None:
    if isinstance(item, str):
        facts.keywords["description"] = item
        return
    if isinstance(item, type):
        return
    documentation = getattr(item, "documentation", None)
    if isinstance(documentation, str):
        facts.keywords["description"] = documentation
    if type(item).__name__ == "FieldInfo":
        _read_field(item, facts)
    for name, keyword in SCALARS.items():
        value = getattr(item, name, None)
        if value is not None:
            facts.keywords[keyword] = getattr(value, "pattern", value)
    for name in _TEXTS:
        value = getattr(item, name, None)
        if value is not None and not callable(value):
            facts.keywords[name] = list(value) if name == "examples" else value
    for name, bound in (("min_length", "min"), ("max_length", "max")):
        value = getattr(item, name, None)
        if value:
            facts.lengths[bound] = value
    for extra in (getattr(item, "json_schema_extra", None), getattr(item, "extra_json_schema", None)):
        if isinstance(extra, dict):
            facts.keywords.update(extra)


def _read_field(item: Any, facts: Facts) -> None:
    alias = getattr(item, "validation_alias", None) or getattr(item, "alias", None)
    if isinstance(alias, str):
        facts.alias = alias
    default = getattr(item, "default", UNSET)
    if default is not ... and type(default).__name__ != "PydanticUndefinedType":
        facts.default = default
    facts.factory = getattr(item, "default_factory", None)
    for nested in getattr(item, "metadata", ()):
        _read_one(nested, facts)
