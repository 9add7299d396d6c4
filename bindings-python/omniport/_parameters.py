"""The parameters of a handler as a JSON Schema, and JSON text as the values to call it with.

Arguments that no parameter names are tolerated, as the official SDKs do, because some hosts add members of their own;
`strict=True` on a tool publishes `additionalProperties: false`, and then the core refuses them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_origin

import msgspec

from ._schema import Publisher, Unsupported, constrained, decodable, hints, hook, with_default
from ._signature import EMPTY, Parameter, Signature
from .errors import DefinitionError

Values = tuple[Any, ...]


class ArgumentError(ValueError):
    """The arguments cannot become the values that the handler declares; the text is for the model."""


def input_schema(signature: Signature, *, strict: bool = False) -> dict[str, Any]:
    """The schema of a tool's arguments; its root is always an object with `properties` (S09)."""
    publisher = Publisher("input")
    properties: dict[str, Any] = {}
    for parameter in signature.parameters:
        properties[parameter.published] = _property(publisher, parameter, signature.subject)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [parameter.published for parameter in signature.parameters if parameter.required]
    if required:
        schema["required"] = required
    if strict:
        schema["additionalProperties"] = False
    return publisher.finish(schema)


def _property(publisher: Publisher, parameter: Parameter, subject: str) -> dict[str, Any]:
    try:
        schema = publisher.schema(parameter.annotation)
    except Unsupported as error:
        raise DefinitionError(f"{subject}: the type of the parameter `{parameter.name}` cannot be published: {error}") from None
    if parameter.description and "description" not in schema:
        schema = {**schema, "description": parameter.description}
    if parameter.factory is None and not parameter.required:
        schema = with_default(schema, parameter.default)
    return schema


class Decoder:
    """JSON text of arguments to the values of the parameters, in their order."""

    __slots__ = ("_decode", "_parameters", "_struct", "_subject")

    def __init__(self, signature: Signature, *, checks: bool = False) -> None:
        """`checks`: the constraints of the annotations are checked here, because the core was told not to."""
        self._parameters = signature.parameters
        self._subject = signature.subject
        self._struct = self._make_struct(constrained if checks else decodable)
        self._decode = msgspec.json.Decoder(self._struct, dec_hook=hook).decode

    def _make_struct(self, type_of: Callable[[Any, str], Any]) -> type[msgspec.Struct]:
        # Members are called p0, p1 ... because a parameter may bear any name that a struct reserves (P06).
        fields: list[Any] = []
        names: dict[str, str] = {}
        for number, parameter in enumerate(self._parameters):
            where = f"{self._subject}: parameter `{parameter.name}`"
            wanted = type_of(parameter.annotation, where)
            name = f"p{number}"
            names[name] = parameter.published
            if parameter.required:
                fields.append((name, wanted))
            elif parameter.factory is not None:
                fields.append((name, wanted, msgspec.field(default_factory=parameter.factory)))
            else:
                fields.append((name, wanted, msgspec.field(default_factory=_constant(parameter.fallback))))
        return msgspec.defstruct("Arguments", fields, rename=names, kw_only=True)

    def decode(self, text: bytes) -> Values:
        """The values for JSON text; ArgumentError when a value has no such form (a date that is none)."""
        try:
            return msgspec.structs.astuple(self._decode(text))
        except (msgspec.ValidationError, ValueError) as error:
            return self._again(msgspec.json.decode(text), error)

    def decode_lenient(self, text: bytes) -> Values:
        """The same, but text that holds JSON where a list, object or model is wanted is parsed, exactly one level (P03)."""
        arguments: dict[str, Any] = msgspec.json.decode(text)
        opened = {name: self._opened(name, value) for name, value in arguments.items()}
        return self._again(opened, None, strict=True)

    def decode_strings(self, arguments: Mapping[str, Any]) -> Values:
        """The values for text only: template variables and prompt arguments."""
        return self._again({name: self._opened(name, value) for name, value in arguments.items()}, None)

    def _opened(self, name: str, value: Any) -> Any:
        parameter = next((known for known in self._parameters if known.published == name), None)
        if not isinstance(value, str) or parameter is None or not _is_compound(parameter.annotation):
            return value
        try:
            opened = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
        return opened if isinstance(opened, (list, dict)) else value

    def _again(self, arguments: dict[str, Any], cause: Exception | None, *, strict: bool = False) -> Values:
        """The slow way, for what the schema allows and a strict decoder does not: null for a default (S11), 1.0 for 1."""
        for parameter in self._parameters:
            name = parameter.published
            untyped = hints.split(parameter.annotation)[0] in (EMPTY, Any, object)
            refuses_null = not untyped and not hints.accepts_none(parameter.annotation)
            if refuses_null and not parameter.required and arguments.get(name, ...) is None:
                del arguments[name]
        try:
            return msgspec.structs.astuple(msgspec.convert(arguments, self._struct, dec_hook=hook, strict=strict))
        except (msgspec.ValidationError, ValueError) as error:
            raise ArgumentError(f"Invalid arguments: {error}") from cause


def _constant(value: Any) -> Callable[[], Any]:
    return lambda: value


def _is_compound(annotation: Any) -> bool:
    """Whether no value of the type is text: lists, objects and models, optional or not."""
    inner, _ = hints.split(annotation)
    if hints.is_union(inner):
        solid = [member for member in hints.members(inner) if member is not type(None)]
        return all(_is_compound(member) for member in solid)
    base = get_origin(inner) or inner
    try:
        return Publisher("input").finish(Publisher("input").schema(inner)).get("type") in ("array", "object") or _has_fields(base)
    except Unsupported:
        return False


def _has_fields(base: Any) -> bool:
    from ._schema.compounds import fields_of

    return hints.is_pydantic(base) or fields_of(base) is not None
