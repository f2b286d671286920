"""Site variables on the wire."""

from datetime import datetime

from pydantic import JsonValue

from sagacity.schemas.base import Body, Reply, Schema


class SiteValueBody(Body):
    """The new value of a site variable."""

    value: JsonValue
    """The name of a model, or a flag: an object with `enabled`, `organisations` and `share`."""


class SiteVariableView(Schema):
    """A site variable, whether it was set or not."""

    name: str
    """Its name."""
    value: JsonValue = None
    """The value in force. Null: no model is named."""
    default: JsonValue = None
    """The value while it is not set."""
    meaning: str
    """What it is for."""
    version: int
    """How often it was set since it last had its default; 0 if it is not set."""
    author: str | None = None
    """Who set it, as named in the audit log."""
    updated_at: datetime | None = None
    """When it was set."""


class SiteVariableReply(Reply):
    """One site variable."""

    variable: SiteVariableView
    """As it is now."""


class SiteVariablesReply(Reply):
    """Every site variable."""

    variables: tuple[SiteVariableView, ...] = ()
    """By name."""
