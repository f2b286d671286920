"""Text to values, and the schema that is asked for."""

import pytest
from pydantic import BaseModel, Field, JsonValue

from sagacity.providers.base import ChatMessage
from sagacity.providers.llm.structured import (
    Salvaged,
    completed,
    go_on_messages,
    json_schema_format,
    mend_messages,
    parse,
    salvage,
    schema_message,
)
from support.hang_guard import ending


class Inner(BaseModel):
    """A nested part."""

    name: str
    score: float = 0.5


class Outer(BaseModel):
    """A closed schema with a nested part, a union and defaults."""

    items: tuple[Inner, ...] = ()
    best: Inner | None = None


class Loose(BaseModel):
    """A field that may hold anything."""

    value: JsonValue = None


class Nested(BaseModel):
    """An open part deep inside."""

    parts: list[Loose] = Field(default_factory=list[Loose])


def test_closed_schema_is_strict_and_all_required():
    """Strict decoding wants every field required, every object closed, and no defaults."""
    asked = json_schema_format(Outer)
    assert asked["type"] == "json_schema"
    inner = asked["json_schema"]
    assert isinstance(inner, dict)
    assert (inner["name"], inner["strict"]) == ("Outer", True)
    schema = inner["schema"]
    assert isinstance(schema, dict)
    for part, fields in ((schema, ["items", "best"]), (schema["$defs"]["Inner"], ["name", "score"])):
        assert part["required"] == fields
        assert part["additionalProperties"] is False
        assert not any("default" in field for field in part["properties"].values())


@pytest.mark.parametrize("output", [Loose, Nested])
def test_open_schema_is_not_strict(output: type[BaseModel]):
    """What strict decoding cannot describe is asked for as it is."""
    asked = json_schema_format(output)["json_schema"]
    assert isinstance(asked, dict)
    assert asked["strict"] is False
    schema, whole = asked["schema"], output.model_json_schema()
    assert isinstance(schema, dict)
    assert "required" not in schema
    assert schema["properties"].keys() == whole["properties"].keys()


def test_schema_holds_nothing_that_tells_a_model_nothing():
    """Neither titles nor docstrings, which cost tokens at each call; a field that is called so stays."""

    class Book(BaseModel):
        """What is read."""

        title: str = Field(description="as printed")
        description: str

    asked = json_schema_format(Book)["json_schema"]
    assert isinstance(asked, dict)
    assert asked["schema"] == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "as printed"},
            "description": {"type": "string"},
        },
        "required": ["title", "description"],
        "additionalProperties": False,
    }


def test_words_hold_the_schema():
    """A model that takes no schema reads it."""
    message = schema_message(Outer)
    assert message.role == "system"
    assert '"items"' in message.content


def test_mending_shows_answer_and_error():
    """The turns alternate, and an endless answer is cut."""
    answer, complaint = mend_messages("x" * 100_000, "items: wrong")
    assert answer == ChatMessage(role="assistant", content="x" * 8_000)
    assert complaint.role == "user"
    assert "items: wrong" in complaint.content
    assert mend_messages("", "empty")[0].content == "(empty)"


@pytest.mark.parametrize(
    "text",
    [
        '  {"items": [{"name": "a"}]}  ',
        'text {"items": [{"name": "a"}]} text',
        '```json\n{"items": [{"name": "a"}]}\n```',
        'First ```\nnot json\n``` then ```json\n{"items": [{"name": "a"}]}\n```',
        '{"items": [{"name": "a", "unknown": 1}]}',
    ],
)
def test_json_is_found(text: str):
    """The value is read wherever it stands."""
    assert parse(text, Outer) == Outer(items=(Inner(name="a"),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no complete JSON"),
        ("{", "no complete JSON"),
        ("no braces", "no complete JSON"),
        ('{"items": [{"name": "a"', "no complete JSON"),
        ("[" * 100_000 + "]" * 100_000, "no complete JSON"),
        ("```" + "\n" * 500_000, "no complete JSON"),
        ('{"items": [{"name": NaN}]}', "name"),
        ('{"items": [{"name": "a"}], "more": [{"na', "no complete JSON"),
        ('{"items": [{"score": 1}]}', "items.0.name: Field required"),
        ("null", "answer"),
    ],
)
def test_unreadable_text_is_told(text: str, told: str):
    """What does not read is a ValueError that says what is missing."""
    with ending(), pytest.raises(ValueError, match=told):
        parse(text, Outer)


def test_what_no_database_keeps_is_left_out():
    """NUL characters and numbers without end do not get through, at any depth; a written-out escape is text."""
    text = r'{"value": {"a\u0000": ["x\u0000y", "\\u0000", 1]}}'
    assert parse(text, Loose).value == {"a": ["xy", "\\u0000", 1]}
    for number in ("NaN", "Infinity", "-Infinity"):
        assert parse(f'{{"value": [{number}]}}', Loose).value == [None]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"items": [{"name": "a"}, {"name": "b", "score": 1}, {"name": "c', ["a", "b"]),
        ('```json\n{"items": [{"name": "a"},', ["a"]),
        ('{"items": [{"name": "a"}]', ["a"]),
        ('{"items": [{"name": "a"}], "value": {"b": "c', ["a"]),
        (r'{"items": [{"name": "]}"}, {"name": "\""}, {"name": "\"}]', ["]}", '"']),
        ('{"items": [{"name": "a"}, {oops}, {"name": "b"}]}', ["a"]),
    ],
)
def test_whole_entries_of_a_broken_answer_are_read(text: str, names: list[str]):
    kept = salvage([text], Outer)
    assert kept is not None
    assert [one.name for one in kept.value.items] == names
    assert kept.entries == len(names)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"items": [{"name": "a',
        '{"items": [',
        '{"items": [{"score": 1}, {',
        '{"items": ' + "[" * 100_000,
    ],
)
def test_where_no_entry_is_whole_nothing_is_kept(text: str):
    assert salvage([text], Outer) is None


def test_answers_that_break_off_are_read_as_one():
    """Each with what the one before it lacked; what both say stands once."""
    kept = salvage(
        ['{"items": [{"name": "a"}, {"name": "b"}, {"na', '{"items": [{"name": "b"}, {"name": "c"}'], Outer
    )
    assert kept is not None
    assert [one.name for one in kept.value.items] == ["a", "b", "c"]
    whole = Outer(items=(Inner(name="c"), Inner(name="d")), value={"of": "the second"})
    assert completed(kept.value, whole) == Outer(
        items=tuple(Inner(name=name) for name in "abcd"), value={"of": "the second"}
    )


def test_a_model_that_was_cut_off_is_asked_for_what_is_missing():
    def told(kept: Salvaged[Outer] | None) -> str:
        answer, request = go_on_messages("{", kept)
        assert (answer.role, answer.content, request.role) == ("assistant", "{", "user")
        return request.content

    assert "be shorter, and give at most 3 entries, the most important first" in told(None)
    assert "complete entries (2) are kept; do not repeat them" in told(Salvaged(Outer(), 2))
    assert "at most 2 entries" in told(Salvaged(Outer(), 2))
    assert "at most 10 entries" in told(Salvaged(Outer(), 150))


@pytest.mark.parametrize(
    "text",
    [
        'Draft: {"items": []}\nBetter: {"items": [{"name": "a"}]}',
        '<think>Is it {"items": []}, or {this}?</think>\n{"items": [{"name": "a"}]}',
    ],
)
def test_of_several_objects_the_last_one_counts(text: str):
    """A model that thinks aloud, or corrects itself, ends with its answer."""
    assert parse(text, Outer) == Outer(items=(Inner(name="a"),))
