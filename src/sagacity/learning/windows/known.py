"""Choose which of a user's memories an extractor is shown before it reads a window."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from sagacity.domain.cursor import Window
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.kinds import alike
from sagacity.domain.memory import Memory, MemoryKind, Status, Visibility, pitfall_note
from sagacity.domain.paced import give_way
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.learning.extractors.base import Known
from sagacity.learning.rules.ended import what_may_end
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage

_log = structlog.get_logger(__name__)
MOST_KNOWN: Final = 30
"""The most memories shown. For a user with no more than these, all are shown."""
_NEAR: Final = 15
"""How many of these are the nearest to the new turns; the others are the newest."""
_TEXT_CHARS: Final = 2_000
"""How many characters of the new turns, from the end, are searched by: more than the built-in embedder reads."""


@dataclass(frozen=True, slots=True)
class User:
    """The user whose memories are chosen, and their version."""

    tenant: Tenant
    user_id: UserId
    status: Status


@dataclass(frozen=True, slots=True)
class KnownMemories:
    """Chooses the memories that an extractor is shown."""

    storage: Storage
    embedder: Embedder

    async def that_may_end(
        self, user: User, kind: MemoryKind, windows: Sequence[Window], *, now: datetime
    ) -> list[Known]:
        """
        Return, for rules, the memories that share most words with new turns that may end something; see `of`.

        They include episodes, which may quote what is to be forgotten.
        """
        said: dict[str, None] = {}
        for turn in (turn for window in windows for turn in window.unread if turn.is_user):
            said[what_may_end(turn.content)] = None
            await give_way()  # a long text takes some milliseconds
        text = "\n".join(filter(None, said))[-_TEXT_CHARS:]
        if not text:
            return []
        wanted = _wanted(user, kind)
        episodes = wanted.model_copy(update={"kinds": (MemoryKind.EPISODIC,)})
        async with self.storage.read(user.tenant) as snapshot:
            hits = list(await snapshot.search.by_terms(wanted, text, MOST_KNOWN))
            if user.status is Status.CURRENT:
                hits += await snapshot.search.by_terms(episodes, text, MOST_KNOWN)
            found = await snapshot.memories.get_many([MemoryId(hit.owner_id) for hit in hits])
        return [_known(memory, now) for memory in found]

    async def of(
        self, user: User, kind: MemoryKind, windows: Sequence[Window], *, now: datetime
    ) -> list[Known]:
        """
        Return, for a model, the memories that the new turns of *windows* are about, nearest first, and the newest.

        They are of *kind*, and of kinds that say the same things. Expired memories are included, with their end,
        because they are not new if repeated. Unconfirmed ones are left out, because they wait to be repeated.
        """
        async with self.storage.read(user.tenant) as snapshot:
            newest = await snapshot.memories.list_wanted(_wanted(user, kind), MOST_KNOWN)
        # With fewer, all of them are shown.
        near = await self._near(user, kind, windows) if len(newest) == MOST_KNOWN else []
        chosen = {memory.memory_id: memory for memory in (*near, *newest)}
        return [_known(memory, now) for memory in list(chosen.values())[:MOST_KNOWN]]

    async def _near(self, user: User, kind: MemoryKind, windows: Sequence[Window]) -> list[Memory]:
        """Return the memories nearest to the new turns, by vector and words, or only by words without a vector."""
        said = dict.fromkeys(turn.text for window in windows for turn in window.unread if turn.is_user)
        text = "\n".join(said)[-_TEXT_CHARS:]
        if not text.strip():
            return []
        vectors = await self._vectors(text)
        wanted = _wanted(user, kind)
        async with self.storage.read(user.tenant) as snapshot:
            by_words = await snapshot.search.by_terms(wanted, text, _NEAR)
            by_vector = [
                hit
                for vector in vectors
                for hit in (await snapshot.search.by_vector(wanted, vector, _NEAR)).hits
            ]
            ranks = sorted(
                (rank, MemoryId(hit.owner_id))
                for found in (by_vector, by_words)
                for rank, hit in enumerate(found)
            )
            nearest = list(dict.fromkeys(it for _, it in ranks))[:_NEAR]
            found = {memory.memory_id: memory for memory in await snapshot.memories.get_many(nearest)}
        return [found[it] for it in nearest if it in found]

    async def _vectors(self, text: str) -> Sequence[Vectors]:
        try:
            return list(await self.embedder.embed([text], background=True))
        except ProviderError as error:
            _log.warning("learn.embedder_failed", kind=type(error).__name__)
            return []


def _wanted(user: User, kind: MemoryKind) -> Filter:
    kinds = alike(kind) if user.status is Status.CURRENT else (kind,)
    return Filter(kinds=kinds, user_id=user.user_id, statuses=(user.status,), visibility=(Visibility.SERVED,))


def _known(memory: Memory, now: datetime) -> Known:
    parts = (f"When {memory.trigger}:" if memory.trigger else "", memory.content)
    ended = memory.expires_at if memory.expires_at is not None and memory.expires_at <= now else None
    return Known(
        content=" ".join(part for part in (*parts, pitfall_note(memory.pitfall)) if part),
        slot=memory.attributes.slot,
        said_at=memory.attributes.said_at or memory.valid_from or memory.updated_at,
        ended_at=ended,
        memory_id=memory.memory_id,
        is_episode=memory.kind is MemoryKind.EPISODIC,
    )
