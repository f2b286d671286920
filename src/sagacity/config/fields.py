"""Field types of a tenant's configuration: texts, secrets, addresses."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    PlainSerializer,
    SecretStr,
    SerializationInfo,
    StringConstraints,
    ValidationInfo,
    model_validator,
)

from sagacity.config.safe_url import check_url
from sagacity.domain.numbers import refuse_truth_values

MASK = "********"
"""The mask that replies show instead of secrets. Sent back, it means: keep the stored one."""
REVEAL = "reveal_secrets"
"""The serialization context key that writes secrets in the clear."""
SEAL = "seal"
"""The serialization context key of a function that seals secrets, for storage."""
OPEN = "open"
"""The validation context key of a function that opens sealed secrets; without it, they stay sealed."""
BLOCK_PRIVATE = "block_private_urls"
"""The validation context key that refuses private and loopback addresses."""
STORED = "stored"
"""The validation context key for stored data: choices that this release does not know are left out."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Ignored:
    """A key of other systems that is accepted from their clients, but neither stored nor used."""

    why: str
    unchosen: JsonValue = None
    """Its values when nobody chose it, such as null; for an object, the keys that say so."""


class ConfigPart(BaseModel):
    """
    A part of the configuration. It is frozen, its errors do not quote input, and null means not given.

    Unknown keys are ignored, because a newer release may have stored them. Those of callers are refused earlier, by
    `known_keys.key_faults`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)
    refused: ClassVar[Mapping[str, str]] = {}
    """Keys of other systems that mean nothing here, and what to do instead."""
    ignored: ClassVar[Mapping[str, Ignored]] = {}
    """Keys that their clients always send, chosen or not."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        fields = cast("Mapping[str, object]", given)
        refuse_truth_values(cls, fields)
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Idle:
    """Marks a key that is stored for the clients that send it, but has no effect."""

    why: str


def is_masked(secret: SecretStr) -> bool:
    """Whether *secret* is a mask that a reply showed rather than a secret."""
    return not secret.get_secret_value().strip("*")


def _without_control(value: object) -> object:
    return _CONTROL.sub("", value) if isinstance(value, str) else value


def _checked_secret(value: SecretStr) -> SecretStr:
    text = value.get_secret_value().strip()
    if not text:
        raise ValueError("must not be blank; leave the provider out to remove its key")
    return SecretStr(text)


def _show(value: SecretStr, info: SerializationInfo) -> str:
    if (seal := _function(info.context, SEAL)) is not None:
        return seal(value.get_secret_value())
    return value.get_secret_value() if has_flag(info.context, REVEAL) else MASK


def _opened(value: object, info: ValidationInfo) -> object:
    function = _function(info.context, OPEN)
    return function(value) if function is not None and isinstance(value, str) else value


def _function(context: object, name: str) -> Callable[[str], str] | None:
    found = cast("Mapping[str, object]", context).get(name) if isinstance(context, Mapping) else None
    return cast("Callable[[str], str]", found) if callable(found) else None


def _checked_url(value: str, info: ValidationInfo) -> str:
    return check_url(value, block_private=has_flag(info.context, BLOCK_PRIVATE))


def has_flag(context: object, name: str) -> bool:
    """Whether a context of validation or serialization says *name*."""
    return isinstance(context, Mapping) and cast("Mapping[str, object]", context).get(name) is True


def _blank_is_null(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


MOST = 1_000_000
"""The largest number of turns, memories or neighbours: no window or cluster has as many, so it also means never."""
Count = Annotated[int, Field(gt=0, le=MOST)]
"""A count."""
Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), BeforeValidator(_without_control)
]
"""Non-blank text without control characters."""
ModelName = Annotated[Text | None, BeforeValidator(_blank_is_null)]
"""A model's name; blank or null means none."""
Secret = Annotated[
    SecretStr,
    BeforeValidator(_opened),
    AfterValidator(_checked_secret),
    PlainSerializer(_show, when_used="json"),
]
"""A secret, masked in JSON unless the writer asks otherwise."""
SafeUrl = Annotated[str, AfterValidator(_checked_url)]
"""The address of a model endpoint. Cloud metadata services are always refused."""
