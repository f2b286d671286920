"""Replies about the account and its configuration; the configuration itself is plain JSON."""

from pydantic import JsonValue

from sagacity.domain.config_history import ConfigVersion, FieldChange
from sagacity.schemas.base import Body, Number, Reply, Schema


class Whoami(Schema):
    """The caller's organisation, and where its data is stored, with secrets masked."""

    success: bool = True
    org_id: str
    storage_type: str | None = None
    storage_label: str | None = None
    storage_configured: bool = False
    message: str = ""


class MyConfig(Schema):
    """The storage's credentials, which this server never gives out."""

    success: bool = False
    storage_config: dict[str, JsonValue] | None = None
    storage_type: str | None = None
    message: str = ""


class ConfigSaved(Schema):
    """The result of saving the configuration. Null fields are included."""

    success: bool = True
    msg: str | None = None


class ConfigVersionsPage(Reply):
    """The versions of an organisation's configuration."""

    versions: tuple[ConfigVersion, ...] = ()
    """The newest first."""
    next: int | None = None
    """Send it as `before` to get the next page; null at the end."""


class ConfigVersionReply(Reply):
    """One version of an organisation's configuration."""

    version: ConfigVersion
    """When it was set, by whom, and what it changed."""
    config: dict[str, JsonValue]
    """The configuration; secrets are masked, and null fields are included."""


class ConfigDiff(Reply):
    """The differences of two versions of a configuration."""

    changes: tuple[FieldChange, ...] = ()
    """Each value that differs; empty if they are equal."""


class RollBackBody(Body):
    """The version of the configuration to restore."""

    version: Number
    """The version, as `GET /api/config/versions` lists it."""


class ConfigRolledBack(Reply):
    """The result of restoring a former configuration."""

    version: int
    """The number of the new version."""
