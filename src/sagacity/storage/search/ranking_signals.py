"""Ranking signals other than how well a document matches, and documents that are found without a match."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from sagacity.domain.interaction import INTERACTION, speaker_of
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.storage.base import Scope
from sagacity.storage.hits import Hit, KindHits
from sagacity.storage.schema.tables import interactions, memories, search_documents
from sagacity.storage.search.filters import SHAPES, admitted, users_of, values_of
from sagacity.storage.statements.array_params import among
from sagacity.storage.statements.planner_hints import unindexed

_document, _turn, _memory = search_documents.c, interactions.c, memories.c
_happened_at = sa.func.coalesce(_document.event_at, _document.changed_at, type_=_document.changed_at.type)


class RankingSignals(NamedTuple):
    """What ranking reads of a document besides its text. A tuple, as a search reads hundreds."""

    happened_at: datetime
    """If that is unknown, when it was learned or arrived."""
    term_count: int = 0
    first_person: float = 0.0
    """Share of its words in the first person, in [0, 1]; see `keywords.first_person_share`."""
    session: tuple[str, str] = ("", "")
    """A turn's user and its session, or its request if it has no session; empty for memories."""
    seq: int = 0
    speaker: str = ""
    """The name of the person who said a turn; empty if its role names nobody."""
    asks: bool = False
    """Whether a turn ends with a question."""
    confidence: float = 1.0
    access_count: int = 0


async def signals_of(scope: Scope, parts: Sequence[KindHits]) -> dict[tuple[str, int], RankingSignals]:
    """Return the signals of documents, by kind and number; documents that no longer exist are left out."""
    turns = {number for part in parts if part.kind == INTERACTION for number in part.ids.tolist()}
    others = {number for part in parts if part.kind != INTERACTION for number in part.ids.tolist()}
    found: dict[tuple[str, int], RankingSignals] = {}
    for row in await _rows(scope, _of_turns(), turns):
        found[row.kind, row.owner_id] = RankingSignals(
            happened_at=row.happened_at,
            term_count=row.term_count,
            first_person=row.first_person or 0.0,
            session=(row.user_id, row.session_id or row.request_id),
            seq=row.seq,
            speaker=speaker_of(row.role),
            asks=bool(row.asks),
        )
    for row in await _rows(scope, _of_memories(), others):
        found[row.kind, row.owner_id] = RankingSignals(
            happened_at=row.happened_at,
            term_count=row.term_count,
            confidence=row.confidence,
            access_count=row.access_count,
        )
    return found


async def _rows(scope: Scope, statement: sa.Select[Any], ids: Collection[int]) -> Sequence[Any]:
    return await scope.all(statement, {"org_id": scope.org_id, "ids": sorted(ids)}) if ids else ()


@cache
def _of_turns() -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(
            *(_document.kind, _document.owner_id, _document.term_count, _document.first_person),
            *(_document.asks, _turn.role, _turn.user_id, _turn.session_id, _turn.request_id, _turn.seq),
            _happened_at.label("happened_at"),
        )
        .join_from(search_documents, interactions, _turn.interaction_id == _document.owner_id)
        .where(_document.kind == INTERACTION, *_named())
    )


@cache
def _of_memories() -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(
            *(_document.kind, _document.owner_id, _document.term_count),
            *(_memory.confidence, _memory.access_count),
            _happened_at.label("happened_at"),
        )
        .join_from(search_documents, memories, _memory.memory_id == _document.owner_id)
        .where(_document.kind != INTERACTION, *_named())
    )


def _named() -> tuple[sa.ColumnElement[bool], ...]:
    return (
        among(_document.document_id, "ids"),
        _document.org_id.concat("") == sa.bindparam("org_id"),
    )


async def admitted_memories(scope: Scope, wanted: Filter, scores: Mapping[int, float]) -> list[Hit]:
    """
    Return the memories with *scores* that *wanted* admits, best first, ties by document.

    Args:
        scope: the open transaction.
        wanted: the filter, which names one user.
        scores: by id of the memory.
    """
    if not scores or not wanted.kinds or not _reaches_its_user(wanted):
        return []
    values = values_of(wanted)
    given = {"org_id": scope.org_id, "ids": list(scores), "kinds": [str(kind) for kind in wanted.kinds]}
    rows = await scope.all(_among_owners(tuple(values)), given | values)
    hits = [Hit(row.document_id, row.owner_id, row.kind, scores[row.owner_id]) for row in rows]
    return sorted(hits, key=lambda hit: (-hit.score, hit.document_id))


@lru_cache(maxsize=SHAPES)
def _among_owners(fields: tuple[str, ...]) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(_document.document_id, _document.owner_id, _document.kind).where(
        _document.org_id == sa.bindparam("org_id"),
        among(_document.kind, "kinds"),
        among(_document.owner_id, "ids"),
        *admitted(fields),
    )


class Newest(NamedTuple):
    """A document that was found because it is new."""

    hit: Hit
    """Its score is the memory's confidence."""
    happened_at: datetime


