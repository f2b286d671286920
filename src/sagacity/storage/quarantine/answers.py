"""Hold answers of the chat whose model was shown held data, and what was learned from them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from sagacity.domain.chat import AnswerSource
from sagacity.domain.ids import MemoryId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.quarantine import Standing
from sagacity.storage.base import Scope
from sagacity.storage.quarantine.standing import keep_held, standing_quarantines
from sagacity.storage.schema.tables import (
    exchanges,
    held_memories,
    interactions,
    memories,
    memory_requests,
    requests,
)
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.statements.array_params import one_of

_ANSWERS_READ = 500
_exchange = sa.select(exchanges.c.exchange_id, exchanges.c.answer_turn, exchanges.c.memories)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer, and the numbers of the memories and turns that its model was shown."""

    exchange_id: str
    turn: int
    memories: frozenset[int]
    turns: frozenset[int]


async def settle_answers(scope: Scope, search: SearchRepository) -> set[MemoryId]:
    """
    Hold the answers whose model was shown something held, and release those for which this is no longer true.

    Returns:
        The memories resting on such answers that are newly held.
    """
    look = _Look(scope, await standing_quarantines(scope))
    after, found = "", set[MemoryId]()
    while answers := await look.answers(after):
        after = answers[-1].exchange_id
        holding = await look.holding(answers)
        await _mark(scope, search, [turn for turn, by in holding.items() if by], is_held=True)
        await _mark(scope, search, [turn for turn, by in holding.items() if not by], is_held=False)
        found |= await _hold_learned(scope, {turn: by for turn, by in holding.items() if by})
    return found


async def hold_answer(
    scope: Scope, search: SearchRepository, turn: int, shown: Sequence[AnswerSource]
) -> None:
    """Hold an answer that is being stored if something that its model was shown was put on hold meanwhile."""
    standing = await standing_quarantines(scope)
    if standing:
        answer = _answer_of("", turn, [(one.kind, one.citation) for one in shown])
        holding = await _Look(scope, standing).holding([answer])
        await _mark(scope, search, [turn for turn, by in holding.items() if by], is_held=True)


class _Look:
    """Finds which quarantines hold what answers' models were shown; each answer is read once."""

    def __init__(self, scope: Scope, standing: Sequence[Standing]) -> None:
        self._scope = scope
        self._standing = standing
        self._known: dict[int, set[str]] = {}

    async def answers(self, after: str) -> list[_Answer]:
        """Return the next answers, in the order of their exchanges."""
        column = exchanges.c
        wanted = (column.exchange_id > after, column.answer_turn.is_not(None))
        return await self._read(_exchange.where(*wanted).order_by(column.exchange_id).limit(_ANSWERS_READ))

    async def holding(self, answers: Sequence[_Answer]) -> dict[int, set[str]]:
        """Return, by each answer's turn, the quarantines that hold something that its model was shown."""
        loaded: dict[int, _Answer] = {}
        of_requests: dict[int, set[str]] = {}
        waiting = [one for one in answers if one.turn not in self._known]
        while waiting:  # an answer's model may have been shown other answers
            loaded |= {one.turn: one for one in waiting}
            shown = {number for one in waiting for number in one.turns} - of_requests.keys()
            found, waiting = await self._turns(shown)
            of_requests |= found
            waiting = [one for one in waiting if one.turn not in loaded and one.turn not in self._known]
        held = await self._memories({number for one in loaded.values() for number in one.memories})
        for turn, one in sorted(loaded.items()):  # what was shown is older
            parts = [held.get(number, set()) for number in one.memories]
            parts += [of_requests.get(number, set()) for number in one.turns]
            parts += [self._known.get(number, set()) for number in one.turns]
            self._known[turn] = set[str]().union(*parts)
        return {one.turn: self._known[one.turn] for one in answers}

    async def _memories(self, numbers: Collection[int]) -> dict[int, set[str]]:
        if not numbers:
            return {}
        column, found = held_memories.c, dict[int, set[str]]()
        rows = await self._scope.all(
            sa.select(column.memory_id, column.quarantine_id).where(
                column.org_id == self._scope.org_id, one_of(column.memory_id, sorted(numbers))
            )
        )
        for row in rows:
            found.setdefault(row.memory_id, set()).add(row.quarantine_id)
        return found

    async def _turns(self, numbers: Collection[int]) -> tuple[dict[int, set[str]], list[_Answer]]:
        """Return the quarantines that hold the requests of turns, and those of the turns that are answers."""
        if not numbers:
            return {}, []
        turn, request = interactions.c, requests.c
        rows = await self._scope.all(
            sa.select(turn.interaction_id, request.request_id, request.user_id, request.source)
            .join(requests, sa.and_(request.org_id == turn.org_id, request.request_id == turn.request_id))
            .where(turn.org_id == self._scope.org_id, one_of(turn.interaction_id, sorted(numbers)))
        )
        found = {
            row.interaction_id: {one.quarantine_id for one in self._standing if one.is_of_request(row)}
            for row in rows
        }
        of_them = one_of(exchanges.c.request_id, sorted({row.request_id for row in rows}))
        is_one = one_of(exchanges.c.answer_turn, sorted(found))
        return found, await self._read(_exchange.where(of_them, is_one))

    async def _read(self, statement: sa.Select[*tuple[Any, ...]]) -> list[_Answer]:
        rows = await self._scope.all(statement.where(exchanges.c.org_id == self._scope.org_id))
        return [
            _answer_of(
                row.exchange_id, row.answer_turn, [(one["kind"], one["citation"]) for one in row.memories]
            )
            for row in rows
        ]


