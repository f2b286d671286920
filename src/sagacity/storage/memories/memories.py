"""Add, edit, supersede, list and delete memories; each write also updates their search documents."""

import operator
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.caution import caution_of
from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import MemoryId, MemoryUid, RequestId, UserId
from sagacity.domain.kinds import FACT_KINDS, USER_KINDS, visibility_of
from sagacity.domain.memory import (
    ARCHIVED_STATUSES,
    Approval,
    ArchivedBy,
    Attributes,
    Memory,
    MemoryKind,
    NewMemory,
    Status,
    Visibility,
)
from sagacity.domain.paced import each
from sagacity.domain.quarantine import Standing
from sagacity.domain.query import Filter
from sagacity.domain.quota import QuotaName
from sagacity.storage.base import Scope, Vectors
from sagacity.storage.graph.learned import GraphRepository
from sagacity.storage.memories.duplicate_pairs import forget_pairs
from sagacity.storage.memories.history import history_of
from sagacity.storage.quarantine.standing import held_by, keep_held, standing_quarantines
from sagacity.storage.schema.tables import memories, memory_requests
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.filters import facts_of, has_document, owned_by, users_of, values_of
from sagacity.storage.search.text_work import beside_the_loop
from sagacity.storage.search.writing import Document
from sagacity.storage.statements.array_params import among, one_of
from sagacity.storage.statements.planner_hints import unindexed
from sagacity.storage.statements.user_key import user_key

_IDS_A_STATEMENT = 5_000
_ROWS_A_STATEMENT = 100
"""How many rows a statement inserts; others get the event loop between two statements."""
_ADD = memories.insert().returning(memories.c.memory_id, memories.c.uid)
_OWN = {"start": operator.ge, "end": operator.le}
"""A list's conditions on the time of the last change, which has an index; its other conditions are on documents."""


def memory_of(row: Any) -> Memory:
    """Turn a row into the value."""
    # Validating a dict takes half the time; `dict(row._mapping)` would look up each column.
    fields = row._fields  # noqa: SLF001  as of a named tuple
    return Memory.model_validate(dict(zip(fields, row, strict=True)), extra="ignore")


def _admits_most(wanted: Filter, fields: Collection[str]) -> bool:
    """
    Whether *wanted*, which sets *fields*, excludes only few memories of an organisation.

    A single status counts as excluding none, because an index has the memories of each status in order.
    """
    return (
        set(fields) <= {"statuses", "visibility", "is_held", "valid_at", *_OWN}
        and not wanted.is_held
        and (len(wanted.statuses) <= 1 or Status.CURRENT in wanted.statuses)
        and (not wanted.visibility or Visibility.SERVED in wanted.visibility)
    )


