"""Python types as JSON Schema and back, without any engine."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import pathlib
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypedDict, TypeVar, Union

import msgspec
import pytest
from omniport._schema import Publisher, Unsupported, decodable, hook

try:
    from typing import NotRequired, Required
except ImportError:  # 3.10
    from typing_extensions import NotRequired, Required

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Ratio(enum.Enum):
    HALF = 0.5
    ONE = 1.0


@dataclass
class Point:
    """A place."""

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)


@dataclass
class Other:
    z: str


@dataclass
class Tree:
    value: int
    children: list[Tree] = field(default_factory=list)


@dataclass
class Box(Generic[T]):
    item: T


class Loose(TypedDict, total=False):
    a: Required[int]
    b: str


class Tight(TypedDict):
    a: int
    b: NotRequired[Annotated[str, "the b"]]


class Pair(NamedTuple):
    left: int
    right: str = "r"


class Item(msgspec.Struct, rename="camel", kw_only=True):
    item_name: str
    price: Annotated[float, msgspec.Meta(gt=0, description="in euro")] = 1.0


class Circle(msgspec.Struct, tag=True):
    r: float


class Square(msgspec.Struct, tag=True):
    a: float


UserId = NewType("UserId", int)


def publish(annotation: Any, mode: Any = "input") -> dict[str, Any]:
    publisher = Publisher(mode)
    return publisher.finish(publisher.schema(annotation))


def decode(annotation: Any, text: str) -> Any:
    return msgspec.json.Decoder(decodable(annotation, "test"), dec_hook=hook).decode(text.encode())


POINT = {
    "description": "A place.",
    "type": "object",
    "properties": {
        "x": {"type": "integer"},
        "y": {"type": "integer", "default": 0},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
    },
    "required": ["x"],
}


@pytest.mark.parametrize(
    ("annotation", "schema", "text", "value"),
    [
        (int, {"type": "integer"}, "1", 1),
        (bool, {"type": "boolean"}, "true", True),
        (float, {"type": "number"}, "1", 1.0),
        (None, {"type": "null"}, "null", None),
        (Any, {}, '{"a":[1]}', {"a": [1]}),
        (object, {}, "[1]", [1]),
        (UserId, {"type": "integer"}, "7", 7),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "null", None),
        (
            Union[int, str, list[int]],
            {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "array", "items": {"type": "integer"}}]},
            "[2]",
            [2],
        ),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, '"b"', "b"),
        (Literal["a", None], {"enum": ["a", None]}, "null", None),
        (Literal[True, "x"], {"enum": [True, "x"]}, "true", True),
        (Colour, {"type": "string", "enum": ["red", "blue"]}, '"red"', Colour.RED),
        (Ratio, {"type": "number", "enum": [0.5, 1.0]}, "0.5", Ratio.HALF),
        (Ratio | None, {"anyOf": [{"type": "number", "enum": [0.5, 1.0]}, {"type": "null"}]}, "null", None),
        (list, {"type": "array"}, "[1]", [1]),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}, "[1]", [1]),
        (Iterable[Point], {"type": "array", "items": POINT}, '[{"x":1}]', [Point(1)]),
        (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, "[1,1]", {1}),
        (frozenset[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}, '["a"]', frozenset("a")),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}, "[1,2]", (1, 2)),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
            '[1,"a"]',
            (1, "a"),
        ),
        (dict, {"type": "object"}, '{"a":1}', {"a": 1}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}, '{"a":1}', {"a": 1}),
        (dict[int, str], {"type": "object", "additionalProperties": {"type": "string"}}, '{"1":"a"}', {1: "a"}),
        (Mapping[str, Any], {"type": "object", "additionalProperties": True}, '{"a":1}', {"a": 1}),
        (collections.Counter[str], {"type": "object", "additionalProperties": {"type": "integer"}}, '{"a":1}', {"a": 1}),
        (datetime.date, {"type": "string", "format": "date"}, '"2024-02-01"', datetime.date(2024, 2, 1)),
        (datetime.datetime, {"type": "string", "format": "date-time"}, '"2024-02-01T00:00:00"', datetime.datetime(2024, 2, 1)),
        (datetime.timedelta, {"type": "string", "format": "duration"}, '"PT5S"', datetime.timedelta(seconds=5)),
        (uuid.UUID, {"type": "string", "format": "uuid"}, f'"{uuid.UUID(int=1)}"', uuid.UUID(int=1)),
        (
            decimal.Decimal,
            {"anyOf": [{"type": "number"}, {"type": "string", "format": "decimal"}]},
            "1.10",
            decimal.Decimal("1.10"),
        ),
        (pathlib.Path, {"type": "string", "format": "path"}, '"a/b"', pathlib.Path("a/b")),
        (pathlib.Path | int, {"anyOf": [{"type": "string", "format": "path"}, {"type": "integer"}]}, "3", 3),
        (bytes, {"type": "string", "contentEncoding": "base64"}, '"aGk="', b"hi"),
        (Point, POINT, '{"x":1}', Point(1)),
        (
            Point | Other,
            {"anyOf": [POINT, {"type": "object", "properties": {"z": {"type": "string"}}, "required": ["z"]}]},
            '{"z":"q"}',
            Other("q"),
        ),
        (Box[int], {"type": "object", "properties": {"item": {"type": "integer"}}, "required": ["item"]}, '{"item":1}', Box(1)),
        (
            Loose,
            {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]},
            '{"a":1}',
            {"a": 1},
        ),
        (
            Tight,
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string", "description": "the b"}},
                "required": ["a"],
            },
            '{"a":1}',
            {"a": 1},
        ),
        (
            Pair,
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 1, "maxItems": 2},
            "[1]",
            Pair(1),
        ),
        (
            Item,
            {
                "type": "object",
                "properties": {
                    "itemName": {"type": "string"},
                    "price": {"type": "number", "exclusiveMinimum": 0, "description": "in euro", "default": 1.0},
                },
                "required": ["itemName"],
            },
            '{"itemName":"a"}',
            Item(item_name="a"),
        ),
        (
            Circle | Square,
            {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"type": {"const": "Circle"}, "r": {"type": "number"}},
                        "required": ["type", "r"],
                    },
                    {
                        "type": "object",
                        "properties": {"type": {"const": "Square"}, "a": {"type": "number"}},
                        "required": ["type", "a"],
                    },
                ]
            },
            '{"type":"Square","a":2}',
            Square(2.0),
        ),
        (datetime.datetime | str, {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "string"}]}, '"later"', "later"),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}, "1", 1),
        (
            Annotated[int | None, msgspec.Meta(title="N")],
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "N"},
            "null",
            None,
        ),
    ],
)
def test_types(annotation, schema, text, value):
    assert publish(annotation) == schema
    assert decode(annotation, text) == value


def test_a_type_used_once_is_inlined_and_one_used_twice_is_not():
    assert publish(list[Point]) == {"type": "array", "items": POINT}
    twice = publish(dict[str, Point] | list[Point])
    assert twice["$defs"] == {"Point": POINT}
    assert twice["anyOf"][1] == {"type": "array", "items": {"$ref": "#/$defs/Point"}}


def test_recursion():
    schema = publish(Tree)
    assert schema["$ref"] == "#/$defs/Tree"
    assert schema["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}
    assert decode(Tree, '{"value":1,"children":[{"value":2}]}') == Tree(1, [Tree(2)])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax came with 3.12")
def test_aliases():
    scope: dict[str, Any] = {}
    exec("type Json = dict[str, Json] | list[Json] | str\ntype Number = int | float", scope)
    assert publish(scope["Number"]) == {"anyOf": [{"type": "integer"}, {"type": "number"}]}
    schema = publish(scope["Json"])
    assert schema["$defs"]["Json"]["anyOf"][1] == {"type": "array", "items": {"$ref": "#/$defs/Json"}}
    assert decode(scope["Json"], '{"a":["b"]}') == {"a": ["b"]}
    number = scope["Number"]
    assert decode(list[number], "[1,2.5]") == [1, 2.5]


def test_same_name_of_two_types():
    first = type("Same", (msgspec.Struct,), {"__annotations__": {"a": int}, "__module__": __name__})
    second = type("Same", (msgspec.Struct,), {"__annotations__": {"b": int}, "__module__": __name__})
    schema = publish(tuple[first, first, second, second])
    assert set(schema["$defs"]) == {"Same", "Same2"}


def test_output_lists_what_is_always_there():
    assert publish(Point, "output")["required"] == ["x", "y", "tags"]
    assert "default" not in publish(Point, "output")["properties"]["y"]
    assert publish(Loose, "output")["required"] == ["a"]


@pytest.mark.parametrize("annotation", [type(lambda: 0), object(), "unresolved", complex])
def test_what_has_no_form_says_so(annotation):
    with pytest.raises(Unsupported):
        publish(annotation)


def test_annotated_types_and_pydantic_fields():
    pydantic = pytest.importorskip("pydantic")
    import annotated_types

    assert publish(Annotated[int, annotated_types.Interval(ge=1, lt=9)]) == {"type": "integer", "minimum": 1, "exclusiveMaximum": 9}
    assert publish(Annotated[list[int], annotated_types.Len(1, 3)]) == {
        "type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3,
    }  # fmt: skip
    described = Annotated[
        str, pydantic.Field(description="d", pattern="^a", min_length=2, examples=["ab"], json_schema_extra={"x": 1})
    ]
    assert publish(described) == {"type": "string", "description": "d", "pattern": "^a", "minLength": 2, "examples": ["ab"], "x": 1}
    optional = Annotated[int | None, pydantic.Field(ge=1)]
    assert publish(optional) == {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}
    assert decode(optional, "3") == 3


def test_pydantic_models_anywhere():
    pydantic = pytest.importorskip("pydantic")

    class Inner(pydantic.BaseModel):
        n: int = pydantic.Field(alias="N", ge=1)

    class Outer(pydantic.BaseModel):
        inner: Inner
        url: pydantic.AnyUrl | None = None

    schema = publish(list[Outer])
    assert schema["items"]["properties"]["inner"]["properties"]["N"]["minimum"] == 1  # used once: inlined
    assert decode(list[Outer], '[{"inner":{"N":1}}]')[0].inner.n == 1
    assert decode(Outer | str, '"text"') == "text"
    assert decode(Box[Inner], '{"item":{"N":2}}').item.n == 2
    assert publish(pydantic.AnyUrl)["format"] == "uri"


def test_dataclass_with_a_union_of_dataclasses_needs_the_help_of_pydantic():
    pytest.importorskip("pydantic")
    holder = type("Holder", (), {"__annotations__": {"it": Point | Other}, "__module__": __name__})
    made = dataclass(holder)
    assert decode(made, '{"it":{"z":"q"}}').it == Other("q")