def _answer_of(exchange_id: str, turn: int, shown: Sequence[tuple[str, str]]) -> _Answer:
    """Return an answer whose model was *shown* these, each by kind and citation."""
    numbers = [(kind, int(citation.partition(":")[2])) for kind, citation in shown]
    return _Answer(
        exchange_id=exchange_id,
        turn=turn,
        memories=frozenset(number for kind, number in numbers if kind != INTERACTION),
        turns=frozenset(number for kind, number in numbers if kind == INTERACTION),
    )


async def _mark(scope: Scope, search: SearchRepository, turns: Sequence[int], *, is_held: bool) -> None:
    """Set or remove the mark on answers that need it; an answer whose request is held stays held."""
    turn, request = interactions.c, requests.alias()
    its_request = (
        sa.exists()
        .where(request.c.org_id == turn.org_id, request.c.request_id == turn.request_id, request.c.is_held)
        .correlate(interactions)
    )
    wanted = [turn.org_id == scope.org_id, one_of(turn.interaction_id, turns), turn.is_held.is_not(is_held)]
    if not is_held:
        wanted.append(~its_request)
    found = await scope.all(sa.select(turn.interaction_id).where(*wanted)) if turns else ()
    if found:
        mine = one_of(turn.interaction_id, [row.interaction_id for row in found])
        await search.mark_held(INTERACTION, sa.select(turn.interaction_id).where(mine), is_held=is_held)
        await scope.run(
            sa.update(interactions).where(turn.org_id == scope.org_id, mine).values(is_held=is_held)
        )


async def _hold_learned(scope: Scope, holding: Mapping[int, set[str]]) -> set[MemoryId]:
    """Record which quarantines hold the memories that rest on held answers; returns those that are newly held."""
    if not holding:
        return set()
    turn, link, column, held = interactions.c, memory_requests.c, memories.c, held_memories.c
    asked = sa.select(turn.request_id).where(
        turn.org_id == scope.org_id, one_of(turn.interaction_id, sorted(holding))
    )
    taught = sa.select(link.memory_id).where(link.org_id == scope.org_id, link.request_id.in_(asked))
    rows = await scope.all(
        sa.select(column.memory_id, column.source_interaction_ids)
        .where(column.org_id == scope.org_id, column.memory_id.in_(taught))
        .order_by(column.memory_id)
    )
    known = await scope.all(
        sa.select(held.memory_id, held.quarantine_id).where(
            held.org_id == scope.org_id, one_of(held.memory_id, [row.memory_id for row in rows])
        )
    )
    recorded = {(row.memory_id, row.quarantine_id) for row in known}
    found: set[MemoryId] = set()
    for row in rows:
        by = set[str]().union(*(holding.get(number, ()) for number in row.source_interaction_ids))
        news = {one for one in by if (row.memory_id, one) not in recorded}
        await keep_held(scope, row.memory_id, news)
        if news:
            found.add(row.memory_id)
    return found
