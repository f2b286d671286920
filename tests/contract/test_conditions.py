"""Conditions on metadata: the same answer on every database, whatever the metadata and whatever is asked."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.condition import parse_condition
from sagacity.storage.schema.columns import Json
from sagacity.storage.statements.json_conditions import condition_holds
from sagacity.storage.transaction import Storage
from support.parts import ORG

KEYS = ("a", "b", "ü", 'q"u\\o', "$", "[0]", "über maß")
TEXTS = ("", "tea", "green tea", "Tea", "té", "\U0001f375", "1", "a.b*", 'say "no"', "\\d+", "null", "\n")
NUMBERS = (
    *(0, 1, -1, 2, 1.0, 1.5, -0.0, 0.1, 0.30000000000000004, 1e16, 1e23, 10**23, -1.5e-7, 5e-324, 1.7e308),
    *(2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**70),
)
SCALARS = st.one_of(st.sampled_from(NUMBERS), st.sampled_from(TEXTS), st.booleans())
OPEN_TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=6)
VALUES = st.one_of(SCALARS, st.integers(), st.floats(allow_nan=False, allow_infinity=False), OPEN_TEXT)
METADATA = st.dictionaries(
    st.sampled_from(KEYS),
    st.recursive(
        st.one_of(st.none(), VALUES),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=4,
)
FIELDS = st.lists(st.sampled_from(KEYS), min_size=1, max_size=3).map(".".join)
COMPARISONS = st.one_of(
    st.tuples(st.sampled_from(["eq", "ne", "contains"]), VALUES),
    st.tuples(
        st.sampled_from(["gt", "gte", "lt", "lte"]), VALUES.filter(lambda one: not isinstance(one, bool))
    ),
    st.tuples(st.just("in"), st.lists(VALUES, max_size=3)),
    st.tuples(st.just("exists"), st.booleans()),
)
CONDITIONS = st.recursive(
    st.builds(lambda field, comparison: {field: dict([comparison])}, FIELDS, COMPARISONS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"and": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"or": parts}),
        inner.map(lambda part: {"not": part}),
    ),
    max_leaves=4,
)


def expected(wanted: Mapping[str, Any], metadata: object) -> bool:
    """What a condition means, said once more in plain words."""
    answers = []
    for name, value in wanted.items():
        if name == "and":
            answers.append(all(expected(one, metadata) for one in value))
        elif name == "or":
            answers.append(any(expected(one, metadata) for one in value))
        elif name == "not":
            answers.append(not expected(value, metadata))
        else:
            found = metadata
            for key in name.split("."):
                found = found.get(key) if isinstance(found, dict) else None
            answers += [compared(found, how, against) for how, against in value.items()]
    return all(answers)


def sort_of(value: object) -> tuple[str, Any]:
    """What a value is compared as: only those of a sort are equal, or in an order."""
    if isinstance(value, bool):
        return "yes or no", value
    if isinstance(value, (int, float)):
        return "number", Decimal(repr(value))
    return ("text", value) if isinstance(value, str) else ("nothing", id(value))


def compared(found: object, how: str, against: Any) -> bool:
    if how == "exists":
        return (found is not None) == against
    if found is None:
        return False
    if how == "in":
        return any(sort_of(found) == sort_of(one) for one in against)
    if how in {"eq", "ne"}:
        return (sort_of(found) == sort_of(against)) == (how == "eq")
    if how == "contains":
        if isinstance(found, list):
            return any(sort_of(one) == sort_of(against) for one in found)
        return isinstance(found, str) and isinstance(against, str) and against in found
    (sort, left), (other, right) = sort_of(found), sort_of(against)
    if sort != other or sort not in {"number", "text"}:
        return False
    return {"gt": left > right, "gte": left >= right, "lt": left < right, "lte": left <= right}[how]


def cases() -> list[tuple[dict, list[dict]]]:
    """Conditions, each with metadata to ask it of; the same ones each time."""
    found = []

    @given(CONDITIONS, st.lists(METADATA, min_size=1, max_size=8))
    def collect(wanted: dict, rows: list[dict]) -> None:
        found.append((wanted, rows))

    collect()
    return found


async def answers(storage: Storage, asked: list[tuple[dict, list[dict]]]) -> list[list[bool]]:
    """What the database says of each."""
    statement = sa.select(condition_holds(sa.bindparam("facts", type_=Json), "condition"))
    async with storage.read(ORG) as snapshot:
        return [
            [
                bool(
                    (
                        await snapshot.search._scope.all(
                            statement, {"facts": row, "condition": parse_condition(wanted)}
                        )
                    )[0][0]
                )
                for row in rows
            ]
            for wanted, rows in asked
        ]


@pytest.mark.examples
async def test_conditions_hold_as_they_say(storage: Storage) -> None:
    """Random conditions on random metadata, against their plain meaning."""
    asked = cases()
    found = await answers(storage, asked)
    for (wanted, rows), said in zip(asked, found, strict=True):
        for row, one in zip(rows, said, strict=True):
            assert one == expected(wanted, row), (json.dumps(wanted), json.dumps(row))
    said = [one for rows in found for one in rows]
    assert len(asked) < sum(said) < len(said) - len(asked)


@pytest.mark.one_database
async def test_every_value_compares_with_every_other(storage: Storage) -> None:
    """Each sort of value by each comparison, where chance would rarely bring two together."""
    values = (*NUMBERS, *TEXTS, True, False, None, [], ["tea", 1], [[1]], {"a": 1})
    rows = [{"a": value} for value in values] + [{}]
    asked = []
    for against in (*NUMBERS, *TEXTS, True, False):
        for how in ("eq", "ne", "contains", "gt", "lte"):
            if not (isinstance(against, bool) and how in {"gt", "lte"}):
                asked.append(({"a": {how: against}}, rows))
                asked.append(({"not": {"a": {how: against}}}, rows))
    found = await answers(storage, asked)
    for (wanted, _), said in zip(asked, found, strict=True):
        assert said == [expected(wanted, row) for row in rows], wanted
