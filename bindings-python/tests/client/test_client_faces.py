"""Both faces of a client, on every kind of target."""

import asyncio
import contextlib
import json

import omniport
import pytest
import servers
from omniport import Client, Server, SyncClient, types


@contextlib.asynccontextmanager
async def serving(app):
    ready = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(app.serve("http", port=0, on_ready=ready.set_result))
    yield f"http://{await ready}/mcp"
    app.stop(0)
    await task


async def exercise(client):
    assert client.server_info["name"] == "demo" and client.state == "ready"
    assert "add" in [tool.name for tool in await client.list_tools()]
    assert (await client.call_tool("add", {"a": 1})).structured_content in (3, {"result": 3})
    assert (await client.call_tool("fail")).is_error
    with pytest.raises(omniport.ToolError, match="read this"):
        await client.call_tool("fail", raise_on_error=True)
    with pytest.raises(omniport.Error, match="nope") as caught:
        await client.call_tool("nope")
    assert (caught.value.kind, caught.value.code) == ("remote", -32602)
    assert (await client.read_resource("text://me")).contents[0].text == "text of me"
    assert (await client.get_prompt("greet", {"name": "Ada"})).messages[0].content.text == "Greet Ada."
    assert [prompt.name for prompt in await client.list_prompts()] == ["greet"]
    assert [template.uri_template for template in await client.list_resource_templates()] == ["text://{name}"]
    assert (await client.list_resources()) == []
    page = await client.list_tools_page()
    assert isinstance(page, types.ListToolsResult) and page.tools[0].name == "add"
    assert (await client.request("call_tool", {"name": "pid"}))["content"]
    await client.ping()


def exercise_sync(client):
    assert isinstance(client, SyncClient) and client.server_info["name"] == "demo" and client.state == "ready"
    assert client.call_tool("add", {"a": 1}).structured_content in (3, {"result": 3})
    assert client.list_tools()[0].name == "add"
    seen = []
    assert client.call_tool("steps", on_progress=seen.append).structured_content in (3, {"result": 3})
    assert [step["progress"] for step in seen] == [1, 2, 3]  # X03: all of them before the call returned
    with pytest.raises(omniport.Error, match="nope"):
        client.call_tool("nope")


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_in_memory(run, era):
    async def main():
        async with Client(servers.loaded(), era=era) as client:
            await exercise(client)
        assert client.state == "closed"

    run(main)
    with Client(servers.loaded(), era=era) as client:
        exercise_sync(client)


def test_command(run, demo):
    async def main():
        async with Client(demo) as client:
            await exercise(client)

    run(main)
    with Client(demo, env={"X": "1"}, cwd="/") as client:
        exercise_sync(client)


def test_url(run):
    async def main():
        async with serving(servers.loaded()) as url:
            async with Client(url, headers={"X-Test": "1"}) as client:
                await exercise(client)
            async with Client({"type": "http", "url": url}) as client:
                await client.ping()
            await asyncio.to_thread(in_thread, url)

    def in_thread(url):
        with Client(url) as client:
            exercise_sync(client)

    run(main)


def test_entry_of_a_file(tmp_path, demo):
    place = tmp_path / "mcp.json"
    entry = {"command": demo[0], "args": demo[1:], "env": {"A": "b"}, "disabled": False}
    place.write_text(json.dumps({"mcpServers": {"one": entry, "two": {"url": "http://localhost:1/mcp"}}}))
    with Client.from_config(place, "one", timeout=20) as client:
        assert client.call_tool("add", {"a": 1}).structured_content in (3, {"result": 3})
    with Client.from_config({"mcpServers": {"one": entry}}) as client:
        client.ping()
    for config, name in ((place, None), (place, "three"), ({}, None)):
        with pytest.raises(omniport.DefinitionError), Client.from_config(config, name):
            pass
    place.write_text("{")
    with pytest.raises(omniport.DefinitionError, match="no JSON"), Client.from_config(place):
        pass


def test_what_cannot_be_connected_says_why():
    with pytest.raises(omniport.DefinitionError):
        Client(7)  # type: ignore[arg-type]
    with pytest.raises(omniport.errors.IoError, match="no-such-program") as caught, Client(["no-such-program-anywhere"]):
        pass
    assert caught.value.context["command"] == "no-such-program-anywhere"
    for entry in ({}, {"command": "a", "url": "b"}):
        with pytest.raises(omniport.DefinitionError, match="command"), Client(entry):
            pass


def test_pages():
    # T06: a listing is that of all pages; one page can be had alone.
    app = Server("pages", page_size=2)
    for number in range(5):
        app.add_tool(lambda: "x", name=f"tool_{number}")
    names = [f"tool_{number}" for number in range(5)]
    with Client(app) as client:
        assert [tool.name for tool in client.list_tools()] == names
        page, found = client.list_tools_page(), []
        while True:
            found += [tool.name for tool in page.tools]
            assert len(page.tools) <= 2
            if page.next_cursor is None:
                break
            page = client.list_tools_page(page.next_cursor)
        assert found == names


def test_options_are_checked():
    with Client(servers.loaded()) as client:
        with pytest.raises(TypeError, match="tmeout"):
            client.call_tool("add", {"a": 1}, tmeout=1)
        with pytest.raises(omniport.DefinitionError, match="timeout"):
            client.call_tool("add", {"a": 1}, timeout=-1)
        with pytest.raises(omniport.DefinitionError, match="no_such"):
            client.request("no_such")
    with pytest.raises(omniport.DefinitionError, match="no_such"), Client(servers.loaded(), limits={"no_such": 1}):
        pass
    with pytest.raises(omniport.Closed):
        client.ping()


def test_a_slow_call_is_no_dead_server(demo):
    # Y24: the limit of a call ends that call only.
    with Client(demo) as client:
        with pytest.raises(omniport.Timeout) as caught:
            client.call_tool("wait", timeout=0.2)
        assert caught.value.kind == "timeout" and "0.2" in str(caught.value)
        with pytest.raises(omniport.Timeout):
            client.call_tool("wait", timeout=5, total_timeout=0.2)
        assert client.call_tool("add", {"a": 1}).structured_content in (3, {"result": 3})
    with Client(demo, timeout=0.2) as client, pytest.raises(omniport.Timeout):
        client.call_tool("wait")
