"""Envelopes of the account and its configuration; the configuration itself travels as plain JSON."""

from pydantic import JsonValue

from sagacity.schemas.base import Schema


class Whoami(Schema):
    """Whose data a call works on, and where that is kept, with secrets masked."""

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
    """What saving the configuration did. Null fields are kept."""

    success: bool = True
    msg: str | None = None
