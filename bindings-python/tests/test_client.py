"""The client on the fake engine."""

import asyncio

import omniport
import pytest
from omniport import Client, Context, Image, Server

pytest.importorskip("omniport.types")


def make():
    app = Server("t")

    @app.tool
    async def add(a: int, b: int) -> int:
        return a + b

    @app.tool
    async def wait(cx: Context) -> int:
        await asyncio.Event().wait()
        return 1

    @app.tool
    def fail() -> int:
        raise ValueError("x")

    @app.tool
    def picture() -> Image:
        return Image(b"x")

    app.add_resource("text://a", "hi")
    return app


def test_requests(fake, run):
    seen = []

    async def main():
        async with Client(make(), on_progress=seen.append) as client:
            assert client.server_info["name"] == "t" and client.protocol_version == "v"
            result = await client.call_tool("add", {"a": 1, "b": 2})
            assert result.structured_content == 3 and result.content[0].text == "3"
            assert [tool.name for tool in await client.list_tools()] == ["add", "wait", "fail", "picture"]
            assert (await client.read_resource("text://a")).contents[0].text == "hi"
            assert (await client.call_tool("picture")).content[0].data == "eA=="
            assert (await client.call_tool("fail")).is_error
            with pytest.raises(omniport.ToolError, match="x"):
                await client.call_tool("fail", raise_on_error=True)
            with pytest.raises(omniport.InvalidParams):
                await client.call_tool("nope")
            await client.ping()
        assert seen == [{"progress": 1}] * 4
        with pytest.raises(omniport.Closed):
            await client.ping()
        await client.close()

    run(main)


def test_cancelling_the_wait_cancels_the_request(fake, run):
    async def main():
        async with Client(make()) as client:
            call = asyncio.ensure_future(client.call_tool("wait"))
            await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert client._native.cancelled == [2]

    run(main)


def test_closing_fails_what_waits(fake, run):
    # C10: closed by another task than the one that opened it.
    async def main():
        client = Client(make())
        await asyncio.ensure_future(client.connect())
        call = asyncio.ensure_future(client.call_tool("wait"))
        await asyncio.sleep(0.01)
        await asyncio.ensure_future(client.close())
        with pytest.raises(omniport.Closed):
            await call

    run(main)


def test_questions_of_the_server(fake, run):
    async def sample(params):
        return f"answer to {params['x']}"

    async def main():
        client = Client(make(), on_sample=sample, on_elicit=lambda params: {"name": "Ada"}, roots=["file:///a"])
        async with client:
            native = client._native
            assert native.options["capabilities"] == {"sampling": {}, "elicitation": {}, "roots": {}}
            for number, text in ((7, b'{"sample":{"x":1}}'), (8, b'{"elicit":{}}'), (9, b'{"roots":{}}')):
                native.push(fake.RESULT, number, 4, text)
            while len(native.answers) < 3:
                await asyncio.sleep(0.001)
            assert native.answers == {
                7: {"result": {"role": "assistant", "content": {"type": "text", "text": "answer to 1"}, "model": "unknown"}},
                8: {"result": {"action": "accept", "content": {"name": "Ada"}}},
                9: {"result": {"roots": [{"uri": "file:///a"}]}},
            }
        async with Client(make()) as client:
            client._native.push(fake.RESULT, 7, 4, b'{"roots":{}}')
            while not client._native.answers:
                await asyncio.sleep(0.001)
            assert client._native.answers[7]["error"]["kind"] == "method_not_found"

    run(main)


def test_pages_that_do_not_end(fake, run, monkeypatch):
    # T06
    async def main():
        async with Client(make()) as client:
            pages = iter([b'{"tools":[],"nextCursor":""}', b'{"tools":[],"nextCursor":""}'])

            async def request(what, params):
                return next(pages)

            monkeypatch.setattr(client, "request", request)
            with pytest.raises(omniport.Error, match="cursor"):
                await client.list_tools()

    run(main)
