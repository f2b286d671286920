"""List memories: unexpired ones first, then by last change, whatever their review status."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from sagacity.domain.ids import MemoryUid, UserId
from sagacity.domain.kinds import USER_KINDS
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status, Visibility
from sagacity.domain.query import Filter, Query, SearchMode
from sagacity.memories.acting import Acting

_IN_ANY_STATUS = frozenset({MemoryKind.USER_PLAYBOOK})
"""Kinds that are listed in any status by default. Of other kinds only current memories are listed."""
_MOST_WITH_UID = 100_000
"""Among how many memories a uid is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Selects memories of one kind. A field that is empty or None selects all."""

    kind: MemoryKind
    ids: Sequence[int] | None = None
    """Memories with these numbers, in this order, expired or not, in any status unless `statuses` is given."""
    uid: MemoryUid | None = None
    user_id: UserId | None = None
    statuses: Sequence[Status] = ()
    """Empty for the kind's default."""
    approvals: Sequence[Approval] = ()
    name: str | None = None
    agent_version: str | None = None
    source: str | None = None
    start: datetime | None = None
    """Last changed at this time or later."""
    end: datetime | None = None
    words: str | None = None
    """Words; a memory must contain one of them. The best match comes first."""

    def admits(self, memory: Memory) -> bool:
        """Whether status, review, name and agent version are selected."""
        return (
            (not self.statuses or memory.status in self.statuses)
            and (not self.approvals or memory.approval in self.approvals)
            and self.name in {None, memory.name}
            and self.agent_version in {None, memory.agent_version}
        )

    def to_filter(self, now: datetime) -> Filter:
        """Return the filter for the selected memories not expired by *now*; numbers, uid and words are ignored."""
        by_default = () if self.kind in _IN_ANY_STATUS else (Status.CURRENT,)
        return Filter(
            kinds=(self.kind,),
            user_id=self.user_id,
            statuses=tuple(self.statuses) or by_default,
            approvals=tuple(self.approvals),
            names=() if self.name is None else (self.name,),
            agent_versions=() if self.agent_version is None else (self.agent_version,),
            source=self.source,
            start=self.start,
            end=self.end,
            valid_at=now,
        )

    def to_filters(self, now: datetime) -> tuple[Filter, ...]:
        """
        Return filters that together select the memories; see `to_filter`.

        An unconfirmed fact is not a current one: it is listed with the pending ones.
        """
        wanted = self.to_filter(now)
        if self.kind not in USER_KINDS or self.approvals:
            return (wanted,)
        match wanted.statuses:
            case (Status.CURRENT,):
                return (wanted.model_copy(update={"visibility": (Visibility.SERVED,)}),)
            case (Status.PENDING,):
                unconfirmed = {"statuses": (Status.CURRENT,), "visibility": (Visibility.UNCONFIRMED,)}
                return wanted, wanted.model_copy(update=unconfirmed)
            case _:
                return (wanted,)


async def list_memories(acting: Acting, choice: Choice, *, limit: int) -> Sequence[Memory]:
    """Return up to *limit* of the selected memories, of one user or of all."""
    if choice.uid is not None:
        everything = await _listed(acting, choice, _MOST_WITH_UID)
        return [memory for memory in everything if memory.uid == choice.uid][:limit]
    return await _listed(acting, choice, limit)


async def _listed(acting: Acting, choice: Choice, limit: int) -> Sequence[Memory]:
    filters = choice.to_filters(acting.parts.clock.now())
    if choice.words is not None and choice.words.strip():
        found = [
            await acting.parts.searcher.search(
                acting.principal, Query(text=choice.words, wanted=wanted, limit=limit, mode=SearchMode.FTS)
            )
            for wanted in filters
        ]
        return [it.memory for one in found for it in one.items if it.memory is not None][:limit]
    async with acting.read(user_id=choice.user_id) as snapshot:
        if choice.ids is None:
            found = [await snapshot.memories.list_wanted(wanted, limit) for wanted in filters]
            return sorted(chain(*found), key=lambda one: (one.updated_at, one.memory_id), reverse=True)[
                :limit
            ]
        named = await snapshot.memories.get_many(choice.ids, kind=choice.kind)
    return [memory for memory in named if choice.admits(memory)][:limit]
