# Generated from the API's description by scripts/sdk; change it there.
"""The caller's identity and its organisation's configuration."""

from collections.abc import Mapping

from pydantic import JsonValue

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import JsonObject, checked, segment
from sagacity.schemas.base import Reply
from sagacity.schemas.config import (
    ConfigDiff,
    ConfigRolledBack,
    ConfigSaved,
    ConfigVersionReply,
    ConfigVersionsPage,
    MyConfig,
    RollBackBody,
    Whoami,
)
from sagacity.schemas.site import SiteValueBody, SiteVariableReply, SiteVariablesReply


async def whoami(connection: AsyncConnection) -> Whoami:
    """Return the caller's organisation, and where its data is stored."""
    return await connection.get("/api/whoami", Whoami)


async def get_my_config(connection: AsyncConnection) -> MyConfig:
    """Always refused, because storage credentials are not given out. The reply names the kind of storage."""
    return await connection.get("/api/my_config", MyConfig)


async def get_config(connection: AsyncConnection) -> dict[str, JsonValue]:
    """
    Return the organisation's configuration, with its secrets masked. Null fields are included.

    The first entry of each list of extractors also has a key of its own, such as `profile_extractor_config`, for
    clients that know no lists.
    """
    return (await connection.get("/api/get_config", JsonObject)).root


async def set_config(connection: AsyncConnection, config: Mapping[str, object]) -> ConfigSaved:
    """
    Replace the organisation's configuration.

    A masked secret keeps the stored one. Older names of keys work, and null means the default. Unknown keys are
    refused with the nearest known one. The message names settings without effect, such as a cap in USD for a
    model whose price is not known. A body with `profile_extractor_config`, `user_playbook_extractor_config` or
    `agent_success_config` and without lists changes the first entry of each list, and leaves what it does not
    name as it is.
    """
    body = checked(JsonObject, config)
    return await connection.send("POST", "/api/set_config", ConfigSaved, body=body, repeatable=True)


async def update_config(connection: AsyncConnection, changes: Mapping[str, object]) -> ConfigSaved:
    """
    Change the organisation's configuration: each given top-level key replaces the stored one, the others stay.

    The change is atomic. Names, nulls and secrets are as in `POST /api/set_config`. A preset replaces the stored
    window.
    """
    body = checked(JsonObject, changes)
    return await connection.send("POST", "/api/update_config", ConfigSaved, body=body, repeatable=True)


async def get_config_versions(
    connection: AsyncConnection, *, before: int | None = None, limit: int = 20
) -> ConfigVersionsPage:
    """
    Return the versions of the organisation's configuration: when each was set, by whom, and what it changed.

    Args:
        connection: to the server.
        before: `next` of the previous page.
        limit: the largest number of results to return.
    """
    params = {"before": before, "limit": limit}
    return await connection.get("/api/config/versions", ConfigVersionsPage, params=params)


async def get_config_version(connection: AsyncConnection, version: int) -> ConfigVersionReply:
    """
    Return one version of the organisation's configuration, with its secrets masked.

    Args:
        connection: to the server.
        version: the version, as `GET /api/config/versions` lists it.
    """
    return await connection.get(f"/api/config/versions/{version:d}", ConfigVersionReply)


async def get_config_diff(connection: AsyncConnection, old: int, *, new: int | None = None) -> ConfigDiff:
    """
    Return each value in which two versions differ. Changed secrets are masked.

    Args:
        connection: to the server.
        old: a version.
        new: another version. Default: the present one.
    """
    params = {"old": old, "new": new}
    return await connection.get("/api/config/diff", ConfigDiff, params=params)


async def roll_back_config(connection: AsyncConnection, version: int) -> ConfigRolledBack:
    """
    Restore a former version of the configuration, with its secrets.

    It becomes a new version. Work that starts afterwards uses it, in every process.

    Args:
        connection: to the server.
        version: the version, as `GET /api/config/versions` lists it.
    """
    body = checked(RollBackBody, {"version": version})
    return await connection.send("POST", "/api/config/rollback", ConfigRolledBack, body=body)


async def get_site_variables(connection: AsyncConnection) -> SiteVariablesReply:
    """
    Return every site variable with its value. They hold for all organisations.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.
    """
    return await connection.get("/api/site", SiteVariablesReply)


async def set_site_variable(connection: AsyncConnection, name: str, value: object) -> SiteVariableReply:
    """
    Set a site variable, effective in every process within two seconds.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.

    Args:
        connection: to the server.
        name: the variable, as `GET /api/site` lists it.
        value: the name of a model, or a flag: an object with `enabled`, `organisations` and `share`.
    """
    body = checked(SiteValueBody, {"value": value})
    return await connection.send(
        "PUT", f"/api/site/{segment(name)}", SiteVariableReply, body=body, repeatable=True
    )


async def unset_site_variable(connection: AsyncConnection, name: str) -> Reply:
    """
    Reset a site variable to its default; 404 if it has the default already.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.

    Args:
        connection: to the server.
        name: the variable, as `GET /api/site` lists it.
    """
    return await connection.send("DELETE", f"/api/site/{segment(name)}", Reply)
