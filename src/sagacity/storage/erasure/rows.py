"""Delete a user's rows, a limited number at a time."""

from collections.abc import Sequence

import sqlalchemy as sa

from sagacity.domain.ids import UserId
from sagacity.domain.kinds import TENANT_KINDS, USER_KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import ItemStatus, OperationStatus
from sagacity.storage.access.tokens import TokenRepository
from sagacity.storage.base import Scope
from sagacity.storage.erasure.places import LAST, Place, is_linked, is_of_user, tables_of
from sagacity.storage.memories.memories import MemoryRepository
from sagacity.storage.quarantine.quarantines import QuarantineRepository
from sagacity.storage.schema.tables import (
    interactions,
    memories,
    operation_items,
    operations,
    search_documents,
    search_scopes,
    users,
)
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.filters import INTERACTION
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.work.operations import OperationRepository
from sagacity.storage.work.progress import item_of

Counts = dict[str, int]


class ErasedRows:
    """Deletes rows of a user. Every method may be called again, and then finds nothing."""

    def __init__(
        self,
        scope: Scope,
        search: SearchRepository,
        kept: MemoryRepository,
        started: OperationRepository,
        *,
        quarantines: QuarantineRepository,
        tokens: TokenRepository,
    ) -> None:
        self._scope = scope
        self._search = search
        self._memories = kept
        self._operations = started
        self._quarantines = quarantines
        self._tokens = tokens

    async def turns(self, user_id: UserId, *, limit: int) -> Counts:
        """Delete turns with their search documents."""
        column = interactions.c
        mine = is_of_user(interactions, self._scope.org_id, user_id)
        rows = await self._scope.all(
            sa.select(column.interaction_id).where(mine).order_by(column.seq).limit(limit)
        )
        ids = [row.interaction_id for row in rows]
        if ids:
            await self._search.remove(INTERACTION, ids)
            is_one = one_of(column.interaction_id, ids)
            await self._scope.run(sa.delete(interactions).where(self._scope.owns(interactions), is_one))
        return {"interactions": len(ids)}

    async def numbers(self, user_id: UserId, kind: MemoryKind, *, limit: int) -> list[int]:
        """Return the numbers of up to *limit* of the user's memories of a kind, of any status, oldest first."""
        mine = (is_of_user(memories, self._scope.org_id, user_id), memories.c.kind == str(kind))
        statement = sa.select(memories.c.memory_id).where(*mine).order_by(memories.c.memory_id).limit(limit)
        return [row.memory_id for row in await self._scope.all(statement)]

    async def memories(self, kind: MemoryKind, ids: Sequence[int]) -> Counts:
        """Delete memories of a kind with their history and their search documents."""
        return {"memories": await self._memories.erase(kind, ids)} if ids else {}

    async def named(self, user_id: UserId, *, limit: int | None = None) -> Counts:
        """Delete up to *limit* rows, or all, of each table whose rows name their user; the user's own row stays."""
        counts: Counts = {}
        for table in tables_of(Place.DELETED):
            if table.name in LAST:
                continue
            wanted = [is_of_user(table, self._scope.org_id, user_id)]
            if (linked := is_linked(table, self._scope.org_id, user_id)) is not None:
                wanted.append(linked)
            counts[table.name] = sum([await self._some(table, one, limit) for one in wanted])
        return counts

    async def unnamed(self, user_id: UserId, *, limit: int | None = None) -> Counts:
        """Remove the user's name from up to *limit* rows, or all, of each table whose rows are kept for sums."""
        counts: Counts = {}
        for table in tables_of(Place.UNNAMED):
            wanted = is_of_user(table, self._scope.org_id, user_id)
            update = sa.update(table).where(_chosen(table, wanted, limit)).values(user_id="")
            counts[table.name] = await self._scope.run(update)
        return counts

    async def operations(self, user_id: UserId) -> Counts:
        """End the user's part of operations and the user's tokens, and remove the name from the rows that stay."""
        await self._quarantines.forget_user(user_id)
        await self._tokens.forget_user(user_id)
        org_id, item, run = self._scope.org_id, operation_items, operations.c
        named = sa.select(operations).where(
            run.org_id == org_id,
            sa.or_(
                run.parameters["user_id"].as_string() == user_id,
                sa.and_(run.error != "", run.error.contains(user_id, autoescape=True)),
            ),
        )
        for row in await self._scope.all(named.order_by(run.operation_id)):
            kept = {name: value for name, value in row.parameters.items() if name != "user_id"}
            is_it = sa.and_(run.org_id == org_id, run.operation_id == row.operation_id)
            is_over = row.status != str(OperationStatus.IN_PROGRESS) or kept == row.parameters
            ended = {} if is_over else {"cancel_requested": True}
            await self._scope.run(
                sa.update(operations).where(is_it).values(parameters=kept, error="", **ended)
            )
        mine = is_of_user(item, org_id, user_id)
        rows = await self._scope.all(sa.select(item).where(mine).order_by(item.c.operation_id))
        for row in rows:
            if row.status == str(ItemStatus.WAITING):
                await self._operations.settle(item_of(row), ItemStatus.CANCELLED)
        is_one = sa.and_(run.org_id == org_id, one_of(run.operation_id, [row.operation_id for row in rows]))
        await self._scope.run(sa.update(operations).where(is_one).values(total_count=run.total_count - 1))
        deleted = await self._scope.run(sa.delete(item).where(mine))
        return {"operation_items": deleted}

    async def scopes(self, user_id: UserId) -> Counts:
        """Delete the user's scopes of the search index with their contents."""
        column = search_scopes.c
        mine = is_of_user(search_scopes, self._scope.org_id, user_id)
        ids = [row.scope_id for row in await self._scope.all(sa.select(column.scope_id).where(mine))]
        if not ids:
            return {}
        document = search_documents.c
        in_them = (document.org_id == self._scope.org_id, one_of(document.scope_id, ids))
        await self._scope.run(sa.delete(search_documents).where(*in_them))
        return {"search_scopes": await self._scope.run(sa.delete(search_scopes).where(mine))}

    async def lock(self, user_id: UserId) -> None:
        """Lock the user's row, so that appends wait for the commit."""
        mine = is_of_user(users, self._scope.org_id, user_id)
        await self._scope.all(self._scope.locked(sa.select(users.c.user_id).where(mine)))

    async def all(self, user_id: UserId) -> Counts:
        """Delete everything left of a user, including the user's row, without a limit: the batches leave little."""
        await self.lock(user_id)
        total: Counts = {}
        parts = [await self._some_leases(user_id)]
        while (turns := await self.turns(user_id, limit=10_000))["interactions"]:
            parts.append(turns)
        for kind in sorted(USER_KINDS):
            while ids := await self.numbers(user_id, kind, limit=10_000):
                parts.append(await self.memories(kind, ids))
        parts += [await self.operations(user_id), await self.named(user_id), await self.unnamed(user_id)]
        parts.append(await self.scopes(user_id))
        parts.append({"users": await self._some(users, is_of_user(users, self._scope.org_id, user_id), None)})
        for part in parts:
            for name, count in part.items():
                total[name] = total.get(name, 0) + count
        return total

    async def leases(self, user_id: UserId) -> Counts:
        """Delete every lease on the user's log; a holder notices when it tries to write."""
        return await self._some_leases(user_id)

    async def withdrawn(self, ids: Sequence[int]) -> Counts:
        """Delete agent playbooks and skills that rested on the user."""
        counts: Counts = {}
        for kind in sorted(TENANT_KINDS):
            wanted = (one_of(memories.c.memory_id, ids), self._scope.owns(memories))
            rows = await self._scope.all(
                sa.select(memories.c.memory_id).where(*wanted, memories.c.kind == str(kind))
            )
            for name, count in (await self.memories(kind, [row.memory_id for row in rows])).items():
                counts[name] = counts.get(name, 0) + count
        return counts

    async def _some_leases(self, user_id: UserId) -> Counts:
        leases = next(table for table in tables_of(Place.DELETED) if table.name == "leases")
        return {"leases": await self._some(leases, is_of_user(leases, self._scope.org_id, user_id), None)}

    async def _some(self, table: sa.Table, wanted: sa.ColumnElement[bool], limit: int | None) -> int:
        return await self._scope.run(sa.delete(table).where(_chosen(table, wanted, limit)))


def _chosen(table: sa.Table, wanted: sa.ColumnElement[bool], limit: int | None) -> sa.ColumnElement[bool]:
    """Return the condition that a row is among *limit* rows that meet *wanted*."""
    if limit is None:
        return wanted
    keys = list(table.primary_key)
    inner = sa.select(*keys).where(wanted).limit(limit).correlate(None)
    return keys[0].in_(inner) if len(keys) == 1 else sa.tuple_(*keys).in_(inner)
