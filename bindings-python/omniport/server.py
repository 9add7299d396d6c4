"""A server: what it offers, and how it is served."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from . import _definitions, _hooks
from ._definitions import without_none
from ._failure import log
from ._registry import Registry
from ._result import dumps
from ._runner import Runner, run, stop_signals
from ._signature import name_of
from .errors import DefinitionError, from_fault

if TYPE_CHECKING:
    from ._asgi import AsgiApp

F = TypeVar("F", bound=Callable[..., Any])
Transport = Literal["stdio", "http", "streamable-http", "sse"]
Rate = Mapping[str, Any] | tuple[int, float]
"""`(calls, seconds)`, or `{"calls": 10, "per": 60, "by": "principal"}`."""


class Server:
    """An MCP server.

    app = Server("demo")

    @app.tool
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    app.run()
    """

    def __init__(
        self,
        name: str,
        version: str | None = None,
        *,
        title: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        website_url: str | None = None,
        icons: list[Any] | None = None,
        lifespan: Callable[..., Any] | None = None,
        auth: _hooks.Authenticate | None = None,
        visible: _hooks.Visible | None = None,
        audit: Callable[[dict[str, Any]], Any] | None = None,
        on_event: Callable[[dict[str, Any]], Any] | None = None,
        limits: Mapping[str, float] | None = None,
        page_size: int | None = None,
        mask_errors: bool | None = None,
        cache: Mapping[str, Mapping[str, Any]] | None = None,
        rate: Rate | None = None,
        concurrency: int | None = None,
        timeout: float | None = None,
        subscribe: bool | None = None,
        legacy_sessions: bool | None = None,
        state_keys: Iterable[bytes] | None = None,
        threads: int = 40,
    ) -> None:
        """
        `lifespan`: an async context manager (or generator function) entered before the first call; what it yields is
        `Context.lifespan`. `auth`: takes the request's headers, returns a `Principal`, or anything else to refuse.
        `visible`: takes the Context, the kind and the names, and returns the names the caller may see and use. `audit` gets one
        record per call, without arguments. `timeout` is in seconds, `state_keys` are secrets of 32 bytes, newest first, which
        replicas share. `threads`: how many sync handlers may run at once.
        """
        options = without_none(
            name=name,
            version=version if version is not None else "0",
            title=title,
            description=description,
            instructions=instructions,
            website_url=website_url,
            icons=icons,
            limits=dict(limits) if limits else None,
            page_size=page_size,
            mask_errors=mask_errors,
            auth=True if auth else None,
            visibility=True if visible else None,
            audit=True if audit else None,
            state_keys=list(state_keys) if state_keys else None,
            cache=cache,
            rate=_rate(rate),
            concurrency=concurrency,
            timeout=timeout,
            subscribe=subscribe,
            legacy_sessions=legacy_sessions,
        )
        self.name = name
        self.instructions = instructions
        self._registry = Registry(options)
        self._runner = Runner(self._registry, self, lifespan, threads)
        _hooks.install(self._registry, self._runner, auth=auth, visible=visible, audit=audit, on_event=on_event)

    # Tools

    @overload
    def tool(self, function: F, /) -> F: ...
    @overload
    def tool(self, name: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def tool(self, function: Any = None, /, **options: Any) -> Any:
        """Registers a function as a tool; bare, or with the options of `add_tool`. The function itself stays as it is."""
        return _decorate(function, options, self.add_tool)

    def add_tool(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        annotations: Any = None,
        icons: list[Any] | None = None,
        meta: dict[str, Any] | None = None,
        input_schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | bool | None = None,
        timeout: float | None = None,
        rate: Rate | None = None,
        concurrency: int | None = None,
        once: bool | None = None,
        run_in_thread: bool = True,
        lenient: bool = False,
        strict: bool = False,
    ) -> None:
        """Registers a tool, also while the server runs; a name that exists is replaced.

        Description and texts of parameters come from the docstring. `input_schema` is published and checked in place of the one
        that the parameters give; its members reach the parameters of their names. `output_schema=False` publishes none. `once`:
        a repeated retry of a call that asked its user is refused. `run_in_thread=False` runs a sync function on the event loop
        itself. `lenient` parses JSON text where a list, object or model is wanted, one level deep, and leaves the check of the
        arguments to the decoder. `strict` refuses arguments that no parameter names; by default they are ignored.
        """
        self._registry.add(
            _definitions.tool(
                function,
                name=name,
                description=description,
                input_schema=input_schema,
                output_schema=output_schema,
                run_in_thread=run_in_thread,
                lenient=lenient,
                strict=strict,
                extras=without_none(title=title, annotations=annotations, icons=icons, _meta=meta),
                options=without_none(timeout=timeout, rate=_rate(rate), concurrency=concurrency, once=once),
            )
        )

    def remove_tool(self, name: str) -> bool:
        """Whether there was such a tool; connected clients are told."""
        return self._registry.remove("tool", name)

    # Resources

    def resource(self, uri: Any, /, **options: Any) -> Callable[[F], F]:
        """Registers a function as the resource `uri`, or as a template if it has variables: `@app.resource("file:///{+path}")`."""
        if not isinstance(uri, str):
            raise DefinitionError('a resource needs its URI: @app.resource("scheme://...")')
        return _decorate(None, options, lambda function, **given: self.add_resource(uri, function, **given))

    def add_resource(
        self,
        uri: str,
        function: Callable[..., Any] | str | bytes,
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        mime_type: str | None = None,
        size: int | None = None,
        annotations: Any = None,
        icons: list[Any] | None = None,
        meta: dict[str, Any] | None = None,
        cache: Mapping[str, Any] | None = None,
        unsafe_variables: list[str] | None = None,
        run_in_thread: bool = True,
    ) -> None:
        """Registers a resource or template, also while the server runs. Fixed content may be given instead of a function.

        `unsafe_variables`: those whose values may hold path separators and `..` segments.
        """
        if isinstance(function, (str, bytes)):
            content = function
            name = name or uri
            function = lambda: content  # noqa: E731
        engine = self._registry.engine()
        variables = engine.template_variables(uri) if "{" in uri else None
        self._registry.add(
            _definitions.resource(
                function,
                uri,
                variables or None,
                name=name,
                description=description,
                mime_type=mime_type,
                run_in_thread=run_in_thread,
                extras=without_none(title=title, size=size, annotations=annotations, icons=icons, _meta=meta),
                options=without_none(cache=cache, unsafe_variables=unsafe_variables),
            )
        )

    def remove_resource(self, uri: str) -> bool:
        """Takes a resource or template away; whether there was one."""
        return self._registry.remove("template" if self._registry.get("template", uri) else "resource", uri)

    def resource_updated(self, uri: str) -> None:
        """Tells the subscribers of `uri` that it has changed. May be called from any thread."""
        engine = self._registry.engine()
        engine.resource_updated(uri)
        if self._runner.pump is not None:
            self._runner.pump.touch()

    # Prompts and completions

    @overload
    def prompt(self, function: F, /) -> F: ...
    @overload
    def prompt(self, name: str | None = None, /, **options: Any) -> Callable[[F], F]: ...
    def prompt(self, function: Any = None, /, **options: Any) -> Any:
        """Registers a function as a prompt; bare, or with the options of `add_prompt`."""
        return _decorate(function, options, self.add_prompt)

    def add_prompt(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        icons: list[Any] | None = None,
        meta: dict[str, Any] | None = None,
        run_in_thread: bool = True,
    ) -> None:
        """Registers a prompt. The function returns a text, a message, or a list of them."""
        extras = without_none(title=title, icons=icons, _meta=meta)
        self._registry.add(
            _definitions.prompt(function, name=name, description=description, run_in_thread=run_in_thread, extras=extras)
        )

    def remove_prompt(self, name: str) -> bool:
        """Whether there was such a prompt."""
        return self._registry.remove("prompt", name)

    def completion(self, reference: str | Callable[..., Any], argument: str, /, *, run_in_thread: bool = True) -> Callable[[F], F]:
        """Registers suggestions for an argument of a prompt (its name or function) or a variable of a template (its URI).

        The function takes the text typed so far, and if it likes the other arguments, and returns the fitting values.
        """
        name = reference if isinstance(reference, str) else name_of(reference)
        kind = "template" if "{" in name or "://" in name else "prompt"

        def register(function: F) -> F:
            handler = _definitions.completion(function, f"completion of `{name}`, `{argument}`", run_in_thread)
            self._registry.add_completion(kind, name, argument, handler)
            return function

        return register

    # Serving

    def run(
        self,
        transport: Transport = "stdio",
        *,
        uvloop: bool = True,
        grace: float | None = None,
        **options: Any,
    ) -> None:
        """Serves until the client goes or a signal comes, then drains and returns. Blocks; uses an event loop of its own.

        `options` are those of `serve`; `uvloop` is used if it is installed, for HTTP only (stdio would pay for its import).
        """
        run(self.serve(transport, grace=grace, **options), fast=uvloop and transport != "stdio")

    async def serve(
        self,
        transport: Transport = "stdio",
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
        path: str | None = None,
        grace: float | None = None,
        on_ready: Callable[[str], Any] | None = None,
        **options: Any,
    ) -> None:
        """Serves on the running event loop until the end.

        `grace`: seconds that running calls may go on after a stop. `on_ready` gets the bound address ("host:port"); without it a
        line on stderr says where the server is, or the log where that shows INFO of "omniport". `IoError` when the port is taken.
        Further options for HTTP: `sse_path`, `message_path`, `allowed_hosts`, `allowed_origins`, `allow_any_host`, `cors`
        (`{"origins": [...]}`), `json_only`, `threads`.
        """
        if transport not in ("stdio", "http", "streamable-http", "sse"):
            raise ValueError(f"unknown transport {transport!r}; there are stdio, http (streamable-http) and sse")
        async with self._runner.running() as pump:
            with stop_signals(lambda: self.stop(grace)):
                try:
                    if transport == "stdio":
                        if options:
                            raise TypeError(f"stdio takes no option {next(iter(options))!r}")
                        pump.engine.serve_stdio()
                    else:
                        place = without_none(path=path, **options)
                        address = pump.engine.serve_http(dumps({"host": host, "port": port, **place}))
                        if on_ready is not None:
                            on_ready(address)
                        else:
                            at = options.get("sse_path") or "/sse" if transport == "sse" else path or "/mcp"
                            self._say_where(f"http://{address}{at}")
                except pump.fault as fault:
                    raise from_fault(fault) from None
                try:
                    await pump.ended
                finally:
                    if not pump.ended.done():
                        pump.close(0)

    def _say_where(self, url: str) -> None:
        """Whoever starts a server wants to see where it is, also where no logging was set up."""
        text = f"{self.name} listens on {url}"
        if log.isEnabledFor(logging.INFO) and log.hasHandlers():
            log.info("%s", text)
        elif sys.stderr is not None:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    def stop(self, grace: float | None = None) -> None:
        """Stops serving from any thread: no new calls, running ones may take `grace` seconds more (default: the server's limit)."""
        if self._runner.pump is not None:
            self._runner.pump.close(grace)

    def asgi(self, path: str | None = None, *, principal: Callable[[Any], Any] | None = None) -> AsgiApp:
        """An ASGI application, to run with any ASGI server or to mount in Starlette or FastAPI.

        `path`: the only path it answers, below where it is mounted; None: any. `principal`: takes the ASGI scope and says who
        is calling, for a web server that authenticates by itself.
        """
        from ._asgi import AsgiApp

        return AsgiApp(self._runner, path, principal)


def _decorate(function: Any, options: dict[str, Any], add: Callable[..., None]) -> Any:
    """A decorator that works bare, called, and called with a name."""
    if isinstance(function, str):
        options = {"name": function, **options}
    elif function is not None:
        add(function, **options)
        return function

    def register(function: F) -> F:
        add(function, **options)
        return function

    return register


def _rate(rate: Rate | None) -> Mapping[str, Any] | None:
    return {"calls": rate[0], "per": rate[1]} if isinstance(rate, tuple) else rate
