# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Who a caller is, and what its organisation chose."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import JsonObject, checked
from sagacity.schemas.config import ConfigSaved, MyConfig, Whoami


def whoami(connection: Connection) -> Whoami:
    """Say whose data the call works on, and where that is kept."""
    return connection.get("/api/whoami", Whoami)


def get_my_config(connection: Connection) -> MyConfig:
    """Give out no credentials: the reply is always a refusal, and names the kind of storage."""
    return connection.get("/api/my_config", MyConfig)


def get_config(connection: Connection) -> dict[str, JsonValue]:
    """Return the organisation's configuration; every secret is a mask. Null fields are kept."""
    return (connection.get("/api/get_config", JsonObject)).root


def set_config(connection: Connection, config: Mapping[str, object]) -> ConfigSaved:
    """
    Replace the organisation's configuration.

    A mask in place of a secret keeps the stored one. Older names of keys are understood, and null means the
    default. Unknown keys are refused, with the nearest known one; the message tells of choices that are without
    effect, such as a cap in USD over a model whose price is not known.
    """
    body = checked(JsonObject, config)
    return connection.send("POST", "/api/set_config", ConfigSaved, body=body, repeatable=True)
