"""A client: one connection to one server."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from . import _native
from ._failure import failure_of, log
from ._result import blocks, dumps
from .errors import Closed, Error, RuleError, from_fault, make

if TYPE_CHECKING:
    from . import types
    from ._native import Event
    from .server import Server

_RESULT, _ERROR, _PROGRESS, _LOG, _ASKED, _CHANGED = range(6)
_MAX_PAGES = 10_000

Answer = Callable[[dict[str, Any]], Any]
"""Takes what the server asks, returns the answer; may be async."""


class Client:
    """`async with Client("https://host/mcp") as client: await client.call_tool("add", {"a": 1})`."""

    def __init__(
        self,
        target: str | Sequence[str] | Server,
        *,
        name: str = "omniport",
        version: str = "0",
        headers: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        era: str | None = None,
        timeout: float | None = None,
        limits: Mapping[str, float] | None = None,
        on_sample: Answer | None = None,
        on_elicit: Answer | None = None,
        roots: Sequence[str | Mapping[str, Any]] | Callable[[], Any] | None = None,
        on_log: Callable[[dict[str, Any]], Any] | None = None,
        on_progress: Callable[[dict[str, Any]], Any] | None = None,
        on_change: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        """
        `target`: a URL, a command with its arguments, or a Server of this process. `timeout`: seconds for each request, reset by
        progress. `on_sample` and `on_elicit` answer the server's questions; without them the capability is not declared.
        `roots`: directories to offer, as URIs or `{"uri", "name"}`, or a function that gives them.
        """
        self._target = target
        self._headers = dict(headers or {})
        self._env = dict(env) if env is not None else None
        self._cwd = cwd
        self._timeout = timeout
        self._answers: dict[str, Answer | None] = {
            "sample": on_sample,
            "elicit": on_elicit,
            "roots": None if roots is None else _roots_answer(roots),
        }
        self._on_log, self._on_progress, self._on_change = on_log, on_progress, on_change
        capabilities = {
            name: {} for name, given in (("sampling", on_sample), ("elicitation", on_elicit), ("roots", roots)) if given is not None
        }
        options: dict[str, Any] = {"name": name, "version": version, "capabilities": capabilities}
        if era is not None:
            options["era"] = era
        if limits:
            options["limits"] = dict(limits)
        self._options = options
        self._native: _native.Client | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stack = contextlib.AsyncExitStack()
        self._pending: dict[int, tuple[asyncio.Future[bytes], Callable[[dict[str, Any]], Any] | None]] = {}
        self._tasks: set[asyncio.Future[Any]] = set()
        self._reading: asyncio.Task[None] | None = None
        self.server_info: dict[str, Any] = {}
        """Name and version of the server, as it says itself."""
        self.server_capabilities: dict[str, Any] = {}
        self.protocol_version: str | None = None
        self.instructions: str | None = None

    async def __aenter__(self) -> Client:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def connect(self) -> None:
        """Opens the connection; `async with` does it."""
        if self._native is not None:
            raise RuleError("this client is connected already")
        self._loop = asyncio.get_running_loop()
        native = self._native = _native.Client(dumps(self._options))
        try:
            token = await self._open(native)
            self._listen(native)
            said = msgspec.json.decode(await self._wait(token, None))
        except BaseException:
            await self.close()
            raise
        self.server_info = said.get("server") or {}
        self.server_capabilities = said.get("capabilities") or {}
        self.protocol_version = said.get("protocol_version")
        self.instructions = said.get("instructions")

    async def close(self) -> None:
        """Closes the connection; what still waits fails. May be called from any task, and twice."""
        native, self._native = self._native, None
        if native is None:
            return
        await asyncio.to_thread(native.close)
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        elif self._loop is not None:
            self._loop.remove_reader(native.wake_fd())
        self._fail_all()
        for task in list(self._tasks):
            task.cancel()
        await self._stack.aclose()

    async def _open(self, native: _native.Client) -> int:
        target = self._target
        try:
            if isinstance(target, str):
                return native.connect_url(target, self._headers)
            if isinstance(target, Sequence):
                return native.connect_command(list(target), self._env, self._cwd)
            pump = await self._stack.enter_async_context(target._runner.running())
            return native.connect_engine(pump.engine)
        except _native.Fault as fault:
            raise from_fault(fault) from None

    # Requests

    async def list_tools(self) -> list[types.Tool]:
        return await self._list("list_tools", "tools", "Tool")

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        on_progress: Callable[[dict[str, Any]], Any] | None = None,
        meta: Mapping[str, Any] | None = None,
        raise_on_error: bool = False,
    ) -> types.CallToolResult:
        """`on_progress` gets `{"progress", "total"?, "message"?}`. `raise_on_error`: an `isError` result is raised as ToolError."""
        params: dict[str, Any] = {"name": name, "arguments": dict(arguments or {})}
        if meta:
            params["_meta"] = dict(meta)
        result = _typed("CallToolResult", await self.request("call_tool", params, timeout, on_progress))
        if raise_on_error and result.is_error:
            from .errors import ToolError

            texts = [block.get("text", "") if isinstance(block, dict) else getattr(block, "text", "") for block in result.content]
            raise ToolError("\n".join(text for text in texts if text))
        return result

    async def list_resources(self) -> list[types.Resource]:
        return await self._list("list_resources", "resources", "Resource")

    async def list_resource_templates(self) -> list[types.ResourceTemplate]:
        return await self._list("list_templates", "resourceTemplates", "ResourceTemplate")

    async def read_resource(self, uri: str) -> types.ReadResourceResult:
        return _typed("ReadResourceResult", await self.request("read_resource", {"uri": str(uri)}))

    async def list_prompts(self) -> list[types.Prompt]:
        return await self._list("list_prompts", "prompts", "Prompt")

    async def get_prompt(self, name: str, arguments: Mapping[str, str] | None = None) -> types.GetPromptResult:
        return _typed("GetPromptResult", await self.request("get_prompt", {"name": name, "arguments": dict(arguments or {})}))

    async def complete(
        self, reference: Mapping[str, str], argument: str, value: str, *, arguments: Mapping[str, str] | None = None
    ) -> types.CompleteResult:
        """`reference`: {"prompt": name} or {"template": uri}; `arguments`: those filled in already."""
        params = {"reference": dict(reference), "argument": argument, "value": value, "arguments": dict(arguments or {})}
        return _typed("CompleteResult", await self.request("complete", params))

    async def ping(self) -> None:
        await self.request("ping", {})

    async def set_log_level(self, level: str) -> None:
        await self.request("set_log_level", {"level": level})

    async def subscribe(self, uri: str) -> None:
        """Changes of the resource reach `on_change`."""
        await self.request("subscribe", {"uri": uri})

    async def unsubscribe(self, uri: str) -> None:
        await self.request("unsubscribe", {"uri": uri})

    async def request(
        self,
        what: str,
        params: Mapping[str, Any],
        timeout: float | None = None,
        on_progress: Callable[[dict[str, Any]], Any] | None = None,
    ) -> bytes:
        """Any request by the engine's name for it; the result as JSON text. A cancelled wait cancels the request at the server."""
        native = self._native
        if native is None:
            raise Closed("the client is not connected")
        if asyncio.get_running_loop() is not self._loop:
            raise RuleError("this client was connected on another event loop; use it there, or connect one here")
        try:
            token = native.request(what, dumps(params), timeout if timeout is not None else self._timeout)
        except _native.Fault as fault:
            raise from_fault(fault) from None
        return await self._wait(token, on_progress)

    async def _wait(self, token: int, on_progress: Callable[[dict[str, Any]], Any] | None) -> bytes:
        assert self._loop is not None
        future: asyncio.Future[bytes] = self._loop.create_future()
        self._pending[token] = future, on_progress
        try:
            return await future
        except asyncio.CancelledError:
            if self._native is not None:
                self._native.cancel(token, "The caller gave up")
            raise
        finally:
            self._pending.pop(token, None)

    async def _list(self, what: str, member: str, kind: str) -> list[Any]:
        """All pages; a cursor that comes twice ends the walk with an error instead of never (T06)."""
        items: list[Any] = []
        seen: set[str] = set()
        params: dict[str, str] = {}
        for _ in range(_MAX_PAGES):
            page = msgspec.json.decode(await self.request(what, params))
            items += page.get(member, [])
            cursor = page.get("nextCursor")
            if cursor is None:
                return _typed_items(kind, items)
            if cursor in seen:
                break
            seen.add(cursor)
            params = {"cursor": cursor}
        raise Error(f"the pages of {what} do not end: the server repeats a cursor, or gave more than {_MAX_PAGES}")

    # Events

    def _listen(self, native: _native.Client) -> None:
        assert self._loop is not None
        try:
            self._loop.add_reader(native.wake_fd(), self._drain)
            self._loop.call_soon(self._drain)
        except (NotImplementedError, OSError, ValueError):  # Windows: no loop there can watch this descriptor
            self._reading = self._loop.create_task(self._read(native))

    def _drain(self) -> None:
        if self._native is not None:
            self._take(self._native.next_batch())

    async def _read(self, native: _native.Client) -> None:
        while True:
            self._take(await asyncio.to_thread(native.wait_batch, 0.5))

    def _take(self, batch: list[Event]) -> None:
        for kind, token, slot, text in batch:
            if kind == _native.END:
                self._fail_all()
            elif kind == _native.REPORT:
                log.log(slot, "%s", text.decode("utf-8", "replace"))
            elif kind == _native.RESULT:
                self._result(token, slot, text)

    def _result(self, token: int, slot: int, text: bytes) -> None:
        if slot == _ASKED:
            self._spawn(self._answer(token, msgspec.json.decode(text)))
        elif slot == _LOG:
            self._tell(self._on_log, text)
        elif slot == _CHANGED:
            self._tell(self._on_change, text)
        elif token in self._pending:
            future, on_progress = self._pending[token]
            if slot == _PROGRESS:
                self._tell(on_progress or self._on_progress, text)
            elif not future.done():
                if slot == _RESULT:
                    future.set_result(text)
                else:
                    future.set_exception(_error(text))

    def _tell(self, function: Callable[[dict[str, Any]], Any] | None, text: bytes) -> None:
        # Called here and now, so that the last progress is there before its call returns (X03).
        if function is None:
            return
        try:
            outcome = function(msgspec.json.decode(text))
        except Exception:
            log.exception("a callback of a client failed")
            return
        if inspect.isawaitable(outcome):
            self._spawn(outcome)

    async def _answer(self, number: int, asked: dict[str, Any]) -> None:
        (kind, params), *_ = asked.items()
        answer = self._answers.get(kind)
        try:
            if answer is None:
                raise make("method_not_found", f"this client answers no question of the kind {kind}")
            result = answer(params)
            if inspect.isawaitable(result):
                result = await result
            outcome: dict[str, Any] = {"result": _normal(kind, result)}
        except Exception as error:
            failure = failure_of(error)
            outcome = {"error": {"kind": failure.kind, "code": failure.code, "message": failure.message}}
        if self._native is not None:
            self._native.answer(number, dumps(outcome))

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._reap)

    def _reap(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a callback of a client failed", exc_info=task.exception())

    def _fail_all(self) -> None:
        for future, _ in list(self._pending.values()):
            if not future.done():
                future.set_exception(Closed("the connection ended before the answer"))


def _normal(kind: str, result: Any) -> Any:
    """Short answers in full: a text for a sample, a content or an action for a form."""
    if kind == "sample" and isinstance(result, str):
        return {"role": "assistant", "content": blocks(result)[0], "model": "unknown"}
    if kind == "elicit":
        if result is None:
            return {"action": "decline"}
        if isinstance(result, str):
            return {"action": result}
        if isinstance(result, dict) and "action" not in result:
            return {"action": "accept", "content": result}
    return result


def _roots_answer(roots: Any) -> Answer:
    def answer(_: dict[str, Any]) -> Any:
        given: Any = roots() if callable(roots) else roots
        return {"roots": [{"uri": root} if isinstance(root, str) else root for root in given]}

    return answer


def _error(text: bytes) -> Error:
    facts = msgspec.json.decode(text)
    context = {name: str(value) for name, value in (facts.get("context") or {}).items()}
    error = make(str(facts.get("kind", "remote")), str(facts.get("message", "")), code=facts.get("code"), context=context)
    error.data = facts.get("data")
    return error


def _typed(kind: str, text: bytes) -> Any:
    from . import types

    return msgspec.json.decode(text, type=getattr(types, kind))


def _typed_items(kind: str, items: list[Any]) -> list[Any]:
    from . import types

    return [msgspec.convert(item, getattr(types, kind)) for item in items]
