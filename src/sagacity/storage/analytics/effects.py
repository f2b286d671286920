"""The outcomes of sessions that were shown a memory, and of those drawn to go without it; counted in SQL."""

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from sagacity.domain.effects import MOST_CORRECTIONS, MOST_TURNS, EffectFilter, Lots, Tally
from sagacity.domain.holdout import ExtractorVersion
from sagacity.domain.ids import UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.usage import UsageEventName
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import evaluations, memories, sessions, usage_events
from sagacity.storage.statements.array_params import one_of

_COLUMN = usage_events.c
_MEMORY = ("entity_type", "entity_id")
_ANY = EffectFilter()
_SIDE = ("holdout_share", "is_held_out")


class EffectRepository:
    """A tenant's sessions that were drawn to be shown a memory, or to go without it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def any(self) -> bool:
        """Return whether any session was drawn."""
        first = sa.select(_COLUMN.event_id).where(*self._drawn(None)).limit(1)
        return bool(await self._scope.all(first))

    async def successes(self, wanted: EffectFilter, *, user_id: UserId | None) -> list[Tally]:
        """Return, for each memory, how many sessions were a success; with *user_id*, only of that user's sessions."""
        drawn = self._outcomes(wanted, user_id)
        return await self._tallies(drawn, ("is_success",))

    async def outcomes(
        self,
        wanted: EffectFilter,
        *,
        user_id: UserId | None,
        of: Collection[tuple[MemoryKind, str]],
    ) -> list[Tally]:
        """Return the distribution of all figures of the sessions of some memories."""
        if not of:
            return []
        names = one_of(_COLUMN.entity_id, sorted({name for _, name in of}))
        drawn = self._outcomes(wanted, user_id, names)
        found = await self._tallies(drawn, ("is_success", "corrections", "turns"))
        return [one for one in found if (one.kind, one.entity_id) in of]

    async def by_extractor(
        self, wanted: EffectFilter, *, user_id: UserId | None
    ) -> list[tuple[MemoryKind, ExtractorVersion, Sequence[Lots]]]:
        """
        Return the same as `outcomes` for each kind and extractor version, counting one memory per session.

        If a session has several, the event with the smallest uid counts: a hash, independent of lot and outcome.
        """
        made = sa.cast(_COLUMN.metadata, sa.Text)
        own = (_COLUMN.user_id, _COLUMN.session_id, _COLUMN.entity_type, made)
        place = sa.func.row_number().over(partition_by=own, order_by=_COLUMN.uid)
        ranked = (
            sa.select(_COLUMN.event_id, place.label("place")).where(*self._drawn(user_id, wanted)).subquery()
        )
        first = _COLUMN.event_id.in_(sa.select(ranked.c.event_id).where(ranked.c.place == 1))
        drawn = self._outcomes(wanted, user_id, first)
        keys = ("entity_type", "made")
        rows = await self._rows(drawn, keys, ("is_success", "corrections", "turns"))
        return [
            (MemoryKind(kind), ExtractorVersion.model_validate_json(made), list(map(_lots, some)))
            for (kind, made), some in groupby(rows, key=lambda row: (row.entity_type, row.made))
        ]

    async def contents(
        self, names: Collection[tuple[MemoryKind, str]], *, user_id: UserId | None
    ) -> dict[tuple[MemoryKind, str], str]:
        """Return the content of those memories that exist; with *user_id*, only that user's."""
        if not names:
            return {}
        column = memories.c
        uids = [name for kind, name in names if KINDS[kind].is_known_by_uid]
        numbers = [int(name) for kind, name in names if not KINDS[kind].is_known_by_uid]
        columns = (column.kind, column.memory_id, column.uid, column.content)
        own = [] if user_id is None else [column.user_id == user_id]
        by_uid = sa.select(*columns).where(
            column.org_id == self._scope.org_id, one_of(column.uid, uids), *own
        )
        by_number = sa.select(*columns).where(
            self._scope.owns(memories), one_of(column.memory_id, numbers), *own
        )
        rows = [*await self._scope.all(by_uid), *await self._scope.all(by_number)]
        found = {(MemoryKind(row.kind), _name(row)): row.content for row in rows}
        return {name: found[name] for name in names if name in found}

    async def _tallies(self, drawn: sa.Subquery, figures: Sequence[str]) -> list[Tally]:
        rows = await self._rows(drawn, _MEMORY, figures)
        return [
            Tally(MemoryKind(kind), name, list(map(_lots, some)))
            for (kind, name), some in groupby(rows, key=lambda row: (row.entity_type, row.entity_id))
        ]

    async def _rows(self, drawn: sa.Subquery, keys: Sequence[str], figures: Sequence[str]) -> Sequence[Any]:
        columns = [drawn.c[name] for name in (*keys, *_SIDE, *figures)]
        statement = sa.select(*columns, sa.func.count().label("sessions"))
        return await self._scope.all(statement.group_by(*columns).order_by(*columns))

    def _drawn(self, user_id: UserId | None, wanted: EffectFilter = _ANY) -> list[sa.ColumnElement[bool]]:
        conditions = [_COLUMN.org_id == self._scope.org_id, _COLUMN.holdout_share.is_not(None)]
        if user_id is not None:
            conditions.append(_COLUMN.user_id == user_id)
        if wanted.kinds:
            conditions.append(_COLUMN.entity_type.in_([str(kind) for kind in wanted.kinds]))
        return conditions

    def _outcomes(
        self, wanted: EffectFilter, user_id: UserId | None, *conditions: sa.ColumnElement[bool]
    ) -> sa.Subquery:
        """Return one row for each memory and drawn session, with the session's outcome; null if it was not judged."""
        verdicts = self._verdicts(wanted)
        session = sessions.c
        is_judged = verdicts.c.is_success.is_not(None)
        turns = sa.case(
            (~is_judged, 0), (session.message_count > MOST_TURNS, MOST_TURNS), else_=session.message_count
        )
        return (
            sa.select(
                *(_COLUMN[name] for name in (*_MEMORY, "holdout_share")),
                sa.cast(_COLUMN.metadata, sa.Text).label("made"),
                (_COLUMN.event_name == str(UsageEventName.HELD_OUT)).label("is_held_out"),
                verdicts.c.is_success,
                sa.func.coalesce(verdicts.c.corrections, 0).label("corrections"),
                sa.func.coalesce(turns, 0).label("turns"),
            )
            .select_from(
                usage_events.outerjoin(
                    verdicts,
                    sa.and_(
                        verdicts.c.session_id == _COLUMN.session_id, verdicts.c.user_id == _COLUMN.user_id
                    ),
                ).outerjoin(
                    sessions,
                    sa.and_(
                        session.org_id == _COLUMN.org_id,
                        session.session_id == _COLUMN.session_id,
                        session.user_id == _COLUMN.user_id,
                    ),
                )
            )
            .where(*self._drawn(user_id, wanted), *conditions)
            .subquery("outcomes")
        )

    def _verdicts(self, wanted: EffectFilter) -> sa.Subquery:
        """Return one row for each judged session: a success if all evaluators say so."""
        column = evaluations.c
        conditions = [column.org_id == self._scope.org_id]
        if wanted.evaluation_name is not None:
            conditions.append(column.evaluation_name == wanted.evaluation_name)
        corrected = sa.func.max(column.number_of_correction_per_session)
        return (
            sa.select(
                column.user_id,
                column.session_id,
                sa.func.min(sa.case((column.is_success, 1), else_=0)).label("is_success"),
                sa.case((corrected > MOST_CORRECTIONS, MOST_CORRECTIONS), else_=corrected).label(
                    "corrections"
                ),
            )
            .where(*conditions)
            .group_by(column.user_id, column.session_id)
            .subquery("verdicts")
        )


def _name(row: Any) -> str:
    return row.uid if KINDS[MemoryKind(row.kind)].is_known_by_uid else str(row.memory_id)


def _lots(row: Any) -> Lots:
    values = row._mapping
    return Lots(
        share=row.holdout_share,
        is_held_out=bool(row.is_held_out),
        sessions=row.sessions,
        is_success=None if row.is_success is None else bool(row.is_success),
        corrections=values.get("corrections", 0),
        turns=values.get("turns", 0),
    )
