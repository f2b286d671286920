"""Write the rows of an imported file, and record how far the import got."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from sagacity.domain.base import Value
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.interaction import OF_REQUEST
from sagacity.domain.paced import each
from sagacity.domain.quota import QuotaName
from sagacity.storage.base import Scope
from sagacity.storage.evidence.interactions import document_of as document_of_turn
from sagacity.storage.evidence.interactions import interaction_of, request_of
from sagacity.storage.evidence.users import make_due, make_log
from sagacity.storage.memories.memories import document_of as document_of_memory
from sagacity.storage.memories.memories import memory_of
from sagacity.storage.portable.carried import columns_of, number_of
from sagacity.storage.portable.lines import Row
from sagacity.storage.portable.references import What
from sagacity.storage.schema.tables import (
    cursors,
    entities,
    exchanges,
    imports,
    interactions,
    memories,
    relationships,
    request_analytics,
    requests,
    usage_events,
    users,
)
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.writing import Document, unpack
from sagacity.storage.statements.array_params import one_of

KEYS: Final[Mapping[What, tuple[sa.Table, tuple[str, ...]]]] = {
    What.MEMORY: (memories, ("uid",)),
    What.TURN: (interactions, ("user_id", "seq")),
    What.ENTITY: (entities, ("user_id", "normalized_name")),
    What.RELATIONSHIP: (relationships, ("source_id", "relationship_type", "target_id")),
}
"""The natural keys by which rows are found whatever their numbers."""
TAKEN: Final = (
    requests.c.request_id,
    memories.c.uid,
    exchanges.c.exchange_id,
    usage_events.c.uid,
    request_analytics.c.id,
)
"""Ids that are unique in an organisation, not only for a user."""
_LIMITED: Final = {
    users.name: QuotaName.USERS,
    interactions.name: QuotaName.INTERACTIONS,
    memories.name: QuotaName.MEMORIES,
}
"""What quotas count of each table; they never refuse an import, because the operator makes it."""
_column = imports.c


class Import(Value):
    """How far the import of one file got."""

    import_id: str
    step: str
    done_count: int
    created_at: datetime
    finished_at: datetime | None = None


class ImportRepository:
    """Writes of an import. Every row becomes the organisation's, whatever the file says."""

    def __init__(self, scope: Scope, search: SearchRepository) -> None:
        self._scope = scope
        self._search = search

    async def find(self, import_id: str) -> Import | None:
        """Return how far the import of a file got; None if it was never begun."""
        rows = await self._scope.all(self._scope.locked(sa.select(imports).where(self._is(import_id))))
        return Import.model_validate(rows[0]._mapping, extra="ignore") if rows else None

    async def begin(self, import_id: str) -> None:
        """Record that the import of a file begins."""
        fresh = {"step": "", "done_count": 0, "created_at": self._scope.clock.now(), "finished_at": None}
        insert = self._scope.insert(imports).on_conflict_do_update(
            index_elements=[_column.org_id, _column.import_id], set_=fresh
        )
        await self._scope.run(insert, {"org_id": self._scope.org_id, "import_id": import_id} | fresh)

    async def note(self, import_id: str, step: str, done_count: int) -> None:
        """Record how far the import got, in the transaction that stores the rows."""
        await self._scope.run(
            sa.update(imports).where(self._is(import_id)).values(step=step, done_count=done_count)
        )

    async def finish(self, import_id: str) -> None:
        """Record that the import is complete, and make the organisation's own work due."""
        now = self._scope.clock.now()
        await self._scope.run(sa.update(imports).where(self._is(import_id)).values(finished_at=now))
        await make_log(self._scope, ORGANISATION)
        own = sa.select(users.c.user_id).where(users.c.org_id == self._scope.org_id, users.c.user_id == "")
        await make_due(self._scope, own, now)

    async def taken(self, column: sa.Column[str], ids: Sequence[str]) -> str | None:
        """Return one of *ids* that a row of the organisation has."""
        mine = (column.table.c.org_id == self._scope.org_id, one_of(column, ids))
        rows = await self._scope.all(sa.select(column).where(*mine).limit(1))
        return rows[0][0] if rows else None

    async def is_empty(self) -> bool:
        """Return whether the organisation has neither users nor memories."""
        for table in (users, cursors, memories):
            mine = [table.c.org_id == self._scope.org_id]
            if table is users:
                mine.append(users.c.user_id != "")
            if await self._scope.all(sa.select(sa.literal(1)).select_from(table).where(*mine).limit(1)):
                return False
        return True

    async def add(self, table: sa.Table, rows: Sequence[Row]) -> None:
        """Insert rows; rows of numbered tables get new numbers, in order."""
        number = number_of(table)
        names = [column.name for column in columns_of(table) if column is not number]
        own = {"org_id": self._scope.org_id}
        if table.name in _LIMITED:
            self._scope.added.note(_LIMITED[table.name], len(rows))
        await self._scope.run(table.insert(), [{name: row[name] for name in names} | own for row in rows])

    async def change(self, table: sa.Table, rows: Sequence[Row], names: Iterable[str]) -> None:
        """Set the columns *names* of existing rows, each found by its key, with its new number."""
        keys = [column for column in table.primary_key.columns if column.name != "org_id"]
        is_it = [column == sa.bindparam(f"key_{column.name}") for column in keys]
        set_ = {name: sa.bindparam(f"new_{name}", type_=table.c[name].type) for name in names}
        update = sa.update(table).where(self._scope.owns(table), *is_it).values(set_)
        given = [
            {f"key_{column.name}": row[column.name] for column in keys}
            | {f"new_{name}": row[name] for name in names}
            for row in rows
        ]
        if given:
            await self._scope.run(update, given)

    async def numbers(self, what: What, keys: Sequence[tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
        """Return the numbers of rows by their natural keys."""
        table, names = KEYS[what]
        number = number_of(table)
        if number is None or not keys:
            return {}
        # All parts of a key except the last have few values, mostly those of one user.
        *_, last = names
        columns = [table.c[name] for name in names]
        found: dict[tuple[Any, ...], int] = {}
        heads = {key[:-1] for key in keys}
        for head in sorted(heads):
            equal = [column == value for column, value in zip(columns, head, strict=False)]
            lasts = [key[-1] for key in keys if key[:-1] == head]
            statement = sa.select(number, *columns).where(
                table.c.org_id == self._scope.org_id, *equal, one_of(table.c[last], lasts)
            )
            found |= {tuple(row[1:]): row[0] for row in await self._scope.all(statement)}
        return found

    async def show_turns(self, numbers: Sequence[int], vectors: Mapping[int, bytes]) -> None:
        """Add search documents of imported turns; *vectors*, in half precision by number, of those that have one."""
        rows = await self._scope.all(
            sa.select(interactions)
            .where(one_of(interactions.c.interaction_id, numbers), self._scope.owns(interactions))
            .order_by(interactions.c.interaction_id)
        )
        ids = sorted({row.request_id for row in rows})
        found = await self._scope.all(
            sa.select(requests).where(
                requests.c.org_id == self._scope.org_id, one_of(requests.c.request_id, ids)
            )
        )
        owners = {row.request_id: request_of(row) for row in found}
        documents: list[Document] = []
        for row in rows:
            owner = owners[row.request_id]
            told = {name: getattr(owner, name) for name in OF_REQUEST}
            turn = interaction_of(dict(row._mapping) | told)
            documents.append(document_of_turn(owner, turn, turn.interaction_id))
        await self._search.put(_with(documents, vectors), new=True)

    async def show_memories(self, numbers: Sequence[int], vectors: Mapping[int, bytes]) -> None:
        """Add or update search documents of imported memories; see `show_turns`."""
        rows = await self._scope.all(
            sa.select(memories)
            .where(one_of(memories.c.memory_id, numbers), self._scope.owns(memories))
            .order_by(memories.c.memory_id)
        )
        documents = [document_of_memory(one, None) for one in await each(memory_of, rows)]
        await self._search.put(_with(documents, vectors))

    async def let_look_at(self, user_ids: Sequence[str]) -> None:
        """Make the logs of users due, for turns that were not learned from yet."""
        mine = (users.c.org_id == self._scope.org_id, one_of(users.c.user_id, user_ids))
        await make_due(self._scope, sa.select(users.c.user_id).where(*mine), self._scope.clock.now())

    def _is(self, import_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_column.org_id == self._scope.org_id, _column.import_id == import_id)


def _with(documents: Sequence[Document], vectors: Mapping[int, bytes]) -> list[Document]:
    return [
        replace(one, vector=unpack(vectors[one.owner_id])) if one.owner_id in vectors else one
        for one in documents
    ]
