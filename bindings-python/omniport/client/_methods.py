"""Everything that a client can ask a server, described once for clients that await and for those that wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import types
from . import _read
from ._request import CallOptions, Request, method

if TYPE_CHECKING:
    from typing_extensions import Unpack

_read_tools = _read.list_reader("tools", types.Tool)
_read_resources = _read.list_reader("resources", types.Resource)
_read_templates = _read.list_reader("resourceTemplates", types.ResourceTemplate)
_read_prompts = _read.list_reader("prompts", types.Prompt)
_read_tools_page = _read.page_reader("tools", types.Tool, types.ListToolsResult)
_read_resources_page = _read.page_reader("resources", types.Resource, types.ListResourcesResult)
_read_templates_page = _read.page_reader("resourceTemplates", types.ResourceTemplate, types.ListResourceTemplatesResult)
_read_prompts_page = _read.page_reader("prompts", types.Prompt, types.ListPromptsResult)
_read_contents = _read.reader(types.ReadResourceResult)
_read_prompt = _read.reader(types.GetPromptResult)
_read_completion = _read.reader(types.CompleteResult)
_read_tool_by_hand = _read.by_hand(types.CallToolResult)
_read_contents_by_hand = _read.by_hand(types.ReadResourceResult)
_read_prompt_by_hand = _read.by_hand(types.GetPromptResult)


class Methods:
    """The requests of a client. Each takes the options of one call by name, see `CallOptions`."""

    @method
    def list_tools(self, **options: Unpack[CallOptions]) -> Request[list[types.Tool]]:
        """All tools, of all pages."""
        return Request("list_tools", {}, _read_tools, options)

    @method
    def list_tools_page(self, cursor: str | None = None, **options: Unpack[CallOptions]) -> Request[types.ListToolsResult]:
        """One page of tools; its `next_cursor` names the next one."""
        return Request("list_tools", _at(cursor), _read_tools_page, options, one_page=True)

    @method
    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        raise_on_error: bool = False,
        **options: Unpack[CallOptions],
    ) -> Request[types.CallToolResult]:
        """Calls a tool. A tool's own failure is a result with `is_error`; `raise_on_error` makes it a `ToolError`.

        What the tool asks on the way is answered by the callbacks of the client.
        """
        read = _read.read_good_tool_result if raise_on_error else _read.read_tool_result
        return Request("call_tool", {"name": name, "arguments": arguments or {}}, read, options)

    @method
    def list_resources(self, **options: Unpack[CallOptions]) -> Request[list[types.Resource]]:
        """All resources, of all pages."""
        return Request("list_resources", {}, _read_resources, options)

    @method
    def list_resources_page(self, cursor: str | None = None, **options: Unpack[CallOptions]) -> Request[types.ListResourcesResult]:
        """One page of resources; its `next_cursor` names the next one."""
        return Request("list_resources", _at(cursor), _read_resources_page, options, one_page=True)

    @method
    def list_resource_templates(self, **options: Unpack[CallOptions]) -> Request[list[types.ResourceTemplate]]:
        """All resource templates, of all pages."""
        return Request("list_templates", {}, _read_templates, options)

    @method
    def list_resource_templates_page(
        self, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> Request[types.ListResourceTemplatesResult]:
        """One page of resource templates; its `next_cursor` names the next one."""
        return Request("list_templates", _at(cursor), _read_templates_page, options, one_page=True)

    @method
    def read_resource(self, uri: str, **options: Unpack[CallOptions]) -> Request[types.ReadResourceResult]:
        """Reads a resource. `omniport.content.bytes_of` gives the bytes of its contents."""
        return Request("read_resource", {"uri": str(uri)}, _read_contents, options)

    @method
    def list_prompts(self, **options: Unpack[CallOptions]) -> Request[list[types.Prompt]]:
        """All prompts, of all pages."""
        return Request("list_prompts", {}, _read_prompts, options)

    @method
    def list_prompts_page(self, cursor: str | None = None, **options: Unpack[CallOptions]) -> Request[types.ListPromptsResult]:
        """One page of prompts; its `next_cursor` names the next one."""
        return Request("list_prompts", _at(cursor), _read_prompts_page, options, one_page=True)

    @method
    def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, **options: Unpack[CallOptions]
    ) -> Request[types.GetPromptResult]:
        """Gets a prompt; its arguments are texts."""
        return Request("get_prompt", {"name": name, "arguments": arguments or {}}, _read_prompt, options)

    @method
    def complete(
        self,
        reference: Mapping[str, str],
        argument: str,
        value: str,
        *,
        arguments: Mapping[str, str] | None = None,
        **options: Unpack[CallOptions],
    ) -> Request[types.CompleteResult]:
        """Values for an argument. `reference`: {"prompt": name} or {"template": uri}; `arguments`: those filled in already."""
        params = {"reference": reference, "argument": argument, "value": value, "arguments": arguments or {}}
        return Request("complete", params, _read_completion, options)

    @method
    def ping(self, **options: Unpack[CallOptions]) -> Request[None]:
        """Asks whether the server is there."""
        return Request("ping", {}, _read.nothing, options)

    @method
    def set_log_level(self, level: types.LoggingLevel, **options: Unpack[CallOptions]) -> Request[None]:
        """The least severe level of log messages that the server sends."""
        return Request("set_log_level", {"level": level}, _read.nothing, options)

    @method
    def subscribe(self, uri: str, **options: Unpack[CallOptions]) -> Request[None]:
        """Changes of the resource reach `on_change` until `unsubscribe`."""
        return Request("subscribe", {"uri": str(uri)}, _read.nothing, options)

    @method
    def unsubscribe(self, uri: str, **options: Unpack[CallOptions]) -> Request[None]:
        """Takes `subscribe` back."""
        return Request("unsubscribe", {"uri": str(uri)}, _read.nothing, options)

    @method
    def request(self, what: str, params: Mapping[str, Any] | None = None, **options: Unpack[CallOptions]) -> Request[Any]:
        """Any request by the engine's name for it ("call_tool", "list_templates"); its answer as plain data, with every member."""
        return Request(what, dict(params or {}), _read.plain, options)


