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

MASK = "********"
"""What a reply shows in place of every secret. Sent back, it means: keep the stored one."""
REVEAL = "reveal_secrets"
"""The serialization context key under which secrets are written out, for storage alone."""
SEAL = "seal"
"""The serialization context key of a function that seals a secret, for storage alone."""
OPEN = "open"
"""The validation context key of a function that opens a secret which was sealed; without it, none is opened."""
BLOCK_PRIVATE = "block_private_urls"
"""The validation context key that refuses private and loopback addresses."""
STORED = "stored"
"""The validation context key for what this or another release stored: what it chose and is not here is left out."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Ignored:
    """A key of other systems that is taken from their clients, and neither stored nor followed."""

    why: str
    unchosen: JsonValue = None
    """What it holds where nobody chose it, as null; of an object, the keys that say so."""


class ConfigPart(BaseModel):
    """
    A part of the configuration: frozen, its errors silent about what was given. Null means not given.

    Unknown keys are ignored, for what is stored may come from a newer release. A caller's are refused before,
    by `known_keys.key_faults`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)
    refused: ClassVar[Mapping[str, str]] = {}
    """Keys of other systems that mean nothing here, and what to do instead."""
    ignored: ClassVar[Mapping[str, Ignored]] = {}
    """Keys that their clients always send, whether anybody chose them or not."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        fields = cast("Mapping[object, object]", given)
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Idle:
    """Marks a key that is kept for the clients that send it, and changes nothing."""

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
"""How many there are of something."""
Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), BeforeValidator(_without_control)
]
"""Text that is not blank, without control characters."""
ModelName = Annotated[Text | None, BeforeValidator(_blank_is_null)]
"""A model chosen by name; blank or null is none."""
Secret = Annotated[
    SecretStr,
    BeforeValidator(_opened),
    AfterValidator(_checked_secret),
    PlainSerializer(_show, when_used="json"),
]
"""A key. In JSON it is the mask, unless the one who writes it asks otherwise."""
SafeUrl = Annotated[str, AfterValidator(_checked_url)]
"""The address of a model endpoint. Cloud metadata services are always refused."""
