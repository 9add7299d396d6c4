"""A legacy server whose tools/call does what its mode says."""
import json
import sys

mode = sys.argv[1]
out = sys.stdout.buffer


def send(message):
    out.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def echo(id, params):
    send({"id": id, "result": params["arguments"]})


def pieces(id, params):
    text = json.dumps({"jsonrpc": "2.0", "id": id, "result": {"text": "x" * (16 << 20)}}).encode() + b"\n"
    for start in range(0, len(text), 1024):
        out.write(text[start : start + 1024])
        out.flush()


def giant(id, params):
    out.write(b'{"jsonrpc":"2.0","id":%d,"result":{"text":"' % id)
    for _ in range(300):
        out.write(b"x" * (1 << 20))
    out.write(b'"}}\n')


def flood(id, params):
    for _ in range(100_000):
        send({"method": "notifications/message", "params": {"level": "info", "data": "log"}})
    send({"id": id, "result": {}})


def noisy(id, params):
    sys.stderr.buffer.write(b"\x00\xff" * 1000 + b"x" * (5 << 20) + b"\n" + b"line\n" * (2 << 20))
    sys.stderr.buffer.flush()
    send({"id": id, "result": {}})


def suicide(id, params):
    import os, signal

    print("going", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


if mode == "noise":
    out.write(b'Server starting...\nnpm warn deprecated\n{"level":"info","msg":"x"}\n[1,2]\npartial')
    out.flush()
    out.write(b"\n")
    out.flush()
    mode = "echo"

for line in sys.stdin.buffer:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    if mode == "probe-kills" and method == "server/discover":
        sys.exit(1)
    if method == "server/discover":
        send({"id": id, "error": {"code": -32601, "message": "no"}})
    elif method == "initialize":
        server = {"name": "py", "version": "1"}
        send({"id": id, "result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": server}})
    elif method == "tools/call":
        globals()[mode](id, message["params"])
    out.flush()
