"""Forms that a server asks a user to fill in: the flat schema for a type, and typed answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

import msgspec

from ._schema import Publisher, Unsupported, convert, hints
from ._schema.compounds import fields_of
from .errors import DefinitionError, InvalidParams

T = TypeVar("T")
Action = Literal["accept", "decline", "cancel"]


class ElicitResult(msgspec.Struct, Generic[T], frozen=True):
    """What the user did. `content` is there only when the action is "accept"."""

    action: Action
    content: T | None = None

    @property
    def accepted(self) -> bool:
        return self.action == "accept"

    @property
    def data(self) -> T | None:
        """The same as `content`."""
        return self.content


Form = tuple[dict[str, Any], Callable[[dict[str, Any]], Any]]

_PRIMITIVES = {"string", "number", "integer", "boolean"}
_KEYWORDS = {
    "type", "title", "description", "default", "enum", "enumNames", "oneOf", "const", "format", "minLength", "maxLength",
    "minimum", "maximum", "pattern",
}  # fmt: skip


def form_of(wanted: Any) -> Form:
    """The schema of the form and what makes the answer of its content.

    `wanted`: None (a bare yes or no), a type with flat members (dataclass, TypedDict, struct, pydantic model), a scalar type
    or a list of texts to choose from (a form with the one member `value`), or a JSON Schema as a dict.
    """
    if wanted is None or wanted is type(None):
        return {"type": "object", "properties": {}}, lambda content: None
    if isinstance(wanted, dict):
        return _checked(wanted), lambda content: content
    if isinstance(wanted, (list, tuple)):
        if not wanted or not all(isinstance(choice, str) for choice in wanted):
            raise DefinitionError(f"the choices of a form are texts, at least one, not {list(wanted)!r}")
        return _single({"type": "string", "enum": list(wanted)}), lambda content: content.get("value")
    base = getattr(wanted, "__origin__", wanted)
    if not hints.is_pydantic(base) and fields_of(wanted) is None:
        publisher = Publisher("input")
        try:
            member = _flat("value", publisher.finish(publisher.schema(wanted)))
        except Unsupported as error:
            raise DefinitionError(f"the form {wanted!r} cannot be asked for: {error}") from None
        return _single(member), lambda content: _typed(content.get("value"), wanted)
    publisher = Publisher("input")
    schema = publisher.finish(publisher.schema(wanted))
    if "properties" not in schema:
        raise DefinitionError(f"the form {wanted!r} contains itself; a form has flat members only")
    properties = {name: _flat(name, member, schema.get("$defs", {})) for name, member in schema["properties"].items()}
    form = {"type": "object", "properties": properties}
    if "required" in schema:
        form["required"] = schema["required"]
    return form, lambda content: _typed(content, wanted)


def answer(raw: dict[str, Any], make: Callable[[dict[str, Any]], Any]) -> ElicitResult[Any]:
    """The typed result; content is looked at for "accept" only, and an action that nobody knows counts as "cancel" (Y17)."""
    action = raw.get("action")
    if action == "accept":
        return ElicitResult("accept", make(raw.get("content") or {}))
    return ElicitResult("decline" if action == "decline" else "cancel")


def _typed(content: Any, wanted: Any) -> Any:
    try:
        return convert(content, wanted, "form")
    except ValueError as error:
        raise InvalidParams(f"The answer to the form is not valid: {error}") from error


def _checked(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that was given as it is: sent unchanged, but one that clients may refuse fails here, where its author sees it."""
    if schema.get("type") != "object":
        raise DefinitionError('the schema of a form has the type "object"')
    properties = schema.get("properties", {})
    for name, member in properties.items():
        _flat(name, member, schema.get("$defs", {}))
    return {**schema, "properties": properties}


def _single(member: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"value": member}, "required": ["value"]}


def _flat(name: str, member: dict[str, Any], definitions: dict[str, Any] | None = None) -> dict[str, Any]:
    """The member without what forms do not know; DefinitionError when it is not flat."""
    reference = member.get("$ref")
    if isinstance(reference, str) and definitions:
        member = {
            **definitions.get(reference.rpartition("/")[2], {}),
            **{key: value for key, value in member.items() if key != "$ref"},
        }
    if "anyOf" in member:
        solid = [branch for branch in member["anyOf"] if branch.get("type") != "null"]
        if len(solid) != 1:
            raise _not_flat(name)
        rest = {key: value for key, value in member.items() if key not in ("anyOf", "default")}
        if member.get("default") is not None:
            rest["default"] = member["default"]
        return _flat(name, {**solid[0], **rest}, definitions)
    if "allOf" in member and len(member["allOf"]) == 1:
        rest = {key: value for key, value in member.items() if key != "allOf"}
        return _flat(name, {**member["allOf"][0], **rest}, definitions)
    if member.get("type") == "array":
        items = member.get("items", {})
        if not _is_titled_choice(items):
            items = _flat(name, items, definitions)
        if not ({"enum", "oneOf", "anyOf"} & set(items)):
            raise _not_flat(name)
        return {**{key: value for key, value in member.items() if key in _KEYWORDS | {"minItems", "maxItems"}}, "items": items}
    if member.get("type") not in _PRIMITIVES and not ({"oneOf", "enum"} & set(member)):
        raise _not_flat(name)
    return {key: value for key, value in member.items() if key in _KEYWORDS}


def _is_titled_choice(items: dict[str, Any]) -> bool:
    """Whether the items of a multiple choice are constants with titles: `{"anyOf": [{"const": "a", "title": "A"}, ...]}`."""
    choices = items.get("anyOf") or items.get("oneOf") or []
    return bool(choices) and all("const" in choice for choice in choices)


def _not_flat(name: str) -> DefinitionError:
    return DefinitionError(f"the member `{name}` of the form is no text, number, boolean or choice; a form has flat members only")
