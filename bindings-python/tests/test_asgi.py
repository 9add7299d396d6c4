"""The ASGI application on the fake engine: mounting, limits, disconnects, context variables."""

import asyncio
import contextvars
import json

import pytest
from omniport import Context, Server

httpx = pytest.importorskip("httpx")
variable = contextvars.ContextVar("variable", default="unset")


def make():
    app = Server("t")

    @app.tool
    async def add(a: int, b: int) -> int:
        return a + b

    @app.tool
    async def seen() -> str:
        return variable.get()

    @app.tool
    def seen_in_thread(cx: Context) -> str:
        return variable.get()

    return app


def client(asgi):
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=asgi), base_url="http://test")


def test_calls_and_limits(fake, run):
    app = make()

    async def main():
        async with client(app.asgi("/mcp")) as http:
            answer = await http.post("/mcp?x=1", json={"tool": "add", "arguments": {"a": 1, "b": 2}})
            assert answer.json() == ["complete", {"structuredContent": 3}]
            head, _ = app._runner.pump.engine.http[1]
            assert head["method"] == "POST" and head["path"] == "/mcp" and head["query"] == "x=1" and head["root_path"] == ""
            assert (await http.post("/other", json={})).status_code == 404
            assert (await http.post("/mcp", content=b"x" * 5000)).status_code == 413
            assert len(app._runner.pump.engine.http[3][1]) == 1001

    run(main)


def test_mounted(fake, run):
    # H12
    starlette = pytest.importorskip("starlette.applications")
    from starlette.routing import Mount

    app = make()
    outer = starlette.Starlette(routes=[Mount("/api", app=app.asgi("/mcp"))])

    async def main():
        async with client(outer) as http:
            answer = await http.post("/api/mcp", json={"tool": "add", "arguments": {"a": 1, "b": 2}})
            assert answer.json() == ["complete", {"structuredContent": 3}]
            head, _ = next(iter(app._runner.pump.engine.http.values()))
            assert head["path"] == "/mcp" and head["root_path"] == "/api"

    run(main)


def test_context_variables_of_each_request_reach_its_handlers(fake, run):
    # H15
    app = make()
    inner = app.asgi()

    async def middleware(scope, receive, send):
        variable.set(dict(scope["headers"]).get(b"x-user", b"?").decode())
        await inner(scope, receive, send)

    async def main():
        async with client(middleware) as http:
            for tool in ("seen", "seen_in_thread"):
                for user in ("a", "b"):
                    answer = await http.post("/", json={"tool": tool}, headers={"x-user": user})
                    assert answer.json() == ["complete", {"structuredContent": user}]

    run(main)


def test_disconnect_drops_the_request(fake, run):
    app = make()

    async def main():
        messages = [{"type": "http.request", "body": b"", "more_body": False}]
        left = asyncio.Event()

        async def receive():
            if messages:
                return messages.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            raise AssertionError(message)

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
        serving = asyncio.ensure_future(app.asgi()(scope, receive, send))
        while app._runner.pump is None or not app._runner.pump.engine.http:
            await asyncio.sleep(0.001)
        left.set()
        await serving
        pump = app._runner.pump
        assert pump.engine.notices == [(1, {"dropped": True})] and pump.sinks == {} and pump.contexts == {}

    run(main)


def test_any_failure_to_send_drops_the_request(fake, run):
    # P11's kind: middleware says in its own words that the client left (RuntimeError, ClosedResourceError).
    app = make()

    async def main():
        body = json.dumps({"tool": "add", "arguments": {"a": 1, "b": 2}}).encode()

        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive():
            if messages:
                return messages.pop()
            await asyncio.Event().wait()

        async def send(message):
            raise RuntimeError("the response is over")

        scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
        with pytest.raises(RuntimeError, match="over"):
            await app.asgi()(scope, receive, send)
        pump = app._runner.pump
        assert (1, {"dropped": True}) in pump.engine.notices and pump.sinks == {}

    run(main)


def test_stream_parts_leave_as_they_come(fake, run):
    app = make()

    async def main():
        sent = []
        queue = asyncio.Queue()
        await queue.put({"type": "http.request", "body": b""})

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
        serving = asyncio.ensure_future(app.asgi()(scope, queue.get, send))
        while app._runner.pump is None or not app._runner.pump.engine.http:
            await asyncio.sleep(0.001)
        engine = app._runner.pump.engine
        engine.push(fake.HTTP, 1, 0, json.dumps({"status": 200, "headers": [["X-A", "1"]]}).encode())
        while not sent:
            await asyncio.sleep(0.001)
        assert sent == [{"type": "http.response.start", "status": 200, "headers": [(b"x-a", b"1")]}]
        engine.push(fake.HTTP, 1, 1, b"one")
        while len(sent) < 2:
            await asyncio.sleep(0.001)
        assert sent[1] == {"type": "http.response.body", "body": b"one", "more_body": True}
        engine.push(fake.HTTP, 1, 2, b"")
        await serving
        assert sent[2] == {"type": "http.response.body", "body": b"", "more_body": False}

    run(main)


def test_lifespan_of_a_web_server(fake, run):
    steps = []

    async def lifespan():
        steps.append("in")
        yield
        steps.append("out")

    app = Server("t", lifespan=lifespan)

    async def main():
        messages = asyncio.Queue()
        sent = asyncio.Queue()
        await messages.put({"type": "lifespan.startup"})
        serving = asyncio.ensure_future(app.asgi()({"type": "lifespan"}, messages.get, sent.put))
        assert (await sent.get())["type"] == "lifespan.startup.complete" and steps == ["in"]
        await messages.put({"type": "lifespan.shutdown"})
        await serving
        assert (await sent.get())["type"] == "lifespan.shutdown.complete" and steps == ["in", "out"]

    run(main)


def test_principal_of_the_web_server(fake, run):
    app = make()

    async def main():
        async with client(app.asgi(principal=lambda scope: {"subject": "me"})) as http:
            await http.post("/", json={"tool": "seen"})
            assert app._runner.pump.engine.http[1][0]["principal"] == {"subject": "me"}

    run(main)
