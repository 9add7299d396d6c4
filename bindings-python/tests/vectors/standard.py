"""The standard server of the vectors: the definitions of `standard.json`, each on a handler that a user might write."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from omniport import Context, EmbeddedResource, Error, Image, MissingCapability, NotFound, Principal, Server, ToolError, ToolResult

DEFINITIONS = Path(__file__).parents[3] / "tests" / "vectors" / "standard.json"

_NO_VALUE: Any = object()
"""The default of parameters, because None is a value that a client can send."""
_FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_GUARDS: dict[str, dict[str, Any]] = {
    "limited": {"rate": {"calls": 2, "per": 60, "by": "principal"}},
    "narrow": {"concurrency": 1},
    "timed": {"timeout": 1},
    "timed_ask": {"timeout": 1},
}


def build(settings: dict[str, Any], lifespan: Callable[..., Any]) -> tuple[Server, dict[str, Any]]:
    """The server with a vector's settings, and the options to serve it over HTTP with."""
    settings = dict(settings)
    only = settings.pop("only", ["tools", "resources", "prompts", "completions"])
    http: dict[str, Any] = {"json_only": settings.pop("json_only", False), "allowed_hosts": settings.pop("allowed_hosts", [])}
    if "cors_origin" in settings:
        http["cors"] = {"origins": [settings.pop("cors_origin")]}
    handlers = Handlers()
    app = handlers.app = Server(
        "standard",
        "1.0.0",
        lifespan=lifespan,
        audit=_audit,
        on_event=handlers.on_event,
        auth=_authenticate if settings.pop("auth", False) else None,
        visible=_visible if settings.pop("visibility", False) else None,
        subscribe=not settings.pop("no_subscriptions", False),
        legacy_sessions=not settings.pop("stateless", False),
        **{name: settings.pop(name, None) for name in ("page_size", "instructions", "mask_errors", "concurrency")},
        limits=settings,  # what is left has the names of limits; the engine refuses others
    )
    definitions = json.loads(DEFINITIONS.read_text(encoding="utf-8"))
    if "tools" in only:
        for definition in definitions["tools"]:
            handlers.add_tool(**definition)
    if "resources" in only:
        for definition in definitions["resources"]:
            handlers.add_resource(definition["uri"], definition["name"], definition.get("mimeType"))
        for definition in definitions["templates"]:
            handlers.add_resource(definition["uriTemplate"], definition["name"])
    if "prompts" in only:
        for name in ("greet", "plain", "ask_prompt"):
            handlers.add_prompt(name)
    if "completions" in only:
        for definition in definitions["completions"]:
            reference = definition.get("prompt") or definition["template"]
            app.completion(reference, definition["argument"])(getattr(handlers, f"complete_{definition['argument']}"))
    return app, http


