"""The contract of `omniport._native` in memory, for tests of the Python part alone. It knows no protocol and is never shipped."""

from __future__ import annotations

import itertools
import json
import os
import re
import threading
import time

KINDS = [
    "CALL",
    "READ",
    "GET",
    "COMPLETE",
    "VISIBLE",
    "AUTHENTICATE",
    "ANSWER",
    "CANCEL",
    "EVENT",
    "AUDIT",
    "REPORT",
    "HTTP",
    "END",
]
for _number, _name in enumerate(KINDS):
    globals()[_name] = _number


class Fault(Exception):
    def __init__(self, kind, message, code=-32603, data=None):
        super().__init__(message)
        self.kind, self.message, self.code, self.data, self.retry, self.context = kind, message, code, data, False, {}


class _Queue:
    def __init__(self):
        self._lock = threading.Condition()
        self._events = []
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)

    def push(self, *event):
        with self._lock:
            if not self._events:
                os.write(self._write, b"x")
            self._events.append(event)
            self._lock.notify_all()

    def wake_fd(self):
        return self._read

    def next_batch(self):
        with self._lock:
            try:
                os.read(self._read, 64)
            except BlockingIOError:
                pass
            events, self._events = self._events[:256], self._events[256:]
            if self._events:
                os.write(self._write, b"x")
            return events

    def wait_batch(self, seconds):
        with self._lock:
            self._lock.wait_for(lambda: self._events, seconds)
        return self.next_batch()


class Engine(_Queue):
    def __init__(self, options):
        super().__init__()
        self.options = json.loads(options)
        self.tools, self.resources, self.templates, self.prompts, self.completions = {}, {}, {}, {}, {}
        self.slots = itertools.count()
        self.tokens = itertools.count(1)
        self.outcomes = {}
        self.waiting = {}
        self.notices, self.questions, self.steps, self.facts = [], [], {}, {}
        self.replay = {}
        self.flushes = 0
        self.http = {}
        self.over = set()

    # What the binding calls

    def _add(self, table, key, definition):
        slot = next(self.slots)
        table[key] = (slot, definition)
        return slot

    def add_tool(self, definition, options):
        made = json.loads(definition)
        if made["name"] == "bad name":
            raise Fault("definition", "the name of a tool has no blanks")
        made["options"] = json.loads(options)
        return self._add(self.tools, made["name"], made)

    def add_resource(self, definition, options):
        made = json.loads(definition)
        return self._add(self.resources, made["uri"], made)

    def add_template(self, definition, options):
        made = json.loads(definition)
        return self._add(self.templates, made["uriTemplate"], made)

    def add_prompt(self, definition, options):
        made = json.loads(definition)
        return self._add(self.prompts, made["name"], made)

    def add_completion(self, reference, argument):
        return self._add(self.completions, (reference, argument), None)

    def remove(self, kind, name):
        return getattr(self, f"{kind}s").pop(name, None) is not None

    def template_variables(self, template):
        return [name.rstrip("*") for part in re.findall(r"\{[+#./;?&]?([^}]*)\}", template) for name in part.split(",")]

    def resource_updated(self, uri):
        self.notices.append((0, {"updated": uri}))

    def limit(self, name):
        return {"message_bytes": 1000, "shutdown_grace": 1.0}[name]

    def complete(self, token, text):
        self._done(token, ("complete", json.loads(text)))

    def fail(self, token, kind, code, message, data):
        self._done(token, ("fail", kind, code, message, json.loads(data) if data else None))

    def _done(self, token, outcome):
        if token in self.over:
            return
        self.outcomes[token] = outcome
        waiting = self.waiting.pop(token, None)
        if waiting is not None:
            waiting(outcome)

    def notice(self, token, text):
        self.notices.append((token, json.loads(text)))

    def ask(self, token, question):
        asked = json.loads(question)
        if "roots" in asked:
            raise Fault("missing_capability", "The client has no roots", -32021)
        number = len(self.questions)
        self.questions.append((token, number, asked))
        return number, self.replay.get(number)

    def step(self, token, name):
        return self.steps.get(name)

    def keep_step(self, token, name, value):
        self.steps[name] = value

    def flush(self):
        self.flushes += 1

    def context(self, token):
        facts = {"request_id": token, "era": "modern", "protocol_version": "v", "client": {"name": "c"}, "capabilities": {}}
        return json.dumps({**facts, "headers": {}, "meta": {}, "wants_progress": True, "resumed": False, **self.facts}).encode()

    def close_stream(self, token):
        self.notices.append((token, {"closed": True}))

    def serve_stdio(self):
        pass

    def serve_http(self, options):
        return "127.0.0.1:8000"

    def handle_http(self, head, body):
        token = next(self.tokens)
        asked = json.loads(head)
        self.http[token] = (asked, body)
        if len(body) > 1000:
            self.push(HTTP, token, 0, json.dumps({"status": 413, "headers": []}).encode())  # noqa: F821
            self.push(HTTP, token, 2, b"")  # noqa: F821
        elif body:
            wanted = json.loads(body)
            self.facts["http"] = token

            def answer(outcome):
                head = {"status": 200, "headers": [["Content-Type", "application/json"]]}
                self.push(HTTP, token, 0, json.dumps(head).encode())  # noqa: F821
                self.push(HTTP, token, 1, json.dumps(outcome).encode())  # noqa: F821
                self.push(HTTP, token, 2, b"")  # noqa: F821

            self.call(wanted["tool"], wanted.get("arguments", {}), answer)
        return token

    def drop_http(self, token):
        self.notices.append((token, {"dropped": True}))

    def sent_http(self, token, bytes):
        pass

    def close(self, grace):
        self.push(END, 0, 0, b"")  # noqa: F821

    # What tests do

    def event(self, kind, slot, text, then=None):
        token = next(self.tokens)
        if then is not None:
            self.waiting[token] = then
        self.push(kind, token, slot, text if isinstance(text, bytes) else json.dumps(text).encode())
        return token

    def call(self, name, arguments, then=None):
        return self.event(CALL, self.tools[name][0], arguments, then)  # noqa: F821

    def cancel(self, token):
        self.over.add(token)
        self.push(CANCEL, token, 0, b"the caller left")  # noqa: F821

    def answer(self, number, result=None, error=None):
        token = next(asked[0] for asked in self.questions if asked[1] == number)
        self.push(ANSWER, token, number, json.dumps({"result": result} if error is None else {"error": error}).encode())  # noqa: F821

    def wait(self, token, seconds=5.0):
        until = time.monotonic() + seconds
        while token not in self.outcomes and time.monotonic() < until:
            time.sleep(0.001)
        return self.outcomes[token]
