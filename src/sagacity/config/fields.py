"""What the parts of a tenant's configuration are built from: texts, secrets, addresses."""

import re
from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainSerializer,
    SecretStr,
    SerializationInfo,
    StringConstraints,
    ValidationInfo,
)

from sagacity.config.safe_url import check_url

MASK = "********"
"""What a reply shows in place of every secret. Sent back, it means: keep the stored one."""
REVEAL = "reveal_secrets"
"""The serialization context key under which secrets are written out, for storage alone."""
BLOCK_PRIVATE = "block_private_urls"
"""The validation context key that refuses private and loopback addresses."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class ConfigPart(BaseModel):
    """A part of the configuration: frozen, deaf to unknown keys, its errors silent about what was given."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


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
    return value.get_secret_value() if _flag(info.context, REVEAL) else MASK


def _checked_url(value: str, info: ValidationInfo) -> str:
    return check_url(value, block_private=_flag(info.context, BLOCK_PRIVATE))


def _flag(context: object, name: str) -> bool:
    return isinstance(context, Mapping) and cast("Mapping[str, object]", context).get(name) is True


Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), BeforeValidator(_without_control)
]
"""Text that is not blank, without control characters."""
Secret = Annotated[SecretStr, AfterValidator(_checked_secret), PlainSerializer(_show, when_used="json")]
"""A key. In JSON it is the mask, unless the one who writes it asks otherwise."""
SafeUrl = Annotated[str, AfterValidator(_checked_url)]
"""The address of a model endpoint. Cloud metadata services are always refused."""
