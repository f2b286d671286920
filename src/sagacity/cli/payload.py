"""Read the JSON of `publish` and `config set` from a flag, a file or stdin."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import JsonValue

TURNS = "interaction_data_list"
_OLDER_TURNS = "interactions"


def read_text(data: str | None, file: Path | None) -> str:
    """
    Return the text that *data* (or the file named after its @) or *file* holds.

    Raises:
        InvalidInput: the file cannot be read as UTF-8 text.
    """
    path = Path(data[1:]) if data is not None and data.startswith("@") else file
    if path is None:
        return data or ""
    try:
        return path.expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def parse(text: str, *, name: str) -> "list[JsonValue]":
    """
    Read one JSON value, or one a line.

    Args:
        text: JSON or JSON lines.
        name: where it came from, for the message.

    Raises:
        InvalidInput: it is neither; the message names the line.
    """
    if not text.strip():
        raise InvalidInput(f"{name} is empty")
    try:
        return [_loads(text)]
    except ValueError as whole:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) == 1 or not _is_json(lines[0][1]):
            raise InvalidInput(f"{name} is not valid JSON: {whole}") from whole
        return list(_parse_lines(lines, name))


def as_object(text: str, *, name: str) -> "dict[str, JsonValue]":
    """
    Read one JSON object.

    Raises:
        InvalidInput: it is something else.
    """
    values = parse(text, name=name)
    if len(values) != 1 or not isinstance(values[0], dict):
        raise InvalidInput(f"{name} must be one JSON object")
    return values[0]


def requests(values: "list[JsonValue]", flags: "Mapping[str, JsonValue]") -> "list[dict[str, JsonValue]]":
    """
    Make publish bodies of what was given; what a body says itself goes before the flags.

    Args:
        values: whole bodies, lists of turns, or single turns. Lines that are single turns make one request together.
        flags: fields for every body; those that are None are left out.

    Raises:
        InvalidInput: a value is none of these, or has no user.
    """
    common = {name: value for name, value in flags.items() if value is not None}
    bodies: list[dict[str, JsonValue]] = []
    turns: list[JsonValue] = []
    for value in values:
        if isinstance(value, list):
            bodies.append({**common, TURNS: value})
        elif not isinstance(value, dict):
            raise InvalidInput("expected a request, a turn or a list of turns, each a JSON object")
        elif TURNS in value or _OLDER_TURNS in value:
            bodies.append({**common, **_renamed(value)})
        else:
            turns.append(value)
    if turns:
        bodies.append({**common, TURNS: turns})
    for body in bodies:
        if not body.get("user_id"):
            raise InvalidInput("the turns name no user: pass --user-id, or user_id in the data")
    return bodies


def _renamed(body: "Mapping[str, JsonValue]") -> "dict[str, JsonValue]":
    return {TURNS if name == _OLDER_TURNS else name: value for name, value in body.items()}


def _parse_lines(lines: list[tuple[int, str]], name: str) -> "Iterator[JsonValue]":
    for number, line in lines:
        try:
            yield _loads(line)
        except ValueError as error:
            raise InvalidInput(f"{name}, line {number}: not valid JSON: {error}") from error


def _is_json(text: str) -> bool:
    try:
        _loads(text)
    except ValueError:
        return False
    return True


def _loads(text: str) -> "JsonValue":
    def refuse(constant: str) -> object:
        raise ValueError(f"{constant} is not a JSON number")

    try:
        return cast("JsonValue", json.loads(text, parse_constant=refuse))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
