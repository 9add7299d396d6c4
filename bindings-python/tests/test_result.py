"""Return values as results (P08, Y22)."""

import base64
import collections
import datetime
import decimal
import enum
import json
import sys
import types as python_types
import uuid
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import pytest
from omniport import Audio, EmbeddedResource, File, Image, ResourceLink, ToolResult
from omniport._result import encoder, output_schema


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int


class Pair(NamedTuple):
    a: int
    b: str


class Loose(TypedDict, total=False):
    a: int


def result(value: Any, annotation: Any = None) -> Any:
    schema = output_schema(annotation) if annotation is not None else None
    return json.loads(encoder(schema)(value))


@pytest.mark.parametrize(
    ("value", "annotation", "structured"),
    [
        ([], list[int], []),
        ({}, dict[str, int], {}),
        ("", str, ""),
        (0, int, 0),
        ([Point(1)], list[Point], [{"x": 1}]),
        (Point(1), Point, {"x": 1}),
        ({"a": 1}, Loose, {"a": 1}),
        (Pair(1, "b"), Pair, [1, "b"]),
        (Colour.RED, Colour, "red"),
        (datetime.datetime(2024, 1, 2, 3), datetime.datetime, "2024-01-02T03:00:00"),
        (datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc), datetime.datetime, "2024-01-02T00:00:00Z"),
        (decimal.Decimal("1.10"), decimal.Decimal, "1.10"),
        (uuid.UUID(int=1), uuid.UUID, "00000000-0000-0000-0000-000000000001"),
        (b"hi", bytes, "aGk="),
        ({1}, set[int], [1]),
        ((1, "a"), tuple[int, str], [1, "a"]),
        (iter([1, 2]), list[int], [1, 2]),
        (collections.Counter("aa"), dict[str, int], {"a": 2}),
        (2**80, int, 2**80),
        (float("nan"), float, None),
        (None, int | None, None),
    ],
)
def test_structured(value, annotation, structured):
    found = result(value, annotation)
    assert found.pop("structuredContent") == structured
    assert found == ({"content": []} if value is None else {})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("hi", "hi"),
        (1, "1"),
        (True, "true"),
        ([1, 2], "[1,2]"),
        ((1, 2), "[1,2]"),
        (datetime.date(2024, 1, 2), "2024-01-02"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Colour.RED, "red"),
        ({"b"}, '["b"]'),
        (object, "<class 'object'>"),
    ],
)
def test_text_without_a_schema(value, text):
    assert result(value) == {"content": [{"type": "text", "text": text}]}


def test_objects_are_structured_even_without_a_schema():
    assert result({"a": 1}) == {"structuredContent": {"a": 1}}
    assert result(Point(1)) == {"structuredContent": {"x": 1}}


def test_none_is_empty():
    assert result(None) == {"content": []}
    assert output_schema(None) is None and output_schema(type(None)) is None


class Opaque:
    def __init__(self, x):
        self.x = x

    def __str__(self):
        return f"opaque {self.x}"


@pytest.mark.parametrize(
    "annotation",
    [
        Opaque,
        list[Opaque],
        python_types.FunctionType,
        Any,
        object,
        Image,
        list[Image],
        list[Image | str],
        ToolResult,
        tuple[str, Image],
    ],
)
def test_annotations_without_a_schema_publish_none(annotation):
    assert output_schema(annotation) is None


def test_opaque_values_are_text():
    assert result(Opaque(1), Opaque) == {"content": [{"type": "text", "text": "opaque 1"}]}


def test_output_schemas_are_those_of_the_type():
    assert output_schema(str) == {"type": "string"}
    assert output_schema(list[int]) == {"type": "array", "items": {"type": "integer"}}
    assert output_schema(dict) == {"type": "object"}


def test_keys_that_are_no_text():
    assert result({(1, 2): 3}, dict)["structuredContent"] == {"(1, 2)": 3}
    assert result({1: Point(1)}, dict)["structuredContent"] == {"1": {"x": 1}}


def test_mixed_lists():
    found = result(["look:", Image(b"x", format="png"), {"a": 1}, ResourceLink("file:///a", "a", mime_type="text/plain")])
    assert found["content"] == [
        {"type": "text", "text": "look:"},
        {"type": "image", "data": "eA==", "mimeType": "image/png"},
        {"type": "text", "text": '{"a":1}'},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain"},
    ]