async def newest_memories(scope: Scope, wanted: Filter, kind: MemoryKind, *, limit: int) -> list[Newest]:
    """Return one user's memories of *kind* that *wanted* admits, last changed first."""
    rows = await _of_newest(scope, wanted, kind, _newest_memories, {"limit": limit})
    return [Newest(Hit(*found), happened_at) for *found, happened_at in rows]


async def surest_memories(
    scope: Scope, wanted: Filter, kind: MemoryKind, *, newest: int, limit: int
) -> list[Hit]:
    """Return those with the highest confidence among the *newest* of `newest_memories`; ties: newer ones first."""
    given = {"limit": newest, "surest": limit}
    return [Hit(*found) for found in await _of_newest(scope, wanted, kind, _surest_memories, given)]


async def _of_newest(
    scope: Scope,
    wanted: Filter,
    kind: MemoryKind,
    statement_of: Callable[..., sa.Select[*tuple[Any, ...]]],
    limits: Mapping[str, int],
) -> Sequence[Any]:
    if kind not in wanted.kinds or not _reaches_its_user(wanted):
        return ()
    values = values_of(wanted)
    given = {"org_id": scope.org_id, "user_id": wanted.user_id, "kind": str(kind), **limits}
    of_one = len(values.get("statuses", ())) == 1
    if of_one:
        [given["status"]] = values.pop("statuses")
    return await scope.all(statement_of(tuple(values), of_one_status=of_one), given | values)


@lru_cache(maxsize=SHAPES)
def _newest_memories(fields: tuple[str, ...], *, of_one_status: bool) -> sa.Select[*tuple[Any, ...]]:
    return _newest_first(fields, _happened_at.label("happened_at"), of_one_status=of_one_status)


@lru_cache(maxsize=SHAPES)
def _surest_memories(fields: tuple[str, ...], *, of_one_status: bool) -> sa.Select[*tuple[Any, ...]]:
    changed_at = _changed_at(of_one_status=of_one_status).label("changed_at")
    newest = _newest_first(fields, changed_at, of_one_status=of_one_status).subquery().c
    return (
        sa.select(newest.document_id, newest.owner_id, newest.kind, newest.confidence)
        .order_by(newest.confidence.desc(), newest.changed_at.desc(), newest.owner_id.desc())
        .limit(sa.bindparam("surest", type_=sa.Integer))
    )


def _newest_first(
    fields: tuple[str, ...], *more: sa.ColumnElement[Any], of_one_status: bool
) -> sa.Select[*tuple[Any, ...]]:
    """
    Build the statement for one user's newest memories.

    For one status, an index has them in this order. For several, they are sorted by an expression that no index has:
    otherwise SQLite would read all memories of the organisation in the order of an index.
    """
    chosen = [_memory.status == sa.bindparam("status")] if of_one_status else []
    same = sa.and_(
        _document.org_id == _memory.org_id,
        _document.kind == _memory.kind,
        _document.owner_id == unindexed(_memory.memory_id),
    )
    return (
        sa.select(_document.document_id, _document.owner_id, _document.kind, _memory.confidence, *more)
        .join_from(memories, search_documents, same)
        .where(
            _memory.org_id == sa.bindparam("org_id"),
            _memory.kind == sa.bindparam("kind"),
            _memory.user_id == sa.bindparam("user_id"),
            *(*chosen, *admitted(fields)),
        )
        .order_by(_changed_at(of_one_status=of_one_status).desc(), _memory.memory_id.desc())
        .limit(sa.bindparam("limit", type_=sa.Integer))
    )


def _changed_at(*, of_one_status: bool) -> sa.ColumnElement[Any]:
    """Return what memories are sorted by: an indexed column for one status, one without an index for several."""
    return _memory.updated_at if of_one_status else _document.changed_at


async def newest_turns(scope: Scope, wanted: Filter, *, limit: int) -> list[Newest]:
    """Return one user's turns that *wanted* admits, newest first."""
    if not wanted.interactions or not _reaches_its_user(wanted):
        return []
    values = values_of(wanted)
    given = {"org_id": scope.org_id, "user_id": wanted.user_id, "limit": limit}
    rows = await scope.all(_newest_turns(tuple(values)), given | values)
    return [Newest(Hit(*found), happened_at) for *found, happened_at in rows]


@lru_cache(maxsize=SHAPES)
def _newest_turns(fields: tuple[str, ...]) -> sa.Select[*tuple[Any, ...]]:
    same = sa.and_(
        _document.org_id == _turn.org_id,
        _document.kind == INTERACTION,
        _document.owner_id == unindexed(_turn.interaction_id),
    )
    return (
        sa.select(
            *(_document.document_id, _document.owner_id, _document.kind),
            sa.literal(1.0).label("confidence"),
            _happened_at.label("happened_at"),
        )
        .join_from(interactions, search_documents, same)
        .where(
            _turn.org_id == sa.bindparam("org_id"),
            _turn.user_id == sa.bindparam("user_id"),
            *admitted(fields),
        )
        .order_by(_turn.seq.desc())
        .limit(sa.bindparam("limit", type_=sa.Integer))
    )


def _reaches_its_user(wanted: Filter) -> bool:
    """Whether *wanted* asks for rows of exactly one user."""
    return wanted.user_id is not None and wanted.user_id in (users_of(wanted) or ())
