"""Handlers on the fake engine: dispatch, threads, cancellation, failures, context."""

import asyncio
import contextvars
import functools
import logging
import sys
import threading
import time
from dataclasses import dataclass
from typing import Annotated

import omniport
import pytest
from omniport import Context, Depends, Error, Server, ToolError

variable = contextvars.ContextVar("variable", default="unset")


class Bench:
    """A served app and a way to call it."""

    def __init__(self, app, pump):
        self.app, self.pump, self.engine = app, pump, pump.engine

    async def call(self, name, **arguments):
        future = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()
        self.token = self.engine.call(name, arguments, lambda outcome: loop.call_soon_threadsafe(future.set_result, outcome))
        return await future


@pytest.fixture
def serve(fake, run):
    def go(app, test):
        async def main():
            async with app._runner.running() as pump:
                return await test(Bench(app, pump))

        return run(main)

    return go


def test_sync_and_async_handlers_answer(serve):
    app = Server("t")

    @app.tool
    def add(a: int, b: int = 2) -> int:
        "Add."
        return a + b

    @app.tool
    async def shout(text: str) -> str:
        return text.upper()

    @app.tool(run_in_thread=False)
    def where() -> bool:
        return threading.current_thread() is threading.main_thread()

    async def test(bench):
        assert await bench.call("add", a=1) == ("complete", {"structuredContent": 3})
        assert await bench.call("shout", text="x") == ("complete", {"structuredContent": "X"})
        assert await bench.call("where") == ("complete", {"structuredContent": True})
        assert bench.engine.flushes > 0

    serve(app, test)
    assert add(1, 1) == 2


def test_blocking_tools_run_side_by_side(serve):
    # P01: three blocking calls at once need as long as one of them; here they can only end together.
    app = Server("t")
    barrier = threading.Barrier(3, timeout=5)

    @app.tool
    def meet() -> int:
        barrier.wait()
        return 1

    async def test(bench):
        outcomes = await asyncio.gather(*(bench.call("meet") for _ in range(3)))
        assert outcomes == [("complete", {"structuredContent": 1})] * 3

    serve(app, test)


def test_context_variables_reach_both_kinds(serve):
    # H15, P01
    app = Server("t")

    @app.tool
    def there() -> str:
        return variable.get()

    @app.tool
    async def here() -> str:
        return variable.get()

    async def test(bench):
        assert (await bench.call("there"))[1]["structuredContent"] == "mine"
        assert (await bench.call("here"))[1]["structuredContent"] == "mine"

    variable.set("mine")
    serve(app, test)


CYCLE: list[object] = []
CYCLE.append(CYCLE)


class Hostile(Exception):
    """Cannot be looked at in any way."""

    def __getattribute__(self, name):
        raise RuntimeError("no")


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no")

    __repr__ = __str__


def recurse():
    return recurse()


@pytest.mark.parametrize(
    ("problem", "kind", "text"),
    [
        (lambda: ValueError("x"), "internal", "x"),
        (lambda: ToolError("do this"), "tool", "do this"),
        (lambda: SystemExit(3), "internal", "exit code 3"),
        (lambda: KeyboardInterrupt(), "internal", "interrupted"),
        (lambda: asyncio.CancelledError(), "internal", "cancelled"),
        (lambda: Unprintable(), "internal", "<Unprintable>"),
        (lambda: KeyError("k"), "internal", "KeyError: 'k'"),
        (lambda: ValueError(), "internal", "ValueError"),
        (lambda: Error("mine", code=-32001, data={"a": 1}), "protocol", "mine"),
        (lambda: omniport.NotFound("gone"), "not_found", "gone"),
        (lambda: GeneratorExit(), "internal", "GeneratorExit"),
        (lambda: ValueError("a\udce9"), "internal", "a?"),
        (lambda: Hostile(), "internal", "Hostile"),
        (lambda: Error("m", code=2**70, data=CYCLE), "remote", "m"),
    ],
)
@pytest.mark.parametrize("style", ["async", "thread", "inline"])
def test_no_exception_ends_the_server(serve, problem, kind, text, style):
    # P11
    app = Server("t")
    if style == "async":

        @app.tool
        async def fail() -> int:
            raise problem()

    else:

        @app.tool(run_in_thread=style == "thread")
        def fail() -> int:
            raise problem()

    @app.tool
    async def ping() -> int:
        return 1

    async def test(bench):
        outcome = await bench.call("fail")
        assert outcome[0] == "fail" and outcome[1] == kind and text in outcome[3]
        if kind == "protocol":
            assert outcome[2] == -32001 and outcome[4] == {"a": 1}
        assert (await bench.call("ping"))[0] == "complete"

    serve(app, test)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with 3.11")
