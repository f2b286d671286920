"""
A condition on a JSON value, as one parameter of a statement, with the same answer on every database.

PostgreSQL gets it as a JSON path. SQLite calls a function of ours, because only some versions of its JSON functions
find keys with quotation marks or letters beyond ASCII, and they lose digits of large numbers.
"""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any, TypeAlias, cast

import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from sagacity.domain.condition import AllOf, AnyOf, Comparison, Condition, Not, Operator, Scalar

SQLITE_FUNCTION = "sagacity_holds"
_CONDITION: TypeAdapter[Condition] = TypeAdapter(Condition)
_KEPT = 64
_SIGNS = {Operator.EQ: "==", Operator.GT: ">", Operator.GTE: ">=", Operator.LT: "<", Operator.LTE: "<="}
_ORDERS: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.GT: gt,
    Operator.GTE: ge,
    Operator.LT: lt,
    Operator.LTE: le,
    Operator.CONTAINS: lambda text, part: isinstance(text, str) and part in text,
}
_Number: TypeAlias = int | Decimal


class _Asked(sa.types.TypeDecorator[Condition]):
    """A condition in the language of the database."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Condition | None, dialect: Dialect) -> str | None:
        """Return the value for the driver."""
        if value is None:
            return None
        if dialect.name == "postgresql":
            return f"strict {json_path(value)}"
        return _CONDITION.dump_json(value).decode()


class _Holds(FunctionElement[bool]):
    """The condition of `condition_holds`; compiled below for each database."""

    type = sa.Boolean()
    name = "holds"
    inherit_cache = True


@compiles(_Holds)
def _by_our_function(element: _Holds, compiler: SQLCompiler, **options: Any) -> str:
    facts, condition = (compiler.process(one, **options) for one in element.clauses)
    return f"{SQLITE_FUNCTION}({facts}, {condition})"


@compiles(_Holds, "postgresql")
def _by_path(element: _Holds, compiler: SQLCompiler, **options: Any) -> str:
    facts, condition = (compiler.process(one, **options) for one in element.clauses)
    return f"(coalesce({facts}, '{{}}'::jsonb) @@ CAST({condition} AS jsonpath))"


def condition_holds(facts: sa.ColumnElement[Any], parameter: str) -> sa.ColumnElement[bool]:
    """Return the condition that the one in *parameter* is true of *facts*; null counts as an empty object."""
    return _Holds(facts, sa.bindparam(parameter, type_=_Asked()))


# --- SQLite ----------------------------------------------------------------------------------------------------------


def holds(facts: str | None, condition: str) -> bool:
    """Return whether a condition is true of a JSON object, both given as text; this is `SQLITE_FUNCTION`."""
    found: object = json.loads(facts, parse_float=Decimal) if facts else {}
    return _is_true(_read(condition), found)


@lru_cache(maxsize=_KEPT)
def _read(condition: str) -> Condition:
    return _CONDITION.validate_json(condition)


def _is_true(condition: Condition, facts: object) -> bool:
    match condition:
        case AllOf():
            return all(_is_true(part, facts) for part in condition.all_of)
        case AnyOf():
            return any(_is_true(part, facts) for part in condition.any_of)
        case Not():
            return not _is_true(condition.is_not, facts)
        case Comparison():
            return _compare(condition, _at(facts, condition.path))


def _at(facts: object, path: tuple[str, ...]) -> object:
    """Return the value at *path*, or None."""
    for key in path:
        if not isinstance(facts, Mapping):
            return None
        facts = cast("Mapping[str, object]", facts).get(key)
    return facts


def _compare(comparison: Comparison, found: object) -> bool:
    how, value = comparison.operator, next(iter(comparison.values), None)
    match how:
        case Operator.EXISTS:
            return (found is not None) is value
        case _ if found is None or value is None:
            return False
        case Operator.EQ | Operator.IN:
            return any(_equal(found, one) for one in comparison.values)
        case Operator.NE:
            return not _equal(found, value)
        case Operator.CONTAINS if isinstance(found, list):
            return any(_equal(one, value) for one in cast("list[object]", found))
        case _:
            return _in_order(_ORDERS[how], found, value)


def _in_order(order: Callable[[Any, Any], bool], found: object, value: Scalar) -> bool:
    number, against = _number(found), _number(value)
    if number is not None and against is not None:
        return order(number, against)
    return isinstance(found, str) and isinstance(value, str) and order(found, value)


def _equal(found: object, value: Scalar) -> bool:
    if isinstance(found, bool) or isinstance(value, bool):
        return found is value
    if isinstance(value, str):
        return found == value
    return _number(found) == _number(value)


def _number(value: object) -> _Number | None:
    """Return a number with the exact value of its decimal digits; None if *value* is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return Decimal(repr(value)) if isinstance(value, float) else value


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


def json_path(condition: Condition) -> str:
    """Return *condition* as an SQL/JSON predicate in strict mode, where values that cannot be compared are unknown."""
    match condition:
        case AllOf():
            return " && ".join(f"({json_path(part)})" for part in condition.all_of)
        case AnyOf():
            return " || ".join(f"({json_path(part)})" for part in condition.any_of)
        case Not():
            return _negated(condition.is_not)
        case Comparison():
            return _predicate(condition)


def _negated(condition: Condition) -> str:
    """Negate the parts of a condition, down to the comparisons; the negation of an unknown comparison is true."""
    match condition:
        case AllOf():
            return " || ".join(f"({_negated(part)})" for part in condition.all_of)
        case AnyOf():
            return " && ".join(f"({_negated(part)})" for part in condition.any_of)
        case Not():
            return json_path(condition.is_not)
        case Comparison():
            return _untrue(_predicate(condition))


def _untrue(predicate: str) -> str:
    return f"!({predicate}) || (({predicate}) is unknown)"


def _predicate(comparison: Comparison) -> str:
    field = "$" + "".join(f".{json.dumps(key)}" for key in comparison.path)
    is_there, values = f"{field} != null", [_literal(value) for value in comparison.values]
    match comparison.operator:
        case Operator.EXISTS:
            return is_there if comparison.values[0] else _untrue(is_there)
        case Operator.NE:
            return f"{is_there} && ({_untrue(f'{field} == {values[0]}')})"
        case Operator.IN:
            return " || ".join(f"{field} == {value}" for value in values) or f"{is_there} && {field} == null"
        case Operator.CONTAINS:
            element = f"exists ({field}[*] ? (@ == {values[0]}))"
            if not isinstance(comparison.values[0], str):
                return element
            return f'{element} || {field} like_regex {values[0]} flag "q"'
        case how:
            return f"{field} {_SIGNS[how]} {values[0]}"


def _literal(value: Scalar) -> str:
    return json.dumps(value)
