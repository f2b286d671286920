"""Settings of the store of configurations: where it is, and which key seals its secrets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from sagacity.auth.key_ring import WRAPPED, read_keys
from sagacity.config.kms import checked_arn
from sagacity.config.s3 import S3Choice
from sagacity.domain.errors import ConfigError

_S3_NEEDS = ("config_s3_path", "config_s3_region", "config_s3_access_key", "config_s3_secret_key")
UNPREFIXED = ("self_host", *_S3_NEEDS, "config_s3_endpoint", "config_s3_encryption_key")
"""Settings that are also read without the prefix `SAGACITY_`, as other programs name them."""
_SUPABASE = ("LOGIN_SUPABASE_URL", "LOGIN_SUPABASE_KEY")
"""Variables with which an earlier system found accounts behind Supabase's web API."""


def refuse_supabase(environment: Mapping[str, str]) -> None:
    """
    Refuse to start if accounts are expected behind a web API, because they would silently be elsewhere.

    Raises:
        ConfigError: the environment names one; the message says what to set.
    """
    if given := [name for name in _SUPABASE if environment.get(name)]:
        raise ConfigError(
            f"{given[0]} names Supabase's web API, and accounts are in the database itself: leave it out, and set "
            "SAGACITY_DATABASE_URL to the project's connection string (Connect → Transaction pooler) and "
            "SAGACITY_DATABASE_POOLER=true; docs/howto/use-postgresql.md has the roles that it needs"
        )


class ConfigStoreSettings(BaseSettings):
    """The settings of the store of configurations."""

    self_host: bool = Field(
        default=False,
        description="One organisation, `self-host-org`, and nobody signs in; configurations and API "
        "tokens are kept in S3, or in `SAGACITY_CONFIG_FOLDER`. Also read as `SELF_HOST`.",
    )
    config_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key by which API keys in configurations are encrypted, 32 bytes in base64. Several, separated by "
        "commas: the first encrypts, all decrypt. Empty: one is generated and kept as `config.key` in the home folder. "
        "The same for all processes.",
    )
    config_key_kms: str = Field(
        default="",
        description="ARN of a key in AWS KMS that wraps the generated key, so that `config.key` is useless without "
        "KMS. `SAGACITY_CONFIG_KEY` may hold a key that it wrapped, too.",
    )
    config_folder: Path | None = Field(
        default=None,
        description="Folder for the configurations of organisations; unset: they are in S3, if that is set, or else "
        "in the database.",
    )
    config_s3_path: str = Field(
        default="",
        description="S3 bucket for the configurations, with an optional prefix: `s3://bucket/prefix`. Needs the next "
        "three. All four are also read without `SAGACITY_`, as `CONFIG_S3_PATH` and so on.",
    )
    config_s3_region: str = Field(default="", description="Region of the bucket.")
    config_s3_access_key: str = Field(default="", description="Access key for the bucket.")
    config_s3_secret_key: SecretStr = Field(default=SecretStr(""), description="Secret key for the bucket.")
    config_s3_endpoint: str = Field(
        default="", description="Address of a server that speaks S3's protocol; empty: Amazon's."
    )
    config_s3_encryption_key: SecretStr = Field(
        default=SecretStr(""),
        description="Fernet key that encrypts whole documents in S3. Several, separated by commas: the first "
        "encrypts, all decrypt. Empty: only the API keys in them are encrypted, with `SAGACITY_CONFIG_KEY`.",
    )

    @field_validator("config_key")
    @classmethod
    def _readable(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        plain = [one for one in text.split(",") if not one.strip().startswith(WRAPPED)]
        if text and plain:
            read_keys(",".join(plain))
        return value

    @field_validator("config_key_kms")
    @classmethod
    def _arn(cls, value: str) -> str:
        return checked_arn(value) if value else value

    @model_validator(mode="after")
    def _unwrappable(self) -> Self:
        if WRAPPED in self.config_key.get_secret_value() and not self.config_key_kms:
            raise ValueError(
                "SAGACITY_CONFIG_KEY was wrapped by a key service: set SAGACITY_CONFIG_KEY_KMS, too"
            )
        return self

    @field_validator("config_folder")
    @classmethod
    def _expanded(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser()

    @field_validator("config_s3_encryption_key")
    @classmethod
    def _fernet(cls, value: SecretStr) -> SecretStr:
        for key in _keys(value):
            try:
                Fernet(key)
            except ValueError as error:
                raise ValueError(
                    "must be 32 bytes in URL-safe base64; several are separated by commas"
                ) from error
        return value

    @field_validator("config_s3_endpoint")
    @classmethod
    def _address(cls, value: str) -> str:
        if value and (not value.startswith(("https://", "http://")) or not urlsplit(value).hostname):
            raise ValueError("must be an http or https URL")
        return value

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        given = [name for name in _S3_NEEDS if _text(getattr(self, name))]
        missing = [
            f"CONFIG_S3_{name.removeprefix('config_s3_').upper()}" for name in _S3_NEEDS if name not in given
        ]
        if given and missing:
            raise ValueError(f"configurations in S3 need {', '.join(missing)}, too")
        if given and not _bucket(self.config_s3_path)[0]:
            raise ValueError("CONFIG_S3_PATH must name a bucket, such as s3://bucket/prefix")
        if self.self_host and not given and self.config_folder is None:
            raise ValueError(
                f"SELF_HOST needs a place for configurations: {', '.join(missing)}, or SAGACITY_CONFIG_FOLDER"
            )
        return self

    @property
    def config_s3(self) -> S3Choice | None:
        """The bucket for configurations, if one is set."""
        if not self.config_s3_path:
            return None
        bucket, prefix = _bucket(self.config_s3_path)
        return S3Choice(
            bucket=bucket,
            prefix=prefix,
            region=self.config_s3_region,
            access_key=self.config_s3_access_key,
            secret_key=self.config_s3_secret_key,
            endpoint=self.config_s3_endpoint,
            encryption_keys=_keys(self.config_s3_encryption_key),
        )


def _text(value: str | SecretStr) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def _keys(value: SecretStr) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.get_secret_value().split(",") if part.strip())


def _bucket(path: str) -> tuple[str, str]:
    bucket, _, prefix = path.removeprefix("s3://").partition("/")
    prefix = prefix.strip("/")
    return bucket, f"{prefix}/" if prefix else ""