def test_groups_and_recursion(serve):
    app = Server("t")

    @app.tool
    async def group() -> int:
        raise ExceptionGroup("several", [ValueError("one"), TypeError("two")])  # noqa: F821

    @app.tool
    def deep() -> int:
        return recurse()

    async def test(bench):
        assert "one; two" in (await bench.call("group"))[3]
        assert "recursion" in (await bench.call("deep"))[3]

    serve(app, test)


def test_arguments_are_not_logged(serve, caplog):
    # Security 47
    app = Server("t")

    @app.tool
    async def secret(word: str) -> int:
        raise ValueError("a fault of its own")

    async def test(bench):
        await bench.call("secret", word="MARKER")

    with caplog.at_level(logging.DEBUG):
        serve(app, test)
    assert "fault of its own" in caplog.text and "MARKER" not in caplog.text


def test_cancellation_goes_both_ways(serve):
    app = Server("t")
    seen = []
    started = threading.Event()

    @app.tool
    async def endless() -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("async")
            raise
        return 1

    @app.tool
    def blocking(cx: Context) -> int:
        started.set()
        while not cx.cancelled:
            time.sleep(0.001)
        seen.append("thread")
        return 1

    @app.tool
    def asking(cx: Context) -> int:
        try:
            cx.run(cx.elicit("?"))
        except omniport.Cancelled:
            seen.append("asking")
        return 1

    async def test(bench):
        engine = bench.engine
        token = engine.call("endless", {})
        engine.cancel(token)  # in one batch with its call (W10)
        token = engine.call("endless", {})
        await asyncio.sleep(0.01)
        engine.cancel(token)
        engine.cancel(token)
        token = engine.call("blocking", {})
        await asyncio.to_thread(started.wait, 5)
        engine.cancel(token)
        token = engine.call("asking", {})
        while not engine.questions:
            await asyncio.sleep(0.001)
        engine.cancel(token)
        while len(seen) < 3:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        assert bench.pump._running == {} and engine.outcomes == {}

    serve(app, test)
    assert set(seen) == {"asking", "async", "thread"}  # an eager task may see the first cancellation too


@dataclass
class Form:
    name: str
    age: int | None = None


