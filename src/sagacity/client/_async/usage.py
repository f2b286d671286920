# Generated from the API's description by scripts/sdk; change it there.
"""How often memories are surfaced, and how many tokens that takes."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.client.words.memory import MemoryKindWord
from sagacity.domain.effects import EffectReport
from sagacity.schemas.usage import GetInjectionStatsBody, InjectionStats


async def get_injection_stats(connection: AsyncConnection, *, days_back: int | None = None) -> InjectionStats:
    """
    Return how often each memory was surfaced by searches, contexts and chats, and how often cited.

    Those that were surfaced most often come first.

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


async def get_usage_effects(
    connection: AsyncConnection,
    *,
    kind: MemoryKindWord | None = None,
    evaluation_name: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> EffectReport:
    """
    Return how sessions that are shown a memory differ from those that are drawn to go without it.

    It needs `holdout_share` in the configuration. No conclusion is drawn before 20 sessions on each side were
    judged. With a user's own token, only that user's sessions are compared.

    Args:
        connection: to the server.
        kind: only memories of this kind.
        evaluation_name: only what this evaluator says.
        limit: how many memories at the most.
        offset: how many memories to leave out before those.
    """
    params = {"kind": kind, "evaluation_name": evaluation_name, "limit": limit, "offset": offset}
    return await connection.get("/api/v1/usage/effects", EffectReport, params=params)
