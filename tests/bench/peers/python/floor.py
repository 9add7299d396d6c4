"""The floors in Python: one decode of the message, one formatted answer. No protocol, no checks, no tools.

`floor.py stdio` is a bare loop over the lines; `floor.py http PORT` an ASGI function on uvicorn with uvloop.
"""

import os
import sys

import msgspec


class Arguments(msgspec.Struct, frozen=True):
    a: int = 0
    b: int = 0


class Params(msgspec.Struct, frozen=True):
    arguments: Arguments = Arguments()


class Message(msgspec.Struct):
    method: str
    id: int | None = None
    params: Params = Params()


decode = msgspec.json.Decoder(Message).decode
INITIALIZE = b'"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"floor","version":"0"}'


def answer(text: bytes) -> bytes | None:
    message = decode(text)
    if message.id is None:
        return None
    if message.method == "initialize":
        return b'{"jsonrpc":"2.0","id":%d,"result":{%s}}' % (message.id, INITIALIZE)
    total = message.params.arguments.a + message.params.arguments.b
    return b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d"}],"structuredContent":{"result":%d}}}' % (
        message.id,
        total,
        total,
    )


async def application(scope, receive, send):
    body, more = b"", True
    while more:
        event = await receive()
        body += event.get("body", b"")
        more = event.get("more_body", False)
    content = answer(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content or b""))]
    await send({"type": "http.response.start", "status": 202 if content is None else 200, "headers": headers})
    await send({"type": "http.response.body", "body": content or b""})


def stdio() -> None:
    rest = b""
    while chunk := os.read(0, 65536):
        *lines, rest = (rest + chunk).split(b"\n")
        answers = [text for line in lines if (text := answer(line))]
        if answers:
            os.write(1, b"\n".join(answers) + b"\n")


if sys.argv[1] == "stdio":
    stdio()
else:
    import uvicorn

    uvicorn.run(
        application, host="127.0.0.1", port=int(sys.argv[2]), loop="uvloop", http="httptools", lifespan="off",
        access_log=False, log_level="warning",
    )  # fmt: skip