def test_questions(serve):
    app = Server("t")

    @app.tool
    async def ask(cx: Context) -> str:
        first, second = await asyncio.gather(cx.elicit("Who?", Form), cx.elicit("Sure?"))
        return f"{first.action} {first.content} {second.action} {second.content}"

    @app.tool
    def ask_blocking(cx: Context) -> str:
        answer = cx.run(cx.elicit("Pick", ["a", "b"]))
        return f"{answer.action} {answer.data}"

    @app.tool
    async def roots(cx: Context) -> int:
        return len(await cx.list_roots())

    @app.tool
    async def sample(cx: Context) -> str:
        return (await cx.sample("Hi", max_tokens=5)).text

    async def test(bench):
        engine = bench.engine
        call = asyncio.ensure_future(bench.call("ask"))
        while len(engine.questions) < 2:
            await asyncio.sleep(0.001)
        schema = engine.questions[0][2]["elicit"]["requestedSchema"]
        assert schema["properties"] == {"name": {"type": "string"}, "age": {"type": "integer"}} and schema["required"] == ["name"]
        flushes = engine.flushes
        engine.answer(0, {"action": "accept", "content": {"name": "Ada"}})
        while engine.flushes == flushes:  # the engine asks again what the client left open
            await asyncio.sleep(0.001)
        engine.answer(1, {"action": "reject"})  # Y17: nobody knows this action
        assert (await call)[1]["structuredContent"] == "accept Form(name='Ada', age=None) cancel None"
        call = asyncio.ensure_future(bench.call("ask_blocking"))
        while len(engine.questions) < 3:
            await asyncio.sleep(0.001)
        engine.answer(2, {"action": "accept", "content": {"value": "b"}})
        assert (await call)[1]["structuredContent"] == "accept b"
        outcome = await bench.call("roots")
        assert outcome[1:3] == ("protocol", -32021)
        call = asyncio.ensure_future(bench.call("sample"))
        while len(engine.questions) < 4:
            await asyncio.sleep(0.001)
        assert engine.questions[3][2]["sample"]["messages"] == [{"role": "user", "content": {"type": "text", "text": "Hi"}}]
        engine.answer(3, {"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "m"})
        assert (await call)[1]["structuredContent"] == "Hello"

    serve(app, test)


def test_notices_may_be_awaited_or_not(serve):
    app = Server("t")
    logger = logging.getLogger("my.code")
    logger.setLevel(logging.INFO)

    @app.tool
    async def tell(cx: Context) -> None:
        cx.progress(1, 2)
        await cx.progress(2, 2, "done")
        await cx.info("hi", logger="l")
        logger.warning("from %s", "logging")

    @app.tool
    def tell_from_thread(cx: Context) -> None:
        cx.debug({"a": 1})

    handler = omniport.logging.Handler()
    logger.addHandler(handler)

    async def test(bench):
        assert await bench.call("tell") == ("complete", {"content": []})
        await bench.call("tell_from_thread")
        assert [notice for _, notice in bench.engine.notices] == [
            {"progress": 1, "total": 2},
            {"progress": 2, "total": 2, "message": "done"},
            {"level": "info", "data": "hi", "logger": "l"},
            {"level": "warning", "data": "from logging", "logger": "my.code"},
            {"level": "debug", "data": {"a": 1}},
        ]

    try:
        serve(app, test)
    finally:
        logger.removeHandler(handler)


def test_steps_run_once(serve):
    app = Server("t")
    runs = []

    def effect(word):
        runs.append(word)
        return (word, 1)

    @app.tool
    async def work(cx: Context) -> list:
        return await cx.step("effect", effect, "x")

    async def test(bench):
        first, second = await bench.call("work"), await bench.call("work")
        assert first == second == ("complete", {"structuredContent": ["x", 1]})

    serve(app, test)
    assert runs == ["x"]


def test_dependencies_are_made_once_and_cleaned_up(serve):
    app = Server("t")
    seen = []

    def settings():
        seen.append("settings")
        return {"a": 1}

    async def session(cx: Context, settings: Annotated[dict, Depends(settings)]):
        seen.append("open")
        try:
            yield (cx.request_id, settings)
        finally:
            seen.append("close")

    def plain(settings=Depends(settings)):
        yield settings["a"]
        seen.append("plain closed")

    @app.tool
    async def both(n: int, session=Depends(session), plain: int = Depends(plain)) -> int:
        seen.append("run")
        return n + session[1]["a"] + plain

    @app.tool
    def threaded(session=Depends(session)) -> bool:
        return threading.current_thread() is not threading.main_thread()

    @app.tool
    def blocking(plain: int = Depends(plain)) -> int:
        return plain

    async def test(bench):
        assert bench.engine.tools["both"][1]["inputSchema"]["properties"] == {"n": {"type": "integer"}}
        assert await bench.call("both", n=1) == ("complete", {"structuredContent": 3})
        assert seen == ["settings", "open", "run", "plain closed", "close"]
        assert await bench.call("threaded") == ("complete", {"structuredContent": True})
        assert await bench.call("blocking") == ("complete", {"structuredContent": 1})

    serve(app, test)


def test_shapes_of_callables(serve):
    app = Server("t")

    class Thing:
        def __init__(self, factor):
            self.factor = factor

        def method(self, a: int) -> int:
            return a * self.factor

        @classmethod
        def made(cls, a: int) -> str:
            return f"{cls.__name__}{a}"

        @staticmethod
        def static(a: int) -> int:
            return -a

        async def __call__(self, a: int) -> int:
            return a + self.factor

    def three(a: int, b: int, *, c: int = 0) -> int:
        return a * 100 + b * 10 + c

    def wrapped(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return function(*args, **kwargs) + 1

        return inner

    thing = Thing(3)
    app.add_tool(thing.method)
    app.add_tool(Thing.made)
    app.add_tool(Thing.static)
    app.add_tool(thing, name="object")
    app.add_tool(functools.partial(three, 1, c=5), name="partial")
    app.add_tool(wrapped(three), name="wrapped")
    app.add_tool(lambda a=1: a, name="lambda")

    @app.tool
    def count(n: int, /, cx: Context, step: int = 1):
        yield from range(0, n, step)

    @app.tool
    async def stream(cx: Context, n: int) -> list[int]:
        for number in range(n):
            yield number

    async def test(bench):
        async def value(name, **arguments):
            return (await bench.call(name, **arguments))[1]

        assert await value("method", a=2) == {"structuredContent": 6}
        assert await value("made", a=2) == {"structuredContent": "Thing2"}
        assert await value("static", a=2) == {"structuredContent": -2}
        assert await value("object", a=2) == {"structuredContent": 5}
        assert await value("partial", b=2) == {"structuredContent": 125}
        assert await value("wrapped", a=1, b=2, c=3) == {"structuredContent": 124}
        assert await value("lambda") == {"content": [{"type": "text", "text": "1"}]}
        assert await value("count", n=3) == {"content": [{"type": "text", "text": "[0,1,2]"}]}
        assert (await bench.call("stream", n=2))[1]["structuredContent"] == [0, 1]

    serve(app, test)


def test_plain_function_that_returns_a_coroutine(serve):
    app = Server("t")

    async def later() -> int:
        await asyncio.sleep(0)
        return 7

    app.add_tool(lambda: later(), name="threaded")
    app.add_tool(lambda: later(), name="inline", run_in_thread=False)

    async def test(bench):
        assert (await bench.call("threaded"))[1] == {"content": [{"type": "text", "text": "7"}]}
        assert (await bench.call("inline"))[1] == {"content": [{"type": "text", "text": "7"}]}

    serve(app, test)


@pytest.mark.parametrize("kind", ["uvloop", "no reader"])
def test_other_loops(fake, kind):
    app = Server("t")

    @app.tool
    async def one() -> int:
        return 1

    async def main():
        loop = asyncio.get_running_loop()
        if kind == "no reader":  # as the Proactor loop of Windows
            loop.add_reader = lambda *_: (_ for _ in ()).throw(NotImplementedError())
        async with app._runner.running() as pump:
            for _ in range(3):
                assert await Bench(app, pump).call("one") == ("complete", {"structuredContent": 1})

    loop = pytest.importorskip("uvloop").new_event_loop() if kind == "uvloop" else asyncio.new_event_loop()
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()


def test_loop_in_a_thread_and_twice(fake):
    # P12: one server object, served again by another loop after the first has ended.
    app = Server("t")

    @app.tool
    async def one() -> int:
        return 1

    outcomes = []

    async def main():
        async with app._runner.running() as pump:
            outcomes.append(await Bench(app, pump).call("one"))

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    thread.join()
    asyncio.run(main())
    assert outcomes == [("complete", {"structuredContent": 1})] * 2


def test_second_loop_is_refused(fake, run):
    app = Server("t")

    async def main():
        async with app._runner.running():

            def other():
                async def enter():
                    await app._runner.enter()

                with pytest.raises(omniport.RuleError, match="another event loop"):
                    asyncio.run(enter())

            await asyncio.to_thread(other)

    run(main)


def test_slow_inline_handlers_leave_room_for_the_loop(serve):
    app = Server("t")

    @app.tool(run_in_thread=False)
    def slow() -> int:
        time.sleep(0.003)
        return 1

    async def test(bench):
        turns = []
        tokens = [bench.engine.call("slow", {}) for _ in range(5)]
        while tokens[-1] not in bench.engine.outcomes:
            turns.append(len(bench.engine.outcomes))
            await asyncio.sleep(0)
        assert len(set(turns)) > 2  # other callbacks ran between them

    serve(app, test)


def test_handlers_clean_up_before_the_lifespan_ends(fake):
    steps = []

    async def lifespan():
        yield
        steps.append("lifespan")

    app = Server("t", lifespan=lifespan)

    @app.tool
    async def endless() -> int:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            steps.append("handler")
        return 1

    async def main():
        async with app._runner.running() as pump:
            pump.engine.call("endless", {})
            await asyncio.sleep(0.01)

    asyncio.run(main())
    assert steps == ["handler", "lifespan"]


def test_an_event_that_cannot_be_handled_loses_no_other(serve, caplog):
    app = Server("t")

    @app.tool
    async def one() -> int:
        return 1

    async def test(bench):
        bench.engine.push(0, 999, 999, b"{}")
        assert await bench.call("one") == ("complete", {"structuredContent": 1})
        assert bench.engine.outcomes[999][:2] == ("fail", "internal")

    serve(app, test)
    assert "unknown handler 999" in caplog.text


def test_many_blocking_calls_use_few_threads_when_they_are_short(serve):
    app = Server("t")
    names = set()

    @app.tool
    def short() -> int:
        names.add(threading.current_thread().name)
        return 1

    async def test(bench):
        await asyncio.gather(*(bench.call("short") for _ in range(500)))

    serve(app, test)
    assert len(names) <= 40


def test_classes_as_dependencies(serve):
    app = Server("t")

    class Settings:
        def __init__(self, cx: Context):
            self.id = cx.request_id

    @app.tool
    async def use(settings: Annotated[Settings, Depends(Settings)]) -> int:
        return settings.id

    async def test(bench):
        assert (await bench.call("use"))[1] == {"structuredContent": 1}

    serve(app, test)


@pytest.mark.parametrize(
    "form",
    [{"type": "array"}, {"type": "object", "properties": {"a": {"type": "object"}}}, ["a", 1], [], 5],
)
def test_forms_that_clients_refuse_are_refused_first(form):
    # 2025-11-25 client/elicitation: flat objects with primitive members only.
    from omniport._elicit import form_of

    with pytest.raises(omniport.DefinitionError):
        form_of(form)


def test_y17_a_multiple_choice_with_titles_is_a_form():
    from omniport._elicit import form_of

    titled = {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}}
    schema = {"type": "object", "properties": {"several": titled}}
    form, _ = form_of(schema)
    assert form == schema
