"""A server over HTTP of its own: where it is, and what happens when it cannot be there."""

import asyncio
import logging
import socket

import pytest
from omniport import Client, Server
from omniport.errors import IoError


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_port_that_is_taken_is_an_error_of_the_package(transport):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(IoError, match=f"cannot listen on 127.0.0.1:{port}"):
            Server("late").run(transport, port=port)


def served(run, **options):
    """What one call over HTTP finds, once the server says where it is."""
    app = Server("demo", "1.0")

    @app.tool
    def stop() -> str:
        app.stop(5)
        return "stopped"

    async def main(where):
        serving = asyncio.ensure_future(app.serve("http", port=0, **options))
        while not (said := where()):
            await asyncio.sleep(0.001)
        async with Client(said[said.index("http://") :].strip()) as client:
            await client.call_tool("stop")
        await serving
        return said

    return lambda where: run(main, where)


def test_where_the_server_is_goes_to_stderr(run, capfd):
    said = []

    def where():
        said.append(capfd.readouterr().err)
        return "".join(said) if "\n" in said[-1] else ""

    text = served(run)(where)
    assert text.startswith("demo listens on http://127.0.0.1:") and text.endswith("/mcp\n")
    assert capfd.readouterr().out == ""


def test_where_the_server_is_goes_to_the_log_that_shows_it(run, capfd, caplog):
    with caplog.at_level(logging.INFO, "omniport"):
        text = served(run, path="/tools")(lambda: caplog.text)
    assert "INFO" in text and text.rstrip().endswith("/tools")
    assert "listens on" not in capfd.readouterr().err


def test_who_is_told_the_address_tells_it(run, capfd):
    heard = []
    served(run, on_ready=heard.append)(lambda: f"http://{heard[0]}/mcp" if heard else "")
    assert "listens on" not in capfd.readouterr().err
