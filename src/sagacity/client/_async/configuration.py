# Generated from the API's description by scripts/sdk; change it there.
"""Who a caller is, and what its organisation chose."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import JsonObject, checked
from sagacity.schemas.config import ConfigSaved, MyConfig, Whoami


async def whoami(connection: AsyncConnection) -> Whoami:
    """Say whose data the call works on, and where that is kept."""
    return await connection.get("/api/whoami", Whoami)


async def get_my_config(connection: AsyncConnection) -> MyConfig:
    """Give out no credentials: the reply is always a refusal, and names the kind of storage."""
    return await connection.get("/api/my_config", MyConfig)


async def get_config(connection: AsyncConnection) -> dict[str, JsonValue]:
    """Return the organisation's configuration; every secret is a mask. Null fields are kept."""
    return (await connection.get("/api/get_config", JsonObject)).root


async def set_config(connection: AsyncConnection, config: Mapping[str, object]) -> ConfigSaved:
    """
    Replace the organisation's configuration.

    A mask in place of a secret keeps the stored one. Older names of keys are understood, and null means the
    default. Unknown keys are refused, with the nearest known one; the message tells of choices that are without
    effect, such as a cap in USD over a model whose price is not known.
    """
    body = checked(JsonObject, config)
    return await connection.send("POST", "/api/set_config", ConfigSaved, body=body, repeatable=True)
