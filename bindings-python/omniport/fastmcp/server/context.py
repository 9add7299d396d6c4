"""The Context of handlers written for this API."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import context as _context
from ..._elicit import ElicitResult
from . import elicitation

if TYPE_CHECKING:
    from .app import FastMCP


class ReadContents(NamedTuple):
    """One content of a resource."""

    content: str | bytes
    mime_type: str | None


class Context(_context.Context):
    """As the Context of Omniport, with the names and argument orders of this API."""

    __slots__ = ()

    @property
    def fastmcp(self) -> FastMCP:
        return self._pump.owner

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        await self.progress(progress, total, message)

    def log(self, level: Any, message: Any = None, logger: str | None = None, **more: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """`logger_name` and `extra` are taken as well."""
        name = more.pop("logger_name", None) or logger
        extra = more.pop("extra", None) or more
        data = {"message": message, **extra} if extra else message
        return super().log(level, data, name)

    def debug(self, message: Any, logger: str | None = None, **more: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.log("debug", message, logger, **more)

    def info(self, message: Any, logger: str | None = None, **more: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.log("info", message, logger, **more)

    def warning(self, message: Any, logger: str | None = None, **more: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.log("warning", message, logger, **more)

    def error(self, message: Any, logger: str | None = None, **more: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.log("error", message, logger, **more)

    async def elicit(
        self, message: str, schema: Any = None, response_type: Any = None, *, key: str | None = None
    ) -> ElicitResult[Any]:
        """`schema` or `response_type`: what to ask for."""
        return elicitation.classed(await super().elicit(message, schema if schema is not None else response_type, key=key))

    async def elicit_url(
        self, message: str, url: str, elicitation_id: str | None = None, *, key: str | None = None
    ) -> ElicitResult[None]:
        return elicitation.classed(await super().elicit_url(message, url, key=key))

    async def sample(self, messages: Any, system_prompt: str | None = None, **options: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        options["max_tokens"] = options.get("max_tokens") or 512
        preferences = options.get("model_preferences")
        if isinstance(preferences, (str, list)):
            names = [preferences] if isinstance(preferences, str) else preferences
            options["model_preferences"] = {"hints": [{"name": name} for name in names]}
        return await super().sample(messages, system_prompt=system_prompt, **options)

    async def list_roots(self, *, key: str | None = None) -> Any:
        """The client's roots, with `uri` and `name`."""
        return [SimpleNamespace(**{"name": None, **root}) for root in await super().list_roots(key=key)]

    async def read_resource(self, uri: Any) -> Iterable[ReadContents]:
        """The contents of a resource of this server."""
        return await self.fastmcp.read_resource(uri)

    @property
    def client_id(self) -> str | None:
        """The authenticated client, or what the request says in its metadata."""
        principal = self.principal
        return (principal.client if principal else None) or self.meta.get("client_id")

    @property
    def session(self) -> Session:
        return Session(self)

    @property
    def request_context(self) -> RequestContext:
        return RequestContext(self)

    @property
    def lifespan_context(self) -> Any:
        return self.lifespan


class RequestContext:
    """The facts of the call under their older names."""

    def __init__(self, cx: Context) -> None:
        self._cx = cx
        self.session = Session(cx)
        self.lifespan_context = cx.lifespan

    @property
    def request_id(self) -> Any:
        return self._cx.request_id

    @property
    def meta(self) -> Any:
        """The metadata of the request; `progressToken` is there whether or not it was sent."""
        return SimpleNamespace(**{"progressToken": None, **self._cx.meta})

    @property
    def request(self) -> Any:
        """The HTTP request, as far as handlers look at it: its headers."""
        return SimpleNamespace(headers=self._cx.headers) if self._cx.headers else None


class Session:
    """What handlers do through `ctx.session`."""

    def __init__(self, cx: Context) -> None:
        self._cx = cx

    async def create_message(self, messages: list[Any], *, max_tokens: int = 512, **options: Any) -> Any:
        """The client's model's answer, with `content.type` and `content.text`."""
        options.pop("related_request_id", None)
        answer = await _context.Context.sample(self._cx, messages, max_tokens=max_tokens, **options)
        content = answer.content
        shown = [SimpleNamespace(**item) for item in content] if isinstance(content, list) else SimpleNamespace(**(content or {}))
        return SimpleNamespace(role=answer.role, content=shown, model=answer.model, stopReason=answer.stop_reason)

    async def elicit(self, message: str, requestedSchema: Any = None, related_request_id: Any = None) -> Any:
        return await _context.Context.elicit(self._cx, message, requestedSchema)

    elicit_form = elicit

    async def elicit_url(self, message: str, url: str, elicitation_id: str | None = None, related_request_id: Any = None) -> Any:
        return await _context.Context.elicit_url(self._cx, message, url)

    async def list_roots(self) -> Any:
        return SimpleNamespace(roots=await self._cx.list_roots())

    async def send_log_message(self, level: Any, data: Any, logger: str | None = None, related_request_id: Any = None) -> None:
        await _context.Context.log(self._cx, level, data, logger)

    async def send_progress_notification(
        self, progress_token: Any, progress: float, total: float | None = None, message: str | None = None, **_: Any
    ) -> None:
        await self._cx.progress(progress, total, message)

    async def send_resource_updated(self, uri: Any) -> None:
        self._cx.fastmcp.resource_updated(str(uri))

    async def send_tool_list_changed(self) -> None:
        """Nothing to do: the engine tells clients by itself when a list has changed."""

    send_resource_list_changed = send_tool_list_changed
    send_prompt_list_changed = send_tool_list_changed

    @property
    def client_params(self) -> Any:
        return SimpleNamespace(clientInfo=SimpleNamespace(**(self._cx.client or {})), capabilities=self._cx.capabilities)
