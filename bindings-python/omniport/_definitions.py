"""Functions as the protocol's definitions of tools, resources and prompts, with the handlers that run them."""

from __future__ import annotations

import base64
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from . import _result
from ._invoke import Invoker
from ._parameters import ArgumentError, Decoder
from ._parameters import input_schema as parameters_schema
from ._pump import Handler
from ._signature import EMPTY, Signature, inspect_function, name_of
from .content import Audio, EmbeddedResource, Image
from .errors import DefinitionError, InvalidParams

Options = dict[str, Any]


class Definition(NamedTuple):
    """One thing to register."""

    kind: str
    name: str
    """What `Engine.remove` knows it by: the name, or the URI of a resource or template."""
    definition: dict[str, Any]
    options: Options
    handler: Handler


def without_none(**members: Any) -> dict[str, Any]:
    """The members that are set."""
    return {name: value for name, value in members.items() if value is not None}


def tool(
    function: Callable[..., Any],
    *,
    name: str | None,
    description: str | None,
    input_schema: dict[str, Any] | None,
    output_schema: dict[str, Any] | bool | None,
    run_in_thread: bool,
    lenient: bool,
    strict: bool,
    extras: Mapping[str, Any],
    options: Options,
) -> Definition:
    """`extras`: further members of the definition; `input_schema`: None for that of the parameters; `output_schema`: False for
    none, None for that of the annotation."""
    name = name or name_of(function)
    if name == "<lambda>":
        raise DefinitionError("a lambda has no name; give the tool one: tool(function, name=...)")
    signature = inspect_function(function, f"tool `{name}`")
    if isinstance(output_schema, dict):
        output: dict[str, Any] | None = output_schema
    else:
        output = _result.output_schema(_item(signature)) if output_schema is not False else None
    definition = without_none(
        name=name,
        description=description if description is not None else signature.description or None,
        inputSchema=input_schema if input_schema is not None else parameters_schema(signature, strict=strict),
        outputSchema=output,
        **extras,
    )
    decoder = Decoder(signature, checks=lenient)
    if lenient:
        options = {**options, "unchecked": True}
    handler = _handler(signature, decoder.decode_lenient if lenient else decoder.decode, _result.encoder(output), run_in_thread)
    return Definition("tool", name, definition, options, handler)


def _item(signature: Signature) -> Any:
    """The annotated result; a generator's is the list of what it yields."""
    if not (signature.is_generator or signature.is_async_generator):
        return signature.returns
    args = getattr(signature.returns, "__args__", ())
    return list[args[0]] if args else EMPTY


class _Read(msgspec.Struct):
    uri: str
    variables: dict[str, Any] = {}


_decode_read = msgspec.json.Decoder(_Read).decode


def resource(
    function: Callable[..., Any],
    uri: str,
    variables: list[str] | None,
    *,
    name: str | None,
    description: str | None,
    mime_type: str | None,
    run_in_thread: bool,
    extras: Mapping[str, Any],
    options: Options,
) -> Definition:
    """`variables`: those of the template, None for a plain resource."""
    what = "resource" if variables is None else "template"
    signature = inspect_function(function, f"{what} `{uri}`")
    _match_variables(signature, variables or [])
    definition = without_none(
        **({"uri": uri} if variables is None else {"uriTemplate": uri}),
        name=name or name_of(function),
        description=description if description is not None else signature.description or None,
        mimeType=mime_type,
        **extras,
    )
    decoder = Decoder(signature)

    def decode(text: bytes) -> tuple[str, Any]:
        read = _decode_read(text)
        return read.uri, _from_text(decoder, read.variables)

    invoker = Invoker(signature)

    # The URI that was asked for goes along with the result, because the contents must name it.
    async def call_async(cx: Any, given: tuple[str, Any]) -> tuple[str, Any]:
        return given[0], await invoker.call(cx, given[1])

    def call(cx: Any, given: tuple[str, Any]) -> Any:
        result = invoker.call(cx, given[1])
        return named(given[0], result) if inspect.isawaitable(result) else (given[0], result)

    async def named(uri: str, result: Awaitable[Any]) -> tuple[str, Any]:
        return uri, await result

    def encode(result: tuple[str, Any]) -> bytes:
        return _result.dumps({"contents": contents(result[0], result[1], mime_type)})

    is_async = invoker.is_async
    handler = Handler(
        signature.subject, decode, call_async if is_async else call, encode, is_async=is_async, in_thread=run_in_thread
    )
    return Definition(what, uri, definition, options, handler)


def _match_variables(signature: Signature, variables: list[str]) -> None:
    known = {parameter.published for parameter in signature.parameters}
    unknown = [name for name in variables if name not in known]
    unfilled = [
        parameter.published for parameter in signature.parameters if parameter.required and parameter.published not in variables
    ]
    if unknown:
        raise DefinitionError(f"{signature.subject}: the function has no parameter for the variable `{unknown[0]}`")
    if unfilled:
        raise DefinitionError(f"{signature.subject}: no variable of the URI fills the parameter `{unfilled[0]}`")


