"""Compare an agent with its shadow, for a principal."""

from datetime import timedelta

from sagacity.domain.shadow_report import (
    ShadowFilter,
    ShadowGroup,
    ShadowReport,
    position_check,
    summary_of,
    tally,
)
from sagacity.memories.acting import Acting

_MOST_GROUPS = 100


async def shadow_report(
    acting: Acting,
    *,
    days: int,
    agent_version: str | None = None,
    source: str | None = None,
    evaluation_name: str | None = None,
    limit: int,
) -> ShadowReport:
    """
    Return the comparisons of the last *days* times 24 hours, as of one moment.

    Args:
        acting: for whom; one user is told of their own sessions only.
        days: how far to look back.
        agent_version: only of this version, if given; so for *source* and *evaluation_name*.
        source: see above.
        evaluation_name: see above.
        limit: how many differing sessions to name.
    """
    now = acting.parts.clock.now()
    wanted = ShadowFilter(
        start=now - timedelta(days=days),
        end=now,
        agent_version=agent_version,
        source=source,
        evaluation_name=evaluation_name,
    )
    async with acting.read() as snapshot:
        total = tally(await snapshot.shadow.total(wanted))
        groups = await snapshot.shadow.by_group(wanted, limit=_MOST_GROUPS)
        position = position_check(await snapshot.shadow.positions(wanted))
        sessions = await snapshot.shadow.differing(wanted, limit=limit)
    return ShadowReport(
        period_days=days,
        total=total,
        groups=tuple(
            ShadowGroup(agent_version=version, source=origin, **dict(tally(counts)))
            for version, origin, counts in groups
        ),
        position=position,
        sessions=tuple(sessions),
        summary=summary_of(total, position),
    )
