# Generated from the API's description by scripts/sdk; change it there.
"""What is taken out of everything that is served, with all that was derived from it, and back."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked, segment
from sagacity.client.words.quarantine import QuarantineTargetWord
from sagacity.schemas.quarantines import (
    HeldPage,
    QuarantineBody,
    QuarantinesPage,
    QuarantineView,
    ReleaseBody,
)


async def quarantine(
    connection: AsyncConnection, target: QuarantineTargetWord, value: str, *, reason: str | None = None
) -> QuarantineView:
    """
    Take a source, a request, a user or a learner out of everything that is served, at once.

    Everything derived from it goes with it: memories of every kind, also those that serve all users, entities,
    summaries and evaluations. Nothing is deleted. What is published or learned of it later is held too. What is
    already held gets 409.

    Args:
        connection: to the server.
        target: what `value` names: a `source` of requests, a `request`, a `user`, or a `learner` (or playbook
            name).
        reason: the reason, which is stored with the quarantine.
    """
    body = checked(QuarantineBody, {"target": target, "value": value, "reason": reason})
    return await connection.send("POST", "/api/quarantines", QuarantineView, body=body)


async def get_quarantines(
    connection: AsyncConnection, *, is_standing: bool | None = None, limit: int = 100
) -> QuarantinesPage:
    """
    Return quarantines, the newest first.

    Args:
        connection: to the server.
        is_standing: `true`: only those that stand. `false`: only those that were released. Default: all.
        limit: the largest number of results to return.
    """
    params = {"is_standing": is_standing, "limit": limit}
    return await connection.get("/api/quarantines", QuarantinesPage, params=params)


async def get_quarantine(connection: AsyncConnection, quarantine_id: str) -> QuarantineView:
    """
    Return one quarantine.

    Args:
        connection: to the server.
        quarantine_id: the quarantine, as `GET /api/quarantines` lists it.
    """
    return await connection.get(f"/api/quarantines/{segment(quarantine_id)}", QuarantineView)


async def get_held(
    connection: AsyncConnection, quarantine_id: str, *, limit: int = 100, offset: int = 0
) -> HeldPage:
    """
    Return what a quarantine holds, for review; empty after its release.

    Args:
        connection: to the server.
        quarantine_id: the quarantine, as `GET /api/quarantines` lists it.
        limit: the largest number of memories, and of turns, to return.
        offset: how many memories, and turns, to leave out before them.
    """
    params = {"limit": limit, "offset": offset}
    return await connection.get(f"/api/quarantines/{segment(quarantine_id)}/held", HeldPage, params=params)


async def release_quarantine(
    connection: AsyncConnection, quarantine_id: str, *, reason: str | None = None
) -> QuarantineView:
    """
    Release a quarantine: what no other one holds is served again as before. Repeating it changes nothing.

    Args:
        connection: to the server.
        quarantine_id: the quarantine, as `GET /api/quarantines` lists it.
        reason: the reason, which is stored with the quarantine.
    """
    body = checked(ReleaseBody, {"reason": reason})
    return await connection.send(
        "POST",
        f"/api/quarantines/{segment(quarantine_id)}/release",
        QuarantineView,
        body=body,
        repeatable=True,
    )
