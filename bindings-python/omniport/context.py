"""The running call: what it may ask and tell its client, and what is known about the caller."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextvars import ContextVar
from types import GenericAlias
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import msgspec

from . import _elicit
from ._elicit import ElicitResult
from ._result import blocks, dumps
from ._schema import convert
from .errors import Cancelled, Error, RuleError, from_fault

if TYPE_CHECKING:
    from ._pump import Pump

T = TypeVar("T")
Level = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

current: ContextVar[Context | None] = ContextVar("omniport_context", default=None)
"""The Context of the call that runs here, also in code that does not take it as a parameter."""


class Principal(msgspec.Struct, frozen=True):
    """Who is calling, as the authenticate hook said."""

    subject: str
    client: str | None = None
    scopes: list[str] = []
    claims: dict[str, Any] = {}


class SampleResult(msgspec.Struct, frozen=True, rename="camel"):
    """What the client's model answered."""

    role: str = "assistant"
    content: Any = None
    model: str = ""
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        """All text of the answer."""
        items: list[Any] = self.content if isinstance(self.content, list) else [self.content]
        return "".join(item.get("text", "") for item in items if isinstance(item, dict))


class _Facts(msgspec.Struct):
    request_id: Any = None
    era: str = ""
    protocol_version: str | None = None
    client: dict[str, Any] | None = None
    capabilities: dict[str, Any] = {}
    session_id: str | None = None
    headers: dict[str, str] = {}
    principal: Principal | None = None
    meta: dict[str, Any] = {}
    log_level: str | None = None
    wants_progress: bool = False
    resumed: bool = False
    http: int | None = None


_decode_facts = msgspec.json.Decoder(_Facts).decode


class _Done:
    """Lets `await cx.log(..)` work as well as `cx.log(..)`; awaiting gives the loop one turn, in which the notice leaves."""

    def __await__(self) -> Generator[None, None, None]:
        yield


_DONE = _Done()


