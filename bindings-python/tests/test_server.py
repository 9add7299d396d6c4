"""Registration, resources, prompts, completions, hooks, run-time changes, on the fake engine."""

import asyncio
import json
import os
import signal
import sys
from dataclasses import dataclass

import omniport
import pytest
from omniport import Context, DefinitionError, EmbeddedResource, Image, Principal, Server


async def ask(engine, kind, slot, text):
    future = asyncio.get_running_loop().create_future()
    loop = asyncio.get_running_loop()
    engine.event(kind, slot, text, lambda outcome: loop.call_soon_threadsafe(future.set_result, outcome))
    return await future


def test_definitions(fake):
    app = Server("t", "1.2", title="T", instructions="Do.", rate=(10, 60), limits={"in_flight": 5})

    @app.tool(name="sum", title="Sum", annotations={"readOnlyHint": True}, meta={"a": 1}, timeout=5, rate=(1, 2), once=True)
    def add(a: int, b: int = 1) -> int:
        """Add.

        Args:
            a: the first
        """
        return a + b

    engine = app._registry.engine()
    assert engine.options == {
        "name": "t", "version": "1.2", "title": "T", "instructions": "Do.", "limits": {"in_flight": 5}, "rate": {"calls": 10, "per": 60},
    }  # fmt: skip
    assert engine.tools["sum"][1] == {
        "name": "sum",
        "title": "Sum",
        "description": "Add.",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "integer", "description": "the first"}, "b": {"type": "integer", "default": 1}},
            "required": ["a"],
        },
        "outputSchema": {"type": "integer"},
        "annotations": {"readOnlyHint": True},
        "_meta": {"a": 1},
        "options": {"timeout": 5, "rate": {"calls": 1, "per": 2}, "once": True},
    }


def test_ways_to_decorate(fake):
    app = Server("t")

    @app.tool
    def bare(): ...

    @app.tool()
    def called(): ...

    @app.tool("named")
    def other(): ...

    assert list(app._registry.engine().tools) == ["bare", "called", "named"]
    with pytest.raises(DefinitionError, match="lambda"):
        app.tool(lambda: 1)
    with pytest.raises(DefinitionError, match="no blanks"):
        app.add_tool(bare, name="bad name")
    assert app.remove_tool("named") and not app.remove_tool("named")


def test_a_schema_of_the_users_own_is_published(fake):
    app = omniport.Server("demo")
    schema = {"type": "object", "$defs": {"a": {"$anchor": "a"}}, "properties": {"a": {"type": "string"}}, "anyOf": [{}]}

    @app.tool(input_schema=schema)
    def tool(a: str = "") -> str:
        return a

    assert app._registry.get("tool", "tool").definition["inputSchema"] == schema


def test_lenient_tools_are_unchecked(fake, run):
    app = Server("t")

    @app.tool(lenient=True)
    async def f(tags: list[str]) -> int:
        return len(tags)

    async def main():
        async with app._runner.running() as pump:
            slot, made = pump.engine.tools["f"]
            assert made["options"] == {"unchecked": True}
            assert made["inputSchema"]["properties"]["tags"] == {"type": "array", "items": {"type": "string"}}
            assert await ask(pump.engine, fake.CALL, slot, {"tags": '["a","b"]'}) == ("complete", {"structuredContent": 2})
            outcome = await ask(pump.engine, fake.CALL, slot, {"tags": "x"})
            assert outcome[:2] == ("fail", "tool") and "$.tags" in outcome[3]

    run(main)


@dataclass
class Point:
    x: int


