"""Metadata that callers store with our values: a JSON object of limited size."""

from typing import Annotated, cast

from pydantic import AfterValidator, JsonValue

Object = dict[str, JsonValue]
MAX_OBJECT = 65_536
"""Maximum number of characters of metadata, as JSON."""


def fitting_object(given: Object) -> Object:
    """
    Return *given*, checked not to be too long.

    Raises:
        ValueError: it is too long.
    """
    left, waiting = MAX_OBJECT, [cast("JsonValue", given)]
    while waiting and left >= 0:
        one = waiting.pop()
        left -= (
            1
            if one is None or isinstance(one, bool)
            else len(str(one))
            if not isinstance(one, list | dict)
            else 2
        )
        if isinstance(one, dict):
            left -= sum(map(len, one))
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    if left < 0:
        raise ValueError(f"takes at most {MAX_OBJECT:,} characters in all")
    return given


Metadata = Annotated[Object, AfterValidator(fitting_object)]
