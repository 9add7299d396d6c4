"""The least arguments that a JSON Schema takes, for tools of which servers.json says nothing; rust/ has the same rules."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def example(schema: Schema) -> Any:
    """An object with the required members only; of several choices the first."""
    return _example(schema, schema)


def _example(schema: Schema, root: Schema) -> Any:
    if "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return _example(target, root)
    if "const" in schema:
        return schema["const"]
    if "default" in schema:
        return schema["default"]
    for choices in ("enum", "examples"):
        if schema.get(choices):
            return schema[choices][0]
    for choices in ("anyOf", "oneOf", "allOf"):
        if schema.get(choices):
            return _example(schema[choices][0], root)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    match kind if isinstance(kind, str) else kind[0]:
        case "object":
            members = schema.get("properties", {})
            return {name: _example(members.get(name, {}), root) for name in schema.get("required", [])}
        case "array":
            return [_example(schema.get("items", {}), root) for _ in range(schema.get("minItems", 0))]
        case "integer" | "number":
            return max(1, schema.get("minimum", 1))
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return "text"
