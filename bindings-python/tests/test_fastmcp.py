"""Servers written for the FastMCP API, with the import line changed."""

import asyncio
import json
from dataclasses import dataclass
from typing import Annotated

import pytest
from omniport import Client
from omniport.fastmcp import Context, Depends, FastMCP, Image
from omniport.fastmcp.exceptions import ToolError
from omniport.fastmcp.prompts import base
from omniport.fastmcp.resources import FunctionResource, TextResource
from omniport.fastmcp.server.dependencies import CurrentContext, get_context
from omniport.fastmcp.server.elicitation import AcceptedElicitation, DeclinedElicitation
from omniport.fastmcp.tools import Tool
from omniport.fastmcp.utilities.logging import get_logger
from omniport.fastmcp.utilities.types import Image as SameImage


class Session: ...


@dataclass
class App:
    db: str


def serve(run, app, test):
    async def main():
        async with app._runner.running() as pump:

            async def send(kind, slot, text):
                loop = asyncio.get_running_loop()
                future = loop.create_future()
                pump.engine.event(kind, slot, text, lambda outcome: loop.call_soon_threadsafe(future.set_result, outcome))
                return await future

            await test(pump.engine, send)

    run(main)


def test_tools_with_their_context(fake, run):
    class Lifespan:
        def __init__(self, server):
            assert isinstance(server, FastMCP)

        async def __aenter__(self):
            return App("db")

        async def __aexit__(self, *_):
            pass

    app = FastMCP("Demo", instructions="i", lifespan=Lifespan, json_response=True, dependencies=["x"], debug=True)

    @app.tool()
    async def work(n: int, ctx: Context[Session, App]) -> str:
        """Works.

        Args:
            n: how often
        """
        await ctx.info("begun", logger_name="l")
        await ctx.report_progress(progress=1, total=2, message="half")
        assert get_context() is ctx and app.get_context() is ctx and ctx.fastmcp is app
        await ctx.session.send_log_message(level="debug", data="raw")
        return ctx.request_context.lifespan_context.db * n

    @app.tool(name="pic", structured_output=False, tags={"a"})
    def picture() -> Image:
        return SameImage(data=b"x", format="jpg")

    @app.tool
    def where(ctx: Annotated[Context, "c"] = CurrentContext()) -> str:  # noqa: B008
        return ctx.client_id or "nobody"

    @app.tool("fails")
    def fails():
        raise ToolError("read this")

    app.add_tool(Tool.from_function(lambda a=1: a, name="object"))

    async def test(engine, send):
        tools = {name: slot for name, (slot, _) in engine.tools.items()}
        assert list(engine.tools["work"][1]["inputSchema"]["properties"]) == ["n"]
        assert engine.tools["where"][1]["inputSchema"]["properties"] == {}
        assert (await send(fake.CALL, tools["work"], {"n": 2}))[1] == {"structuredContent": "dbdb"}
        assert [notice for _, notice in engine.notices] == [
            {"level": "info", "data": "begun", "logger": "l"},
            {"progress": 1, "total": 2, "message": "half"},
            {"level": "debug", "data": "raw"},
        ]
        assert (await send(fake.CALL, tools["pic"], {}))[1]["content"][0]["mimeType"] == "image/jpeg"
        assert (await send(fake.CALL, tools["where"], {}))[1] == {"structuredContent": "nobody"}
        assert (await send(fake.CALL, tools["fails"], {}))[:4] == ("fail", "tool", None, "read this")
        assert (await send(fake.CALL, tools["object"], {"a": 3}))[0] == "complete"

    serve(run, app, test)


def test_questions(fake, run):
    pydantic = pytest.importorskip("pydantic")
    app = FastMCP()

    class Booking(pydantic.BaseModel):
        ok: bool = pydantic.Field(description="sure?")
        date: str = pydantic.Field(default="2024-12-26")

    @app.tool()
    async def book(ctx: Context) -> str:
        result = await ctx.elicit(message="Book?", schema=Booking)
        match result:
            case AcceptedElicitation(data=data):
                return f"{result.action} {data.ok}"
            case DeclinedElicitation():
                return "declined"
        return "?"

    @app.tool()
    async def think(ctx: Context) -> str:
        result = await ctx.session.create_message(messages=[{"role": "user", "content": "x"}], max_tokens=10)
        return result.content.text if result.content.type == "text" else "?"

    async def test(engine, send):
        slot = engine.tools["book"][0]
        for number, (answer, text) in enumerate(
            [({"action": "accept", "content": {"ok": True}}, "accept True"), ({"action": "decline"}, "declined")]
        ):
            call = asyncio.ensure_future(send(fake.CALL, slot, {}))
            while len(engine.questions) <= number:
                await asyncio.sleep(0.001)
            engine.answer(number, answer)
            assert (await call)[1]["structuredContent"] == text
        assert engine.questions[0][2]["elicit"]["requestedSchema"]["properties"]["ok"] == {
            "type": "boolean", "title": "Ok", "description": "sure?",
        }  # fmt: skip
        call = asyncio.ensure_future(send(fake.CALL, engine.tools["think"][0], {}))
        while len(engine.questions) < 3:
            await asyncio.sleep(0.001)
        engine.answer(2, {"role": "assistant", "content": {"type": "text", "text": "hm"}, "model": "m"})
        assert (await call)[1]["structuredContent"] == "hm"

    serve(run, app, test)


