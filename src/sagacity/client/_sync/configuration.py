# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""The caller's identity and its organisation's configuration."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import JsonObject, checked
from sagacity.schemas.config import ConfigSaved, MyConfig, Whoami


def whoami(connection: Connection) -> Whoami:
    """Return the organisation that the call works for, and where its data is stored."""
    return connection.get("/api/whoami", Whoami)


def get_my_config(connection: Connection) -> MyConfig:
    """Refuse: storage credentials are not given out. The reply names the kind of storage."""
    return connection.get("/api/my_config", MyConfig)


def get_config(connection: Connection) -> dict[str, JsonValue]:
    """Return the organisation's configuration, with its secrets masked. Null fields are included."""
    return (connection.get("/api/get_config", JsonObject)).root


def set_config(connection: Connection, config: Mapping[str, object]) -> ConfigSaved:
    """
    Replace the organisation's configuration.

    A masked secret keeps the stored one. Older names of keys work, and null means the default. Unknown keys are
    refused with the nearest known one. The message names settings without effect, such as a cap in USD for a
    model whose price is not known.
    """
    body = checked(JsonObject, config)
    return connection.send("POST", "/api/set_config", ConfigSaved, body=body, repeatable=True)