def test_resources(fake, run):
    app = Server("t")

    @app.resource("text://a", mime_type="text/markdown")
    def text() -> str:
        "A text."
        return "hi"

    @app.resource("bytes://a")
    async def data() -> bytes:
        return b"hi"

    @app.resource("user://{name}/{number}{?page}")
    async def user(cx: Context, name: str, number: int, page: int = 1) -> dict:
        return {"name": name, "number": number, "page": page}

    @app.resource("many://a")
    def many():
        return [EmbeddedResource("many://a/1", text="1"), {"uri": "many://a/2", "text": "2"}]

    app.add_resource("fixed://a", "fixed")
    app.add_resource("image://a", lambda: Image(b"x"), name="image")

    async def main():
        async with app._runner.running() as pump:
            engine = pump.engine

            async def read(uri, slot, **variables):
                kind, *rest = await ask(engine, fake.READ, slot, {"uri": uri, "variables": variables})
                return rest[0]["contents"] if kind == "complete" else rest

            slots = {uri: slot for uri, (slot, _) in {**engine.resources, **engine.templates}.items()}
            assert engine.resources["text://a"][1] == {
                "uri": "text://a", "name": "text", "description": "A text.", "mimeType": "text/markdown",
            }  # fmt: skip
            assert await read("text://a", slots["text://a"]) == [{"uri": "text://a", "mimeType": "text/markdown", "text": "hi"}]
            assert await read("bytes://a", slots["bytes://a"]) == [
                {"uri": "bytes://a", "mimeType": "application/octet-stream", "blob": "aGk="}
            ]
            found = await read("user://a/5", slots["user://{name}/{number}{?page}"], name="a", number="5")
            assert json.loads(found[0]["text"]) == {"name": "a", "number": 5, "page": 1} and found[0]["uri"] == "user://a/5"
            bad = await read("user://a/x", slots["user://{name}/{number}{?page}"], name="a", number="x")
            assert bad[0] == "invalid_params" and "$.number" in bad[2]
            assert [item["uri"] for item in await read("many://a", slots["many://a"])] == ["many://a/1", "many://a/2"]
            assert (await read("fixed://a", slots["fixed://a"]))[0]["text"] == "fixed"
            assert (await read("image://a", slots["image://a"]))[0]["mimeType"] == "image/png"
            app.resource_updated("text://a")
            assert engine.notices[-1] == (0, {"updated": "text://a"})

    run(main)


def test_variables_and_parameters_have_to_match(fake):
    app = Server("t")
    with pytest.raises(DefinitionError, match="`b`"):
        app.resource("x://{a}/{b}")(lambda a: "")
    with pytest.raises(DefinitionError, match="`b`"):
        app.resource("x://{a}")(lambda a, b: "")
    with pytest.raises(DefinitionError, match="URI"):
        app.resource(lambda: "")


def test_prompts(fake, run):
    app = Server("t")

    @app.prompt
    def review(code: str, lines: int = 3, options: list[str] | None = None) -> str:
        """Review it.

        Args:
            code: the code
        """
        return f"{code} {lines + 1} {options}"

    @app.prompt("talk", title="Talk")
    async def talk():
        return [{"role": "assistant", "content": "hi"}, "yes", Image(b"x")]

    async def main():
        async with app._runner.running() as pump:
            engine = pump.engine
            slot, made = engine.prompts["review"]
            assert made == {
                "name": "review",
                "description": "Review it.",
                "arguments": [
                    {"name": "code", "description": "the code", "required": True},
                    {"name": "lines"},
                    {"name": "options"},
                ],
            }
            outcome = await ask(engine, fake.GET, slot, {"code": "x", "lines": "4", "options": '["a"]'})
            assert outcome[1]["messages"] == [{"role": "user", "content": {"type": "text", "text": "x 5 ['a']"}}]
            assert outcome[1]["description"] == "Review it."
            messages = (await ask(engine, fake.GET, engine.prompts["talk"][0], {}))[1]["messages"]
            assert [message["role"] for message in messages] == ["assistant", "user", "user"]
            assert messages[2]["content"]["type"] == "image"

    run(main)


def test_completions(fake, run):
    # Y23
    app = Server("t")

    @app.prompt
    def greet(name: str, place: str = "") -> str:
        return name

    @app.completion(greet, "name")
    def names(value: str) -> list[str]:
        return [name for name in ("ada", "bob") if name.startswith(value)]

    @app.completion("place://{p}", "p")
    async def places(value, arguments):
        return {"values": [arguments.get("name", "?")], "hasMore": False}

    async def main():
        async with app._runner.running() as pump:
            engine = pump.engine
            first, second = (slot for slot, _ in engine.completions.values())
            assert list(engine.completions) == [(b'{"prompt":"greet"}', "name"), (b'{"template":"place://{p}"}', "p")]
            assert (await ask(engine, fake.COMPLETE, first, {"argument": "name", "value": "a"}))[1] == {"values": ["ada"]}
            outcome = await ask(engine, fake.COMPLETE, second, {"argument": "p", "value": "", "arguments": {"name": "x"}})
            assert outcome[1] == {"values": ["x"], "hasMore": False}

    run(main)


@pytest.mark.parametrize("said", [False, None, {"authenticated": False}, {"subject": ""}, {"subject": 5}, True, "yes"])
def test_only_an_explicit_subject_lets_in(fake, run, said):
    # X12
    app = Server("t", auth=lambda headers: said)

    async def main():
        async with app._runner.running() as pump:
            outcome = await ask(pump.engine, fake.AUTHENTICATE, 0, {"headers": {"authorization": "x"}})
            assert outcome[:2] == ("fail", "refused")

    run(main)


