"""`--where`: turn a written comparison, or a condition in JSON, into the API's filter."""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import JsonValue

_COMPARISON = re.compile(
    r"\s*(?P<field>[^\s=<>!~]+)\s*(?P<sign>>=|<=|!=|=|>|<|~)\s*(?P<value>(?![=<>~]).*?)\s*",
    re.DOTALL,
)
_OPERATORS = {"=": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "~": "contains"}


def condition(texts: Sequence[str]) -> "dict[str, JsonValue] | None":
    """
    Read conditions that all have to hold.

    Args:
        texts: each such as `priority>=2`, `project=atlas`, `labels~urgent` (holds), `due=null` (is not there), or JSON.

    Returns:
        The condition as the API takes it; None where there is none.

    Raises:
        InvalidInput: one is neither; the message shows it.
    """
    parts = [_condition(text) for text in texts]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else {"and": cast("list[JsonValue]", parts)}


def _condition(text: str) -> "dict[str, JsonValue]":
    if text.lstrip().startswith("{"):
        try:
            return cast("dict[str, JsonValue]", json.loads(text))
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"--where is not valid JSON: {error}") from error
    found = _COMPARISON.fullmatch(text)
    if found is None:
        raise InvalidInput(f"--where {text!r} is neither a comparison such as priority>=2 nor JSON")
    value = _value(found["value"])
    if value is None and found["sign"] in {"=", "!="}:
        return {found["field"]: {"exists": found["sign"] == "!="}}
    return {found["field"]: {_OPERATORS[found["sign"]]: value}}


def _value(text: str) -> "JsonValue":
    """Read a number, true, false, null or a text in quotation marks; anything else is a text as it stands."""
    try:
        value = cast("JsonValue", json.loads(text, parse_constant=str))
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, list | dict) else value