class MemoryRepository:
    """A tenant's memories of every kind."""

    def __init__(self, scope: Scope, search: SearchRepository, graph: GraphRepository) -> None:
        self._scope = scope
        self._search = search
        self._graph = graph
        self._quarantines: Sequence[Standing] | None = None

    async def add(
        self, new: Sequence[NewMemory], *, vectors: Mapping[MemoryUid, Vectors] | None = None
    ) -> list[Memory]:
        """
        Store *new* and return them with their numbers, in order.

        Args:
            new: the memories; every uid must be new to the tenant.
            vectors: float32 [d] of those that are embedded already, by uid; the others are queued for embedding.
        """
        if not new:
            return []
        tokens = await self._tokens(new)
        held = await held_by(self._scope, await self._standing(), new)

        def row(one: tuple[NewMemory, int, Collection[str]]) -> dict[str, Any]:
            memory, count, by = one
            return _row(memory, count) | {
                "org_id": self._scope.org_id,
                "uid": memory.uid,
                "is_held": bool(by),
            }

        rows = await each(row, zip(new, tokens, held, strict=True))
        numbers: dict[str, int] = {}
        for start in range(0, len(rows), _ROWS_A_STATEMENT):
            inserted = await self._scope.all(_ADD, rows[start : start + _ROWS_A_STATEMENT])
            numbers |= {one.uid: one.memory_id for one in inserted}
        self._scope.added.note(QuotaName.MEMORIES, len(rows))

        def numbered(one: tuple[NewMemory, int, Collection[str]]) -> Memory:
            memory, count, by = one
            return Memory.model_construct(
                **dict(memory),
                memory_id=MemoryId(numbers[memory.uid]),
                token_count=count,
                is_held=bool(by),
            )

        stored = await each(numbered, zip(new, tokens, held, strict=True))
        for memory, by in zip(stored, held, strict=True):
            await keep_held(self._scope, memory.memory_id, by)
        links = [
            {"org_id": self._scope.org_id, "request_id": request_id, "memory_id": memory.memory_id}
            for memory in stored
            for request_id in dict.fromkeys(memory.source_request_ids)
        ]
        if links:
            await self._scope.run(memory_requests.insert(), links)
        given = vectors or {}
        documents = await each(lambda one: document_of(one, given.get(one.uid)), stored)
        await self._search.put(documents, new=True)
        return stored

    async def save(
        self, changed: Sequence[Memory], *, vectors: Mapping[MemoryUid, Vectors] | None = None
    ) -> None:
        """Update stored memories; unchanged text keeps its vector."""
        held = await held_by(self._scope, await self._standing(), changed)
        for given, by in zip(changed, held, strict=True):
            before = await self.get(given.memory_id)
            archived_by = given.archived_by if given.status in ARCHIVED_STATUSES else ArchivedBy.VERSION
            memory = given.model_copy(
                update={
                    "archived_at": self._archived_at(before, given),
                    "archived_by": archived_by,
                    "is_held": before.is_held or bool(by),
                }
            )
            await keep_held(self._scope, memory.memory_id, by)
            is_same = memory.content == before.content
            tokens = before.token_count if is_same else (await self._tokens([memory]))[0]
            await self._scope.run(
                sa.update(memories)
                .where(memories.c.org_id == self._scope.org_id, memories.c.memory_id == memory.memory_id)
                .values(_row(memory, tokens))
            )
            known = set(before.source_request_ids)
            links = [
                {"org_id": self._scope.org_id, "request_id": request_id, "memory_id": memory.memory_id}
                for request_id in dict.fromkeys(memory.source_request_ids)
                if request_id not in known
            ]
            if links:
                await self._scope.run(self._scope.insert(memory_requests).on_conflict_do_nothing(), links)
            await self._search.put([document_of(memory, (vectors or {}).get(memory.uid))])
            if memory.status is not before.status or memory.search_text != before.search_text:
                await self._scope.run(forget_pairs(self._scope, [memory.memory_id]))

    async def get(self, memory_id: MemoryId, *, kind: MemoryKind | None = None) -> Memory:
        """
        Return one memory.

        Raises:
            NotFound: the tenant has no memory with that number (and kind).
        """
        found = await self.get_many([memory_id], kind=kind)
        if not found:
            raise NotFound(f"no {str(kind or 'memory').replace('_', ' ')} with id {memory_id}")
        return found[0]

    async def get_many(self, ids: Sequence[int], *, kind: MemoryKind | None = None) -> list[Memory]:
        """Return those of *ids* that exist, in the order of *ids*."""
        if not ids:
            return []
        statement = self._scope.locked(_numbered())
        given = {"org_id": self._scope.org_id, "ids": list(ids)}
        rows = await self._scope.all(statement, given)
        found: dict[int, Memory] = {one.memory_id: one for one in await each(memory_of, rows)}
        return [found[number] for number in ids if number in found and kind in (None, found[number].kind)]

    async def contents(self, ids: Sequence[int]) -> dict[tuple[str, int], str]:
        """Return the content of those of *ids* that exist, by kind and number; faster than reading whole memories."""
        if not ids:
            return {}
        given = {"org_id": self._scope.org_id, "ids": list(ids)}
        rows = await self._scope.all(_contents(), given)
        return {(row.kind, row.memory_id): row.content for row in rows}

    async def get_by_uid(self, uid: MemoryUid, *, kind: MemoryKind, user_id: UserId | None = None) -> Memory:
        """
        Return one memory by its uid; with *user_id*, only if it belongs to that user.

        Raises:
            NotFound: there is none.
        """
        statement = self._mine().where(memories.c.uid == uid, memories.c.kind == str(kind))
        if user_id is not None:
            statement = statement.where(memories.c.user_id == user_id)
        rows = await self._scope.all(self._scope.locked(statement))
        if not rows:
            raise NotFound(f"no {str(kind).replace('_', ' ')} with id {uid!r}")
        return memory_of(rows[0])

    async def in_slots(
        self,
        kinds: Collection[MemoryKind],
        user_id: UserId,
        slots: Sequence[str],
        *,
        status: Status = Status.CURRENT,
    ) -> list[Memory]:
        """Return the user's memories of *kinds* and one status that answer one of *slots*, oldest first."""
        column = memories.c
        statement = self._mine().where(
            column.kind.in_(sorted(map(str, kinds))),
            column.user_id == user_id,
            column.slot.in_(list(slots)),
            column.slot != "",
            column.status == str(status),
        )
        rows = await self._scope.all(statement.order_by(column.memory_id))
        return await each(memory_of, rows)

    async def replaced_by(self, successors: Sequence[Memory], *, limit: int) -> list[Memory]:
        """Return up to *limit* memories that one of *successors* replaced or was merged from, oldest first."""
        column = memories.c
        owners = {(str(one.kind), one.user_id) for one in successors}
        if not owners:
            return []
        statement = self._mine().where(
            column.superseded_by.in_([one.memory_id for one in successors]),
            # By owner, for the index; no memory replaces another owner's.
            sa.or_(*(sa.and_(column.kind == kind, column.user_id == user) for kind, user in owners)),
        )
        rows = await self._scope.all(self._scope.locked(statement.order_by(column.memory_id).limit(limit)))
        return await each(memory_of, rows)

    async def find_uids(self, uids: Sequence[str]) -> dict[str, Memory]:
        """Return those of *uids* that exist, of any kind and user."""
        statement = self._mine().where(memories.c.uid.in_(list(uids))).order_by(memories.c.memory_id)
        rows = await self._scope.all(self._scope.locked(statement))
        return {memory.uid: memory for memory in await each(memory_of, rows)}

    async def list_newest(
        self,
        kind: MemoryKind,
        *,
        user_id: UserId | None = None,
        statuses: Sequence[Status] = (),
        name: str | None = None,
        agent_version: str | None = None,
        valid_at: datetime | None = None,
        limit: int,
    ) -> list[Memory]:
        """Return up to *limit* memories of one kind, last changed first; see `list_wanted`."""
        wanted = Filter(
            kinds=(kind,),
            user_id=user_id,
            statuses=tuple(statuses),
            names=() if name is None else (name,),
            agent_versions=() if agent_version is None else (agent_version,),
            valid_at=valid_at,
        )
        return await self.list_wanted(wanted, limit)

    async def list_wanted(self, wanted: Filter, limit: int) -> list[Memory]:
        """Return up to *limit* memories that match *wanted*, last changed first, kinds mixed."""
        column, values = memories.c, values_of(wanted)
        statement = self._mine().where(column.kind.in_([str(kind) for kind in wanted.kinds]))
        if (users := users_of(wanted)) is not None and (of_users := set(wanted.kinds) & USER_KINDS):
            owned = owned_by(column.user_id, users)
            is_tenants = column.kind.not_in([str(kind) for kind in of_users])
            statement = statement.where(owned if of_users == set(wanted.kinds) else sa.or_(owned, is_tenants))
        if "request_id" in values:
            taught = sa.select(memory_requests.c.memory_id).where(
                memory_requests.c.org_id == self._scope.org_id,
                memory_requests.c.request_id == values.pop("request_id"),
            )
            statement = statement.where(column.memory_id.in_(taught))
        admits_most = users is None and len(wanted.kinds) == 1 and _admits_most(wanted, values)
        in_its_order = users is None or len(values.get("statuses", ())) == 1  # an index has this order
        changed_at = column.updated_at if in_its_order else unindexed(column.updated_at)
        if "is_held" in values:
            statement = statement.where(column.is_held.is_(values.pop("is_held")))
        if "statuses" in values:  # a plain condition, so that an index is read in its order
            statement = statement.where(column.status.in_(values.pop("statuses")))
            if Status.CURRENT not in wanted.statuses:  # a literal, as parameters do not select an index
                statement = statement.where(column.status != sa.literal_column(f"'{Status.CURRENT}'"))
        of_documents = [field for field in values if field not in _OWN]
        for field in values.keys() & _OWN.keys():
            moment = sa.bindparam(field, type_=changed_at.type)
            statement = statement.where(_OWN[field](changed_at, moment))
        if of_documents:
            statement = statement.where(has_document(column.memory_id, column.kind, of_documents))
        statement = statement.order_by(changed_at.desc(), column.memory_id.desc()).limit(limit)
        read = self._scope.newest if admits_most else self._scope.all
        return await each(memory_of, await read(statement, values))

    async def taught_by(self, request_id: RequestId) -> Sequence[Memory]:
        """Return the memories that one request taught, or helped to teach, in the order of creation."""
        statement = (
            self._mine()
            .join(memory_requests, memory_requests.c.memory_id == memories.c.memory_id)
            .where(memory_requests.c.org_id == self._scope.org_id, memory_requests.c.request_id == request_id)
            .order_by(memories.c.memory_id)
        )
        return await each(memory_of, await self._scope.all(statement))

    async def approved_skills(self) -> dict[MemoryId, str]:
        """Return the names of all approved current skills, oldest first, without reading their instructions."""
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.memory_id, column.name, column.attributes)
            .where(
                column.org_id == self._scope.org_id,
                column.kind == str(MemoryKind.SKILL),
                column.status == str(Status.CURRENT),
                column.approval == str(Approval.APPROVED),
            )
            .order_by(column.memory_id)
        )
        found = ((row, Attributes.model_validate(row.attributes).skill) for row in rows)
        return {row.memory_id: skill.name if skill and skill.name else row.name for row, skill in found}

    async def count_by_status(
        self, kind: MemoryKind, *, valid_at: datetime, expiring_before: datetime
    ) -> tuple[dict[Status, int], int]:
        """Return the number of unexpired memories by status, and how many current ones expire before a time."""
        column = memories.c
        expiring = sa.func.sum(sa.case((column.expires_at <= expiring_before, 1), else_=0))
        rows = await self._scope.all(
            sa.select(column.status, sa.func.count(), expiring)
            .where(column.org_id == self._scope.org_id, column.kind == str(kind), _unexpired(valid_at))
            .group_by(column.status)
        )
        counts = {Status(status): count for status, count, _ in rows}
        soon = sum(count or 0 for status, _, count in rows if status == Status.CURRENT)
        return counts, soon

    async def delete(
        self,
        kind: MemoryKind,
        *,
        ids: Sequence[int] | None = None,
        uids: Sequence[str] | None = None,
        user_id: UserId | None = None,
    ) -> int:
        """
        Delete memories of one kind with all their records, and all memories that they superseded.

        Returns:
            How many there were, not counting those deleted as their history.
        """
        column = memories.c
        conditions = [column.org_id == self._scope.org_id, column.kind == str(kind)]
        if ids is not None:
            conditions[0] = self._scope.owns(memories)
            conditions.append(one_of(column.memory_id, ids))
        if uids is not None:
            conditions.append(one_of(column.uid, uids))
        if user_id is not None:
            conditions.append(column.user_id == user_id)
        rows = await self._scope.all(sa.select(column.memory_id).where(*conditions))
        await self.erase(kind, [row.memory_id for row in rows])
        return len(rows)

    async def erase(self, kind: MemoryKind, ids: Sequence[int]) -> int:
        """Delete memories by number, as `delete` does; returns how many were deleted, including their history."""
        doomed = await history_of(self._scope, kind, ids)
        deleted = 0
        # Lock rows before scopes as edits do, and scopes before entities as learners do.
        for start in range(0, len(doomed), _IDS_A_STATEMENT):
            some = one_of(memories.c.memory_id, doomed[start : start + _IDS_A_STATEMENT])
            rows = sa.select(memories.c.memory_id).where(some, self._scope.owns(memories))
            await self._scope.all(self._scope.locked(rows.order_by(memories.c.memory_id)))
        await self._search.remove(kind, doomed)
        for start in range(0, len(doomed), _IDS_A_STATEMENT):
            some = doomed[start : start + _IDS_A_STATEMENT]
            await self._graph.forget(some)
            is_one = one_of(memories.c.memory_id, some)
            deleted += await self._scope.run(sa.delete(memories).where(is_one, self._scope.owns(memories)))
        return deleted

    async def _standing(self) -> Sequence[Standing]:
        """Return the quarantines in force, read once per transaction: none begins or ends before its end."""
        if self._quarantines is None:
            self._quarantines = await standing_quarantines(self._scope)
        return self._quarantines

    async def _tokens(self, written: Sequence[NewMemory]) -> list[int]:
        """Count the tokens of memories' contents; long ones in a thread, to keep the event loop free."""
        texts = [memory.content for memory in written]
        count = self._scope.count_tokens
        return await beside_the_loop(lambda: [count(text) for text in texts], size=sum(map(len, texts)))

    def _archived_at(self, before: Memory, after: Memory) -> datetime | None:
        """Return since when a memory is archived: if that was not recorded, since its last change."""
        if after.status not in ARCHIVED_STATUSES:
            return None
        if before.status in ARCHIVED_STATUSES:
            return before.archived_at or before.updated_at
        return self._scope.clock.now()

    def _mine(self) -> sa.Select[Any]:
        return sa.select(memories).where(memories.c.org_id == self._scope.org_id)


