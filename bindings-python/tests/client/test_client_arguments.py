"""Arguments that no JSON can carry, and what else a client cannot be given to."""

import copy
import dataclasses
import pickle
import sys

import msgspec
import numpy
import omniport
import pytest
import servers
from omniport import Client

NAN, INFINITE = float("nan"), float("inf")


class Point(msgspec.Struct):
    x: float


@dataclasses.dataclass
class Line:
    points: list


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"a": NAN}, "arguments.a` is nan"),
        ({"a": [1, {"b": (2, INFINITE)}]}, "arguments.a[1].b[1]` is inf"),
        ({"a": -INFINITE, "n": None}, "arguments.a` is -inf"),
        ({"a": {7: NAN}}, "arguments.a.7` is nan"),
        ({"a": 2**70, "b": NAN}, "arguments.b` is nan"),
        ({"a": numpy.array([1.0, NAN]), "b": numpy.float32(1)}, "arguments.a[1]` is nan"),
        ({"a": Line([Point(NAN)])}, "arguments.a.points[0].x` is nan"),
    ],
)
def test_a_number_that_json_does_not_have_is_named(raw, arguments, path):
    with Client(raw) as client:
        with pytest.raises(omniport.InvalidParams) as caught:
            client.call_tool("give", arguments)
        assert path in str(caught.value)


def test_null_and_large_numbers_are_sent(raw):
    given = {"content": [], "structuredContent": {"a": None, "b": "null", "c": [None], "d": 1e308}}
    with Client(raw) as client:
        assert client.call_tool("give", {"result": given}).structured_content == given["structuredContent"]


def test_a_client_cannot_be_pickled():
    client = Client(servers.loaded())
    for refused in (client, client.by_hand):
        with pytest.raises(TypeError, match="a client holds a connection and cannot be pickled"):
            pickle.dumps(refused)
        with pytest.raises(TypeError, match="cannot be pickled"):
            copy.deepcopy(refused)


def test_the_stderr_of_a_server_that_cannot_start_is_quoted_once(tmp_path):
    command = servers.written(tmp_path, "dead.py", "import sys; sys.exit('no module of that name')")
    with pytest.raises(omniport.Closed) as caught, Client(command):
        pass
    assert str(caught.value).count("no module of that name") == 1 and command[0] == sys.executable


def test_what_belongs_to_a_request_goes_with_a_completion(run):
    app = omniport.Server("completes", "1")
    seen = []

    @app.prompt
    def greet(name: str) -> str:
        return name

    @app.completion("greet", "name")
    def names(value: str, cx: omniport.Context) -> list[str]:
        seen.append(cx.meta.get("a"))
        return ["Ada"]

    async def main():
        async with Client(app) as client:
            result = await client.complete({"prompt": "greet"}, "name", "A", meta={"a": 1})
            assert result.completion.values == ["Ada"]
        assert seen == [1]

    run(main)
