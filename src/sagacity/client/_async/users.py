# Generated from the API's description by scripts/sdk; change it there.
"""Users as a whole: erased completely, with a signed report."""

from collections.abc import Callable

from sagacity.client._async.connection import AsyncConnection
from sagacity.client._async.waiting import follow
from sagacity.client.wire import segment
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.erasure import ErasuresPage, ErasureView, UserErasureReply
from sagacity.schemas.known_users import UsersPage
from sagacity.schemas.profiles import StorageStats


async def get_users(connection: AsyncConnection, *, after: str | None = None, limit: int = 100) -> UsersPage:
    """
    Return the organisation's users by id, each with turns, last publish and memories.

    A user is listed if they published turns, or if there are memories of them. A token of one user gets 403.

    Args:
        connection: to the server.
        after: only users after this one: `next` of the previous page.
        limit: the largest number of results to return.
    """
    params = {"after": after, "limit": limit}
    return await connection.get("/api/users", UsersPage, params=params)


async def erase_user(
    connection: AsyncConnection,
    user_id: str,
    *,
    wait_for_response: bool = True,
    timeout_seconds: float | None = None,
    on_progress: Callable[[OperationView], None] | None = None,
) -> UserErasureReply:
    """
    Erase all that is stored of a user, in every table, in the files of the database and in the copy of the vectors.

    What was made of it for all users is deleted and made again without it. If the user has an account, it goes
    with its roles and invitations in all organisations; erasing the last owner of one gets 409. It cannot be
    cancelled, and survives restarts. Until it has ended, publishes of the user are refused with 409. Its report
    is signed; get it by the `operation_id`. If it takes longer than the call may, the reply says so and the run
    continues.

    Args:
        connection: to the server.
        user_id: the user: the person who talks to the agent.
        wait_for_response: return when it has ended; otherwise at once, with the `operation_id`.
        timeout_seconds: how long to wait at most; None for as long as it takes.
        on_progress: called with how the run stands while waiting.
    """
    started = await connection.send(
        "DELETE", f"/api/users/{segment(user_id)}", UserErasureReply, params={"wait_for_response": False}
    )
    if not wait_for_response:
        return started
    return await follow(connection, started, timeout_seconds=timeout_seconds, on_progress=on_progress)


async def get_storage_stats(connection: AsyncConnection, user_id: str) -> StorageStats:
    """
    Return how many profiles and user playbooks are stored of a user, in any status, expired ones too.

    Args:
        connection: to the server.
        user_id: the user: the person who talks to the agent.
    """
    params = {"user_id": user_id}
    return await connection.get("/api/storage_stats", StorageStats, params=params)


async def get_erasures(connection: AsyncConnection, *, limit: int = 100) -> ErasuresPage:
    """
    Return erasures of users, newest first, without their reports.

    Args:
        connection: to the server.
        limit: the largest number of results to return.
    """
    params = {"limit": limit}
    return await connection.get("/api/erasures", ErasuresPage, params=params)


async def get_erasure(connection: AsyncConnection, erasure_id: str) -> ErasureView:
    """
    Return an erasure, with its signed report once it has ended.

    Args:
        connection: to the server.
        erasure_id: the erasure: the id of its operation.
    """
    return await connection.get(f"/api/erasures/{segment(erasure_id)}", ErasureView)
