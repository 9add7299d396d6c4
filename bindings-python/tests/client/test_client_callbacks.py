"""What a host is asked and told."""

import asyncio
import logging
import threading
import time

import omniport
import pytest
import servers
from omniport import Client
from omniport.client import _callbacks

NAME = {"name": "Ada"}


def text(result):
    return result.content[0].text


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_questions_of_the_server(run, era):
    async def sample(params):
        return f"answer to {params['messages'][0]['content']['text']}"

    async def main():
        options = {"on_sample": sample, "on_elicit": lambda question: NAME, "roots": ["file:///a%20b"], "era": era}
        async with Client(servers.loaded(), **options) as client:
            assert text(await client.call_tool("ask")) == f"accept {NAME}"
            assert text(await client.call_tool("think")) == "answer to What?"
            assert "file:///a%20b" in text(await client.call_tool("where"))  # Y18: encoded once
        # Y17: a form is asked of those only that declared forms.
        for given in ({}, {"on_elicit_url": lambda question: True}):
            async with Client(servers.loaded(), era=era, **given) as client:
                try:
                    assert (await client.call_tool("ask")).is_error
                except omniport.Error as error:
                    assert error.kind in ("missing_capability", "remote")

    run(main)
    with Client(servers.loaded(), on_elicit=lambda question: NAME, on_sample=sample, era=era) as client:
        assert text(client.call_tool("ask")) == f"accept {NAME}"
        assert text(client.call_tool("think")) == "answer to What?"


@pytest.mark.parametrize(
    ("given", "declared"),
    [
        ({}, {}),
        ({"on_sample": print}, {"sampling": {}}),
        ({"on_sample": print, "sample_tools": True}, {"sampling": {"tools": {}}}),
        ({"on_elicit": print}, {"elicitation": {}}),  # Y17: only forms
        ({"on_elicit_url": print}, {"elicitation": {"url": {}}}),
        ({"on_elicit": print, "on_elicit_url": print}, {"elicitation": {"form": {}, "url": {}}}),
        ({"roots": []}, {"roots": {"listChanged": True}}),
        ({"roots": [], "capabilities": {"roots": {}, "experimental": {"a": {}}}}, {"roots": {}, "experimental": {"a": {}}}),
    ],
)
def test_capabilities_follow_from_the_callbacks(run, given, declared):
    app = omniport.Server("asks", "1")

    @app.tool
    def seen(cx: omniport.Context) -> dict:
        return cx.capabilities

    async def main():
        async with Client(app, **given) as client:
            assert (await client.call_tool("seen")).structured_content == declared

    run(main)


def test_a_refused_answer_keeps_code_and_data(run):
    def refuse(question):
        raise omniport.Error("not now", code=7, data={"again": 5})

    async def main():
        async with Client(servers.loaded(), on_elicit=refuse, era="modern") as client:
            with pytest.raises(omniport.Refused, match="not now") as caught:
                await client.call_tool("ask")
            assert (caught.value.code, caught.value.data) == (7, {"again": 5})

    run(main)


def test_urls_are_asked_by_their_own_callback(run):
    app = omniport.Server("asks", "1")

    @app.tool
    async def login(cx: omniport.Context) -> str:
        return (await cx.elicit_url("Log in.", "https://example.com/login")).action

    async def main():
        seen = []
        options = {"on_elicit": lambda question: None, "on_elicit_url": lambda question: seen.append(question["url"]) or True}
        for era in ("legacy", "modern"):
            async with Client(app, era=era, **options) as client:
                assert text(await client.call_tool("login")) == "accept"
        assert seen == ["https://example.com/login"] * 2

    run(main)


@pytest.mark.parametrize(
    ("given", "action"),
    [
        (NAME, "accept"),
        ({}, "accept"),
        (None, "decline"),
        (True, "accept"),
        (False, "decline"),
        ("cancel", "cancel"),
        ({"action": "decline"}, "decline"),
        ({"action": "cancel", "content": {}}, "cancel"),
    ],
)
def test_answers_to_a_form(given, action):
    assert _callbacks._elicited(given)["action"] == action