def test_hooks(fake, run):
    seen = []

    async def auth(headers):
        return Principal(headers["authorization"])

    def visible(cx, kind, names):
        return [name for name in names if name != "secret"]

    async def on_event(event):
        seen.append(event)

    app = Server("t", auth=auth, visible=visible, audit=seen.append, on_event=on_event)

    async def main():
        async with app._runner.running() as pump:
            engine = pump.engine
            assert engine.options["auth"] and engine.options["visibility"] and engine.options["audit"]
            assert (await ask(engine, fake.AUTHENTICATE, 0, {"headers": {"authorization": "me"}}))[1]["subject"] == "me"
            assert (await ask(engine, fake.VISIBLE, 0, {"kind": "tools", "names": ["a", "secret"]}))[1] == ["a"]
            engine.event(fake.AUDIT, 0, {"name": "a"})
            engine.event(fake.EVENT, 0, {"event": "roots_changed"})
            while len(seen) < 2:
                await asyncio.sleep(0.001)

    run(main)
    assert {"name": "a"} in seen and {"event": "roots_changed"} in seen


def test_lifespan_covers_the_calls(fake, run):
    steps = []

    async def lifespan(server):
        steps.append(server.name)
        yield {"db": 1}
        steps.append("closed")

    app = Server("t", lifespan=lifespan)

    @app.tool
    async def use(cx: Context) -> int:
        return cx.lifespan["db"]

    async def main():
        async with app._runner.running() as pump:
            assert (await ask(pump.engine, fake.CALL, pump.engine.tools["use"][0], {}))[1] == {"structuredContent": 1}
            assert steps == ["t"]

    run(main)
    assert steps == ["t", "closed"]


def test_context_facts(fake, run):
    app = Server("t")

    @app.tool
    async def facts(cx: Context) -> None:
        assert cx.headers == {"x": "1"} and cx.principal.subject == "me" and cx.session_id == "s"
        assert cx.request_id == 1 and cx.client == {"name": "c"} and cx.protocol_version == "v" and cx.meta == {} and not cx.resumed
        assert omniport.get_context() is cx
        cx.close_stream()

    async def main():
        async with app._runner.running() as pump:
            pump.engine.facts = {"headers": {"x": "1"}, "principal": {"subject": "me"}, "session_id": "s"}
            assert (await ask(pump.engine, fake.CALL, pump.engine.tools["facts"][0], {}))[0] == "complete"
            assert pump.engine.notices == [(1, {"closed": True})]

    run(main)
    with pytest.raises(omniport.Error):
        omniport.get_context()


def test_tools_come_and_go_at_run_time(fake, run):
    app = Server("t")

    async def main():
        async with app._runner.running() as pump:
            app.add_tool(lambda: 1, name="late")
            assert (await ask(pump.engine, fake.CALL, pump.engine.tools["late"][0], {}))[0] == "complete"
            app.remove_tool("late")
            assert pump.engine.tools == {}

    run(main)


def test_serve_ends_when_stopped_and_starts_anew(fake, run):
    app = Server("t")
    app.add_tool(lambda: 1, name="one")
    addresses = []

    async def main():
        for _ in range(2):
            serving = asyncio.ensure_future(app.serve("http", on_ready=addresses.append))
            while len(addresses) == 0 or app._runner.pump is None:
                await asyncio.sleep(0.001)
            assert list(app._runner.pump.engine.tools) == ["one"]
            app.stop(0)
            await serving
            addresses.clear()

    run(main)
    with pytest.raises(ValueError, match="transport"):
        run(app.serve, "carrier pigeon")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_drain_and_return(fake, number):
    app = Server("t")
    before = signal.getsignal(number)
    app.run("http", on_ready=lambda _: os.kill(os.getpid(), number))
    assert signal.getsignal(number) is before


def test_run_inside_a_loop_names_the_way_out(fake, run):
    async def main():
        with pytest.raises(omniport.RuleError, match="await"):
            Server("t").run()

    run(main)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_fork(fake, run):
    # P12
    app = Server("t")
    app.add_tool(lambda: 1, name="one")

    def in_child(check):
        pid = os.fork()
        if pid == 0:
            try:
                check()
                os._exit(0)
            except BaseException:
                os._exit(1)
        return os.waitpid(pid, 0)[1]

    registered = app._registry.engine()
    assert in_child(lambda: None if app._registry.engine() is not registered else 1 / 0) == 0

    def refused():
        with pytest.raises(omniport.RuleError, match="fork"):
            app._registry.engine()

    async def main():
        async with app._runner.running():
            assert in_child(refused) == 0

    run(main)
