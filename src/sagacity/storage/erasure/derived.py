"""Find agent playbooks and skills that serve all users but were made from one user's playbooks or requests."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from sagacity.domain.cluster import CLUSTER_ID
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.kinds import TENANT_KINDS
from sagacity.domain.memory import Approval, MemoryKind
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import memories, playbook_clusters, requests
from sagacity.storage.statements.array_params import one_of

_KINDS = sorted(map(str, TENANT_KINDS))


@dataclass(frozen=True, slots=True)
class Derived:
    """An agent playbook or skill as reported, without its words, which may quote the user."""

    memory_id: MemoryId
    kind: MemoryKind
    uid: str
    name: str
    agent_version: str
    is_approved: bool


class DerivedRepository:
    """A tenant's agent playbooks and skills, found by the user playbooks or requests that they rest on."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def resting_on(self, playbook_ids: Collection[int]) -> list[Derived]:
        """Return what was made from these user playbooks, of any status, even if people reworded or approved it."""
        wanted = set(playbook_ids)
        clusters = [one for one in await self._clusters() if wanted.intersection(one.member_ids)]
        made = {one.memory_id for one in clusters if one.memory_id is not None}
        groups = {one.cluster_id for one in clusters}
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.memory_id, column["metadata"].label("facts"), column.attributes).where(
                column.org_id == self._scope.org_id, column.kind.in_(_KINDS)
            )
        )
        for row in rows:
            skill: dict[str, Any] = row.attributes.get("skill") or {}
            if row.facts.get(CLUSTER_ID) in groups or wanted.intersection(skill.get("user_playbook_ids", ())):
                made.add(row.memory_id)
        return await self._derived(sorted(made))

    async def named_by_requests(
        self, user_id: UserId, *, after: int, limit: int
    ) -> tuple[list[Derived], int | None]:
        """
        Search the next *limit* agent playbooks and skills after the number *after* for a user's requests.

        Returns:
            Those that do, and the last number searched; None if there are no more.
        """
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.memory_id, column.source_request_ids)
            .where(column.org_id == self._scope.org_id, column.kind.in_(_KINDS), column.memory_id > after)
            .order_by(column.memory_id)
            .limit(limit)
        )
        if not rows:
            return [], None
        named = {one for row in rows for one in row.source_request_ids}
        request = requests.c
        theirs = await self._scope.all(
            sa.select(request.request_id).where(
                request.org_id == self._scope.org_id,
                request.user_id == user_id,
                one_of(request.request_id, sorted(named)),
            )
        )
        of_user = {row.request_id for row in theirs}
        found = [row.memory_id for row in rows if of_user.intersection(row.source_request_ids)]
        return await self._derived(found), rows[-1].memory_id

    async def forget_members(self, playbook_ids: Collection[int]) -> None:
        """Remove user playbooks from their clusters; changed clusters are distilled again, empty ones are deleted."""
        gone = set(playbook_ids)
        for one in await self._clusters():
            if not gone.intersection(one.member_ids):
                continue
            column = playbook_clusters.c
            is_it = sa.and_(column.org_id == self._scope.org_id, column.cluster_id == one.cluster_id)
            if left := [member for member in one.member_ids if member not in gone]:
                changed = {"member_ids": left, "fingerprint": ""}
                await self._scope.run(sa.update(playbook_clusters).where(is_it).values(changed))
            else:
                await self._scope.run(sa.delete(playbook_clusters).where(is_it))

    async def _clusters(self) -> Sequence[sa.Row[tuple[str, list[int], int | None]]]:
        column = playbook_clusters.c
        statement = (
            sa.select(column.cluster_id, column.member_ids, column.memory_id)
            .where(column.org_id == self._scope.org_id)
            .order_by(column.cluster_id)
        )
        return await self._scope.all(self._scope.locked(statement))

    async def _derived(self, ids: Sequence[int]) -> list[Derived]:
        column = memories.c
        wanted = (one_of(column.memory_id, ids), self._scope.owns(memories), column.kind.in_(_KINDS))
        read = (
            *(column.memory_id, column.kind, column.uid),
            *(column.name, column.agent_version, column.approval),
        )
        rows = await self._scope.all(sa.select(*read).where(*wanted).order_by(column.memory_id))
        return [
            Derived(
                memory_id=MemoryId(row.memory_id),
                kind=MemoryKind(row.kind),
                uid=row.uid,
                name=row.name,
                agent_version=row.agent_version,
                is_approved=row.approval == str(Approval.APPROVED),
            )
            for row in rows
        ]
