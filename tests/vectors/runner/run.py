"""One vector, one revision, one transport: the steps in order, with a clear word about the first that fails."""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from . import pattern
from .files import Run
from .ledger import Ledger
from .pipe import Pipe
from .process import PATIENCE, ServerProcess, Servers
from .speaker import Headers, Speaker, encode
from .web import Barrier, Exchange, connect

_VERBS = {"in", "bytes", "request", "notify", "reply", "out", "none", "close", "stop", "http", "response", "leave"}
_SECRET = "marker-of-an-argument"
_SPARE = 4
"""How many requests there may be after a stop: ones that had begun to arrive, because no others are taken."""
_BEGUN = b"POST"
MOUNT = "vectors-mount"
"""The header by which a foreign web server learns where a request found this one mounted; it takes the header out."""


def perform(run: Run, servers: Servers) -> None:
    """AssertionError when the server does not do what the vector says."""
    server = servers.server(run.transport, run.server)
    try:
        stage = (OverPipes if run.transport == "stream" else OverHttp)(run, server)
        stage.begin()
        try:
            for number, step in enumerate(run.steps, 1):
                _perform_step(stage, number, step)
            stage.finish()
        finally:
            stage.close()
        assert _SECRET not in server.log(), "an argument was logged"
    finally:
        server.close()


def _perform_step(stage: Stage, number: int, step: dict[str, Any]) -> None:
    try:
        stage.step(step)
    except (AssertionError, ValueError, KeyError, OSError) as error:
        told = f"{type(error).__name__}: {error}\n{stage.server.log()[-4000:]}"
        raise AssertionError(f"{stage.run.rule}\nstep {number}: {encode(step)[:2000]}\n{told}") from error


