# Generated from _async by scripts/unasync; edit it there.
"""Whose data it is, and how it is learned from."""

from collections.abc import Mapping

from pydantic import JsonValue, RootModel

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.schemas.config import ConfigSaved, MyConfig, Whoami


class ConfigDocument(RootModel[dict[str, JsonValue]]):
    """The configuration as plain JSON; every secret in it is a mask."""


def whoami(connection: Connection) -> Whoami:
    """Return whose data this connection works on, and where that is kept."""
    return connection.get("/api/whoami", Whoami)


def get_my_config(connection: Connection) -> MyConfig:
    """Return the storage's credentials, if the server gives them out."""
    return connection.get("/api/my_config", MyConfig)


def get_config(connection: Connection) -> dict[str, JsonValue]:
    """Return the configuration; its secrets are masked, and a mask sent back keeps the stored secret."""
    return (connection.get("/api/get_config", ConfigDocument)).root


def set_config(connection: Connection, config: Mapping[str, object]) -> ConfigSaved:
    """Replace the configuration; names of older releases are understood."""
    body = checked(ConfigDocument, config)
    return connection.send("POST", "/api/set_config", ConfigSaved, body=body, repeatable=True)
