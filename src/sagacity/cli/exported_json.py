"""Read values from files that other programs wrote, whatever their shape."""

import json
from datetime import UTC, datetime
from typing import cast

from sagacity.domain.errors import InvalidInput
from sagacity.schemas.base import refuse_unstorable

_LAST_YEAR = 2099


def parsed(text: str) -> object:
    """
    Return what a text says as JSON.

    Raises:
        InvalidInput: it is none.
    """
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput("the file is not valid JSON") from error


def epoch_of(value: object) -> int | None:
    """Return a time in seconds since 1970; None for what is none of the years 1970 to 2099."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value, UTC)
        else:
            return None
        seconds = int(moment.timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return seconds if seconds > 0 and moment.year <= _LAST_YEAR else None


def fields_of(value: object) -> dict[str, object]:
    """Return an object; an empty one for anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def listed(value: object) -> list[dict[str, object]]:
    """Return the objects of a list; what is no object is an empty one, and what is no list has none."""
    return [fields_of(one) for one in cast("list[object]", value)] if isinstance(value, list) else []


def text_of(fields: dict[str, object], *names: str) -> str:
    """Return the first of the fields *names* that is a text with something in it; else an empty one."""
    values = (fields.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), "")


def is_storable(text: str) -> bool:
    """Return whether a database keeps a text as it is."""
    try:
        refuse_unstorable(text)
    except ValueError:
        return False
    return True


def shown(title: str) -> str:
    """Return a title that can be printed and stored."""
    seen = "".join(one if one.isprintable() else " " for one in title)
    return " ".join(seen.split()) or "untitled"
