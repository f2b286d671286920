"""Explain what is wrong with an input, in words for whoever sent it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

_NOUNS = {
    "interaction_data_list": "turn",
    "interactions": "turn",
    "user_ids": "user",
    "tags": "tag",
    "kinds": "kind",
    "strategies": "strategy",
}
"""What a list of that name is a list of."""
_OURS = "Value error, "
"""What pydantic puts before our own words."""
_MEMBER = re.compile(r"<[\w.]+: ('[^']*')>")
"""How pydantic writes a member of an enum among the choices of a literal."""

Context = Mapping[str, object]


def in_words(fault: Mapping[str, object]) -> str:
    """
    Return what is wrong, as a predicate to the name of the field: "must be a whole number".

    Args:
        fault: as pydantic tells it, with `type` and `msg`; with `loc` and `ctx` where there are any. Pydantic's own
            words are returned for a type that has none here, or lacks what they need.
    """
    name, given = str(fault.get("type")), fault.get("ctx")
    context: Context = cast("Context", given) if isinstance(given, Mapping) else dict[str, object]()
    if name in _SAME:
        return _SAME[name]
    if name in _WITH_DETAILS:
        try:
            return _WITH_DETAILS[name](context, _noun(fault.get("loc")))
        except KeyError:  # another version of pydantic names it differently
            pass
    return str(fault.get("msg", "is not valid")).removeprefix(_OURS)


def _noun(place: object) -> str:
    parts = cast("Sequence[object]", place) if isinstance(place, Sequence) else ()
    names = [part for part in parts if isinstance(part, str)]
    return _NOUNS.get(names[-1], "item") if names else "item"


def _count(number: object, noun: str) -> str:
    if number == 1:
        return f"one {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {plural}"


def _unit(context: Context, noun: str) -> str:
    """Return what a length counts: of a text that something of ours checked before, pydantic knows only a value."""
    return "character" if context.get("field_type") == "Value" else noun


def _least(context: Context, noun: str) -> str:
    unit = _unit(context, noun)
    least = context["min_length"]
    return (
        "must not be empty" if (least, unit) == (1, "character") else f"needs at least {_count(least, unit)}"
    )


def _most(context: Context, noun: str) -> str:
    return f"takes at most {_count(context['max_length'], _unit(context, noun))}"


def _pattern(context: Context, _: str) -> str:
    wanted = context["pattern"]
    return "must not be blank" if wanted == r"\S" else f"must match the pattern {wanted}"


def _choice(context: Context, _: str) -> str:
    choices = _MEMBER.sub(r"\1", str(context["expected"]))
    return f"must be {choices}"


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


_WHOLE, _NUMBER, _LIST, _OBJECT, _TEXT = (
    "must be a whole number",
    "must be a number",
    "must be a list",
    "must be an object",
    "must be a text",
)
_BOOLEAN = "must be true or false"
_TIME = "must be a time, such as 2026-05-20T09:30:00Z or seconds since 1970"
_SAME = {
    "missing": "is required",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing"), _NUMBER),
    "finite_number": "must be a finite number",
    **dict.fromkeys(("bool_type", "bool_parsing"), _BOOLEAN),
    **dict.fromkeys(("string_type", "string_unicode"), _TEXT),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"), _LIST),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type", "dataclass_type"), _OBJECT
    ),
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "date_type", "date_parsing"),
        _TIME,
    ),
    **dict.fromkeys(("uuid_type", "uuid_parsing"), "must be a UUID"),
    "extra_forbidden": "is not known here",
    "none_required": "must be left out or null",
}
_WITH_DETAILS: Mapping[str, Callable[[Context, str], str]] = {
    "too_short": _least,
    "too_long": _most,
    "string_too_short": lambda context, _: _least(context, "character"),
    "string_too_long": lambda context, _: _most(context, "character"),
    "string_pattern_mismatch": _pattern,
    "greater_than": lambda context, _: f"must be more than {_number(context['gt'])}",
    "greater_than_equal": lambda context, _: f"must be at least {_number(context['ge'])}",
    "less_than": lambda context, _: f"must be less than {_number(context['lt'])}",
    "less_than_equal": lambda context, _: f"must be at most {_number(context['le'])}",
    "enum": _choice,
    "literal_error": _choice,
    "json_invalid": lambda context, _: f"is not valid JSON: {context['error']}",
}
