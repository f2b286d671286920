"""The metadata of an organisation's configuration versions."""

from datetime import datetime

from pydantic import JsonValue

from sagacity.domain.base import DescribedValue


class ConfigVersion(DescribedValue):
    """One version of an organisation's configuration."""

    version: int
    """Number of the version, from 1."""
    at: datetime
    """When it was set."""
    author: str
    """Who set it: `token:ID`, `user:PSEUDONYM`, `local` (this machine, without a token), `operator` or `system`."""
    fields: tuple[str, ...]
    """The fields that differ from the previous version."""


class FieldChange(DescribedValue):
    """A value that differs between two versions. Secrets are masked on both sides."""

    field: str
    """Its path, such as `llm_config.generation_model_name`; list indexes are numbers."""
    old: JsonValue
    """The old value; null if missing."""
    new: JsonValue
    """The new value; null if missing."""
