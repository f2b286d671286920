"""Quotas on every database: nothing goes over them, two at once do not slip through, and deletions make room."""

import asyncio
from datetime import timedelta

import pytest

from sagacity.domain.audit import AuditAction, AuditFilter
from sagacity.domain.errors import NotFound, QuotaExceeded, RateLimited
from sagacity.domain.extraction import Rejection
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.operation import OperationName, OperationParameters, OperationStatus
from sagacity.domain.principal import Principal
from sagacity.domain.quota import OVER_QUOTA, QuotaName, seconds_left
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from sagacity.storage.quotas import RECOUNT_AFTER
from sagacity.storage.transaction import Storage
from support.learning import Recorder, WordEmbedder, learned, learning, lines, one_a_turn, reading
from support.parts import ANNA, ORG, OTHER_ORG, new_memory, said
from support.tokens import with_token

CALLER = Principal(tenant=ORG)
ANNAS = Principal(tenant=ORG, user_id=ANNA)


async def limit(storage: Storage, **limits: int | None) -> None:
    async with storage.begin(ORG) as tx:
        await tx.quotas.set({QuotaName(name): most for name, most in limits.items()}, by="token:1")


async def used(storage: Storage, name: str) -> tuple[int | None, int]:
    async with storage.read(ORG) as snapshot:
        [found] = [one for one in await snapshot.quotas.list_all() if one.name == name]
    return found.most, found.used


async def add(storage: Storage, *contents: str, whose: Principal = CALLER) -> None:
    async with storage.begin(whose) as tx:
        await tx.memories.add([new_memory(content) for content in contents])


async def test_turns_and_users_beyond_a_quota_are_refused_and_leave_nothing(storage: Storage, clock) -> None:
    """At once or one by one; what was stored before is known again; what is deleted makes room."""
    await storage.append(ORG, said("one", request_id="r0"))
    await limit(storage, interactions=4, users=2)
    several = (storage.append(ORG, said("a", "b", request_id=f"r{number}")) for number in range(1, 6))
    ended = await asyncio.gather(*several, return_exceptions=True)
    refused = [one for one in ended if isinstance(one, QuotaExceeded)]
    assert len(refused) == 4
    assert "it has 3 stored interactions, and this call would add 2" in str(refused[0])
    assert await used(storage, "interactions") == (4, 3)
    await storage.append(ORG, said("one", request_id="r0"))  # once more, with the first answer
    await storage.append(ORG, said("last", request_id="r9", user_id="ben"))
    await limit(storage, interactions=None)
    with pytest.raises(QuotaExceeded, match="2 users"):
        await storage.append(ORG, said("x", request_id="r10", user_id="carla"))
    await limit(storage, interactions=4)
    await storage.append(OTHER_ORG, said("x", "y", "z", "zz", "zzz"))

    async with storage.begin(ORG) as tx:
        await tx.interactions.delete_requests(["r0"])
    with pytest.raises(QuotaExceeded):  # counted a moment ago
        await storage.append(ORG, said("x", request_id="r11"))
    clock.advance(RECOUNT_AFTER.total_seconds())
    await storage.append(ORG, said("x", request_id="r11"))
    assert await used(storage, "interactions") == (4, 4)
    await limit(storage, interactions=None, users=None)
    await storage.append(ORG, said("y", request_id="r12", user_id="carla"))
    with pytest.raises(NotFound):
        async with storage.begin(Tenant(org_id=OrgId("nowhere"))) as tx:
            await tx.quotas.set({QuotaName.USERS: 1})