class Stage:
    """The values that were caught, and what all transports have in common."""

    def __init__(self, run: Run, server: ServerProcess) -> None:
        self.run = run
        self.server = server
        self.speaker = Speaker.of(run)
        self.bindings: pattern.Bindings = {"version": run.revision, "meta": self.speaker.meta(), **run.vars}
        self.ledgers: dict[str, Ledger] = {}
        self.is_dirty = False
        """Whether something was sent whose effects may still be on their way."""

    def begin(self) -> None:
        """Before the first step."""

    def step(self, step: dict[str, Any]) -> None:
        step = pattern.fill(step, self.bindings)
        verb, *more = _VERBS & set(step)
        assert not more, f"a step has one verb: {verb}, {more}"
        # What is waited for comes by itself; before anything else, the last step has to have had its effect.
        if self.is_dirty and verb not in ("out", "response"):
            self.sync()
        self.act(verb, step, step.get("on", "main"))

    def act(self, verb: str, step: dict[str, Any], on: str) -> None:
        if verb in ("out", "none"):
            self.ensure(on)
            self.check_out(on, step.get("out", []), step.get("unordered", False))
            return
        self.is_dirty = True
        if verb == "stop":
            self.server.stop()
        elif verb == "close":
            self.ensure(on)
            self.end(on)
        elif verb == "request":
            self.ensure(on)
            self.send(on, self.speaker.request(step["request"]))
        elif verb in ("notify", "reply"):
            self.ensure(on)
            self.send(on, {**step[verb], "jsonrpc": "2.0"})
        else:
            raise ValueError(f"`{verb}` is not for this transport")

    def finish(self) -> None:
        """A vector says all that comes: what is left at its end is a surprise."""
        self.sync()
        for on in self.ledgers:
            left = self.take(on)
            assert not left, f"at the end, messages that no step named: {encode(left)[:3000]}"

    def ensure(self, on: str) -> None:
        """Opens a client, with its handshake where the revision has one."""
        if on in self.ledgers:
            return
        self.ledgers[on] = Ledger(self.run.revision)
        self.open(on)
        if self.run.is_modern or not self.run.client.handshake:
            return
        self.send(on, self.speaker.initialize())
        self.wait(on, 1)
        answer = self.take(on)
        pattern.check([{"id": "handshake", "result": {"protocolVersion": self.run.revision}}], answer, self.bindings)
        self.send(on, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.after_handshake(on)

    def check_out(self, on: str, patterns: list[Any], unordered: bool) -> None:
        self.wait(on, len(patterns))
        came = self.take(on)
        assert len(came) == len(patterns), f"expected {len(patterns)} messages, came: {encode(came)[:3000]}"
        # Handlers of some languages run on several cores: which of two calls is answered first is nobody's promise.
        are_answers = all("id" in one and "method" not in one for one in patterns)
        try:
            pattern.check({"$contains": patterns} if unordered or are_answers else patterns, came, self.bindings)
        except pattern.Mismatch as error:
            raise AssertionError(f"{error}\ncame: {encode(came)[:3000]}") from error

    def take(self, on: str) -> list[Any]:
        messages = self.arrived(on)
        for message in messages:
            self.ledgers[on].check(message)
        return messages

    def send(self, on: str, message: Any) -> None:
        self.ledgers[on].sent(message)
        self.post(on, message)

    def sync(self) -> None:
        """Everything that was sent has had its effect, and what it brought is here."""
        self.is_dirty = False

    # What a transport has to do.

    def open(self, on: str) -> None:
        raise NotImplementedError

    def after_handshake(self, on: str) -> None:
        """A client may open more."""

    def post(self, on: str, message: Any) -> None:
        """Sends a message as the client's transport does."""
        raise NotImplementedError

    def end(self, on: str) -> None:
        """The client goes."""
        raise NotImplementedError

    def wait(self, on: str, count: int) -> None:
        """Until so many messages are there, or nothing more can come."""
        raise NotImplementedError

    def arrived(self, on: str) -> list[Any]:
        """Takes the messages that are there."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


class OverPipes(Stage):
    """One client, on stdin and stdout."""

    def begin(self) -> None:
        self.pipe = Pipe(self.server, self.speaker)

    def act(self, verb: str, step: dict[str, Any], on: str) -> None:
        if verb not in ("in", "bytes"):
            super().act(verb, step, on)
            return
        self.ensure(on)
        self.is_dirty = True
        text = step[verb]
        data = bytes.fromhex(text) if verb == "bytes" else f"{text if isinstance(text, str) else encode(text)}\n".encode()
        for line in data.decode("utf-8", "replace").split("\n"):
            self.ledgers[on].sent_text(line)
        self.pipe.write(data)

    def sync(self) -> None:
        super().sync()
        self.pipe.sync()

    def open(self, on: str) -> None:
        """The pipes are there from the start."""

    def post(self, on: str, message: Any) -> None:
        self.pipe.post(message)

    def end(self, on: str) -> None:
        self.pipe.end()

    def wait(self, on: str, count: int) -> None:
        self.pipe.wait(count)

    def arrived(self, on: str) -> list[Any]:
        return self.pipe.take()

    def close(self) -> None:
        self.pipe.close()


class Web:
    """A client over HTTP: its session, and everything it has open."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.address: str | None = None
        """Where to post to, where the stream told it (2024-11-05)."""
        self.exchanges: list[Exchange] = []


class OverHttp(Stage):
    """Any number of clients, each request on a connection of its own."""

    def begin(self) -> None:
        self.webs: dict[str, Web] = {}
        self.named: dict[str, Exchange] = {}
        """Requests that a step wrote itself."""
        self.spare: list[socket.socket] = []
        """Connections for requests after a stop."""
        self.address = self.server.address()
        self.barrier = Barrier(self.address)

    def act(self, verb: str, step: dict[str, Any], on: str) -> None:
        if verb == "response":
            self.check_response(self.named[step["response"]], step)
        elif verb == "http":
            self.is_dirty = True
            self.named[step["as"]] = self.send_http(on, step["http"])
        elif verb == "leave":
            self.is_dirty = True
            self.named[step["leave"]].leave()
        else:
            if verb == "stop":
                self.spare = [connect(self.address, _BEGUN) for _ in range(_SPARE)]
                self.barrier.prepare_for_stop()
            super().act(verb, step, on)

    def sync(self) -> None:
        super().sync()
        self.barrier.pass_through()
        self.server.settle()
        self.barrier.pass_through()
        for exchange in self.all():
            exchange.read()

    def all(self) -> list[Exchange]:
        return [*self.named.values(), *(exchange for web in self.webs.values() for exchange in web.exchanges)]

    def exchange(self, method: str, path: str, headers: Headers, body: str = "") -> Exchange:
        if self.spare:
            return Exchange(self.spare.pop(), method, path, headers, body.encode(), _BEGUN)
        return Exchange(connect(self.address), method, path, headers, body.encode())

    def until(self, holds: Callable[[], bool]) -> bool:
        """Reads until it holds; False when it does not come to that."""
        end = time.monotonic() + PATIENCE
        while True:
            going = [exchange for exchange in self.all() if not exchange.is_over]
            for exchange in going:
                exchange.read()
            if holds():
                return True
            going = [exchange for exchange in going if not exchange.is_over]
            if not going or not select.select([exchange.connection for exchange in going], [], [], end - time.monotonic())[0]:
                return holds()

    def open(self, on: str) -> None:
        web = self.webs[on] = Web()
        if self.run.revision == "2024-11-05":
            self.open_events(web)

    def open_events(self, web: Web) -> None:
        """The stream of the two endpoints of 2024-11-05."""
        exchange = self.exchange("GET", "/sse", {"accept": "text/event-stream", **self.run.client.headers})
        web.exchanges.append(exchange)
        assert self.until(lambda: bool(exchange.events)), f"no first event: {exchange.status} {exchange.body!r}"
        first = exchange.events.pop(0)
        assert first["event"] == "endpoint", f"the first event must be `endpoint`: {first}"
        web.address = first["data"]

    def after_handshake(self, on: str) -> None:
        """The stream of a session for what belongs to no request."""
        web = self.webs[on]
        if web.session is not None:
            headers = {**self.speaker.headers({}, web.session), "accept": "text/event-stream", "content-type": None}
            web.exchanges.append(self.exchange("GET", "/mcp", headers))
            self.sync()

    def post(self, on: str, message: Any) -> None:
        web = self.webs[on]
        headers = self.speaker.headers(message, web.session)
        exchange = self.exchange("POST", web.address or "/mcp", headers, encode(message))
        web.exchanges.append(exchange)
        if "id" not in message or "method" not in message:
            assert self.until(lambda: exchange.status is not None), "a message that is no request was not answered"
            assert exchange.status == 202, f"a message that is no request was answered with {exchange.status}"
        elif message["method"] == "initialize":
            self.until(lambda: exchange.status is not None)
            web.session = exchange.headers.get("mcp-session-id")
            if web.session is not None:
                self.bindings["session"] = web.session

    def send_http(self, on: str, wanted: dict[str, Any]) -> Exchange:
        """A request that the step wrote itself."""
        if "request" in wanted and not self.run.is_modern and self.run.client.handshake:
            self.ensure(on)
        headers: Headers = dict(self.run.client.headers)
        body = wanted.get("body", "")
        if "request" in wanted:
            message = self.speaker.request(wanted["request"])
            session = self.webs[on].session if on in self.webs else None
            headers, body = self.speaker.headers(message, session), encode(message)
        elif "json" in wanted:
            body = encode(wanted["json"])
        headers.update(wanted.get("headers", {}))
        if "mount" in wanted:
            headers[MOUNT] = wanted["mount"]
        return self.exchange(wanted.get("method", "POST"), wanted.get("path", "/mcp"), headers, body)

    def check_response(self, exchange: Exchange, step: dict[str, Any]) -> None:
        if step.get("pending"):
            self.sync()
            assert exchange.status is None, f"expected no answer yet, found status {exchange.status}"
            return
        events = step.get("events", [])
        self.until(lambda: _is_complete(exchange, len(events), step.get("open", exchange.is_stream)))
        if not exchange.is_over:
            self.sync()
        assert exchange.status is not None, "there is no answer"
        came, exchange.events = exchange.events, []
        body = exchange.body.decode()
        try:
            if "status" in step:
                assert exchange.status == step["status"], f"expected status {step['status']}"
            pattern.check(step.get("headers", {}), exchange.headers, self.bindings)
            if "json" in step:
                pattern.check(step["json"], json.loads(body), self.bindings)
            if "body" in step:
                assert body == step["body"], f"expected the body {step['body']!r}"
            pattern.check(events, came, self.bindings)
            if "open" in step:
                is_open = exchange.is_stream and not exchange.is_over
                assert is_open == step["open"], f"expected the stream to be {'open' if step['open'] else 'closed'}"
        except (AssertionError, ValueError) as error:
            raise AssertionError(f"{error}\nstatus {exchange.status} {exchange.headers}\n{body} {encode(came)[:3000]}") from error

    def end(self, on: str) -> None:
        for exchange in self.webs[on].exchanges:
            exchange.leave()

    def wait(self, on: str, count: int) -> None:
        if count == 0:
            self.sync()
        exchanges = self.webs[on].exchanges
        self.until(lambda: sum(exchange.count() for exchange in exchanges) >= count)

    def arrived(self, on: str) -> list[Any]:
        return [message for exchange in self.webs[on].exchanges for message in exchange.messages()]

    def close(self) -> None:
        for exchange in self.all():
            exchange.leave()
        for connection in self.spare:
            connection.close()
        self.barrier.close()


def _is_complete(exchange: Exchange, events: int, stays_open: bool) -> bool:
    """Whether all is there that a step can look at."""
    return exchange.is_over or (exchange.is_stream and stays_open and len(exchange.events) >= events)