class Handlers:
    """A `tool_`, `read_`, `prompt_` or `complete_` method for each definition."""

    def __init__(self) -> None:
        self.app: Server
        self.journal: list[str] = []
        self.runs = 0

    # Registration

    def add_tool(
        self, name: str, inputSchema: dict[str, Any] | None = None, outputSchema: dict[str, Any] | None = None, **extras: Any
    ) -> None:
        function = getattr(self, f"tool_{name}")
        options = {**extras, **_GUARDS.get(name, {})}
        self.app.add_tool(function, name=name, input_schema=inputSchema, output_schema=outputSchema or False, **options)

    def add_resource(self, uri: str, name: str, mime_type: str | None = None) -> None:
        self.app.add_resource(uri, getattr(self, f"read_{name}"), name=name, mime_type=mime_type)

    def add_prompt(self, name: str) -> None:
        description = {"greet": "Greets someone."}.get(name)
        self.app.add_prompt(getattr(self, f"prompt_{name}"), name=name, description=description)

    # What the engine tells

    async def on_event(self, event: dict[str, Any]) -> None:
        words = {"roots_changed": "roots changed"}.get(event["event"], event["event"])
        self.journal.append(" ".join(filter(None, [words, event.get("uri")])))

    # Tools that answer at once

    def tool_add(self, a: int, b: int) -> int:
        return a + b

    def tool_echo(self, text: str) -> str:
        return text

    async def tool_fail(self) -> None:
        raise ToolError("deliberate")

    async def tool_crash(self) -> None:
        raise RuntimeError("secret")

    async def tool_refuse(self) -> None:
        raise Error("refused", code=1234, data={"x": 1})

    async def tool_structured(self) -> Any:
        return {"name": "x", "tags": ["a"]}

    async def tool_bad_structured(self) -> Any:
        return {"name": 1}

    async def tool_no_structured(self) -> ToolResult:
        return ToolResult("only text")

    async def tool_error_structured(self) -> ToolResult:
        return ToolResult("went wrong", {"code": 1}, is_error=True)

    async def tool_null_result(self) -> None:
        return None

    async def tool_list_result(self) -> list[int]:
        return [1, 2]

    async def tool_contents(self) -> list[Any]:
        image = Image(data=b"\x00\x01\x02", format="png")
        return ["text", image, EmbeddedResource("test://static", text="static text", mime_type="text/plain")]

    async def tool_own_meta(self) -> ToolResult:
        return ToolResult([], meta={"com.example/x": 1})

    async def tool_pretty(self) -> str:
        return "a\nb"

    async def tool_whoami(self, cx: Context) -> Any:
        return cx.facts

    async def tool_journal(self) -> str:
        said = "; ".join(self.journal)
        self.journal.clear()  # handlers that wait hold it too
        return said

    # Tools that say what reached them

    async def tool_headers_tool(self, region: Any = _NO_VALUE, n: Any = _NO_VALUE) -> str:
        return _said(region=region, n=n)

    async def tool_strict(self, a: Any = _NO_VALUE, tags: Any = _NO_VALUE) -> str:
        return _said(a=a, tags=tags)

    async def tool_nullable(self, s: Any = _NO_VALUE, u: Any = _NO_VALUE, p: Any = _NO_VALUE) -> str:
        return _said(s=s, u=u, p=p)

    async def tool_union(self, kind: Any, z: Any = _NO_VALUE, a: Any = _NO_VALUE, é: Any = _NO_VALUE) -> str:
        return _said(kind=kind, z=z, a=a, é=é)

    async def tool_draft07(self, pair: Any = _NO_VALUE) -> str:
        return _said(pair=pair)

    async def tool_pattern(self, s: Any = _NO_VALUE) -> str:
        return _said(s=s)

    async def tool_limited(self) -> str:
        return _said()

    async def tool_private_note(self) -> str:
        return _said()

    # Tools that tell before they answer, and after

    async def tool_progress(self, cx: Context) -> str:
        for progress in (1, 2, 2, 1, 3):
            cx.progress(progress, 3, "counting")
        return "done"

    async def tool_late(self, cx: Context) -> str:
        def after() -> None:
            cx.progress(9)
            cx.log("emergency", "late")

        asyncio.get_running_loop().call_soon(after)
        return "done"

    async def tool_log(self, cx: Context) -> str:
        cx.log("debug", {"n": 1}, logger="standard")
        cx.log("error", "two", logger="standard")
        return "done"

    # Tools that change the server

    async def tool_add_tool(self) -> str:
        self.add_tool("added")
        return "added"

    async def tool_added(self) -> str:
        return "added"

    async def tool_remove_tool(self) -> str:
        self.app.remove_tool("added")
        return "removed"

    async def tool_add_resource(self) -> str:
        self.add_resource("test://added", "static")
        return "added"

    async def tool_add_prompt(self) -> str:
        self.app.add_prompt(self.prompt_plain, name="added")
        return "added"

    async def tool_touch(self, uri: str = "test://static") -> str:
        self.app.resource_updated(uri)
        return "touched"

    # Tools that wait

    async def tool_slow(self) -> None:
        await self._wait("slow")

    async def tool_timed(self) -> None:
        await self._wait("timed")

    async def tool_narrow(self) -> None:
        await self._wait("narrow")

    async def _wait(self, name: str) -> None:
        with _Noted(self.journal, name):
            await asyncio.Event().wait()

    async def tool_ask_name(self, cx: Context) -> str:
        return await self._ask("ask_name", cx.elicit("Your name?", _FORM, key="name"))

    async def tool_timed_ask(self, cx: Context) -> str:
        return await self._ask("timed_ask", cx.elicit("Your name?", _FORM, key="name"))

    async def tool_poll(self, cx: Context) -> str:
        await cx.progress(1)
        cx.close_stream()
        await cx.progress(2)
        return "done"

    async def tool_ask_two(self, cx: Context) -> str:
        first = cx.elicit("First name?", _FORM, key="first")
        return await self._ask("ask_two", first, cx.elicit("Last name?", _FORM, key="last"))

    async def tool_ask_twice(self, cx: Context) -> str:
        with _Noted(self.journal, "ask_twice"):
            first = await cx.elicit("First name?", _FORM, key="first")
            return _greeting([first, await cx.elicit("Last name?", _FORM, key="last")])

    async def tool_ask_url(self, cx: Context) -> str:
        return await self._ask("ask_url", cx.elicit_url("Please log in.", "https://example.com/login", key="login"))

    async def tool_sample(self, cx: Context) -> str:
        return await self._ask("sample", cx.sample("Say something.", max_tokens=10, key="sample"))

    async def tool_sample_tools(self, cx: Context) -> str:
        tools = [{"name": "t", "inputSchema": {"type": "object"}}]
        return await self._ask("sample_tools", cx.sample("Say something.", max_tokens=10, tools=tools, key="sample"))

    async def tool_roots(self, cx: Context) -> str:
        return await self._ask("roots", cx.list_roots(key="roots"))

    async def tool_step(self, cx: Context) -> str:
        runs = await cx.step("count", self._count)
        said = await self._ask("step", cx.elicit("Your name?", _FORM, key="name"))
        return f"{said} Runs: {runs}."

    def _count(self) -> int:
        self.runs += 1
        return self.runs

    async def _ask(self, name: str, *questions: Any) -> str:
        """Asks them together."""
        with _Noted(self.journal, name):
            return _greeting(await asyncio.gather(*questions))

    # Resources

    def read_static(self) -> str:
        return "static text"

    async def read_blob(self) -> bytes:
        return b"\x00\x01\x02"

    async def read_gone(self) -> None:
        raise NotFound("it is gone")

    async def read_crash(self) -> None:
        raise RuntimeError("secret")

    async def read_ask(self, cx: Context) -> str:
        return await self._ask("ask_name", cx.elicit("Your name?", _FORM, key="name"))

    async def read_item(self, id: str) -> str:
        return id

    async def read_tree(self, path: str) -> str:
        return path

    # Prompts

    async def prompt_greet(self, name: str, style: str = "plain") -> str:
        return f"Greet {name} in a {style} way."

    async def prompt_plain(self) -> str:
        return "Hello."

    async def prompt_ask_prompt(self, cx: Context) -> str:
        return await self._ask("ask_name", cx.elicit("Your name?", _FORM, key="name"))

    # Completions

    async def complete_style(self, value: str, arguments: dict[str, str]) -> list[str]:
        styles = [style for style in ("formal", "friendly", "funny") if style.startswith(value)]
        return [*styles, f"like {arguments['name']}"] if "name" in arguments else styles

    async def complete_id(self, value: str) -> list[str]:
        return [str(number) for number in range(250)]

    async def complete_path(self, value: str) -> dict[str, Any]:
        return {"values": ["a/b"], "total": 7, "hasMore": True}