class Context:
    """Given to a handler that has a parameter annotated with it. Everything works in both eras of the protocol.

    The questions (`elicit`, `sample`, `list_roots`, `step`) are coroutines. A sync handler, which runs on a thread of its
    own, waits for them with `run`: `cx.run(cx.elicit("Sure?"))`. `progress` and the log methods need no waiting anywhere.
    """

    __omniport_context__: ClassVar[bool] = True
    __slots__ = ("__weakref__", "_facts", "_pump", "_task", "_token", "_waiting", "cancelled")

    def __init__(self, pump: Pump, token: int) -> None:
        self._pump = pump
        self._token = token
        self._facts: _Facts | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: concurrent.futures.Future[Any] | None = None
        self.cancelled: bool = False
        """Whether the caller has taken the request back. An async handler is cancelled; a sync one has to look here."""

    __class_getitem__ = classmethod(GenericAlias)

    # Questions

    async def elicit(self, message: str, schema: Any = None, *, key: str | None = None) -> ElicitResult[Any]:
        """Asks the user to fill in a form; see `omniport.ElicitResult`.

        `key` names the question, so that a modern client can answer it beforehand.

        `schema`: a dataclass, TypedDict, struct or pydantic model with flat members, a scalar type, a list of choices, a JSON
        Schema, or None for a bare confirmation. Raises `MissingCapability` when the client cannot ask.
        """
        form, make = _elicit.form_of(schema)
        return _elicit.answer(await self._ask({"elicit": {"message": message, "requestedSchema": form}}, key), make)

    async def elicit_url(self, message: str, url: str, *, key: str | None = None) -> ElicitResult[None]:
        """Asks the user to open a page, for what must not pass through the client: credentials, payment."""
        raw = await self._ask({"elicit": {"mode": "url", "message": message, "url": url}}, key)
        return _elicit.answer(raw, lambda _: None)

    async def sample(
        self,
        messages: str | list[Any],
        *,
        max_tokens: int = 1024,
        system_prompt: str | None = None,
        temperature: float | None = None,
        stop_sequences: list[str] | None = None,
        model_preferences: dict[str, Any] | None = None,
        include_context: str | None = None,
        tools: list[Any] | None = None,
        tool_choice: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
        key: str | None = None,
    ) -> SampleResult:
        """Asks the client's model. `messages`: a text, or messages of the protocol (as dicts or models)."""
        question = {
            "messages": [_sampling_message(message) for message in ([messages] if isinstance(messages, str) else messages)],
            "maxTokens": max_tokens,
            "systemPrompt": system_prompt,
            "temperature": temperature,
            "stopSequences": stop_sequences,
            "modelPreferences": model_preferences,
            "includeContext": include_context,
            "tools": tools,
            "toolChoice": tool_choice,
            "metadata": metadata,
        }
        raw = await self._ask({"sample": {name: value for name, value in question.items() if value is not None}}, key)
        return convert(raw, SampleResult)

    async def list_roots(self, *, key: str | None = None) -> list[dict[str, Any]]:
        """The directories that the client offers: `[{"uri": "file:///...", "name": ...}]`."""
        return (await self._ask({"roots": {}}, key)).get("roots", [])

    async def step(self, name: str, function: Callable[..., Any], *args: Any, type: Any = Any) -> Any:
        """Runs an effect once, even if the handler is run again from its start after a question was answered elsewhere.

        The result is kept as JSON, so it comes back as plain data, or as a value of `type`.
        """
        try:
            kept = self._pump.engine.step(self._token, name)
            if kept is None:
                value = function(*args)
                if inspect.isawaitable(value):
                    value = await value
                kept = dumps(value)
                self._pump.engine.keep_step(self._token, name, kept)
        except self._pump.fault as fault:
            raise from_fault(fault) from None
        plain = msgspec.json.decode(kept)
        return plain if type is Any else convert(plain, type)

    def run(self, question: Coroutine[Any, Any, T]) -> T:
        """Waits in a sync handler for a coroutine, which runs on the server's loop. Raises `Cancelled` when the caller is gone."""
        if self._pump.on_loop():
            question.close()
            raise RuleError("cx.run() would block the event loop; await instead, or let the handler run in a thread")
        future = asyncio.run_coroutine_threadsafe(question, self._pump.loop)
        self._waiting = future
        if self.cancelled:
            future.cancel()
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise Cancelled("The caller took the request back") from None
        finally:
            self._waiting = None

    async def in_thread(self, function: Callable[..., T], *args: Any) -> T:
        """Runs a blocking function on the server's thread pool, with the context variables of this call."""
        return await self._pump.in_thread(function, *args)

    async def _ask(self, question: dict[str, Any], key: str | None = None) -> dict[str, Any]:
        if key is not None:
            question["key"] = key
        return await self._pump.ask(self._token, dumps(question))

    # Notices

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> _Done:
        """Tells how far the call is; nothing is sent when the caller did not ask. May be awaited."""
        notice: dict[str, Any] = {"progress": progress}
        if total is not None:
            notice["total"] = total
        if message is not None:
            notice["message"] = message
        return self._notice(notice)

    def log(self, level: Level, data: Any, logger: str | None = None) -> _Done:
        """Sends a log message to the client, if it asked for this level. May be awaited."""
        notice = {"level": level, "data": data}
        if logger is not None:
            notice["logger"] = logger
        return self._notice(notice)

    def debug(self, data: Any, logger: str | None = None) -> _Done:
        return self.log("debug", data, logger)

    def info(self, data: Any, logger: str | None = None) -> _Done:
        return self.log("info", data, logger)

    def warning(self, data: Any, logger: str | None = None) -> _Done:
        return self.log("warning", data, logger)

    def error(self, data: Any, logger: str | None = None) -> _Done:
        return self.log("error", data, logger)

    def close_stream(self) -> None:
        """Ends the event stream of this call without its answer, so that the client polls; no effect where that cannot be."""
        self._pump.engine.close_stream(self._token)

    def _notice(self, notice: dict[str, Any]) -> _Done:
        try:
            self._pump.engine.notice(self._token, dumps(notice))
        except self._pump.fault as fault:
            raise from_fault(fault) from None
        self._pump.touch()
        return _DONE

    # Facts

    @property
    def facts(self) -> _Facts:
        """All facts of the call; read from the engine once, while the call runs."""
        if self._facts is None:
            try:
                self._facts = _decode_facts(self._pump.engine.context(self._token))
            except self._pump.fault as fault:
                raise from_fault(fault) from None
        return self._facts

    @property
    def request_id(self) -> int | str:
        return self.facts.request_id

    @property
    def headers(self) -> Mapping[str, str]:
        """The HTTP headers of this request, names in lower case; empty elsewhere."""
        return self.facts.headers

    @property
    def principal(self) -> Principal | None:
        """Who is calling; None without authentication."""
        return self.facts.principal

    @property
    def session_id(self) -> str | None:
        return self.facts.session_id

    @property
    def client(self) -> dict[str, Any] | None:
        """Name, version and title of the client, as it says itself."""
        return self.facts.client

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the client declared."""
        return self.facts.capabilities

    @property
    def protocol_version(self) -> str | None:
        return self.facts.protocol_version

    @property
    def meta(self) -> dict[str, Any]:
        """The `_meta` of the request."""
        return self.facts.meta

    @property
    def resumed(self) -> bool:
        """Whether the handler is run again to take the answers to questions it asked before."""
        return self.facts.resumed

    @property
    def lifespan(self) -> Any:
        """What the server's lifespan yielded."""
        return self._pump.lifespan

    def _cancel(self) -> None:
        self.cancelled = True
        if self._task is not None:
            self._task.cancel()
        if self._waiting is not None:
            self._waiting.cancel()


def get_context() -> Context:
    """The Context of the running call, for code that it is not handed to."""
    cx = current.get()
    if cx is None:
        raise Error("no call of a client is running here")
    return cx


def _sampling_message(message: Any) -> Any:
    if isinstance(message, str):
        return {"role": "user", "content": {"type": "text", "text": message}}
    if isinstance(message, dict):
        content = message.get("content")
        return {**message, "content": blocks(content)[0]} if isinstance(content, str) else message
    to_message = getattr(message, "to_message", None)
    return to_message() if to_message is not None else message
