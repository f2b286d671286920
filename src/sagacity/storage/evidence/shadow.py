"""Sums over comparisons of an agent with its shadow, in SQL."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.evaluation import RegularVsShadow
from sagacity.domain.shadow_report import (
    Comparison,
    DifferingSession,
    PositionCounts,
    ShadowCounts,
    ShadowFilter,
)
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import evaluations
from sagacity.storage.statements.array_params import one_of

_COLUMN = evaluations.c
_SCORES = {
    RegularVsShadow.SHADOW_IS_BETTER: 2,
    RegularVsShadow.SHADOW_IS_SLIGHTLY_BETTER: 1,
    RegularVsShadow.TIED: 0,
    RegularVsShadow.REGULAR_IS_SLIGHTLY_BETTER: -1,
    RegularVsShadow.REGULAR_IS_BETTER: -2,
}
_SCORE = sa.case(
    {str(verdict): score for verdict, score in _SCORES.items()}, value=_COLUMN.regular_vs_shadow, else_=0
)
_KEYS = ("agent_version", "source")
_SESSION = ("user_id", "session_id")
_MOST_COMPARISONS = 1_000


class ShadowRepository:
    """A tenant's comparisons."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def total(self, wanted: ShadowFilter) -> ShadowCounts:
        """Return the counts of all sessions together."""
        [row] = await self._scope.all(sa.select(*_sums(self._sessions(wanted))))
        return _counts(row)

    async def by_group(self, wanted: ShadowFilter, *, limit: int) -> list[tuple[str, str, ShadowCounts]]:
        """Return (agent version, source, counts), those with the most sessions first."""
        judged = self._sessions(wanted, *_KEYS)
        keys = [judged.c[name] for name in _KEYS]
        rows = await self._scope.all(
            sa.select(*keys, *_sums(judged))
            .group_by(*keys)
            .order_by(sa.func.count().desc(), *keys)
            .limit(limit)
        )
        return [(row.agent_version, row.source, _counts(row)) for row in rows]

    async def positions(self, wanted: ShadowFilter) -> list[PositionCounts]:
        """Return the verdicts by the version that was shown first; those without that information are left out."""
        rows = await self._scope.all(
            sa.select(
                _COLUMN.is_shadow_first,
                _count(_SCORE > 0).label("shadow_wins"),
                _count(_SCORE < 0).label("regular_wins"),
                _count(_SCORE == 0).label("ties"),
            )
            .where(*self._among(wanted), _COLUMN.is_shadow_first.is_not(None))
            .group_by(_COLUMN.is_shadow_first)
        )
        return [PositionCounts.model_validate(dict(row._mapping)) for row in rows]

    async def differing(self, wanted: ShadowFilter, *, limit: int) -> list[DifferingSession]:
        """Return sessions in which the versions differ, those with the largest difference first."""
        judged = self._sessions(wanted, *_KEYS).c
        rows = await self._scope.all(
            sa.select(*(judged[name] for name in (*_SESSION, *_KEYS, "score")))
            .where(judged.score != 0)
            .order_by(
                sa.func.abs(judged.score).desc(),
                sa.func.abs(judged.shadow_successes - judged.regular_successes).desc(),
                judged.newest.desc(),
                judged.session_id,
                judged.user_id,
            )
            .limit(limit)
        )
        told = await self._comparisons(wanted, {row.session_id for row in rows})
        return [
            DifferingSession(
                **row._mapping,
                comparisons=tuple(one for key, one in told if key == tuple(row)[:4]),
            )
            for row in rows
        ]

    async def _comparisons(
        self, wanted: ShadowFilter, of: set[str]
    ) -> list[tuple[tuple[Any, ...], Comparison]]:
        if not of:
            return []
        rows = await self._scope.all(
            sa.select(evaluations)
            .where(*self._among(wanted), one_of(_COLUMN.session_id, of))
            .order_by(_COLUMN.created_at.desc(), _COLUMN.result_id.desc())
            .limit(_MOST_COMPARISONS)
        )
        return [(tuple(row._mapping[name] for name in (*_SESSION, *_KEYS)), _comparison(row)) for row in rows]

    def _sessions(self, wanted: ShadowFilter, *keys: str) -> sa.Subquery:
        """Return one row for each session (and value of *keys*), with sums over its evaluators."""
        own = [_COLUMN[name] for name in (*_SESSION, *keys)]
        verdicts = [_count(_COLUMN.regular_vs_shadow == str(one)).label(str(one)) for one in RegularVsShadow]
        return (
            sa.select(
                *own,
                sa.func.sum(_SCORE).label("score"),
                sa.func.count().label("comparisons"),
                sa.func.max(_COLUMN.created_at).label("newest"),
                _count(_COLUMN.is_success).label("regular_successes"),
                _count(_COLUMN.is_shadow_success).label("shadow_successes"),
                *verdicts,
            )
            .where(*self._among(wanted))
            .group_by(*own)
            .subquery()
        )

    def _among(self, wanted: ShadowFilter) -> list[sa.ColumnElement[bool]]:
        conditions = [
            _COLUMN.org_id == self._scope.org_id,
            _COLUMN.created_at >= wanted.start,
            _COLUMN.created_at <= wanted.end,
            _COLUMN.regular_vs_shadow.is_not(None),
        ]
        for name in (*_KEYS, "evaluation_name"):
            value: str | None = getattr(wanted, name)
            if value is not None:
                conditions.append(_COLUMN[name] == value)
        return conditions


def _count(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    """Return the number of rows that meet a condition."""
    return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)


def _sums(judged: sa.Subquery) -> Sequence[sa.Label[Any]]:
    column = judged.c
    added = ("comparisons", "regular_successes", "shadow_successes", *map(str, RegularVsShadow))
    return [
        sa.func.count().label("sessions"),
        _count(column.score > 0).label("shadow_wins"),
        _count(column.score < 0).label("regular_wins"),
        _count(column.score == 0).label("ties"),
        *(sa.func.coalesce(sa.func.sum(column[name]), 0).label(name) for name in added),
    ]


def _counts(row: Any) -> ShadowCounts:
    values = {name: value if isinstance(value, str) else int(value) for name, value in row._mapping.items()}
    verdicts = {verdict: values[str(verdict)] for verdict in RegularVsShadow}
    return ShadowCounts.model_validate(values | {"verdicts": verdicts}, extra="ignore")


def _comparison(row: Any) -> Comparison:
    first = {True: "shadow", False: "regular"}.get(row.is_shadow_first)
    return Comparison.model_validate(
        {**row._mapping, "shown_first": first, "reason": row.comparison_reason}, extra="ignore"
    )