def test_whole_results():
    assert result(ToolResult("bad", is_error=True)) == {"content": [{"type": "text", "text": "bad"}], "isError": True}
    assert result(ToolResult(structured_content={"a": 1}, meta={"m": 1})) == {"structuredContent": {"a": 1}, "_meta": {"m": 1}}
    assert result(([Image(b"x")], {"a": 1}))["structuredContent"] == {"a": 1}


def test_numpy():
    numpy = pytest.importorskip("numpy")
    assert result(numpy.int64(3), int) == {"structuredContent": 3}
    assert result(numpy.float32(0.5), float) == {"structuredContent": 0.5}
    assert result({"a": numpy.arange(3)}, dict) == {"structuredContent": {"a": [0, 1, 2]}}
    assert result(numpy.float64(0.5)) == {"content": [{"type": "text", "text": "0.5"}]}


def test_frames_by_their_shape():
    Frame = type("DataFrame", (), {"__module__": "pandas.core", "columns": ["a"], "to_dict": lambda self, orient: [{"a": 1}]})
    assert result({"rows": Frame()}) == {"structuredContent": {"rows": [{"a": 1}]}}


def test_pydantic():
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        n: int = pydantic.Field(serialization_alias="N")
        when: datetime.date = datetime.date(2024, 1, 2)

    assert output_schema(Model)["properties"].keys() == {"N", "when"}
    assert result(Model(n=1), Model) == {"structuredContent": {"N": 1, "when": "2024-01-02"}}
    assert result([Model(n=1)], list[Model])["structuredContent"] == [{"N": 1, "when": "2024-01-02"}]


def test_pydantic_is_not_imported_for_plain_types():
    import subprocess

    code = "import sys; import omniport._result as r, omniport._schema; r.output_schema(list[int]); assert 'pydantic' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


RAW = bytes(range(256))


@pytest.mark.parametrize("size", [0, 57, 58, 76, 99, 100, 256])
@pytest.mark.parametrize("form", ["bytes", "base64", "url-safe", "line breaks", "data uri", "no padding"])
def test_images_become_standard_base64(size, form):
    # Y22
    data = RAW[-size:] if size else b""
    standard = base64.b64encode(data).decode()
    given = {
        "bytes": data,
        "base64": standard,
        "url-safe": base64.urlsafe_b64encode(data).decode(),
        "line breaks": base64.encodebytes(data).decode(),
        "data uri": f"data:image/gif;base64,{standard}",
        "no padding": standard.rstrip("="),
    }[form]
    image = Image(given)
    assert image.to_content() == {"type": "image", "data": standard, "mimeType": "image/gif" if form == "data uri" else "image/png"}
    assert image.data == data


@pytest.mark.parametrize(
    ("format", "mime"), [("jpg", "image/jpeg"), ("JPEG", "image/jpeg"), (".png", "image/png"), ("image/webp", "image/webp")]
)
def test_image_formats(format, mime):
    assert Image(b"x", format=format).mime_type == mime


def test_bad_base64_is_refused():
    with pytest.raises(ValueError, match="base64"):
        Image("not base64!")
    with pytest.raises(ValueError, match="exactly one"):
        Image()


def test_files(tmp_path):
    place = tmp_path / "a b.txt"
    place.write_text("hé")
    assert File(place).to_content()["resource"] == {"uri": place.as_uri(), "mimeType": "text/plain", "text": "hé"}
    assert File(data=b"\xff", name="x", format="pdf").to_content()["resource"] == {
        "uri": "file:///x.pdf", "mimeType": "application/pdf", "blob": "/w==",
    }  # fmt: skip
    image = tmp_path / "c.jpg"
    image.write_bytes(b"x")
    assert Image(path=image).to_content() == {"type": "image", "data": "eA==", "mimeType": "image/jpeg"}
    assert Audio(b"x", format="mp3").to_content()["mimeType"] == "audio/mpeg"
    assert EmbeddedResource("x://y", text="t").to_content() == {"type": "resource", "resource": {"uri": "x://y", "text": "t"}}


def test_half_surrogate_pairs_never_reach_the_wire():
    # P08: `os.listdir` makes such text of names that are no UTF-8, and strict peers drop the whole message.
    assert result("a\udce9") == {"content": [{"type": "text", "text": "a?"}]}
    assert result({"k\udce9": ["v\ud800"]})["structuredContent"] == {"k?": ["v?"]}


def test_a_class_is_no_instance_of_itself():
    pydantic = pytest.importorskip("pydantic")
    assert "BaseModel" in result([pydantic.BaseModel])["content"][0]["text"]
