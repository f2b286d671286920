"""Wrap keys with AWS KMS, through Amazon's own client."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, cast

from sagacity.auth.key_ring import SERVICE_SETTING, WRAPPED
from sagacity.domain.errors import ConfigError

_CONNECT_SECONDS, _READ_SECONDS, _ATTEMPTS = 5, 10, 3
_ARN = re.compile(r"arn:aws[a-z-]*:kms:(?P<region>[a-z0-9-]+):[0-9]{12}:key/[A-Za-z0-9-]+")
_CONTEXT = {"purpose": "sagacity configuration keys"}
"""The encryption context: the service logs it, and unwraps only with the same one."""


def checked_arn(text: str) -> str:
    """
    Return the ARN of a key.

    Raises:
        ValueError: it is not one.
    """
    if not _ARN.fullmatch(text):
        raise ValueError("must be the ARN of a key, such as arn:aws:kms:eu-central-1:111122223333:key/ID")
    return text


class KmsKeys:
    """
    Creates keys that one KMS key wraps, and unwraps those of any KMS key; unwrapped keys stay in memory.

    A key is stored as `kms:ARN:BASE64`, so a key that a former KMS key wrapped is unwrapped with that one.
    """

    def __init__(self, arn: str) -> None:
        self._arn = arn
        self._kept: dict[str, bytes] = {}

    def new_key(self) -> str:
        """
        Return a new key in its stored form.

        Raises:
            ConfigError: KMS cannot be reached, or refuses.
        """
        asked = {"KeyId": self._arn, "KeySpec": "AES_256", "EncryptionContext": _CONTEXT}
        made = _call(self._arn, "generate_data_key", asked)
        stored = f"{WRAPPED}{self._arn}:{base64.b64encode(made['CiphertextBlob']).decode()}"
        self._kept[stored] = made["Plaintext"]
        return stored

    def unwrap(self, stored: str) -> bytes:
        """
        Return a key that `new_key` made.

        Raises:
            ConfigError: KMS cannot be reached, or refuses.
        """
        if stored not in self._kept:
            arn, _, text = stored.removeprefix(WRAPPED).rpartition(":")
            try:
                wrapped = base64.b64decode(text, validate=True)
                checked_arn(arn)
            except (binascii.Error, ValueError) as error:
                raise ConfigError(
                    "the key of configurations that KMS wrapped was changed: restore it"
                ) from error
            asked = {"KeyId": arn, "CiphertextBlob": wrapped, "EncryptionContext": _CONTEXT}
            self._kept[stored] = _call(arn, "decrypt", asked)["Plaintext"]
        return self._kept[stored]


def _call(arn: str, name: str, asked: Mapping[str, object]) -> Mapping[str, Any]:
    import boto3  # noqa: PLC0415  it loads slowly, and only KMS and S3 need it
    from botocore.config import Config  # noqa: PLC0415  with it
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  with it

    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
    )
    session = cast("Any", boto3.Session())  # it has no types, and makes its clients at run time
    try:
        client = session.client("kms", region_name=arn.split(":")[3], config=config)
        return getattr(client, name)(**asked)
    except ClientError as error:
        code = cast("Mapping[str, Mapping[str, str]]", error.response).get("Error", {}).get("Code", "")
        raise ConfigError(
            f"KMS refuses the key of configurations ({code}): {arn} must be enabled, and the credentials of this "
            f"process allow kms:GenerateDataKey and kms:Decrypt on it; see {SERVICE_SETTING}"
        ) from error
    except BotoCoreError as error:
        raise ConfigError(
            f"KMS cannot be reached for the key of configurations ({type(error).__name__}): start again once it "
            f"can, with credentials of AWS; see {SERVICE_SETTING}"
        ) from error
