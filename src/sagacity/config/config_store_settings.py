"""The settings of configurations: what seals the secrets in them."""

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

from sagacity.auth.key_ring import read_keys


class ConfigStoreSettings(BaseSettings):
    """The settings of where configurations are kept."""

    config_key: SecretStr = Field(
        default=SecretStr(""),
        description="Key by which API keys in configurations are encrypted, 32 bytes in base64. Several, separated by "
        "commas: the first encrypts, all decrypt. Empty: one is made and kept as `config.key` in the home folder. The "
        "same for all processes.",
    )

    @field_validator("config_key")
    @classmethod
    def _readable(cls, value: SecretStr) -> SecretStr:
        text = value.get_secret_value()
        if text:
            read_keys(text)
        return value
