"""Clusters of playbooks, which keep their ids while members come and go."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.cluster import CLUSTER_ID, ClusterCandidate, PlaybookCluster, wording_of
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import BlockingIssue, MemoryKind, Status, Visibility
from sagacity.domain.paced import each
from sagacity.storage.base import Scope
from sagacity.storage.quarantine.standing import holds_anything
from sagacity.storage.schema.ownership import own_memories
from sagacity.storage.schema.tables import memories, playbook_clusters, search_documents
from sagacity.storage.statements.array_params import among, one_of

_document = search_documents.c
_withheld = (
    sa.exists()
    .where(
        _document.org_id == memories.c.org_id,
        _document.kind == str(MemoryKind.USER_PLAYBOOK),
        _document.owner_id == memories.c.memory_id,
        sa.or_(_document.visibility != str(Visibility.SERVED), _document.is_held),
    )
    .correlate(memories)
)
"""Playbooks that are not served are not distilled either."""


class ClusterRepository:
    """A tenant's clusters of playbooks, separate for each learner."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def of(self, learner: str, name: str, agent_version: str) -> list[PlaybookCluster]:
        """Lock and return the clusters of one playbook name and agent version, without held ones, oldest first."""
        column = playbook_clusters.c
        statement = (
            sa.select(playbook_clusters)
            .where(
                column.org_id == self._scope.org_id,
                column.learner == learner,
                column.name == name,
                column.agent_version == agent_version,
            )
            .order_by(column.created_at, column.cluster_id)
        )
        rows = await self._scope.all(self._scope.locked(statement))
        found = [PlaybookCluster.model_validate(row._mapping, extra="ignore") for row in rows]
        held = await self._held_members()
        return [one for one in found if held.isdisjoint(one.member_ids)]

    async def _held_members(self) -> set[int]:
        """Return the user playbooks that quarantines hold; clusters with one of them do not change until a release."""
        if not await holds_anything(self._scope):
            return set()
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.memory_id).where(
                column.org_id == self._scope.org_id,
                column.kind == str(MemoryKind.USER_PLAYBOOK),
                column.is_held,
            )
        )
        return {row.memory_id for row in rows}

    async def _in_held_groups(self, learner: str) -> set[int]:
        """Return all user playbooks in those of a learner's clusters that must not change."""
        held = await self._held_members()
        if not held:
            return held
        column = playbook_clusters.c
        rows = await self._scope.all(
            sa.select(column.member_ids).where(column.org_id == self._scope.org_id, column.learner == learner)
        )
        return held.union(*(row.member_ids for row in rows if not held.isdisjoint(row.member_ids)))

    async def names(self, learner: str) -> set[tuple[str, str]]:
        """Return the playbook names and agent versions that have clusters."""
        column = playbook_clusters.c
        rows = await self._scope.all(
            sa.select(column.name, column.agent_version)
            .where(column.org_id == self._scope.org_id, column.learner == learner)
            .distinct()
        )
        return {(row.name, row.agent_version) for row in rows}

    async def taught(self, ids: Sequence[int] | None = None) -> set[tuple[str, str]]:
        """Return the names and agent versions of current user playbooks: of those with *ids*, or of all."""
        column = memories.c
        given = [] if ids is None else [one_of(column.memory_id, ids)]
        rows = await self._scope.all(
            sa.select(column.name, column.agent_version)
            .where(
                column.org_id == self._scope.org_id if ids is None else self._scope.owns(memories),
                column.kind == str(MemoryKind.USER_PLAYBOOK),
                *(column.status == str(Status.CURRENT), *given),
            )
            .distinct()
        )
        return {(row.name, row.agent_version) for row in rows}

    async def candidates(
        self, learner: str, name: str, agent_version: str, *, after: int = 0
    ) -> dict[MemoryId, ClusterCandidate]:
        """Return the current user playbooks after a number that a learner may cluster, oldest first."""
        apart = await self._in_held_groups(learner)
        column = memories.c
        rows = await self._scope.all(
            sa.select(
                column.memory_id,
                column.user_id,
                column.trigger,
                column.content,
                column.pitfall,
                column.blocking_issue,
            )
            .where(
                *self._current(),
                *(column.name == name, column.agent_version == agent_version, column.memory_id > after),
            )
            .order_by(column.memory_id)
        )
        kept = [row for row in rows if row.memory_id not in apart]
        found = await each(_candidate_of, kept)
        return {row.memory_id: candidate for row, candidate in zip(kept, found, strict=True)}

    async def written_from(self, kind: MemoryKind, cluster_ids: Sequence[str]) -> list[MemoryId]:
        """Return the current memories of a kind that were made from one of these clusters, oldest first."""
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.memory_id)
            .where(
                column.org_id == self._scope.org_id,
                column.kind == str(kind),
                column.status == str(Status.CURRENT),
                one_of(column["metadata"][CLUSTER_ID].as_string(), cluster_ids),
            )
            .order_by(column.memory_id)
        )
        return [row.memory_id for row in rows]

    async def newest_candidates(self) -> dict[tuple[str, str], MemoryId]:
        """Return the newest current user playbook of each name and agent version."""
        column = memories.c
        rows = await self._scope.all(
            sa.select(column.name, column.agent_version, sa.func.max(column.memory_id).label("newest"))
            .where(*self._current())
            .group_by(column.name, column.agent_version)
        )
        return {(row.name, row.agent_version): row.newest for row in rows}

    async def count_candidates(self, name: str, agent_version: str, *, after: int) -> int:
        """Return how many current user playbooks of one name and agent version are newer than the number *after*."""
        column = memories.c
        statement = sa.select(sa.func.count()).where(
            *self._current(),
            *(column.name == name, column.agent_version == agent_version, column.memory_id > after),
        )
        return int((await self._scope.all(statement))[0][0])

    def _current(self) -> tuple[sa.ColumnElement[bool], ...]:
        column, now = memories.c, self._scope.clock.now()
        return (
            column.org_id == self._scope.org_id,
            column.kind == str(MemoryKind.USER_PLAYBOOK),
            column.status == str(Status.CURRENT),
            sa.or_(column.expires_at.is_(None), column.expires_at > now),
            ~_withheld,
        )

    async def save(self, clusters: Sequence[PlaybookCluster]) -> None:
        """Store clusters, replacing those with the same ids; members that the tenant does not have are left out."""
        if not clusters:
            return
        made = await own_memories(
            self._scope, {one.memory_id for one in clusters if one.memory_id is not None}
        )
        insert, column = self._scope.insert(playbook_clusters), playbook_clusters.c
        changed = {
            name: insert.excluded[name] for name in ("fingerprint", "member_ids", "memory_id", "updated_at")
        }
        statement = insert.on_conflict_do_update(
            index_elements=[column.org_id, column.cluster_id], set_=changed
        )
        in_order = sorted(clusters, key=lambda one: one.cluster_id)
        await self._scope.run(
            statement,
            [
                one.model_dump()
                | {
                    "member_ids": list(one.member_ids),
                    "memory_id": one.memory_id if one.memory_id in made else None,
                    "org_id": self._scope.org_id,
                }
                for one in in_order
            ],
        )

    async def remove(self, cluster_ids: Sequence[str]) -> int:
        """Delete clusters, but not what was made from them; returns how many there were."""
        column = playbook_clusters.c
        return await self._scope.run(
            sa.delete(playbook_clusters).where(
                column.org_id == self._scope.org_id, among(column.cluster_id, "ids")
            ),
            {"ids": list(cluster_ids)},
        )


def _candidate_of(row: Any) -> ClusterCandidate:
    return ClusterCandidate(
        user_id=row.user_id or "",
        wording=wording_of(
            trigger=row.trigger,
            content=row.content,
            pitfall=row.pitfall,
            blocking_issue=row.blocking_issue and BlockingIssue.model_validate(row.blocking_issue),
        ),
        text="\n".join(filter(None, (row.trigger, row.content, row.pitfall))),
    )