async def test_a_day_has_its_own_limit(storage: Storage, clock) -> None:
    """Deleting makes no room; midnight in UTC does. An answer to what was accepted is always stored."""
    await storage.append(ORG, said("one", request_id="r1"))
    await limit(storage, interactions_per_day=2)
    async with storage.begin(CALLER) as tx:
        await tx.interactions.extend("r1", said("answer", "more").interactions)
    with pytest.raises(RateLimited) as refused:
        await storage.append(ORG, said("two", request_id="r2"))
    assert refused.value.retry_after_seconds == seconds_left(clock.now())
    async with storage.begin(ORG) as tx:
        await tx.interactions.delete_all()
    assert await used(storage, "interactions_per_day") == (2, 3)
    clock.advance(seconds_left(clock.now()))
    assert await used(storage, "interactions_per_day") == (2, 0)
    await storage.append(ORG, said("two", "three", request_id="r2"))
    with pytest.raises(RateLimited):
        await storage.append(ORG, said("four", request_id="r3"))


async def test_memories_of_callers_are_refused_and_those_of_learners_left_out(
    storage: Storage, clock, ids
) -> None:
    """The window is read once, what confirms is merged, and the operation says why not all was stored."""
    await limit(storage, memories=2)
    await add(storage, "one", whose=ANNAS)
    ended = await asyncio.gather(
        *(add(storage, "two", whose=whose) for whose in (ANNAS, CALLER)), return_exceptions=True
    )
    assert [type(one) for one in ended if one] == [QuotaExceeded]
    await storage.append(ORG, said(*lines(3)))
    learner = learning(storage, WordEmbedder(), clock, ids, groups=reading(Recorder(one_a_turn)))
    report = await learner.run(ORG, ANNA, force=True)
    assert (report.note, report.failed, report.added.get(MemoryKind.PROFILE, 0)) == (OVER_QUOTA, {}, 0)
    async with storage.read(ORG) as snapshot:
        counted = await snapshot.extractions.of_turns(ANNA, first_seq=1, last_seq=9)
        assert [one.reasons for one in counted.values()] == [{Rejection.OVER_QUOTA: 3}]
    async with storage.begin(ORG) as tx:
        started = await tx.operations.start(OperationName.PROFILE_GENERATION, OperationParameters())
    await learner.run(ORG, ANNA)
    async with storage.read(ORG) as snapshot:
        done = await snapshot.operations.get(started.operation_id)
    assert (done.status, done.generated_count) == (OperationStatus.COMPLETED, 0)
    assert OVER_QUOTA in done.result["note"]

    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, user_id=ANNA)
    clock.advance(RECOUNT_AFTER.total_seconds())
    await storage.append(ORG, said("fresh", "news", "today", request_id="r2"))
    await learner.run(ORG, ANNA, force=True)
    assert sorted(one.content for one in await learned(storage)) == ["fresh", "news"]
    assert await used(storage, "memories") == (2, 2)


async def test_members_invitations_and_tokens_have_limits(storage: Storage, clock) -> None:
    """Each change of a limit is in the audit log, once."""
    for _ in range(2):
        await limit(storage, members=1, tokens=1)
    async with storage.begin(ORG) as tx:
        await tx.members.put(ANNA, Role.OWNER, by="operator", target="user:1")
        await with_token(tx, "one", secret="one", lasts=timedelta(hours=1))
    with pytest.raises(QuotaExceeded, match="members"):
        async with storage.begin(ORG) as tx:
            await tx.members.put(UserId("ben"), Role.MEMBER, by="operator", target="user:2")
    with pytest.raises(QuotaExceeded, match="1 API tokens that work"):
        async with storage.begin(ORG) as tx:
            await with_token(tx, "two", secret="two")
    clock.advance(3600)
    async with storage.begin(ORG) as tx:
        await with_token(tx, "two", secret="two")
    await limit(storage, tokens=5)
    async with storage.read(ORG) as snapshot:
        rows = await snapshot.audit.list_oldest(AuditFilter(action=AuditAction.QUOTA_SET), after=0, limit=9)
    assert [(row.target, row.actor, row.details) for row in rows] == [
        ("members", "token:1", {"limit": 1, "limit_before": None}),
        ("tokens", "token:1", {"limit": 1, "limit_before": None}),
        ("tokens", "token:1", {"limit": 5, "limit_before": 1}),
    ]
