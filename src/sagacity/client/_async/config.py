"""Whose data it is, and how it is learned from."""

from collections.abc import Mapping

from pydantic import JsonValue, RootModel

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.schemas.config import ConfigSaved, MyConfig, Whoami


class ConfigDocument(RootModel[dict[str, JsonValue]]):
    """The configuration as plain JSON; every secret in it is a mask."""


async def whoami(connection: AsyncConnection) -> Whoami:
    """Return whose data this connection works on, and where that is kept."""
    return await connection.get("/api/whoami", Whoami)


async def get_my_config(connection: AsyncConnection) -> MyConfig:
    """Return the storage's credentials, if the server gives them out."""
    return await connection.get("/api/my_config", MyConfig)


async def get_config(connection: AsyncConnection) -> dict[str, JsonValue]:
    """Return the configuration; its secrets are masked, and a mask sent back keeps the stored secret."""
    return (await connection.get("/api/get_config", ConfigDocument)).root


async def set_config(connection: AsyncConnection, config: Mapping[str, object]) -> ConfigSaved:
    """Replace the configuration; names of older releases are understood."""
    body = checked(ConfigDocument, config)
    return await connection.send("POST", "/api/set_config", ConfigSaved, body=body, repeatable=True)
