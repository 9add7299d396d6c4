"""Our Python client against one foreign server: `walk.py CASE.json`, a case of servers.json as `walks.py` prepares it.

Prints a line of JSON for each check; after the last one it waits for the end of stdin, so that what the closed connection left
behind can be looked for while this process still lives.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from arguments import example
from omniport import types
from omniport.client import Client
from omniport.errors import Error, Timeout

SECONDS = 20
Case = dict[str, Any]


class Walk:
    def __init__(self, case: Case) -> None:
        self.case = case
        self.asked: list[str] = []
        self.logged: list[dict[str, Any]] = []
        self.changed: list[dict[str, Any]] = []
        self.news = asyncio.Event()
        answers = case["answers"]
        self.client = Client(
            case.get("url") or case["command"],
            name="omniport-walk",
            env=case.get("env"),
            era=case.get("era"),
            timeout=SECONDS,
            on_sample=lambda _: self._answer("sample", answers["sample"]),
            on_elicit=lambda _: self._answer("elicit", answers["elicit"]),
            roots=lambda: self._answer("roots", answers["roots"]["roots"]),
            on_log=lambda params: self._told(self.logged, params),
            on_change=lambda change: self._told(self.changed, {"changed": change.kind, "uri": change.uri}),
        )
        self.tools: list[types.Tool] = []
        self.resources: list[types.Resource] = []
        self.templates: list[types.ResourceTemplate] = []
        self.prompts: list[types.Prompt] = []

    async def run(self) -> None:
        if await check("connect", self.connect()):
            await check("list", self.list_all())
            for name, does in self.checks():
                await check(name, does)
        await check("close", self.client.close())

    def checks(self) -> list[tuple[str, Awaitable[None]]]:
        """Everything after the lists, which say what there is."""
        case, offered = self.case, self.client.server_capabilities
        checks: list[tuple[str, Awaitable[None]]] = [("ping", self.client.ping())]
        if "logging" in offered:
            checks.append(("log level", self.client.set_log_level("debug")))
        watched = case.get("subscribe")
        if watched:
            checks.append((f"subscribe {watched}", self.client.subscribe(watched)))
        if case.get("listen"):
            checks.append(("listen", self.listen(case["listen"])))
        checks += [(f"tool {call['tool']}", self.call(call)) for call in case["calls"]]
        left_over = {tool.name: tool for tool in self.tools}
        for call in case["calls"]:
            left_over.pop(call["tool"], None)
        # That one is there only to be given up.
        left_over.pop(case.get("cancel", {}).get("tool"), None)
        checks += [
            (f"tool {tool.name}", self.call({"tool": tool.name, "arguments": example(tool.input_schema)}))
            for tool in left_over.values()
        ]
        reads = {found.uri: {"uri": found.uri} for found in self.resources}
        reads.update({read["uri"]: read for read in case["reads"]})
        checks += [(f"resource {read['uri']}", self.read(read)) for read in reads.values()]
        checks += [(f"template {found.uri_template}", self.read_template(found)) for found in self.templates]
        checks += [(f"prompt {found.name}", self.get(found)) for found in self.prompts]
        checks += [
            (f"complete {asked['argument']} of {next(iter(asked['reference'].values()))}", self.complete(asked))
            for asked in case["completions"]
        ]
        if watched:
            checks.append((f"unsubscribe {watched}", self.client.unsubscribe(watched)))
        if case.get("at_once"):
            checks.append((f"{case['at_once']['times']} calls at once", self.call_at_once(case["at_once"])))
        if case.get("cancel"):
            checks.append((f"cancel {case['cancel']['tool']}", self.cancel(case["cancel"])))
        return checks

    async def connect(self) -> None:
        await self.client.connect()
        client, case = self.client, self.case
        same(client.protocol_version, case["revision"])
        same(client.server_info["name"], case["name"])
        if "version" in case:
            same(client.server_info["version"], case["version"])
        expect(client.server_info["version"], "the server has no version")
        expect(case.get("instructions", "") in (client.instructions or ""), f"instructions: {client.instructions}")

    async def list_all(self) -> None:
        offered = self.client.server_capabilities
        if "tools" in offered:
            self.tools = await self.client.list_tools()
        if "resources" in offered:
            self.resources = await self.client.list_resources()
            self.templates = await self.client.list_resource_templates()
        if "prompts" in offered:
            self.prompts = await self.client.list_prompts()
        found = {
            "tools": [tool.name for tool in self.tools],
            "resources": [resource.uri for resource in self.resources],
            "templates": [template.uri_template for template in self.templates],
            "prompts": [prompt.name for prompt in self.prompts],
        }
        for kind, names in self.case["lists"].items():
            missing = set(names) - set(found[kind])
            expect(not missing, f"{kind} not listed: {sorted(missing)}; listed: {found[kind]}")

    async def listen(self, changes: Case) -> None:
        await self.client.request("listen", changes)

    async def call(self, call: Case) -> None:
        """Calls a tool and compares whatever the case says of its outcome."""
        self.asked.clear(), self.logged.clear(), self.changed.clear()
        steps: list[dict[str, Any]] = []
        limit = call.get("timeout")
        try:
            result = await self.client.call_tool(call["tool"], call.get("arguments") or {}, on_progress=steps.append, timeout=limit)
        except Timeout:
            expect(limit, "no answer in time")
            return
        except Error as error:
            expect("error" in call, f"{type(error).__name__}: {error}")
            same(error.code, call["error"])
            return
        expect(not limit, f"an answer: {result}")
        said = "\n".join(getattr(block, "text", "") for block in result.content)
        expect("error" not in call, f"no error but: {said}")
        same(bool(result.is_error), call.get("is_error", False), said)
        expect(call.get("text", "") in said, f"text: {said}")
        same(len(said), call.get("length", len(said)))
        if "structured" in call:
            same(result.structured_content, call["structured"])
        if "content" in call:
            same([block.type for block in result.content], call["content"])
        if "progress" in call:
            same([step["progress"] for step in steps], call["progress"])
        if "asked" in call:
            same(self.asked, call["asked"])
        if "logged" in call:
            await self._until(lambda: any(call["logged"] in json.dumps(entry) for entry in self.logged), "log message")
        if "changed" in call:
            await self._until(lambda: any(_includes(found, call["changed"]) for found in self.changed), "change")
        if "lists" in call:
            names = [tool.name for tool in await self.client.list_tools()]
            expect(call["lists"] in names, f"tools: {names}")

    async def read(self, read: Case) -> None:
        try:
            contents = (await self.client.read_resource(read["uri"])).contents
        except Error as error:
            expect("error" in read, f"{type(error).__name__}: {error}")
            same(error.code, read["error"])
            return
        expect("error" not in read, f"no error but: {contents}")
        expect(contents, "no contents")
        first = contents[0]
        if "text" in read:
            expect(read["text"] in first.text, f"text: {first.text}")
        if "blob" in read:
            same(first.blob, read["blob"])

    async def read_template(self, template: types.ResourceTemplate) -> None:
        given = self.case["templates"].get(template.uri_template, {})
        uri = re.sub(r"\{[+#/]?([^}]+?)\*?\}", lambda found: given.get(found[1], "1"), template.uri_template)
        expect((await self.client.read_resource(uri)).contents, "no contents")

    async def get(self, prompt: types.Prompt) -> None:
        given = self.case["prompts"].get(prompt.name, {})
        required = {argument.name: "text" for argument in prompt.arguments or [] if argument.required}
        result = await self.client.get_prompt(prompt.name, given.get("arguments", required))
        expect(result.messages, "no messages")
        said = "\n".join(getattr(message.content, "text", "") for message in result.messages)
        expect(given.get("text", "") in said, f"text: {said}")

    async def complete(self, asked: Case) -> None:
        found = await self.client.complete(asked["reference"], asked["argument"], asked["value"], arguments=asked.get("arguments"))
        same(found.completion.values, asked["values"])

    async def call_at_once(self, call: Case) -> None:
        results = await asyncio.gather(*(self.client.call_tool(call["tool"], call["arguments"]) for _ in range(call["times"])))
        for result in results:
            same(result.content[0].text, call["text"])

    async def cancel(self, call: Case) -> None:
        """Gives up a call that is under way, as its first progress shows; the connection must be as good as before."""
        begun = asyncio.Event()
        waiting = asyncio.ensure_future(
            self.client.call_tool(call["tool"], call.get("arguments") or {}, on_progress=lambda _: begun.set())
        )
        await asyncio.wait_for(begun.wait(), SECONDS)
        waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            await self.client.ping()
        else:
            raise AssertionError("the call had a result")

    def _answer(self, kind: str, answer: Any) -> Any:
        self.asked.append(kind)
        return answer

    def _told(self, where: list[dict[str, Any]], what: dict[str, Any]) -> None:
        where.append(what)
        self.news.set()

    async def _until(self, there: Callable[[], bool], what: str) -> None:
        """Notifications may come after the answer: over HTTP they have a stream of their own."""

        async def wait() -> None:
            while not there():
                self.news.clear()
                await self.news.wait()

        try:
            await asyncio.wait_for(wait(), SECONDS)
        except asyncio.TimeoutError:
            raise AssertionError(f"no such {what}; logged: {self.logged}; changed: {self.changed}") from None


def _includes(whole: dict[str, Any], part: dict[str, Any]) -> bool:
    return all(whole.get(name) == value for name, value in part.items())


def same(found: Any, expected: Any, more: str = "") -> None:
    expect(found == expected, f"{found!r}, expected {expected!r} {more}")


def expect(good: Any, otherwise: str) -> None:
    if not good:
        raise AssertionError(otherwise)


async def check(name: str, does: Awaitable[None]) -> bool:
    """Runs one check and prints how it went."""
    problem = ""
    try:
        await does
    except Exception as error:
        problem = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
    print(json.dumps({"check": name, "ok": not problem, "detail": problem}), flush=True)
    return not problem


async def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        case = json.load(file)
    await Walk(case).run()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