def _unexpired(moment: datetime) -> sa.ColumnElement[bool]:
    column = memories.c
    return sa.and_(
        sa.or_(column.expires_at.is_(None), column.expires_at > moment),
        # A superseded memory no longer holds either, but is listed among the archived.
        sa.or_(column.valid_to.is_(None), column.valid_to > moment, column.status != str(Status.CURRENT)),
    )


def _row(memory: NewMemory, tokens: int) -> dict[str, Any]:
    if not 0 <= memory.confidence <= 1:
        raise InvalidInput(f"confidence is {memory.confidence}; it must be from 0 to 1")
    attributes = memory.attributes.model_dump(mode="json")
    return memory.model_dump(exclude={"memory_id", "uid", "attributes"}) | {
        "attributes": attributes,
        "slot": memory.attributes.slot,
        "token_count": tokens,
    }


def document_of(memory: Memory, vector: Vectors | None) -> Document:
    """Return the search document of *memory*; without *vector*, new text is queued for embedding."""
    valid_to = memory.valid_to if memory.status is Status.CURRENT else None
    return Document(
        kind=str(memory.kind),
        owner_id=memory.memory_id,
        user_id=user_key(memory.user_id),
        text=memory.search_text,
        changed_at=memory.updated_at,
        status=memory.status,
        approval=memory.approval,
        visibility=visibility_of(memory),
        is_held=memory.is_held,
        agent_version=memory.agent_version,
        name=memory.name,
        source=memory.source,
        request_id=memory.source_request_ids[0] if memory.source_request_ids else None,
        # A superseded memory no longer holds either, but is found among the archived.
        expires_at=min(filter(None, (memory.expires_at, valid_to)), default=None),
        created_at=memory.created_at,
        event_at=memory.valid_from or memory.created_at,
        archived_at=(memory.archived_at or memory.updated_at) if memory.status in ARCHIVED_STATUSES else None,
        facts=facts_of(memory),
        caution=caution_of(memory.content) if memory.kind in FACT_KINDS else None,
        vector=vector,
    )


@cache
def _contents() -> sa.Select[*tuple[Any, ...]]:
    return _numbered().with_only_columns(memories.c.memory_id, memories.c.kind, memories.c.content)


@cache
def _numbered() -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(memories)
        .where(among(memories.c.memory_id, "ids"), memories.c.org_id.concat("") == sa.bindparam("org_id"))
        .order_by(memories.c.memory_id)
    )
