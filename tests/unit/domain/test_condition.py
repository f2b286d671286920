"""Conditions read as they are written, or are refused with a reason."""

import pytest
from pydantic import TypeAdapter

from sagacity.domain.condition import (
    MAX_COMPARISONS,
    MAX_DEPTH,
    MAX_FIELD_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    MAX_VALUES,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Not,
    Operator,
    parse_condition,
)
from sagacity.domain.query import Filter

LEVEL = Comparison(path=("level",), operator=Operator.GTE, values=(2,))


def deep(levels: int) -> dict:
    condition: dict = {"level": {"gte": 2}}
    for _ in range(levels - 1):
        condition = {"not": condition}
    return condition


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"level": {"gte": 2}}, LEVEL),
        ({"a.b": {"eq": "x"}}, Comparison(path=("a", "b"), operator=Operator.EQ, values=("x",))),
        ({"a": {"in": [1, "x"]}}, Comparison(path=("a",), operator=Operator.IN, values=(1, "x"))),
        ({"not": {"level": {"gte": 2}}}, Not(is_not=LEVEL)),
        ({"and": [{"level": {"gte": 2}}] * 2}, AllOf(all_of=(LEVEL, LEVEL))),
        ({"or": [{"level": {"gte": 2}}]}, AnyOf(any_of=(LEVEL,))),
    ],
)
def test_condition_reads(given: dict, expected: Condition) -> None:
    """Each form there is."""
    assert parse_condition(given) == expected


def test_members_have_to_hold_together() -> None:
    """Several comparisons of a field, and several fields, are all of them."""
    condition = parse_condition({"level": {"gte": 2, "lt": 5}, "name": {"exists": True}})
    assert isinstance(condition, AllOf)
    assert [(one.path, one.operator) for one in condition.all_of] == [
        (("level",), "gte"), (("level",), "lt"), (("name",), "exists")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (3, "an object"),
        ({}, "an object"),
        ([], "an object"),
        ({"and": []}, "at least one"),
        ({"or": {"a": {"eq": 1}}}, "takes a list"),
        ({"not": []}, "an object"),
        ({"a": 1}, "needs a comparison"),
        ({"a": {}}, "needs a comparison"),
        ({"a": {"like": 1}}, "no comparison 'like'"),
        ({"a": {"eq": None}}, "exists to ask for null"),
        ({"a": {"eq": {"b": 1}}}, "a number, a text"),
        ({"a": {"eq": float("nan")}}, "not finite"),
        ({"a": {"eq": "\x00"}}, "cannot be stored"),
        ({"a": {"eq": "\ud800"}}, "cannot be stored"),
        ({"a": {"eq": "x" * (MAX_TEXT_CHARACTERS + 1)}}, "characters"),
        ({"a": {"in": 1}}, "takes a list"),
        ({"a": {"in": [[1]]}}, "a number, a text"),
        ({"a": {"in": list(range(MAX_VALUES + 1))}}, "at most 1000 values"),
        ({"a": {"exists": 1}}, "true or false"),
        ({"a": {"gt": True}}, "a number or a text"),
        ({"": {"eq": 1}}, "none of them empty"),
        ({"a..b": {"eq": 1}}, "none of them empty"),
        ({"\x00": {"eq": 1}}, "dotted path"),
        ({"a" * (MAX_FIELD_CHARACTERS + 1): {"eq": 1}}, "at most 512 characters"),
        (deep(MAX_DEPTH + 1), "levels deep"),
        ({"and": [{"a": {"eq": 1}}] * (MAX_COMPARISONS + 1)}, "at most 100 comparisons"),
        ({"and": [{"or": [{"a": {"eq": 1}}] * 60}] * 2}, "at most 100 comparisons"),
    ],
)
def test_condition_is_refused_with_a_reason(given: object, reason: str) -> None:
    """What does not read, and what is too much."""
    with pytest.raises(ValueError, match=reason):
        parse_condition(given)


def test_limits_are_inclusive() -> None:
    """As deep and as long as is said."""
    assert parse_condition(deep(MAX_DEPTH))
    assert parse_condition({"and": [{"a": {"eq": 1}}] * MAX_COMPARISONS})


def test_condition_survives_its_json() -> None:
    """A condition is a value: equal and hashable, and the same when it was text."""
    condition = parse_condition(
        {"or": [{"not": {"a": {"in": [1, 1.5, True, "1"]}}}, {"b": {"exists": False}}]}
    )
    adapter = TypeAdapter[Condition](Condition)
    again = adapter.validate_json(adapter.dump_json(condition))
    assert again == condition
    assert hash(Filter(metadata=again)) == hash(Filter(metadata=condition))
    [first, _] = again.any_of
    assert [type(value) for value in first.is_not.values] == [int, float, bool, str]
