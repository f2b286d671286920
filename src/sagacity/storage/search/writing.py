"""Write search documents with their terms, and update the statistics of their scopes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
import sqlalchemy as sa
from pydantic import JsonValue

from sagacity.domain.caution import Caution
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.memory import Approval, Status, Visibility
from sagacity.storage.base import Scope, Vectors
from sagacity.storage.schema.tables import search_documents, search_scopes
from sagacity.storage.search.keywords import asks, date_terms, first_person_share, terms_of
from sagacity.storage.search.scopes import grow_scope
from sagacity.storage.search.term_index import pack_terms
from sagacity.storage.search.text_work import beside_the_loop
from sagacity.storage.statements.array_params import among, one_of

_KEYS_A_STATEMENT = 5_000
_ROWS_A_STATEMENT = 100
_ADD_DOCUMENT = search_documents.insert()
_OF_TEXT = ("text", "term_count", "terms", "first_person", "asks", "vector")
"""Columns that stay as they are if the text is unchanged."""


@dataclass(frozen=True, slots=True)
class Document:
    """What the index holds for a memory or a turn."""

    kind: str
    owner_id: int
    text: str
    changed_at: datetime
    user_id: str = ""
    """Empty if it belongs to the tenant."""
    status: Status = Status.CURRENT
    approval: Approval = Approval.PENDING
    visibility: Visibility = Visibility.SERVED
    is_held: bool = False
    agent_version: str = ""
    name: str = ""
    source: str = ""
    request_id: str | None = None
    expires_at: datetime | None = None
    created_at: datetime | None = None
    """When it was learned or arrived; None for `changed_at`."""
    event_at: datetime | None = None
    """When it happened; None for when it was learned or arrived."""
    archived_at: datetime | None = None
    facts: Mapping[str, JsonValue] | None = None
    """Tags and metadata to filter by; see `filters.py`. Those of a turn are stored with its request."""
    caution: Caution | None = None
    """What it warns of; see `cautions.py`."""
    vector: Vectors | None = None
    """float32 [d], unit length. None: an unchanged text keeps its vector, any other is queued for embedding."""

    @property
    def happened_at(self) -> datetime:
        """When it happened, or if that is unknown, was learned or arrived."""
        return self.event_at or self.created_at or self.changed_at


@dataclass(frozen=True, slots=True)
class _Place:
    """A scope that is written to, and its new revision."""

    scope_id: int
    revision: int


@dataclass(frozen=True, slots=True)
class _Draft:
    """A document to be written, its terms, and its former row, if there is one."""

    document: Document
    term_count: int
    terms: bytes
    former: Any = None

    @property
    def home(self) -> tuple[str, str]:
        """The kind and user that identify its scope."""
        return self.document.kind, self.document.user_id

    @property
    def says_the_same(self) -> bool:
        """Whether its text is unchanged and it comes without a new vector."""
        return (
            self.former is not None
            and self.former.text == self.document.text
            and self.document.vector is None
        )


def pack(vector: Vectors) -> bytes:
    """Pack float32 [d] as little-endian half precision: half the bytes; the cosine changes by less than 0.001."""
    return vector.astype("<f2").tobytes()


def unpack(packed: bytes) -> Vectors:
    """Unpack little-endian half precision to float32 [d]."""
    return np.frombuffer(packed, "<f2").astype(np.float32)


def _draft(document: Document, former: Any) -> _Draft:
    """Count the terms of a document: those of its text and, for a turn, of its date."""
    terms = terms_of(document.text)
    if document.kind == INTERACTION:
        terms.update(date_terms(document.happened_at))
    return _Draft(document, terms.total(), pack_terms(terms), former)


async def put(scope: Scope, documents: Sequence[Document], *, new: bool) -> None:
    """
    Write *documents*, replacing those of the same owners. They can be found by term once the transaction commits.

    A replaced document keeps its number and, if its text is unchanged, its terms and its vector.

    Args:
        scope: the open transaction, which must hold the owners' rows.
        documents: one per owner; an owner never moves to another user.
        new: none of the owners has a document yet.
    """
    if not documents:
        return
    former = {} if new else await _former(scope, documents)
    drafts = await beside_the_loop(
        lambda: [_draft(one, former.get((one.kind, one.owner_id))) for one in documents],
        size=sum(len(one.text) for one in documents),
    )
    places = await _grow(scope, drafts)
    await _insert(scope, [draft for draft in drafts if draft.former is None], places)
    await _update(scope, [draft for draft in drafts if draft.former is not None], places)


async def _former(scope: Scope, documents: Sequence[Document]) -> dict[tuple[str, int], Any]:
    column = search_documents.c
    owners: dict[str, list[int]] = defaultdict(list)
    for document in documents:
        owners[document.kind].append(document.owner_id)
    return {
        (row.kind, row.owner_id): row
        for kind, ids in owners.items()
        for start in range(0, len(ids), _KEYS_A_STATEMENT)
        for row in await scope.all(
            sa.select(
                *(column[name] for name in ("document_id", "kind", "owner_id", "text", "term_count"))
            ).where(
                column.org_id == scope.org_id,
                column.kind == kind,
                column.owner_id.in_(ids[start : start + _KEYS_A_STATEMENT]),
            )
        )
    }


async def _grow(scope: Scope, drafts: Sequence[_Draft]) -> dict[tuple[str, str], _Place]:
    """Add documents to the counts of their scopes, which get a new revision."""
    sizes: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for draft in drafts:
        size = sizes[draft.home]
        size[0] += draft.former is None
        size[1] += draft.term_count - (0 if draft.former is None else draft.former.term_count)
    rows = await scope.all(
        scope.upsert(grow_scope),
        [
            {
                "org_id": scope.org_id,
                "kind": kind,
                "user_id": user_id,
                "document_count": count,
                "term_count": total,
                "revision": 1,
            }
            for (kind, user_id), (count, total) in sorted(sizes.items(), key=lambda one: _lock_order(*one[0]))
        ],
    )
    return {(row.kind, row.user_id): _Place(row.scope_id, row.revision) for row in rows}


async def _insert(scope: Scope, drafts: Sequence[_Draft], places: Mapping[tuple[str, str], _Place]) -> None:
    if not drafts:
        return
    own = {"org_id": scope.org_id}
    for start in range(0, len(drafts), _ROWS_A_STATEMENT):  # lets others have the event loop in between
        some = drafts[start : start + _ROWS_A_STATEMENT]
        await scope.run(_ADD_DOCUMENT, [own | _row(draft, places[draft.home]) for draft in some])


async def _update(scope: Scope, drafts: Sequence[_Draft], places: Mapping[tuple[str, str], _Place]) -> None:
    rewritten = [draft for draft in drafts if not draft.says_the_same]
    for kept, group in (
        (_OF_TEXT, [draft for draft in drafts if draft.says_the_same]),
        ((), rewritten),
    ):
        rows = [
            {"d": draft.former.document_id}
            | {name: value for name, value in _row(draft, places[draft.home]).items() if name not in kept}
            for draft in group
        ]
        if rows:
            column = search_documents.c
            await scope.run(sa.update(search_documents).where(column.document_id == sa.bindparam("d")), rows)
    if unvectored := {places[draft.home].scope_id for draft in rewritten if draft.document.vector is None}:
        column = search_scopes.c
        await scope.run(
            sa.update(search_scopes)
            .where(column.scope_id.in_(sorted(unvectored)))
            .values(removed_revision=column.revision)
        )


def _row(draft: _Draft, place: _Place) -> dict[str, Any]:
    document = draft.document
    return {
        "scope_id": place.scope_id,
        "kind": document.kind,
        "owner_id": document.owner_id,
        "status": str(document.status),
        "approval": str(document.approval),
        "visibility": str(document.visibility),
        "is_held": document.is_held,
        "agent_version": document.agent_version,
        "name": document.name,
        "source": document.source,
        "request_id": document.request_id,
        "changed_at": document.changed_at,
        "expires_at": document.expires_at,
        "created_at": document.created_at or document.changed_at,
        "event_at": document.happened_at,
        "archived_at": document.archived_at,
        "facts": document.facts,
        "text": document.text,
        "term_count": draft.term_count,
        "terms": draft.terms,
        "caution": None if document.caution is None else str(document.caution),
        "first_person": first_person_share(document.text) if document.kind == INTERACTION else None,
        "asks": asks(document.text) if document.kind == INTERACTION else None,
        "revision": place.revision,
        "vector": None if document.vector is None else pack(document.vector),
        "embed_attempts": 0,
        "embed_error": "",
    }


async def remove(scope: Scope, kind: str, owner_ids: Sequence[int]) -> None:
    """
    Remove the documents of these owners, with their terms.

    Scopes are locked before documents, by everybody who writes documents: otherwise two writers could wait for each
    other.
    """
    if scope.backend.locks_rows:
        await lock_scopes(scope, await _scopes_with(scope, kind, owner_ids))
    for start in range(0, len(owner_ids), _KEYS_A_STATEMENT):
        await _remove(scope, kind, owner_ids[start : start + _KEYS_A_STATEMENT])


async def _scopes_with(scope: Scope, kind: str, owner_ids: Sequence[int]) -> list[int]:
    column = search_documents.c
    mine = (column.org_id == scope.org_id, column.kind == kind, one_of(column.owner_id, owner_ids))
    return [row.scope_id for row in await scope.all(sa.select(column.scope_id).where(*mine).distinct())]


async def _remove(scope: Scope, kind: str, owner_ids: Sequence[int]) -> None:
    column = search_documents.c
    rows = await scope.all(
        sa.delete(search_documents)
        .where(column.org_id == scope.org_id, column.kind == kind, one_of(column.owner_id, owner_ids))
        .returning(column.scope_id, column.term_count)
    )
    if not rows:
        return
    sizes: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        sizes[row.scope_id][0] += 1
        sizes[row.scope_id][1] += row.term_count
    of_scope = search_scopes.c
    await scope.run(
        sa.update(search_scopes)
        .where(of_scope.scope_id == sa.bindparam("s"))
        .values(
            document_count=of_scope.document_count - sa.bindparam("n"),
            term_count=of_scope.term_count - sa.bindparam("m"),
            revision=of_scope.revision + 1,
            removed_revision=of_scope.revision + 1,
        ),
        [{"s": scope_id, "n": count, "m": total} for scope_id, (count, total) in sizes.items()],
    )


def _lock_order(kind: str, user_id: str) -> tuple[bool, str, str]:
    """Return the sort key of a scope in the order of `lock_scopes`."""
    return kind == INTERACTION, kind, user_id


async def lock_scopes(scope: Scope, scope_ids: Iterable[int]) -> None:
    """
    Lock scopes against changes by others, always in one order, so that no two transactions wait for each other.

    Scopes of interactions come last: a learner locks those of memories and then the user's row, while a publish locks
    the user's row and then the scope of interactions.
    """
    if scope.backend.locks_rows:
        await scope.all(_locked_scopes(), {"ids": sorted(scope_ids)})


@cache
def _locked_scopes() -> sa.Select[*tuple[Any, ...]]:
    column = search_scopes.c
    wanted = sa.select(column.scope_id).where(among(column.scope_id, "ids"))
    return wanted.order_by(column.kind == INTERACTION, column.kind, column.user_id).with_for_update()
