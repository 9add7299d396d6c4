"""One completion function for everything, spread over the arguments that the engine knows."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec

from ..._definitions import Definition
from ..._pump import Handler
from ..._registry import Registry
from ..._result import dumps


def wire(registry: Registry, function: Callable[..., Any]) -> None:
    """Registers `function` for each argument of each prompt, and each variable of each template."""
    for definition in registry.all("prompt"):
        for argument in definition.definition.get("arguments", ()):
            registry.add_completion("prompt", definition.name, argument["name"], _handler(function, definition))
    for definition in registry.all("template"):
        for variable in registry.engine().template_variables(definition.name):
            registry.add_completion("template", definition.name, variable, _handler(function, definition))


def _handler(function: Callable[..., Any], definition: Definition) -> Handler:
    def decode(text: bytes) -> tuple[Any, ...]:
        asked = msgspec.json.decode(text)
        argument = SimpleNamespace(name=asked["argument"], value=asked.get("value", ""))
        return _reference(definition), argument, SimpleNamespace(arguments=asked.get("arguments") or None)

    def encode(result: Any) -> bytes:
        if result is None:
            return b'{"values":[]}'
        values = result if isinstance(result, list) else None
        return dumps({"values": values} if values is not None else result)

    return Handler(
        f"completion of `{definition.name}`",
        decode,
        lambda _, asked: function(*asked),
        encode,
        is_async=inspect.iscoroutinefunction(function),
    )


def _reference(definition: Definition) -> Any:
    """An object of the class that the function may test for, if its module has been imported."""
    types = sys.modules.get("mcp.types")
    if definition.kind == "prompt":
        made: dict[str, Any] = {"type": "ref/prompt", "name": definition.name}
        cls = getattr(types, "PromptReference", None)
    else:
        made = {"type": "ref/resource", "uri": definition.name}
        cls = getattr(types, "ResourceTemplateReference", None)
    return cls(**made) if cls is not None else SimpleNamespace(**made)
