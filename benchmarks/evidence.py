"""Store histories in a database as a publish does, and their vectors."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path

from cached_embedder import CachedEmbedder
from corpus import TENANT
from harness import Place
from histories import History, Session

from sagacity.bootstrap import open_database
from sagacity.domain.ids import RequestId, SessionId, UserId
from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.storage.transaction import Storage

_SESSIONS_AT_ONCE = 256
_VECTORS_A_TRANSACTION = 4_096
_DATABASE = "sagacity.db"

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is, and of how much."""


@asynccontextmanager
async def opened(
    home: Path, histories: Sequence[History], embedder: CachedEmbedder, progress: Progress
) -> AsyncIterator[Storage]:
    """Open the database in *home*, with *histories* and their vectors in it; what is there already stays."""
    home.mkdir(parents=True, exist_ok=True)
    async with open_database(Place(home).settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        await _publish(storage, histories, progress)
        await _embed(storage, embedder, progress)
        yield storage


def copied(source: Path, target: Path) -> Path:
    """Copy the database of one home into another and forget its vectors there; returns the other home."""
    if not (target / _DATABASE).exists():
        target.mkdir(parents=True, exist_ok=True)
        with (
            closing(sqlite3.connect(source / _DATABASE)) as old,
            closing(sqlite3.connect(target / _DATABASE)) as new,
        ):
            old.backup(new)
            new.execute("UPDATE search_documents SET vector = NULL")
            new.execute("DELETE FROM search_index")
            new.commit()
    return target


async def _publish(storage: Storage, histories: Sequence[History], progress: Progress) -> None:
    """Publish every session, each in its place in its user's log."""
    async with storage.read(TENANT) as snapshot:
        there = await snapshot.interactions.count()
    turns = sum(len(history.turns) for history in histories)
    if there == turns:
        return
    if there:
        raise SystemExit(
            f"the database holds {there} turns and not {turns}: it was made of other data; remove it"
        )
    requests = [request for history in histories for request in _requests(history)]
    done = 0
    for start in range(0, len(requests), _SESSIONS_AT_ONCE):
        group = requests[start : start + _SESSIONS_AT_ONCE]
        stored = await asyncio.gather(*(storage.append(TENANT, request) for request, _ in group))
        if [one.first_seq for one in stored] != [first_seq for _, first_seq in group]:
            raise SystemExit("the sessions did not come to lie in the order in which they were sent")
        done += sum(len(request.interactions) for request, _ in group)
        progress("storing turns", done, turns)


def _requests(history: History) -> Iterator[tuple[NewRequest, int]]:
    """Each session as one request, and the number that its first turn has to get."""
    first_seq = 1
    for place, session in enumerate(history.sessions):
        # A user's history may hold one conversation twice, on two days.
        name = f"{place}:{session.key}"
        request = NewRequest(
            request_id=RequestId(f"{history.user_id}:{name}"),
            user_id=UserId(history.user_id),
            session_id=SessionId(name),
            interactions=_interactions(session),
        )
        yield request, first_seq
        first_seq += len(session.turns)


def _interactions(session: Session) -> tuple[NewInteraction, ...]:
    return tuple(
        NewInteraction(role=turn.role, content=turn.content, happened_at=session.at) for turn in session.turns
    )


async def _embed(storage: Storage, embedder: CachedEmbedder, progress: Progress) -> None:
    """Give every document its vector, as the indexer does, many at a time."""
    count = done = 0
    while True:
        async with storage.read(TENANT) as snapshot:
            waiting = await snapshot.search.unembedded(_VECTORS_A_TRANSACTION)
        if not waiting:
            return
        count = count or await storage.unembedded_count()
        texts = [item.text for item in waiting]
        await embedder.keep(
            texts, lambda embedded, of: progress(f"embedding, {embedder.model}", embedded, of)
        )
        async with storage.begin(TENANT) as transaction:
            await transaction.search.set_vectors(waiting, await embedder.embed(texts))
        done += len(waiting)
        progress("storing vectors", done, count)
