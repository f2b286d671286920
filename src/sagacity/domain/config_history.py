"""What is known of the versions of an organisation's configuration."""

from datetime import datetime

from pydantic import JsonValue

from sagacity.domain.base import DescribedValue


class ConfigVersion(DescribedValue):
    """One configuration that an organisation had."""

    version: int
    """Counts the organisation's configurations from 1."""
    at: datetime
    """When it was set."""
    author: str
    """Who set it: `token:ID`, `user:PSEUDONYM`, `local` (this machine, without a token), `operator` or `system`."""
    fields: tuple[str, ...]
    """The fields that differ from the version before."""


class FieldChange(DescribedValue):
    """A value in which two configurations differ. A secret is a mask on both sides."""

    field: str
    """Where it is, such as `llm_config.generation_model_name`; a place in a list is a number."""
    old: JsonValue
    """What it was; null if it was not there."""
    new: JsonValue
    """What it is; null if it is not there."""
