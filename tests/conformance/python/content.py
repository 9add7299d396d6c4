"""Tools by what they return or take: each kind of content, an error, a schema with all keywords, header parameters."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from omniport import Audio, EmbeddedResource, Image, Server, ToolError

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
"""A picture of one red pixel."""
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
"""A sound of one silent sample."""

CONTACT_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _header(name: str) -> msgspec.Meta:
    return msgspec.Meta(extra_json_schema={"x-mcp-header": name})


def test_simple_text() -> str:
    """Returns a text."""
    return "This is a simple text response for testing."


def test_image_content() -> Image:
    """Returns an image."""
    return Image(PNG, format="png")


def test_audio_content() -> Audio:
    """Returns a sound."""
    return Audio(WAV, format="wav")


def test_embedded_resource() -> EmbeddedResource:
    """Returns a resource inside the result."""
    return EmbeddedResource("test://embedded-resource", text="This is an embedded resource content.", mime_type="text/plain")


def test_multiple_content_types() -> list[Any]:
    """Returns a text, an image and a resource."""
    data = EmbeddedResource("test://mixed-content-resource", text='{"test":"data","value":123}', mime_type="application/json")
    return ["Multiple content types test:", Image(PNG, format="png"), data]


def test_error_handling() -> str:
    """Always fails."""
    raise ToolError("This tool intentionally returns an error for testing")


def json_schema_2020_12_tool(
    name: str | None = None,
    address: dict[str, str] | None = None,
    contactMethod: str | None = None,
    phone: str | None = None,
    email: str | None = None,
) -> str:
    """Takes a contact, which has a phone number or an e-mail address."""
    return f"{name or 'Somebody'} can be reached at {phone or email}"


def test_header_parameters(
    region: Annotated[str, _header("Region")],
    priority: Annotated[int, _header("Priority")] = 0,
    urgent: Annotated[bool, _header("Urgent")] = False,
) -> str:
    """Takes parameters that HTTP clients repeat as headers, where proxies can see them."""
    return f"{region}, priority {priority}{', urgent' if urgent else ''}"


def register(app: Server) -> None:
    app.add_tool(test_simple_text)
    app.add_tool(test_image_content)
    app.add_tool(test_audio_content)
    app.add_tool(test_embedded_resource)
    app.add_tool(test_multiple_content_types, output_schema=False)
    app.add_tool(test_error_handling)
    app.add_tool(json_schema_2020_12_tool, input_schema=CONTACT_SCHEMA)
    app.add_tool(test_header_parameters)
