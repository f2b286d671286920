# Generated from the API's description by scripts/sdk; change it there.
"""How often memories are surfaced, and how many tokens that takes."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.schemas.usage import GetInjectionStatsBody, InjectionStats


async def get_injection_stats(connection: AsyncConnection, *, days_back: int | None = None) -> InjectionStats:
    """
    Return how often each memory was surfaced by searches, contexts and chats, most often first.

    Memories of all kinds are counted, each by its kind and id; turns are not. Events of other servers may be
    counted up to 10 seconds late. With a user's own token, only what was surfaced for that user is counted.

    Args:
        connection: to the server.
        days_back: how many times 24 hours to look back; by default 30.
    """
    body = checked(GetInjectionStatsBody, {"days_back": days_back})
    return await connection.send(
        "POST", "/api/get_injection_stats", InjectionStats, body=body, repeatable=True
    )
