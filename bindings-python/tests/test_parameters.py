"""Signatures to schemas and arguments to values (P03, P04, P06, S07, S09, S11)."""

from __future__ import annotations

import collections
import functools
import re
from dataclasses import dataclass, make_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from msgspec import Meta
from omniport import Context, DefinitionError, Depends
from omniport._parameters import ArgumentError, Decoder, input_schema
from omniport._signature import inspect_function

if TYPE_CHECKING:
    from decimal import Decimal as Hidden


@dataclass
class Model:
    x: int


def read(function, **options):
    return inspect_function(function, "tool `t`")


def schema(function, **options):
    return input_schema(read(function), **options)


def values(function, text):
    return Decoder(read(function)).decode(text.encode())


def test_postponed_annotations():
    # P04
    pydantic = pytest.importorskip("pydantic")
    field = pydantic.Field(description="d")

    def tool(q: Annotated[str, field], m: Literal["a", "b"], d: datetime, ctx: Context | None = None):
        """Find.

        Args:
            m: which
        """

    found = read(tool)
    assert found.context == "ctx"
    assert input_schema(found) == {
        "type": "object",
        "properties": {
            "q": {"type": "string", "description": "d"},
            "m": {"type": "string", "enum": ["a", "b"], "description": "which"},
            "d": {"type": "string", "format": "date-time"},
        },
        "required": ["q", "m", "d"],
    }
    assert found.description == "Find."


def test_local_classes_of_a_nested_function():
    # P04: with postponed annotations a local class is no closure variable.
    @dataclass
    class Local:
        n: int

    def tool(a: Local, b: list[Local]): ...

    assert schema(tool)["$defs"]["Local"]["properties"] == {"n": {"type": "integer"}}
    assert values(tool, '{"a":{"n":1},"b":[]}') == (Local(1), [])


def test_wrapped_functions():
    def decorator(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return function(*args, **kwargs)

        return inner

    @decorator
    def tool(a: Model, cx: Context): ...

    assert list(schema(tool)["properties"]) == ["a"]


def test_names_that_do_not_exist_at_run_time():
    def tool(amount: Hidden): ...

    with pytest.raises(DefinitionError, match=r"tool `t`.*`amount`.*`Hidden`.*TYPE_CHECKING"):
        read(tool)


@pytest.mark.parametrize("star", ["*args", "**kwargs"])
def test_open_ended_parameters_are_refused(star):
    scope: dict[str, Any] = {}
    exec(f"def tool(a: int, {star}): ...", scope)
    with pytest.raises(DefinitionError, match=star.replace("*", r"\*")):
        read(scope["tool"])


def test_types_without_a_schema_name_the_parameter():
    def tool(bad: complex): ...

    with pytest.raises(DefinitionError, match=r"`bad`.*complex"):
        schema(tool)


def test_reserved_names_and_aliases():
    # P06
    pydantic = pytest.importorskip("pydantic")
    alias = pydantic.Field(alias="externalX")

    def tool(
        x: Annotated[int, alias], schema: str, json: int, copy: int, model_config: int, _n: int, class_: int, self: int, cls: int
    ): ...

    published = schema(tool)
    assert list(published["properties"]) == ["externalX", "schema", "json", "copy", "model_config", "_n", "class_", "self", "cls"]
    text = '{"externalX":1,"schema":"s","json":2,"copy":3,"model_config":4,"_n":5,"class_":6,"self":7,"cls":8}'
    assert values(tool, text) == (1, "s", 2, 3, 4, 5, 6, 7, 8)


def test_two_parameters_of_one_published_name():
    pydantic = pytest.importorskip("pydantic")
    alias = pydantic.Field(alias="b")

    def tool(a: Annotated[int, alias], b: int): ...

    with pytest.raises(DefinitionError, match="`b`"):
        read(tool)


def test_no_arguments():
    # S09
    def tool(): ...

    assert schema(tool) == {"type": "object", "properties": {}}
    assert values(tool, "{}") == ()


def test_optional_and_default():
    # S07, S11
    def tool(a: int | None, b: int = 5, c: list[int] | None = None, d: Annotated[str, "the d"] = "x"): ...

    assert schema(tool) == {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "b": {"type": "integer", "default": 5},
            "c": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}], "default": None},
            "d": {"type": "string", "description": "the d", "default": "x"},
        },
    }
    assert values(tool, "{}") == (None, 5, None, "x")
    assert values(tool, '{"a":null,"b":null,"c":[1],"extra":1}') == (None, 5, [1], "x")


def test_defaults_of_pydantic_fields():
    pydantic = pytest.importorskip("pydantic")

    def tool(
        a: int = pydantic.Field(5, ge=1, description="n"),
        b: list = pydantic.Field(default_factory=list),
        c: str = pydantic.Field(...),
    ): ...

    assert schema(tool) == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 1, "description": "n", "default": 5},
            "b": {"type": "array"},
            "c": {"type": "string"},
        },
        "required": ["c"],
    }
    assert values(tool, '{"c":"x"}') == (5, [], "x")


def test_defaults_without_a_json_form_are_not_published():
    sentinel = object()

    def tool(a: Any = sentinel, b: Model = Model(1)): ...  # noqa: B008

    assert schema(tool)["properties"]["a"] == {}
    assert schema(tool)["properties"]["b"]["default"] == {"x": 1}
    assert values(tool, "{}") == (sentinel, Model(1))