def test_resources_prompts_completions(fake, run):
    app = FastMCP("d")

    @app.resource("csv://{path}", mime_type="text/csv", title="CSV")
    def csv(path: str) -> str:
        return path

    app.add_resource(TextResource(uri="text://a", name="a", text="hi"))
    app.add_resource(FunctionResource(uri="fn://a", name="f", fn=lambda: {"a": 1}, mime_type="application/json"))

    @app.completion()
    async def complete(ref, argument, context):
        where = getattr(ref, "name", None) or ref.uri
        return {"values": [f"{where} {argument.name} {argument.value} {context.arguments}"]}

    @app.prompt(title="Debug")
    def debug(error: str) -> list[base.Message]:
        return [base.UserMessage("I see:"), base.UserMessage(error), base.AssistantMessage("Hm.")]

    async def test(engine, send):
        assert engine.templates["csv://{path}"][1]["mimeType"] == "text/csv"
        contents = (await send(fake.READ, engine.templates["csv://{path}"][0], {"uri": "csv://x", "variables": {"path": "x"}}))[1][
            "contents"
        ]
        assert contents == [{"uri": "csv://x", "mimeType": "text/csv", "text": "x"}]
        contents = (await send(fake.READ, engine.resources["fn://a"][0], {"uri": "fn://a"}))[1]["contents"]
        assert json.loads(contents[0]["text"]) == {"a": 1}
        messages = (await send(fake.GET, engine.prompts["debug"][0], {"error": "e"}))[1]["messages"]
        assert [message["role"] for message in messages] == ["user", "user", "assistant"]
        slots = {key: slot for key, (slot, _) in engine.completions.items()}
        outcome = await send(fake.COMPLETE, slots[(b'{"prompt":"debug"}', "error")], {"argument": "error", "value": "v"})
        assert outcome[1]["values"] == ["debug error v None"]
        assert (b'{"template":"csv://{path}"}', "path") in slots

    serve(run, app, test)


def test_reading_from_inside(run):
    app = FastMCP("d")

    @app.resource("text://a")
    def text() -> str:
        return "hi"

    @app.tool()
    async def read(ctx: Context) -> str:
        [contents] = await ctx.read_resource("text://a")
        return f"{contents.content} {contents.mime_type}"

    async def main():
        async with Client(app) as client:
            assert (await client.call_tool("read")).content[0].text == "hi text/plain"

    run(main)


def test_helpers(run):
    pytest.importorskip("omniport.types")
    app = FastMCP("d")

    @app.tool()
    def add(a: int, b: int, one: int = Depends(lambda: 1)) -> int:
        return a + b + one

    async def main():
        assert [tool.name for tool in await app.list_tools()] == ["add"]
        assert (await app.call_tool("add", {"a": 1, "b": 2})).structured_content in (4, {"result": 4})

    run(main)
    assert get_logger("x").name == "x" and base.UserMessage("a").role == "user"


def test_apps_and_routes(fake, run):
    httpx = pytest.importorskip("httpx")
    responses = pytest.importorskip("starlette.responses")
    app = FastMCP("d", stateless_http=True)

    @app.tool()
    async def one() -> int:
        return 1

    @app.custom_route("/health", methods=["GET"])
    async def health(request):
        return responses.PlainTextResponse("ok")

    async def main():
        for asgi in (app.streamable_http_app(), app.http_app(path="/mcp")):
            transport = httpx.ASGITransport(app=asgi)
            async with app.session_manager.run(), httpx.AsyncClient(transport=transport, base_url="http://t") as http:
                assert (await http.get("/health")).text == "ok"
                assert (await http.post("/mcp", json={"tool": "one"})).json() == ["complete", {"structuredContent": 1}]

    run(main)
    assert app._registry.options["legacy_sessions"] is False


def test_authentication_is_never_dropped_silently(fake):
    with pytest.raises(NotImplementedError, match="auth"):
        FastMCP("d", token_verifier=object(), auth=object())


def test_mistakes_are_not_passed_over(fake, run):
    app = FastMCP("d")
    with pytest.raises(TypeError, match="needs its URI"):
        app.resource(lambda: 1)
    with pytest.raises(TypeError, match="nope"):
        app.run("stdio", nope=1)
