"""
Conditions on the metadata of memories and requests.

A field is a path of keys, from the outermost in. Numbers compare with numbers, texts with texts (by code point), yes
and no with yes and no; nothing is turned into something else. A field that is not there, or is null, matches nothing
but `not` and `exists: false`.
"""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias, cast

from sagacity.domain.base import Value

MAX_DEPTH = 8
MAX_COMPARISONS = 100
MAX_VALUES = 1_000
"""Maximum number of values in all `in` lists of a condition."""
MAX_FIELD_CHARACTERS = 512
MAX_TEXT_CHARACTERS = 1_024
"""Maximum length of a text that a field is compared with."""


class Operator(StrEnum):
    """How a field is compared with a value."""

    EQ = "eq"
    NE = "ne"
    """There, and not equal."""
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    IN = "in"
    """Equal to one of a list."""
    CONTAINS = "contains"
    """A list with such an element, or a text with such a part."""
    EXISTS = "exists"
    """There (true) or not (false)."""


Scalar: TypeAlias = bool | int | float | str
"""The value that a field is compared with; use `exists` to test for a missing one."""


class Comparison(Value):
    """One field compared; `values` has one member, except for `in`."""

    path: tuple[str, ...]
    operator: Operator
    values: tuple[Scalar, ...]


class AllOf(Value):
    """True if every part is."""

    all_of: tuple["Condition", ...]


class AnyOf(Value):
    """True if some part is."""

    any_of: tuple["Condition", ...]


class Not(Value):
    """True if its part is not."""

    is_not: "Condition"


Condition: TypeAlias = Comparison | AllOf | AnyOf | Not

for _type in (AllOf, AnyOf, Not):
    _type.model_rebuild()

_ORDERED = frozenset({Operator.GT, Operator.GTE, Operator.LT, Operator.LTE})
_OPERATORS = ", ".join(Operator)


def parse_condition(given: object) -> Condition:
    """
    Read a condition as callers write it.

    `{"and": […]}`, `{"or": […]}`, `{"not": {…}}`, or fields with their comparisons: `{"priority": {"gte": 2}}`. Several
    fields, and several comparisons of a field, have to hold together. A field is a dotted path.

    Args:
        given: what JSON gives.

    Raises:
        ValueError: it does not read, is deeper than `MAX_DEPTH` or has more than `MAX_COMPARISONS` comparisons.
    """
    condition = _parse(given, MAX_DEPTH)
    comparisons = list(_comparisons(condition))
    if len(comparisons) > MAX_COMPARISONS:
        raise ValueError(
            f"a condition has at most {MAX_COMPARISONS} comparisons; this has {len(comparisons)}"
        )
    values = sum(len(one.values) for one in comparisons)
    if values > MAX_VALUES:
        raise ValueError(f"a condition names at most {MAX_VALUES} values; this names {values}")
    return condition


def _parse(given: object, depth: int) -> Condition:
    if depth < 1:
        raise ValueError(f"a condition is at most {MAX_DEPTH} levels deep")
    if not isinstance(given, Mapping) or not given:
        raise ValueError('a condition is an object such as {"priority": {"gte": 2}}')
    fields = cast("Mapping[str, object]", given)
    parts = tuple(part for name, value in fields.items() for part in _member(name, value, depth))
    return parts[0] if len(parts) == 1 else AllOf(all_of=parts)


def _member(name: str, value: object, depth: int) -> Sequence[Condition]:
    if name in {"and", "or"}:
        if not isinstance(value, list | tuple) or not value:
            raise ValueError(f"{name!r} takes a list of conditions with at least one in it")
        members = cast("Sequence[object]", value)
        if len(members) > MAX_COMPARISONS:
            raise ValueError(f"a condition has at most {MAX_COMPARISONS} comparisons")
        parts = tuple(_parse(one, depth - 1) for one in members)
        return [AllOf(all_of=parts) if name == "and" else AnyOf(any_of=parts)]
    if name == "not":
        return [Not(is_not=_parse(value, depth - 1))]
    path = tuple(name.split("."))
    if not all(path) or len(name) > MAX_FIELD_CHARACTERS or not _is_storable(name):
        raise ValueError(
            f"a field is a dotted path of keys with at most {MAX_FIELD_CHARACTERS} characters, "
            f"none of them empty: {name[:80]!r}"
        )
    if not isinstance(value, Mapping) or not value:
        raise ValueError(f'the field {name!r} needs a comparison such as {{"eq": 1}}; there are {_OPERATORS}')
    comparisons = cast("Mapping[str, object]", value)
    return [_comparison(path, name, operator, against) for operator, against in comparisons.items()]


def _comparison(path: tuple[str, ...], name: str, operator: str, against: object) -> Comparison:
    try:
        how = Operator(operator)
    except ValueError as error:
        raise ValueError(
            f"the field {name!r} has no comparison {operator[:80]!r}; there are {_OPERATORS}"
        ) from error
    if how is Operator.IN:
        if not isinstance(against, list | tuple):
            raise ValueError(f"'in' of the field {name!r} takes a list")
        values = tuple(_scalar(name, one) for one in cast("Sequence[object]", against))
        return Comparison.model_construct(path=path, operator=how, values=values)
    value = _scalar(name, against)
    if how is Operator.EXISTS and not isinstance(value, bool):
        raise ValueError(f"'exists' of the field {name!r} takes true or false")
    if how in _ORDERED and isinstance(value, bool):
        raise ValueError(f"{operator!r} of the field {name!r} takes a number or a text")
    return Comparison.model_construct(path=path, operator=how, values=(value,))


def _scalar(name: str, value: object) -> Scalar:
    if isinstance(value, str) and not _is_storable(value):
        raise ValueError(f"the field {name!r} is compared with a text that cannot be stored")
    if isinstance(value, str) and len(value) > MAX_TEXT_CHARACTERS:
        raise ValueError(
            f"the field {name!r} is compared with a text of more than {MAX_TEXT_CHARACTERS} characters"
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"the field {name!r} is compared with a number that is not finite")
    if isinstance(value, bool | int | float | str):
        return value
    raise ValueError(
        f"the field {name!r} must be compared with a number, a text, true or false; use exists to ask for null"
    )


def _is_storable(text: str) -> bool:
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _comparisons(condition: Condition) -> Sequence[Comparison]:
    match condition:
        case Comparison():
            return [condition]
        case AllOf(all_of=parts) | AnyOf(any_of=parts):
            return [one for part in parts for one in _comparisons(part)]
        case Not(is_not=part):
            return _comparisons(part)
