# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""What organisations may have at most."""

from collections.abc import Mapping

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked, segment
from sagacity.schemas.quotas import QuotasBody, QuotasReply


def get_quotas(connection: Connection) -> QuotasReply:
    """Return the limits of the caller's organisation, with how much of each is used."""
    return connection.get("/api/quotas", QuotasReply)


def get_quotas_of(connection: Connection, org_id: str) -> QuotasReply:
    """
    Return the limits of any organisation, with how much of each is used.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.

    Args:
        connection: to the server.
        org_id: the organisation's id.
    """
    return connection.get(f"/api/quotas/{segment(org_id)}", QuotasReply)


def set_quotas(connection: Connection, org_id: str, limits: Mapping[str, int | None]) -> QuotasReply:
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
    return connection.send("PUT", f"/api/quotas/{segment(org_id)}", QuotasReply, body=body, repeatable=True)
