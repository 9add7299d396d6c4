"""`FastMCP`: a `Server` with the constructor, decorators and helpers of that API."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import AsyncGenerator, Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ... import context as _context
from ... import server as _server
from . import completions, mount
from .context import Context, ReadContents

if TYPE_CHECKING:
    from ..._asgi import AsgiApp
    from ...client import Client

_TOOL_EXTRAS = {"tags", "exclude_args", "enabled", "version", "task", "auth", "serializer", "app", "structured_output"}
_OTHER_EXTRAS = {"tags", "enabled", "version", "task", "auth"}


class Settings(SimpleNamespace):
    """What `run` takes when it is not told otherwise; may be changed until then."""


class FastMCP(_server.Server):
    """See the package's documentation; options that concern only the other implementations are accepted and ignored."""

    def __init__(
        self,
        name: str | None = None,
        instructions: str | None = None,
        *,
        version: str | None = None,
        website_url: str | None = None,
        icons: list[Any] | None = None,
        tools: list[Any] | None = None,
        lifespan: Callable[..., Any] | None = None,
        debug: bool = False,
        log_level: str = "INFO",
        host: str = "127.0.0.1",
        port: int = 8000,
        mount_path: str = "/",
        sse_path: str = "/sse",
        message_path: str = "/messages/",
        streamable_http_path: str = "/mcp",
        json_response: bool = False,
        stateless_http: bool = False,
        mask_error_details: bool | None = None,
        transport_security: Any = None,
        auth: Any = None,
        **ignored: Any,
    ) -> None:
        _refuse_auth(auth, ignored)
        super().__init__(
            name or "FastMCP",
            version,
            instructions=instructions,
            website_url=website_url,
            icons=icons,
            lifespan=lifespan,
            # As FastMCP does: exception texts reach the client unless the server asks for masking.
            mask_errors=bool(mask_error_details),
            legacy_sessions=False if stateless_http else None,
        )
        self.settings = Settings(
            debug=debug,
            log_level=log_level,
            host=host,
            port=port,
            mount_path=mount_path,
            sse_path=sse_path,
            message_path=message_path,
            streamable_http_path=streamable_http_path,
            json_response=json_response,
            stateless_http=stateless_http,
            transport_security=transport_security,
        )
        self.dependencies = list(ignored.get("dependencies") or ())
        self.custom_routes: list[Any] = []
        self._complete: Callable[..., Any] | None = None
        self._runner.context_class = Context
        for tool in tools or ():
            self.add_tool(tool)

    # Registration

    def tool(self, name_or_fn: Any = None, /, **options: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """`@mcp.tool`, `@mcp.tool()`, `@mcp.tool("name")`."""
        return _server._decorate(name_or_fn, options, self.add_tool)

    def add_tool(self, fn: Any, name: str | None = None, **options: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A function, or a `Tool`."""
        if hasattr(fn, "fn") and hasattr(fn, "options"):
            options = {**fn.options, **options}
            fn = fn.fn
            name = name or options.pop("name", None)
        if options.get("structured_output") is False:
            options["output_schema"] = False
        super().add_tool(fn, name=name, **_without(options, _TOOL_EXTRAS))

    def resource(self, uri: Any, **options: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """`@mcp.resource("scheme://{variable}")`."""
        if callable(uri):  # the bare decorator would register nothing, in silence
            raise TypeError('a resource needs its URI: @mcp.resource("scheme://...")')
        return _server._decorate(None, options, lambda fn, **given: self.add_resource_fn(fn, str(uri), **given))

    def add_resource_fn(self, fn: Callable[..., Any], uri: str, **options: Any) -> None:
        """Registers a function as a resource or template."""
        super().add_resource(uri, fn, **_without(options, _OTHER_EXTRAS))
        self._wire()

    def add_resource(self, resource: Any, *args: Any, **options: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A resource object; `(uri, function)` works as well."""
        if args:
            super().add_resource(resource, *args, **options)
            return
        given = {
            name: getattr(resource, name) for name in ("name", "title", "description", "mime_type", "icons", "annotations", "meta")
        }
        super().add_resource(resource.uri, resource.read, **{name: value for name, value in given.items() if value is not None})

    def prompt(self, name_or_fn: Any = None, /, **options: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """`@mcp.prompt`, `@mcp.prompt()`, `@mcp.prompt("name")`."""
        return _server._decorate(name_or_fn, options, self.add_prompt)

    def add_prompt(self, prompt: Any, **options: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A function, or a `Prompt`."""
        if hasattr(prompt, "fn"):
            options = {"name": prompt.name, "title": prompt.title, "description": prompt.description, **options}
            prompt = prompt.fn
        super().add_prompt(prompt, **_without(options, _OTHER_EXTRAS))
        self._wire()

    def completion(self, *args: Any, **options: Any) -> Any:
        """`@mcp.completion()` registers one function `(ref, argument, context)` for everything that can be completed."""
        if args:
            return super().completion(*args, **options)

        def register(fn: Any) -> Any:
            self._complete = fn
            self._wire()
            return fn

        return register

    def custom_route(self, path: str, methods: list[str], name: str | None = None, include_in_schema: bool = True) -> Any:
        """A route of plain HTTP beside the protocol's, in the apps that `http_app` makes. Needs Starlette."""

        def register(fn: Any) -> Any:
            self.custom_routes.append((path, fn, methods, name, include_in_schema))
            return fn

        return register

    def _wire(self) -> None:
        if self._complete is not None:
            completions.wire(self._registry, self._complete)

    # Serving

    def run(self, transport: Any = None, mount_path: str | None = None, show_banner: bool | None = None, **options: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """`transport`: "stdio" (default), "streamable-http" (or "http"), "sse"."""
        transport = transport or "stdio"
        super().run(transport, **self._options(transport, options))

    async def run_async(self, transport: Any = None, show_banner: bool | None = None, **options: Any) -> None:
        transport = transport or "stdio"
        await self.serve(transport, **self._options(transport, options))

    async def run_stdio_async(self, **_: Any) -> None:
        await self.run_async("stdio")

    async def run_streamable_http_async(self, **options: Any) -> None:
        await self.run_async("streamable-http", **options)

    async def run_http_async(self, transport: Any = "http", **options: Any) -> None:
        await self.run_async(transport, **options)

    async def run_sse_async(self, mount_path: str | None = None, **options: Any) -> None:
        await self.run_async("sse", **options)

    def _options(self, transport: str, options: dict[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in options.items() if name not in ("log_level", "uvicorn_config", "middleware")}
        if transport == "stdio":
            return given
        settings = self.settings
        security = settings.transport_security
        return {
            "host": settings.host,
            "port": settings.port,
            "path": settings.streamable_http_path,
            "sse_path": settings.sse_path,
            "message_path": settings.message_path,
            **({"json_only": True} if settings.json_response else {}),
            **mount.security_options(security),
            **{name: value for name, value in given.items() if value is not None},
        }

    def streamable_http_app(self) -> Any:
        """An ASGI application that answers at `streamable_http_path`."""
        return mount.with_routes(self.asgi(self.settings.streamable_http_path), self.custom_routes)

    def sse_app(self, mount_path: str | None = None) -> Any:
        """An ASGI application with the two endpoints of the older HTTP transport."""
        return mount.with_routes(self.asgi(), self.custom_routes)

    def http_app(self, path: str | None = None, transport: str = "http", **_: Any) -> Any:
        """An ASGI application; give its `lifespan` to the framework it is mounted in."""
        if transport == "sse":
            return self.sse_app()
        app: AsgiApp = self.asgi(path or self.settings.streamable_http_path)
        return mount.with_routes(app, self.custom_routes)

    @property
    def session_manager(self) -> Any:
        """`async with mcp.session_manager.run():` in the lifespan of an outer application."""
        return SimpleNamespace(run=self._run_sessions)

    @contextlib.asynccontextmanager
    async def _run_sessions(self) -> AsyncGenerator[None, None]:
        async with self._runner.running():
            yield

    # Looking at the server from inside the process

    def get_context(self) -> Any:
        """The Context of the running call."""
        return _context.get_context()

    @contextlib.asynccontextmanager
    async def _client(self) -> AsyncGenerator[Client, None]:
        from ...client import Client

        async with Client(self) as client:
            yield client

    async def list_tools(self) -> Any:
        async with self._client() as client:
            return await client.list_tools()

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """The result of a tool; a failed one is raised as ToolError."""
        async with self._client() as client:
            return await client.call_tool(name, arguments, raise_on_error=True)

    async def list_resources(self) -> Any:
        async with self._client() as client:
            return await client.list_resources()

    async def list_resource_templates(self) -> Any:
        async with self._client() as client:
            return await client.list_resource_templates()

    async def read_resource(self, uri: Any) -> list[ReadContents]:
        async with self._client() as client:
            found = await client.request("read_resource", {"uri": str(uri)})
        return [
            ReadContents(base64.b64decode(item["blob"]) if "blob" in item else item.get("text", ""), item.get("mimeType"))
            for item in found["contents"]
        ]

    async def list_prompts(self) -> Any:
        async with self._client() as client:
            return await client.list_prompts()

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        async with self._client() as client:
            return await client.get_prompt(name, arguments)


def _without(options: dict[str, Any], ignored: set[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in ignored}


def _refuse_auth(auth: Any, options: dict[str, Any]) -> None:
    """Running without the authentication a server asks for would be worse than not running."""
    given = [name for name in ("auth_server_provider", "token_verifier") if options.get(name) is not None]
    if auth is not None or given:
        raise NotImplementedError(
            f"FastMCP({given[0] if given else 'auth'}=...) is not carried over; "
            "use omniport.Server(auth=...), which takes a function of the headers"
        )
