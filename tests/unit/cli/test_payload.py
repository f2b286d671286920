"""What `publish` makes of JSON that people hand it."""

from pathlib import Path

import pytest

from sagacity.cli.payload import as_object, parse, read_text, requests
from sagacity.domain.errors import InvalidInput

TURN = {"role": "User", "content": "hi"}
FLAGS = {"user_id": "ana", "source": "cli", "session_id": None}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ('\n[{"content": "x"}]\n', [[{"content": "x"}]]),
        ('{"a": 1}\n\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ('{"a":\n 1}', [{"a": 1}]),
    ],
)
def test_json_and_json_lines_are_read(text: str, values: list) -> None:
    """One value over many lines, or one a line."""
    assert parse(text, name="x") == values


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("{", "not valid JSON"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1}\n{"a": 2', "line 2"),
        ("[" * 100_000, "not valid JSON"),
        ("hello\nworld", "not valid JSON"),
    ],
)
def test_what_is_no_json_is_refused(text: str, says: str) -> None:
    """The message names the place."""
    with pytest.raises(InvalidInput, match=says):
        parse(text, name="turns.jsonl")


def test_turns_make_one_request() -> None:
    """Lines with a turn each belong to one publish."""
    assert requests([TURN, TURN], FLAGS) == [
        {"user_id": "ana", "source": "cli", "interaction_data_list": [TURN, TURN]}
    ]


def test_list_of_turns_makes_one_request() -> None:
    """A list is the turns of one publish."""
    assert requests([[TURN]], FLAGS) == [{"user_id": "ana", "source": "cli", "interaction_data_list": [TURN]}]


def test_whole_requests_go_before_the_flags() -> None:
    """What the data says is not overwritten by a flag; `interactions` is understood too."""
    given = [{"user_id": "bo", "interaction_data_list": [TURN]}, {"source": "app", "interactions": [TURN]}]
    assert requests(given, FLAGS) == [
        {"user_id": "bo", "source": "cli", "interaction_data_list": [TURN]},
        {"user_id": "ana", "source": "app", "interaction_data_list": [TURN]},
    ]


@pytest.mark.parametrize(("values", "says"), [([3], "expected"), (["x"], "expected"), ([TURN], "--user-id")])
def test_what_is_no_request_is_refused(values: list, says: str) -> None:
    """A number is no turn, and a turn needs a user."""
    with pytest.raises(InvalidInput, match=says):
        requests(values, {"user_id": None})


def test_text_comes_from_flag_or_file(tmp_path: Path) -> None:
    """`@FILE` and --file mean the same; a byte order mark does not matter."""
    path = tmp_path / "turns.json"
    path.write_bytes("\ufeff[1]".encode())
    assert (read_text("{}", None), read_text(f"@{path}", None), read_text(None, path)) == ("{}", "[1]", "[1]")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_unreadable_file_is_the_users_mistake(tmp_path: Path, content: bytes | None) -> None:
    """A file that is missing or no text is named."""
    path = tmp_path / "turns.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"turns\.json"):
        read_text(None, path)


@pytest.mark.parametrize("text", ["[1]", "3", '{"a": 1}\n{"b": 2}'])
def test_configuration_is_one_object(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(InvalidInput, match="one JSON object"):
        as_object(text, name="--data")
