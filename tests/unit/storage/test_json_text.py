"""What a column of JSON holds is read as the standard library reads it."""

import json
import math

import pytest

from sagacity.storage.statements.json_text import read_json

VALUES: list[object] = [
    {"a": [1, -0.1, 1e300, None, True, "ü😀\u2028"], "": {}},
    2**80,
    0.1 + 0.2,
    "half a pair: \ud83d",
    [[]] * 3,
    "a\x00b",
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_reads_what_was_written(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value).encode()):
        assert read_json(text) == value
        assert type(read_json(text)) is type(value)


def test_reads_what_is_nested_deeply() -> None:
    text = "[" * 500 + "]" * 500
    assert read_json(text) == json.loads(text)


def test_reads_what_is_no_number() -> None:
    read = read_json(json.dumps({"a": math.nan, "b": -math.inf}))
    assert isinstance(read, dict)
    assert str(read) == str({"a": math.nan, "b": -math.inf})


def test_refuses_what_is_no_json() -> None:
    with pytest.raises(json.JSONDecodeError):
        read_json("{")
