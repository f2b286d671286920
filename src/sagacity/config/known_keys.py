"""The keys of a configuration under all their names, and the message for an unknown one."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import cast, get_args

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from sagacity.config.fields import ConfigPart, Idle, Ignored
from sagacity.domain.base import Value
from sagacity.domain.suggest import unknown_field

Place = tuple[str | int, ...]
_LONGEST = 64
"""Longer keys get no suggestion, and are not quoted."""


class Fault(Value):
    """A fault at one place of a configuration."""

    type: str
    loc: Place
    msg: str


def key_faults(given: object, part: type[ConfigPart], place: Place = ()) -> Iterator[Fault]:
    """
    Yield the faults of the keys in *given*, at every level: unknown keys, and conflicting names of one key.

    Args:
        given: a configuration as sent, or a part of one. Values of a wrong type are skipped.
        part: what it should be.
        place: the keys that lead to it.
    """
    if not isinstance(given, Mapping):
        return
    fields = cast("Mapping[str, object]", given)
    canonical = known_names(part)
    for key, value in fields.items():
        if key in canonical:
            yield from _faults_inside(value, part.model_fields[canonical[key]], (*place, key))
        elif key in part.ignored:
            continue
        elif key not in part.refused:
            shown = key if len(key) <= _LONGEST and key.isprintable() else "…"
            unknown = unknown_field(key, canonical, listed=part.model_fields)
            yield Fault(type="unknown_key", loc=(*place, shown), msg=unknown)
        elif value is not None:
            yield Fault(type="refused_key", loc=(*place, key), msg=f"{key} {part.refused[key]}")
    yield from _contradictions(fields, part, place)


def idle_choices(part: ConfigPart, place: str = "") -> Iterator[str]:
    """Yield the place and the reason of each choice in *part* that has no effect."""
    for name, field in type(part).model_fields.items():
        value: object = getattr(part, name)
        if value == field.get_default(call_default_factory=False):
            continue
        yield from (f"{place}{name} ({mark.why})" for mark in field.metadata if isinstance(mark, Idle))
        inner = cast("Sequence[object]", value) if isinstance(value, tuple) else [value]
        for one in inner:
            if isinstance(one, ConfigPart):
                yield from idle_choices(one, f"{place}{name}.")


def ignored_choices(given: object, part: type[ConfigPart], place: str = "") -> Iterator[str]:
    """Yield the place and the reason of each ignored key in *given* that somebody chose."""
    if not isinstance(given, Mapping):
        return
    canonical = known_names(part)
    for key, value in cast("Mapping[str, object]", given).items():
        if key in part.ignored and _is_chosen(value, part.ignored[key]):
            yield f"{place}{key} ({part.ignored[key].why})"
        elif key in canonical:
            for inner in inner_parts(part.model_fields[canonical[key]].annotation):
                for one in cast("Sequence[object]", value) if isinstance(value, list) else [value]:
                    yield from ignored_choices(one, inner, f"{place}{key}.")


def _is_chosen(value: object, ignored: Ignored) -> bool:
    unchosen = ignored.unchosen
    if isinstance(unchosen, dict) and isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        return any(fields.get(key, default) != default for key, default in unchosen.items())
    return value is not None and value != unchosen


@cache
def known_names(part: type[ConfigPart]) -> Mapping[str, str]:
    """Return every name of the keys of *part*, with its current name."""
    return {name: key for key, field in part.model_fields.items() for name in (key, *older_names(key, field))}


def older_names(key: str, field: FieldInfo) -> list[str]:
    """Return the older names of *key*."""
    alias = field.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else []
    return [name for name in choices if isinstance(name, str) and name != key]


def inner_parts(annotation: object) -> list[type[ConfigPart]]:
    """Return the parts of a configuration that a type names."""
    if isinstance(annotation, type) and issubclass(annotation, ConfigPart):
        return [annotation]
    return [part for one in get_args(annotation) for part in inner_parts(one)]


def _faults_inside(value: object, field: FieldInfo, place: Place) -> Iterator[Fault]:
    for part in inner_parts(field.annotation):
        if isinstance(value, list | tuple):
            for index, one in enumerate(cast("Sequence[object]", value)):
                yield from key_faults(one, part, (*place, index))
        else:
            yield from key_faults(value, part, place)


def _contradictions(given: Mapping[str, object], part: type[ConfigPart], place: Place) -> Iterator[Fault]:
    """Yield the older names that are given together with another name of the same key and another value."""
    for key, field in part.model_fields.items():
        names = [name for name in (key, *older_names(key, field)) if given.get(name) is not None]
        for name in names[1:]:
            if given[name] != given[names[0]]:
                told = f"{name} and {names[0]} are two names of {key}, with different values; send only {key}"
                yield Fault(type="two_names", loc=(*place, name), msg=told)
