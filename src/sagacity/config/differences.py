"""The fields in which two configurations differ."""

import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import cast

from pydantic import JsonValue

from sagacity.config.tenant_config import TenantConfig, dump_with_secrets, masked
from sagacity.domain.config_history import FieldChange


def changed_fields(old: TenantConfig, new: TenantConfig) -> tuple[str, ...]:
    """Return the names of the fields that differ, secrets included."""
    before, after = _revealed(old), _revealed(new)
    return tuple(name for name in sorted(TenantConfig.model_fields) if before.get(name) != after.get(name))


def differences(old: TenantConfig, new: TenantConfig) -> tuple[FieldChange, ...]:
    """Return each value that differs. A changed secret is included, masked on both sides."""
    return tuple(_walk("", (_revealed(old), masked(old)), (_revealed(new), masked(new))))


_Pair = tuple[JsonValue, JsonValue]
"""A value with its secrets in the clear, and with them masked."""


def _walk(path: str, old: _Pair, new: _Pair) -> Iterator[FieldChange]:
    if old[0] == new[0]:
        return
    if isinstance(old[0], dict) and isinstance(new[0], dict):
        shown_old, shown_new = _object(old[1]), _object(new[1])
        for name in dict.fromkeys([*old[0], *new[0]]):
            yield from _walk(
                f"{path}.{name}" if path else name,
                (old[0].get(name), shown_old.get(name)),
                (new[0].get(name), shown_new.get(name)),
            )
    elif isinstance(old[0], list) and isinstance(new[0], list):
        olds, news = zip(old[0], _list(old[1]), strict=True), zip(new[0], _list(new[1]), strict=True)
        for place, (one, other) in enumerate(zip_longest(olds, news, fillvalue=(None, None))):
            yield from _walk(f"{path}.{place}", one, other)
    else:
        yield FieldChange(field=path, old=old[1], new=new[1])


def _revealed(config: TenantConfig) -> dict[str, JsonValue]:
    return json.loads(dump_with_secrets(config))


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return cast("Mapping[str, JsonValue]", value)


def _list(value: JsonValue) -> list[JsonValue]:
    return cast("list[JsonValue]", value)
