# Generated from the API's description by scripts/sdk; change it there.
"""What organisations may have at most."""

from collections.abc import Mapping

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked, segment
from sagacity.schemas.quotas import QuotasBody, QuotasReply


async def get_quotas(connection: AsyncConnection) -> QuotasReply:
    """Return the limits of the caller's organisation, with how much of each is used."""
    return await connection.get("/api/quotas", QuotasReply)


async def get_quotas_of(connection: AsyncConnection, org_id: str) -> QuotasReply:
    """
    Return the limits of any organisation, with how much of each is used.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.

    Args:
        connection: to the server.
        org_id: the organisation's id.
    """
    return await connection.get(f"/api/quotas/{segment(org_id)}", QuotasReply)


async def set_quotas(
    connection: AsyncConnection, org_id: str, limits: Mapping[str, int | None]
) -> QuotasReply:
    """
    Set limits of an organisation, effective in every process from the next call on.

    What exceeds a limit already stays; nothing is added. Only callers of the organisation `self-host-org`, which
    runs the server, are accepted.

    Args:
        connection: to the server.
        org_id: the organisation's id.
        limits: a number by name, or null for no limit; limits not named stay.
    """
    body = checked(QuotasBody, {"limits": limits})
    return await connection.send(
        "PUT", f"/api/quotas/{segment(org_id)}", QuotasReply, body=body, repeatable=True
    )
