"""Resources, a template, prompts, and completions for their arguments."""

from __future__ import annotations

from typing import Any

from content import PNG
from omniport import EmbeddedResource, Image, Server

WORDS = ["paris", "park", "party", "test", "testing"]


def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


def static_binary() -> Image:
    """A picture."""
    return Image(PNG, format="png")


def watched_resource() -> str:
    """A text to subscribe to."""
    return "Watched resource content"


def template(id: str) -> dict[str, Any]:
    """Data about the id in the URI."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


def test_simple_prompt() -> str:
    """A prompt without arguments."""
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """A prompt with arguments.

    Args:
        arg1: First test argument
        arg2: Second test argument
    """
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:
    """A prompt that holds a resource.

    Args:
        resourceUri: URI of the resource to embed
    """
    resource = EmbeddedResource(resourceUri, text="Embedded resource content for testing.", mime_type="text/plain")
    return [resource, "Please process the embedded resource above."]


def test_prompt_with_image() -> list[Any]:
    """A prompt that holds an image."""
    return [Image(PNG, format="png"), "Please analyze the image above."]


def words(value: str) -> list[str]:
    return [word for word in WORDS if word.startswith(value)]


def register(app: Server) -> None:
    app.add_resource("test://static-text", static_text, title="Static text", mime_type="text/plain")
    app.add_resource("test://static-binary", static_binary, title="Static binary", mime_type="image/png")
    app.add_resource("test://watched-resource", watched_resource, title="Watched resource", mime_type="text/plain")
    app.add_resource("test://template/{id}/data", template, title="Template", mime_type="application/json")
    app.add_prompt(test_simple_prompt)
    app.add_prompt(test_prompt_with_arguments)
    app.add_prompt(test_prompt_with_embedded_resource)
    app.add_prompt(test_prompt_with_image)
    app.completion("test_prompt_with_arguments", "arg1")(words)
    app.completion("test://template/{id}/data", "id")(words)
