"""A clock that stands still, ids that count, and values with few words, for tests over storage."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import numpy as np

from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Cursor
from sagacity.domain.ids import IdSource, MemoryUid, OrgId, RequestId, UserId
from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.domain.memory import Attributes, MemoryKind, NewMemory
from sagacity.domain.tenant import Tenant
from sagacity.storage.open import PostgresOptions, open_storage
from sagacity.storage.transaction import Storage

START = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)
ORG, OTHER_ORG = Tenant(org_id=OrgId("org-a")), Tenant(org_id=OrgId("org-b"))
ANNA, BEN = UserId("anna"), UserId("ben")

_uids = itertools.count(1)


class StoppedClock:
    """A clock that moves only when it is told to."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._now.timestamp()

    def advance(self, seconds: float) -> datetime:
        self._now += timedelta(seconds=seconds)
        return self._now


class CountingIds:
    """Ids that count from 1."""

    def __init__(self, prefix: str = "id") -> None:
        self._numbers = itertools.count(1)
        self._prefix = prefix

    def new(self) -> str:
        return f"{self._prefix}-{next(self._numbers):06}"


async def migrated(url: str, *, owner_url: str = "") -> None:
    """Make the tables of a database; of PostgreSQL's as *owner_url*, and with the role of *url*."""
    options = PostgresOptions(owner_url=owner_url)
    storage = await open_storage(url, clock=StoppedClock(), ids=CountingIds(), postgres=options)
    await storage.close()


@asynccontextmanager
async def opened(url: str, clock: Clock, ids: IdSource, **options) -> AsyncIterator[Storage]:
    """A storage with two organisations in it; closed at the end."""
    storage = await open_storage(url, clock=clock, ids=ids, **options)
    try:
        await with_organisations(storage)
        yield storage
    finally:
        await storage.close()


async def with_organisations(storage: Storage) -> None:
    """Put the two organisations of most tests into it."""
    for tenant in (ORG, OTHER_ORG):
        async with storage.begin(tenant) as transaction:
            await transaction.organisation.ensure(tenant.org_id)


def said(*contents: str, request_id: str = "r1", user_id: str = ANNA, **fields) -> NewRequest:
    """One request, with a user's turn for each of *contents*."""
    return NewRequest(
        request_id=RequestId(request_id),
        user_id=UserId(user_id),
        interactions=tuple(NewInteraction(content=content) for content in contents),
        **fields,
    )


def cursor_at(seq: int = 0, *, learner: str = "profile:x1", user_id: str = ANNA, **fields) -> Cursor:
    """The cursor of the learner of that name, so far in a user's log."""
    kind, _, name = learner.partition(":")
    return Cursor(kind=kind, extractor_name=name, user_id=UserId(user_id), seq=seq, **fields)


def new_memory(
    content: str,
    *,
    kind: MemoryKind = MemoryKind.PROFILE,
    user_id: str | None = ANNA,
    slot: str = "",
    at: datetime = START,
    **fields,
) -> NewMemory:
    """One memory that is to be stored."""
    return NewMemory(
        uid=MemoryUid(fields.pop("uid", f"uid-{next(_uids)}")),
        kind=kind,
        user_id=None if user_id is None else UserId(user_id),
        content=content,
        attributes=fields.pop("attributes", Attributes(slot=slot)),
        created_at=fields.pop("created_at", at),
        updated_at=fields.pop("updated_at", at),
        **fields,
    )


def unit_rows(count: int, dimension: int = 16, *, seed: int = 7):
    """float32 [count, dimension], unit rows that are the same each time."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
