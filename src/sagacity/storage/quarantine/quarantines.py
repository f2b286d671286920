"""Quarantines: start and release one in a transaction, list them, and read what they hold."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.chat import AnswerSource
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import InteractionId, MemoryId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.memory import MemoryKind
from sagacity.domain.paced import each
from sagacity.domain.quarantine import Held, Quarantine, QuarantineTarget
from sagacity.storage.base import Scope
from sagacity.storage.erasure.derived import DerivedRepository
from sagacity.storage.evidence.interactions import interaction_of
from sagacity.storage.evidence.turn_windows import without_images
from sagacity.storage.memories.memories import memory_of
from sagacity.storage.quarantine.answers import hold_answer, settle_answers
from sagacity.storage.quarantine.replaced import settle_replaced
from sagacity.storage.quarantine.standing import holds_anything, keep_held, quarantines_of
from sagacity.storage.schema.tables import (
    held_memories,
    interactions,
    memories,
    memory_requests,
    organisations,
    quarantines,
    requests,
)
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.work.cursors import DeadLetterRepository

_column = quarantines.c


class QuarantineRepository:
    """A tenant's quarantines."""

    def __init__(
        self,
        scope: Scope,
        search: SearchRepository,
        derived: DerivedRepository,
        dead_letters: DeadLetterRepository,
    ) -> None:
        self._scope = scope
        self._search = search
        self._derived = derived
        self._dead_letters = dead_letters

    async def begin(self, target: QuarantineTarget, value: str, *, reason: str, actor: str) -> Quarantine:
        """
        Hold what *value* names, and everything derived from it, from this commit on, including later data.

        Raises:
            Conflict: a quarantine for the same target is in force.
            NotFound: there is no such request.
        """
        await self._alone()
        await self._check(target, value)
        begun = Quarantine(
            quarantine_id=self._scope.ids.new(),
            target=target,
            value=value,
            reason=reason,
            actor=actor,
            created_at=self._scope.clock.now(),
        )
        await self._scope.run(quarantines.insert(), begun.model_dump() | {"org_id": self._scope.org_id})
        named = self._requests_of(begun)
        await self._mark_turns(named, is_held=True)
        await self._flag()
        await self._hold_memories(begun)
        await self._mark_memories([begun.quarantine_id], is_held=True)
        await self._settle()
        [(request_count,)] = await self._scope.all(sa.select(sa.func.count()).where(named))
        [(memory_count,)] = await self._scope.all(sa.select(sa.func.count()).where(*self._held(begun)))
        counts = {"request_count": request_count, "memory_count": memory_count}
        await self._scope.run(sa.update(quarantines).where(self._is(begun.quarantine_id)).values(counts))
        return begun.model_copy(update=counts)

    async def release(self, quarantine_id: str, *, reason: str, actor: str) -> Quarantine:
        """
        End a quarantine, and release what no other quarantine holds; a second call changes nothing.

        Raises:
            NotFound: there is no such quarantine.
        """
        await self._alone()
        released = await self.get(quarantine_id)
        if released.released_at is not None:
            return released
        values = {
            "released_at": self._scope.clock.now(),
            "released_by": actor,
            "release_reason": reason,
        }
        await self._scope.run(sa.update(quarantines).where(self._is(quarantine_id)).values(values))
        others = [self._requests_of(one) for one in await self.list_newest(is_standing=True, limit=None)]
        await self._mark_turns(
            sa.and_(self._requests_of(released), sa.not_(sa.or_(sa.false(), *others))), is_held=False
        )
        await self._mark_memories([quarantine_id], is_held=False)
        held = held_memories.c
        await self._scope.run(
            sa.delete(held_memories).where(
                held.org_id == self._scope.org_id, held.quarantine_id == quarantine_id
            )
        )
        await self._flag()
        await self._settle()
        return released.model_copy(update=values)

    async def holds_any(self, ids: Sequence[MemoryId]) -> bool:
        """Return whether any of the memories *ids* is held."""
        return bool(await quarantines_of(self._scope, ids))

    async def held_turns(self, ids: Collection[InteractionId]) -> set[InteractionId]:
        """Return those of the turns *ids* that are held."""
        turn = interactions.c
        mine = (self._scope.owns(interactions), one_of(turn.interaction_id, ids), turn.is_held)
        rows = await self._scope.all(sa.select(turn.interaction_id).where(*mine))
        return {InteractionId(row.interaction_id) for row in rows}

    async def held_learners(self) -> frozenset[str]:
        """Return the names of learners whose memories are all held."""
        if not await holds_anything(self._scope):
            return frozenset()
        standing = await self.list_newest(is_standing=True, limit=None)
        return frozenset(one.value for one in standing if one.target is QuarantineTarget.LEARNER)

    async def get(self, quarantine_id: str) -> Quarantine:
        """
        Return one quarantine.

        Raises:
            NotFound: there is none with that id.
        """
        rows = await self._scope.all(sa.select(quarantines).where(self._is(quarantine_id)))
        if not rows:
            raise NotFound(f"no quarantine {quarantine_id!r}")
        return _quarantine_of(rows[0])

    async def list_newest(self, *, is_standing: bool | None = None, limit: int | None) -> list[Quarantine]:
        """Return quarantines, newest first: those in force, those that were released, or all."""
        statement = sa.select(quarantines).where(_column.org_id == self._scope.org_id)
        if is_standing is not None:
            is_over = _column.released_at.is_not(None)
            statement = statement.where(sa.not_(is_over) if is_standing else is_over)
        newest = statement.order_by(_column.created_at.desc(), _column.quarantine_id.desc()).limit(limit)
        return [_quarantine_of(row) for row in await self._scope.all(newest)]

    async def held_by(self, one: Quarantine, *, limit: int, offset: int) -> Held:
        """Return a page of what a quarantine in force holds: memories and turns, each oldest first."""
        if one.released_at is not None:
            return Held()
        turn = interactions.c
        found = await self._scope.all(
            sa.select(memories)
            .join(held_memories, held_memories.c.memory_id == memories.c.memory_id)
            .where(*self._held(one))
            .order_by(memories.c.memory_id)
            .limit(limit)
            .offset(offset)
        )
        said = await self._scope.all(
            without_images.where(turn.org_id == self._scope.org_id, self._requests_of(one))
            .order_by(turn.interaction_id)
            .limit(limit)
            .offset(offset)
        )
        return Held(
            memories=tuple(await each(memory_of, found)),
            turns=tuple(await each(interaction_of, said)),
        )

    async def forget_user(self, user_id: str) -> None:
        """Delete the quarantines of a user and of the user's requests, and reasons that name the user."""
        of_user = sa.select(requests.c.request_id).where(
            requests.c.org_id == self._scope.org_id, requests.c.user_id == user_id
        )
        mine = _column.org_id == self._scope.org_id
        names = sa.or_(
            sa.and_(_column.target == str(QuarantineTarget.USER), _column.value == user_id),
            sa.and_(_column.target == str(QuarantineTarget.REQUEST), _column.value.in_(of_user)),
        )
        gone = [
            row.quarantine_id
            for row in await self._scope.all(sa.select(_column.quarantine_id).where(mine, names))
        ]
        if gone:
            await self._alone()
            await self._mark_memories(gone, is_held=False)
            await self._scope.run(sa.delete(quarantines).where(mine, one_of(_column.quarantine_id, gone)))
            await self._flag()
            await self._settle()
        for text in (_column.reason, _column.release_reason):
            await self._scope.run(
                sa.update(quarantines).where(mine, text.contains(user_id, autoescape=True)).values({text: ""})
            )

    async def _alone(self) -> None:
        """Wait until nobody else writes to the organisation, and keep others from writing until the commit."""
        mine = sa.select(organisations.c.org_id).where(organisations.c.org_id == self._scope.org_id)
        await self._scope.all(mine.with_for_update())

    async def _flag(self) -> None:
        stands = sa.exists().where(_column.org_id == self._scope.org_id, _column.released_at.is_(None))
        is_it = organisations.c.org_id == self._scope.org_id
        [(flag,)] = await self._scope.all(sa.select(stands))
        await self._scope.run(sa.update(organisations).where(is_it).values(has_quarantines=bool(flag)))

    async def _check(self, target: QuarantineTarget, value: str) -> None:
        same = await self._scope.all(
            sa.select(_column.quarantine_id).where(
                _column.org_id == self._scope.org_id,
                _column.target == str(target),
                _column.value == value,
                _column.released_at.is_(None),
            )
        )
        if same:
            raise Conflict(f"{target} {value!r} is held already, by quarantine {same[0].quarantine_id}")
        if target is QuarantineTarget.REQUEST:
            column = requests.c
            found = await self._scope.all(
                sa.select(column.request_id).where(
                    column.org_id == self._scope.org_id, column.request_id == value
                )
            )
            if not found:
                raise NotFound(f"no request {value!r}")

    def _is(self, quarantine_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_column.org_id == self._scope.org_id, _column.quarantine_id == quarantine_id)

    def _held(self, one: Quarantine) -> tuple[sa.ColumnElement[bool], ...]:
        held = held_memories.c
        return held.org_id == self._scope.org_id, held.quarantine_id == one.quarantine_id

    def _requests_of(self, one: Quarantine) -> sa.ColumnElement[bool]:
        """Return the condition that a quarantine's target covers a request."""
        column = {
            QuarantineTarget.SOURCE: requests.c.source,
            QuarantineTarget.REQUEST: requests.c.request_id,
            QuarantineTarget.USER: requests.c.user_id,
        }.get(one.target)
        is_it = sa.false() if column is None else column == one.value
        return sa.and_(requests.c.org_id == self._scope.org_id, is_it)

    async def _hold_memories(self, one: Quarantine) -> None:
        """Record which memories a quarantine holds: those it covers, and what was made from playbooks among them."""
        column, link = memories.c, memory_requests.c
        taught = (
            sa.select(link.memory_id)
            .join(
                requests,
                sa.and_(requests.c.org_id == link.org_id, requests.c.request_id == link.request_id),
            )
            .where(link.org_id == self._scope.org_id, self._requests_of(one))
        )
        match one.target:
            case QuarantineTarget.SOURCE:
                says = column.source == one.value
            case QuarantineTarget.USER:
                says = column.user_id == one.value
            case QuarantineTarget.REQUEST:
                asked = sa.select(link.memory_id).where(
                    link.org_id == self._scope.org_id, link.request_id == one.value
                )
                says = column.memory_id.in_(asked)
            case QuarantineTarget.LEARNER:
                says = _made_by(one.value)
        chosen = sa.select(
            column.org_id, sa.literal(one.quarantine_id).label("quarantine_id"), column.memory_id
        ).where(column.org_id == self._scope.org_id, sa.or_(says, column.memory_id.in_(taught)))
        await self._scope.run(
            held_memories.insert().from_select(["org_id", "quarantine_id", "memory_id"], chosen)
        )
        held = await self._scope.all(
            sa.select(column.memory_id)
            .join(held_memories, held_memories.c.memory_id == column.memory_id)
            .where(*self._held(one), column.kind == str(MemoryKind.USER_PLAYBOOK))
        )
        await self._hold_derived([row.memory_id for row in held], {one.quarantine_id})

    async def _hold_derived(self, playbook_ids: Sequence[int], by: Collection[str]) -> set[MemoryId]:
        """Record that quarantines hold the memories that were made from playbooks; returns those."""
        made = await self._derived.resting_on(playbook_ids) if playbook_ids else ()
        for one in made:
            await keep_held(self._scope, one.memory_id, by)
        return {one.memory_id for one in made}

    async def _settle(self) -> None:
        """Update what depends on held data: answers and what rests on them, replaced memories, and dead letters."""
        while learned := await settle_answers(self._scope, self._search):
            column = memories.c
            rows = await self._scope.all(
                sa.select(column.memory_id).where(
                    column.org_id == self._scope.org_id,
                    one_of(column.memory_id, sorted(learned)),
                    column.kind == str(MemoryKind.USER_PLAYBOOK),
                )
            )
            for row in rows:
                by = await quarantines_of(self._scope, [row.memory_id])
                learned |= await self._hold_derived([row.memory_id], by)
            await self._mark_each(sorted(learned))
        await settle_replaced(self._scope, self._search)
        await self._dead_letters.queue_released()

    async def hold_answer(self, turn: InteractionId, shown: Sequence[AnswerSource]) -> None:
        """Hold an answer of the chat that is being stored if something that its model was shown is held meanwhile."""
        await hold_answer(self._scope, self._search, turn, shown)

    async def _mark_turns(self, named: sa.ColumnElement[bool], *, is_held: bool) -> None:
        """Set the mark on requests, their turns, and the turns' search documents."""
        turn = interactions.c
        chosen = sa.select(requests.c.request_id).where(named)
        moved = sa.select(turn.interaction_id).where(
            turn.org_id == self._scope.org_id, turn.request_id.in_(chosen), turn.is_held != is_held
        )
        await self._search.mark_held(INTERACTION, moved, is_held=is_held)
        await self._scope.run(
            sa.update(interactions)
            .where(turn.org_id == self._scope.org_id, turn.request_id.in_(chosen))
            .values(is_held=is_held)
        )
        await self._scope.run(sa.update(requests).where(named).values(is_held=is_held))

    async def _mark_memories(self, quarantine_ids: Sequence[str], *, is_held: bool) -> None:
        """Set the mark on memories and their search documents; those that another quarantine holds stay held."""
        column, held, other = memories.c, held_memories.c, held_memories.alias()
        theirs = sa.select(held.memory_id).where(
            held.org_id == self._scope.org_id, held.quarantine_id.in_(quarantine_ids)
        )
        stays = sa.exists().where(
            other.c.memory_id == column.memory_id, other.c.quarantine_id.not_in(quarantine_ids)
        )
        changes = column.is_held.is_(sa.false()) if is_held else sa.not_(stays.correlate(memories))
        statement = (
            sa.select(column.memory_id, column.kind)
            .where(column.org_id == self._scope.org_id, column.memory_id.in_(theirs), changes)
            .order_by(column.memory_id)
        )
        await self._mark_rows(await self._scope.all(self._scope.locked(statement)), is_held=is_held)

    async def _mark_each(self, ids: Sequence[int]) -> None:
        """Mark memories as held, unless they are already."""
        column = memories.c
        statement = (
            sa.select(column.memory_id, column.kind)
            .where(
                column.org_id == self._scope.org_id,
                one_of(column.memory_id, ids),
                column.is_held.is_(sa.false()),
            )
            .order_by(column.memory_id)
        )
        await self._mark_rows(await self._scope.all(self._scope.locked(statement)), is_held=True)

    async def _mark_rows(self, rows: Sequence[Any], *, is_held: bool) -> None:
        column = memories.c
        ids: defaultdict[str, list[int]] = defaultdict(list)
        await each(lambda row: ids[row.kind].append(row.memory_id), rows)
        for kind, of_kind in sorted(ids.items()):
            is_one = one_of(column.memory_id, of_kind)
            await self._search.mark_held(kind, sa.select(column.memory_id).where(is_one), is_held=is_held)
            changed = sa.update(memories).where(self._scope.owns(memories), is_one)
            await self._scope.run(changed.values(is_held=is_held))


def _made_by(learner: str) -> sa.ColumnElement[bool]:
    """Return the condition that a memory was made by a learner, or under a learner's name."""
    names = sa.cast(memories.c.attributes["extractor_names"].as_string(), sa.Text)
    quoted = {json.dumps(learner), json.dumps(learner, ensure_ascii=False)}
    # This is case-sensitive, unlike LIKE on SQLite.
    among = [sa.func.replace(names, one, "") != names for one in sorted(quoted)]
    return sa.or_(
        memories.c.name == learner,
        memories.c.provenance["learner"].as_string() == learner,
        *among,
    )


def _quarantine_of(row: Any) -> Quarantine:
    return Quarantine.model_validate(row._mapping, extra="ignore")