@pytest.mark.parametrize("given", [{"action": "reject"}, "reject", 7, {"name": 7}])
def test_a_wrong_answer_to_a_form_is_refused_and_a_right_one_shown(run, given):
    # Y17: an action that nobody knows is an error and no consent.
    async def main():
        async with Client(servers.loaded(), on_elicit=lambda question: given, era="modern") as client:
            with pytest.raises(omniport.InvalidParams) as caught:
                await client.call_tool("ask")
            assert str(caught.value).endswith('a right answer is {"action":"accept","content":{"name":"text"}}')

    run(main)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_callback_that_fails_is_an_error_at_the_server(run, era):
    def fail(question):
        raise ValueError("no screen")

    async def main():
        async with Client(servers.loaded(), on_elicit=fail, era=era) as client:
            try:
                result = await client.call_tool("ask")
            except omniport.Error as error:
                assert "no screen" in str(error)
            else:
                assert result.is_error
            await client.ping()

    run(main)


def test_async_callbacks_keep_their_order_and_hold_up_nothing(run, raw, caplog):
    seen = []
    gate = asyncio.Event()

    async def on_log(message):
        if message["data"] == 0:
            await gate.wait()
        if message["data"] == 1:
            raise ValueError("harms nothing")
        seen.append(message["data"])

    async def main():
        async with Client(raw, on_log=on_log) as client:
            assert text(await client.call_tool("flood", {"count": 50})) == "done"
            assert seen == []
            gate.set()
            while len(seen) < 49:
                await asyncio.sleep(0.001)
            assert seen == [0, *range(2, 50)]

    with caplog.at_level(logging.CRITICAL, "omniport"):
        run(main)


def test_callbacks_without_a_loop_run_on_a_thread(raw):
    seen, threads = [], set()
    over = threading.Event()

    def on_log(message):
        threads.add(threading.current_thread())
        seen.append(message["data"])
        if len(seen) == 20:
            over.set()

    with Client(raw, on_log=on_log) as client:
        client.call_tool("flood", {"count": 20})
        assert over.wait(10)
    assert seen == list(range(20)) and threading.main_thread() not in threads


def test_states_and_their_cause(run, raw):
    states = []

    async def main():
        async with Client(raw, recover=False, on_state=lambda state, cause: states.append((state, cause))) as client:
            assert (client.state, client.cause) == ("ready", None)
            with pytest.raises(omniport.Closed) as caught:
                await client.call_tool("die", safe=False)
            assert caught.value.context["exit"] == "7" and "no more" in caught.value.context["stderr"]
            while client.state != "failed":
                await asyncio.sleep(0.001)
            assert "7" in (client.cause or "")
            with pytest.raises(omniport.Closed):
                await client.ping()

    run(main)
    assert [state for state, _ in states][-1] in ("failed", "closed")


def test_lines_of_stderr(run, raw):
    lines = []

    async def main():
        async with Client(raw, recover=False, on_stderr=lines.append) as client:
            with pytest.raises(omniport.Closed):
                await client.call_tool("die", safe=False)
            while lines != ["no more"]:
                await asyncio.sleep(0.001)

    run(main)


def test_roots_that_changed(run, raw):
    heard = []

    async def main():
        async with Client(raw, roots=lambda: ["file:///a"], on_log=lambda message: heard.append(message["data"])) as client:
            client.roots_changed()
            while heard != ["roots changed"]:
                await asyncio.sleep(0.001)

    run(main)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_changes_can_be_iterated_over(run, era):
    async def main():
        async with Client(servers.loaded(), era=era) as client:
            await client.list_tools()
            with client.listen(resources=False, prompts=False) as changes:
                step = asyncio.ensure_future(anext(changes))
                await client.ping()
                await client.ping()
                await client.call_tool("grow", {"name": "extra"})
                assert (await step).kind == "tools"
            with pytest.raises(StopAsyncIteration):
                await anext(changes)
            rest = client.listen()
            waiting = asyncio.ensure_future(anext(rest))
            await client.ping()
            await client.close()
            with pytest.raises((StopAsyncIteration, omniport.Closed)):
                await waiting

    run(main)


def test_changes_in_a_thread():
    with Client(servers.loaded(), era="legacy") as client:
        changes = client.listen()
        caller = threading.Timer(0.1, client.call_tool, ("grow", {"name": "extra"}))
        caller.start()
        assert next(changes).kind == "tools"
        changes.close()
        assert list(changes) == []
        caller.join()


def test_a_question_that_waits_for_its_user_blocks_no_call(run, demo):
    asked = asyncio.Event()

    async def on_elicit(question):
        asked.set()
        await asyncio.sleep(60)

    async def main():
        async with Client(demo, on_elicit=on_elicit) as client:
            began = time.monotonic()
            call = asyncio.ensure_future(client.call_tool("ask"))
            await asked.wait()
            await client.call_tool("add", {"a": 1})
            call.cancel()
            await client.ping()
            assert time.monotonic() - began < 30

    run(main)
