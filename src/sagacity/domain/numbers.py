"""Refuse `true` and `false` where a number is expected: Python, and so pydantic, takes them for 1 and 0."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, cast, get_args

from pydantic import AliasChoices, BaseModel, ValidationError
from pydantic_core import InitErrorDetails

_Fault = Literal["int_type", "float_type"]


def refuse_truth_values(model: type[BaseModel], fields: Mapping[str, object]) -> None:
    """
    Refuse *fields* of *model* that are `true` or `false`, or a list of such, where only a number fits.

    Raises:
        ValidationError: naming each of them.
    """
    faults = [
        InitErrorDetails(type=fault, loc=(name, *place), input=value)
        for name, fault in _numbers_of(model).items()
        for place, value in _truth_values(fields.get(name))
    ]
    if faults:
        raise ValidationError.from_exception_data(model.__name__, faults, hide_input=True)


def _truth_values(given: object) -> Iterator[tuple[tuple[int, ...], bool]]:
    if isinstance(given, bool):
        yield (), given
    elif isinstance(given, list | tuple):
        for place, one in enumerate(cast("list[object]", given)):
            if isinstance(one, bool):
                yield (place,), one


@cache
def _numbers_of(model: type[BaseModel]) -> Mapping[str, _Fault]:
    """Return the fields of *model*, by all names, that hold numbers and no truth value, with how a fault is called."""
    found: dict[str, _Fault] = {}
    for name, field in model.model_fields.items():
        types = set(_types_in(field.annotation))
        if not types.isdisjoint({int, float}) and bool not in types:
            alias = field.validation_alias
            names = alias.choices if isinstance(alias, AliasChoices) else (name,)
            fault: _Fault = "float_type" if float in types else "int_type"
            found |= {one: fault for one in (name, *names) if isinstance(one, str)}
    return found


def _types_in(annotation: object) -> Iterator[object]:
    """Yield what *annotation* is made of, without what names alone stand for, such as JSON."""
    annotation = getattr(annotation, "__supertype__", annotation)  # of a NewType
    parts = get_args(annotation)
    if not parts:
        yield annotation
    for part in parts:
        yield from _types_in(part)