class _Noted:
    """A handler that waits says in the journal that it was cancelled; an error of a question that it does not catch is the tool's,
    but a missing capability is the protocol's."""

    def __init__(self, journal: list[str], name: str) -> None:
        self._journal = journal
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, asyncio.CancelledError):
            self._journal.append(f"{self._name} cancelled")
        elif isinstance(error, Error) and not isinstance(error, MissingCapability):
            raise ToolError(error.message) from error


def _said(**arguments: Any) -> str:
    given = {name: value for name, value in arguments.items() if value is not _NO_VALUE}
    return json.dumps(given, ensure_ascii=False, separators=(",", ":"))


def _greeting(answers: list[Any]) -> str:
    return f"Hello, {' '.join(map(_summary, answers))}!"


def _summary(answer: Any) -> str:
    if isinstance(answer, list):
        return " ".join(root["uri"] for root in answer)
    content = answer.content
    if isinstance(content, dict):
        return content.get("name") or content["text"]
    return answer.action


def _authenticate(headers: dict[str, str]) -> Principal | None:
    """`Authorization: Bearer <subject>-<anything>` is the subject's."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    subject, dash, _ = token.partition("-")
    return Principal(subject, client="vectors") if scheme == "Bearer" and dash else None


def _visible(cx: Context, kind: str, names: list[str]) -> list[str]:
    """What begins with `private_` is for `alice` alone."""
    is_alice = cx.principal is not None and cx.principal.subject == "alice"
    return [name for name in names if is_alice or not name.startswith("private_")]


async def _audit(record: dict[str, Any]) -> None:
    """Beside the log, where the runner looks for what must not be there."""
    print("audit:", json.dumps(record), file=sys.stderr)