class ByHandMethods:
    """The requests that may need input, whose rounds the caller drives. A result that says what it needs is given to the caller,
    who answers it with `input_responses` (by the keys of its `input_requests`) and its `request_state`, maybe in another process.
    """

    @method
    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Request[types.CallToolResult | types.InputRequiredResult]:
        """One round of a call of a tool."""
        params = _round({"name": name, "arguments": arguments or {}}, input_responses, request_state)
        return Request("call_tool", params, _read_tool_by_hand, options, by_hand=True)

    @method
    def read_resource(
        self,
        uri: str,
        *,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Request[types.ReadResourceResult | types.InputRequiredResult]:
        """One round of reading a resource."""
        params = _round({"uri": str(uri)}, input_responses, request_state)
        return Request("read_resource", params, _read_contents_by_hand, options, by_hand=True)

    @method
    def get_prompt(
        self,
        name: str,
        arguments: Mapping[str, str] | None = None,
        *,
        input_responses: Mapping[str, Any] | None = None,
        request_state: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Request[types.GetPromptResult | types.InputRequiredResult]:
        """One round of getting a prompt."""
        params = _round({"name": name, "arguments": arguments or {}}, input_responses, request_state)
        return Request("get_prompt", params, _read_prompt_by_hand, options, by_hand=True)


def _at(cursor: str | None) -> dict[str, Any]:
    return {} if cursor is None else {"cursor": cursor}


def _round(params: dict[str, Any], responses: Mapping[str, Any] | None, state: str | None) -> dict[str, Any]:
    if responses is not None:
        params["inputResponses"] = responses
    if state is not None:
        params["requestState"] = state
    return params
