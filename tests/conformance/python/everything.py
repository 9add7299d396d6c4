"""The everything server of the conformance suite: whatever a server scenario asks for, by the name it asks for."""

from __future__ import annotations

import sys

import content
import forms
import questions
import resources
import streams
from omniport import Server

HOUR = {"ttl_ms": 3_600_000, "scope": "public"}

app = Server(
    "everything",
    "1.0.0",
    title="Everything",
    instructions="Call the tool whose name says what you want to see.",
    subscribe=True,
    cache={
        "tools": HOUR,
        "prompts": HOUR,
        "resources": HOUR,
        "templates": HOUR,
        "read": {"ttl_ms": 60_000, "scope": "private"},
    },
)
for part in (content, streams, forms, questions, resources):
    part.register(app)

if __name__ == "__main__":
    if sys.argv[1:] == ["stdio"]:
        app.run()
    else:
        app.run("http", port=int(sys.argv[1]))