def contents(uri: str, value: Any, mime_type: str | None) -> list[Any]:
    """The `contents` of a resource: text, bytes, JSON of other data, or contents that say themselves what they are."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)) and value and all(_is_contents(item) for item in value):
        return [item for part in value for item in contents(uri, part, mime_type)]
    if isinstance(value, EmbeddedResource):
        return [value.to_contents()]
    if _is_contents(value):
        inner = getattr(value, "contents", None)
        return list(inner) if inner is not None else [_read_contents(uri, value, mime_type)]
    if isinstance(value, (bytes, bytearray, memoryview)):
        blob = base64.b64encode(value).decode()
        return [{"uri": uri, "mimeType": mime_type or "application/octet-stream", "blob": blob}]
    if isinstance(value, (Audio, Image)):
        return [{"uri": uri, "mimeType": value.mime_type, "blob": value.to_base64()}]
    if isinstance(value, str):
        return [{"uri": uri, "mimeType": mime_type or "text/plain", "text": value}]
    return [{"uri": uri, "mimeType": mime_type or "application/json", "text": _result.dumps(value).decode()}]


def _is_contents(value: Any) -> bool:
    if isinstance(value, EmbeddedResource):
        return True
    if isinstance(value, dict):
        return "uri" in value and ("text" in value or "blob" in value)
    name = type(value).__name__
    return name.endswith(("ResourceContents", "ReadResourceContents", "ReadResourceResult", "ResourceContent", "ResourceResult"))


def _read_contents(uri: str, value: Any, mime_type: str | None) -> Any:
    body = getattr(value, "content", None)
    if body is None:
        return value
    return contents(uri, body, getattr(value, "mime_type", None) or mime_type)[0]


def prompt(
    function: Callable[..., Any],
    *,
    name: str | None,
    description: str | None,
    run_in_thread: bool,
    extras: Mapping[str, Any],
) -> Definition:
    """A prompt; its arguments are those parameters that the client may fill in, always as text."""
    name = name or name_of(function)
    signature = inspect_function(function, f"prompt `{name}`")
    schema = parameters_schema(signature)["properties"]
    arguments = [
        without_none(
            name=parameter.published,
            description=schema[parameter.published].get("description"),
            required=parameter.required or None,
        )
        for parameter in signature.parameters
    ]
    text = description if description is not None else signature.description or None
    definition = without_none(name=name, description=text, arguments=arguments or None, **extras)
    decoder = Decoder(signature)

    def encode(result: Any) -> bytes:
        return _result.dumps(messages(result, text))

    handler = _handler(signature, lambda given: _from_text(decoder, msgspec.json.decode(given)), encode, run_in_thread)
    return Definition("prompt", name, definition, {}, handler)


def _from_text(decoder: Decoder, given: dict[str, Any]) -> tuple[Any, ...]:
    try:
        return decoder.decode_strings(given)
    except ArgumentError as error:
        raise InvalidParams(str(error)) from error


def messages(value: Any, description: str | None) -> dict[str, Any]:
    """The result of a prompt: a text, a message, a block, a list of them, or a whole result."""
    inner = getattr(value, "messages", None)
    if inner is not None:
        description = getattr(value, "description", None) or description
        value = inner
    items = list(value) if isinstance(value, (list, tuple)) else [value]
    return without_none(description=description, messages=[message(item) for item in items if item is not None])


def message(value: Any) -> dict[str, Any]:
    """One message; what names no role is the user's."""
    if isinstance(value, dict) and "role" in value:
        return {"role": value["role"], "content": _block(value.get("content", ""))}
    role, content = getattr(value, "role", None), getattr(value, "content", None)
    if role is not None:
        return {"role": role, "content": _block(content)}
    return {"role": "user", "content": _block(value)}


def _block(value: Any) -> Any:
    if isinstance(value, dict) and "type" in value:
        return value
    found = _result.blocks(value)
    return found[0] if found else {"type": "text", "text": ""}


class _Completion(msgspec.Struct):
    argument: str
    value: str = ""
    arguments: dict[str, str] | None = None


_decode_completion = msgspec.json.Decoder(_Completion).decode


def completion(function: Callable[..., Any], subject: str, run_in_thread: bool) -> Handler:
    """A completion handler takes the text typed so far and, if it has a second parameter, the other arguments (Y23)."""
    signature = inspect_function(function, subject)
    if len(signature.parameters) not in (1, 2) or signature.dependencies:
        raise DefinitionError(f"{subject}: takes the value, and optionally the other arguments")

    def decode(text: bytes) -> tuple[Any, ...]:
        asked = _decode_completion(text)
        return (asked.value, asked.arguments or {})[: len(signature.parameters)]

    def encode(result: Any) -> bytes:
        if isinstance(result, dict) or hasattr(result, "values"):
            return _result.dumps(result)
        return _result.dumps({"values": [_result.safe_text(item) for item in result or ()]})

    return _handler(signature, decode, encode, run_in_thread)


def _handler(signature: Signature, decode: Callable[[bytes], Any], encode: Callable[[Any], bytes], run_in_thread: bool) -> Handler:
    invoker = Invoker(signature)
    return Handler(signature.subject, decode, invoker.call, encode, is_async=invoker.is_async, in_thread=run_in_thread)
