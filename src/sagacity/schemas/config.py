"""Envelopes of the account and its configuration; the configuration itself travels as plain JSON."""

from pydantic import JsonValue

from sagacity.schemas.base import Schema


class Whoami(Schema):
    """The organisation that a call works for, and where its data is stored, with secrets masked."""

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