def test_whole_numbers_written_with_a_point():
    def tool(n: int): ...

    assert values(tool, '{"n":1.0}') == (1,)  # JSON Schema counts it as an integer


def test_values_that_have_no_such_form():
    def tool(d: datetime): ...

    with pytest.raises(ArgumentError, match=r"\$\.d"):
        values(tool, '{"d":"yesterday"}')


def test_json_in_text():
    # P03: one level, and only where no text is expected.
    def tool(tags: list[str], o: Model, text: str, free: Any = None, either: list[str] | str = ""): ...

    text = b'{"tags":"[\\"a\\"]","o":"{\\"x\\":1}","text":"[1]","free":"[1]","either":"[1]"}'
    decoder = Decoder(read(tool))
    assert decoder.decode_lenient(text) == (["a"], Model(1), "[1]", "[1]", "[1]")
    with pytest.raises(ArgumentError):
        decoder.decode_lenient(b'{"tags":"\\"[1]\\"","o":{"x":1},"text":""}')
    with pytest.raises(ArgumentError):
        decoder.decode(text)


def test_lenient_tools_check_the_rest_themselves():
    def tool(tags: Annotated[list[int], Meta(min_length=1)], n: Annotated[int | None, Meta(ge=1)] = None): ...

    decoder = Decoder(read(tool), checks=True)
    assert decoder.decode_lenient(b'{"tags":"[1]","n":1}') == ([1], 1)
    assert decoder.decode_lenient(b'{"tags":[1],"n":null}') == ([1], None)
    for text in (b'{"tags":"[]"}', b'{"tags":[1],"n":0}', b'{"tags":[1],"n":"5"}', b'{"tags":["1"]}'):
        with pytest.raises(ArgumentError):
            decoder.decode_lenient(text)


def test_values_from_text():
    def prompt(n: int, flag: bool = False, items: list[int] | None = None, name: str = ""): ...

    assert Decoder(read(prompt)).decode_strings({"n": "5", "flag": "true", "items": "[1,2]", "name": "7"}) == (5, True, [1, 2], "7")


def test_strict_tools_name_all_members():
    def tool(a: int): ...

    assert "additionalProperties" not in schema(tool)
    assert schema(tool, strict=True)["additionalProperties"] is False


def test_hidden_parameters():
    def need() -> int:
        return 1

    hidden = Depends(need)

    def tool(a: int, cx: Context, b: Annotated[int, hidden], c: int = hidden): ...

    found = read(tool)
    assert list(input_schema(found)["properties"]) == ["a"] and set(found.dependencies) == {"b", "c"} and found.context == "cx"


def test_untyped_parameters():
    def tool(a, b=1): ...

    assert schema(tool) == {"type": "object", "properties": {"a": {}, "b": {"default": 1}}, "required": ["a"]}
    assert values(tool, '{"a":[1],"b":null}') == ([1], None)


def test_validators_of_pydantic_run():
    # P06's kind: metadata that is passed over in silence. A check that does not run is worse than none.
    pydantic = pytest.importorskip("pydantic")

    def positive(value):
        if value < 0:
            raise ValueError("negative")
        return value * 10

    Inner = make_dataclass("Inner", [("size", Annotated[int, pydantic.AfterValidator(positive)])])

    def tool(
        size: Annotated[int, pydantic.AfterValidator(positive)],
        name: Annotated[str, pydantic.StringConstraints(strip_whitespace=True, to_upper=True)],
        sizes: list[Annotated[int, pydantic.AfterValidator(positive)]],
        inner: Inner,
    ): ...

    text = '{"size":1,"name":" a ","sizes":[2],"inner":{"size":3}}'
    assert values(tool, text) == (10, "A", [20], Inner(30))
    for member in ('"size":-1', '"sizes":[-1]', '"inner":{"size":-1}'):
        name = member.partition(":")[0]
        wrong = re.sub(name + r":(\[2\]|1|\{[^}]*\})", member, text, count=1)
        assert wrong != text
        with pytest.raises(ArgumentError, match="negative"):
            values(tool, wrong)


def test_containers_and_patterns_of_the_standard_library():
    # P08's kind: a type that is published has to be callable as well.
    def tool(
        pattern: re.Pattern[str],
        groups: collections.defaultdict[str, list[int]],
        plain: collections.defaultdict,
        models: collections.deque[Model],
        named: collections.OrderedDict[str, Model],
        counts: collections.Counter[str],
        nothing: tuple[()],
    ): ...

    model = '{"x":1}'
    text = (
        '{"pattern":"a+","groups":{"a":[1]},"plain":{"a":1},"counts":{"a":2},"nothing":[],'
        f'"models":[{model}],"named":{{"k":{model}}}}}'
    )
    pattern, groups, plain, models, named, counts, nothing = values(tool, text)
    assert pattern.fullmatch("aa") and groups["new"] == [] and groups["a"] == [1] and plain == {"a": 1}
    assert isinstance(models[0], Model) and isinstance(named["k"], Model) and type(named) is collections.OrderedDict
    assert counts["a"] == 2 and nothing == ()
    assert schema(tool)["properties"]["nothing"] == {"type": "array", "minItems": 0, "maxItems": 0}
