"""The package on the real engine: stdio and HTTP from outside, and in memory."""

import asyncio
import json
import subprocess
import sys
import textwrap
import time

import pytest

SERVER = """
import sys
from omniport import Context, Server, ToolError
app = Server("demo", "1.0")

@app.tool
def add(a: int, b: int = 2) -> int:
    "Add two numbers."
    print("stray", flush=True)
    return a + b

@app.tool
async def shout(text: str, cx: Context) -> str:
    await cx.info("shouting")
    return text.upper()

@app.tool
def fail() -> int:
    raise ToolError("read this")

@app.tool
def leave() -> int:
    sys.exit(3)

@app.resource("text://{name}")
def text(name: str) -> str:
    return f"text of {name}"

@app.prompt
def greet(name: str) -> str:
    return f"Greet {name}."

if __name__ == "__main__":
    app.run(*sys.argv[1:2])
"""


@pytest.fixture
def script(tmp_path):
    place = tmp_path / "server.py"
    place.write_text(textwrap.dedent(SERVER))
    return place


def load(script):
    scope = {"__name__": "server"}
    exec(compile(script.read_text(), str(script), "exec"), scope)
    return scope["app"]


async def exercise(client):
    assert client.server_info["name"] == "demo"
    assert [tool.name for tool in await client.list_tools()] == ["add", "shout", "fail", "leave"]
    assert (await client.call_tool("add", {"a": 1})).structured_content in (3, {"result": 3})
    assert (await client.call_tool("shout", {"text": "x"})).content[0].text == "X"
    result = await client.call_tool("fail")
    assert result.is_error and result.content[0].text == "read this"
    wrong = await client.call_tool("add", {"a": "one"})
    assert wrong.is_error and "a" in wrong.content[0].text
    assert (await client.call_tool("leave")).is_error  # P11: the server lives on
    assert (await client.read_resource("text://me")).contents[0].text == "text of me"
    assert (await client.get_prompt("greet", {"name": "Ada"})).messages[0].content.text == "Greet Ada."
    await client.ping()


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_in_memory(run, script, era):
    from omniport import Client

    async def main():
        async with Client(load(script), era=era) as client:
            await exercise(client)

    run(main)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_stdio(run, script, era):
    from omniport import Client

    async def main():
        async with Client([sys.executable, str(script)], era=era) as client:
            await exercise(client)

    run(main)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_http(run, script, era):
    from omniport import Client

    async def main():
        app = load(script)
        ready = asyncio.get_running_loop().create_future()
        serving = asyncio.ensure_future(app.serve("http", port=0, on_ready=ready.set_result))
        async with Client(f"http://{await ready}/mcp", era=era) as client:
            await exercise(client)
        app.stop(0)
        await serving

    run(main)


def test_stdio_ends_with_its_input(script):
    # P13: nothing but messages on stdout, and a clean exit when the client closes the pipe.
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    done = subprocess.run([sys.executable, str(script)], input=line, capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["id"] == 1


def test_import_and_start_are_quick(script):
    # P10, reported rather than bounded: a busy machine must not fail the suite.
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import omniport"], check=True)
    print(f"import omniport: {time.perf_counter() - began:.3f} s with the interpreter's own start")
    code = "import sys, omniport; assert not {'pydantic', 'omniport.client', 'omniport.types', 'omniport._asgi'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
