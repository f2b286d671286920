"""What may be an id or a name fits into every index of every database, whatever its characters."""

import random
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.change import Candidate, Change, ChangeAction
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.cursor import Window
from sagacity.domain.errors import InvalidInput
from sagacity.domain.evaluation import NewEvaluation
from sagacity.domain.extraction import ExtractionRecord
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import MAX_KEY_BYTES, MAX_ORG_BYTES, OrgId, SessionId, UserId
from sagacity.domain.ledger import ModelCallRecord
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.learning.distil.agent_playbooks.trigger import LEARNER
from sagacity.storage.schema.tables import entities, memories, metadata
from sagacity.storage.transaction import Storage
from support.exchanges import converse
from support.graphs import ties_of
from support.measured import measured
from support.parts import START, cursor_at, new_memory, said
from support.reviews import compared, kept, pair
from support.usage import used

_random = random.Random(11)
ALPHABETS: dict[str, Callable[[], str]] = {
    "ascii": lambda: chr(_random.randint(0x21, 0x7E)),
    "two bytes": lambda: chr(_random.randint(0x400, 0x4FF)),
    "four bytes": lambda: chr(_random.randint(0x2_0000, 0x2_A6DF)),
}
CALL = {"model": "m", "created_at": START}
NOT_BY_LEARNING = {
    "erasures",
    "quarantines",
    "held_memories",
    "imports",
    "search_index",
    "tenant_configs",
    "config_versions",
    "site_variables",
    "quotas",
    "api_tokens",
    "audit_log",
    "accounts",
    "account_sessions",
    "account_mails",
    "account_totp",
    "access_attempts",
    "members",
    "invitations",
}
"""Tables with no text of others in an index."""


def key(alphabet: str, size: int = MAX_KEY_BYTES) -> str:
    """A key of *size* bytes that no database makes shorter by packing it."""
    one = ALPHABETS[alphabet]
    return "".join(one() for _ in range(size // len(one().encode())))


@pytest.mark.parametrize("alphabet", list(ALPHABETS))
async def test_the_longest_keys_are_kept_in_every_table(storage: Storage, alphabet: str) -> None:
    """The longest ids at once, with the longest slot, names, and learner, and all is read back whole."""
    tenant = Tenant(org_id=OrgId(key(alphabet, MAX_ORG_BYTES)))
    user, session, request, uid, slot, learner, name = (key(alphabet) for _ in range(7))
    async with storage.begin(tenant) as tx:
        await tx.organisation.ensure()
    await storage.append(tenant, said("hello", request_id=request, user_id=user, session_id=session))
    tie = RelationshipMention(source="user", target=key(alphabet), relationship_type=key(alphabet))
    candidate = Candidate(
        kind=MemoryKind.PROFILE,
        content="a",
        slot=slot,
        evidence=(1,),
        entities=(EntityMention(name=name),),
        relationships=(tie,),
    )
    async with storage.begin(tenant) as tx:
        new = new_memory(
            "likes tea", uid=uid, user_id=user, slot=candidate.slot, source_request_ids=(request,)
        )
        [memory, other] = await tx.memories.add([new, new_memory("likes coffee", user_id=user)])
        await tx.graph.add(memory, candidate)
        await tx.review_actions.add(kept(memory, name, run_id=key(alphabet)))
        [scope] = await tx.search.scopes(Filter(kinds=(memory.kind,)))
        await tx.duplicates.replace(compared(scope.scope_id, memory), *pair(memory, other))
        change = {"run_id": key(alphabet), "kind": memory.kind, "user_id": user, "request_id": request}
        await tx.changes.add(
            [Change(**change, memory_id=memory.memory_id, action=ChangeAction.ADDED, created_at=START)]
        )
        await tx.cursors.save(cursor_at(1, learner=f"user_playbook:{learner}", user_id=user))
        assert await tx.leases.claim("learn", "me", 60, user_id=user) is not None
        window = Window(user_id=UserId(user), first_seq=1, last_seq=1, unread=())
        await tx.dead_letters.add(learner, window, attempts=1, error_kind="E", error="e")
        judged = NewEvaluation(
            agent_version=learner,
            session_id=SessionId(session),
            is_success=True,
            evaluation_name=name,
            created_at=START,
        )
        await tx.evaluations.replace(UserId(user), judged)
        await tx.distillations.lock(LEARNER, name, learner)
        await converse(tx, name, user_id=UserId(user), session_id=key(alphabet))
        await tx.request_analytics.add([measured(uid, user_id=UserId(user), conversation_id=session)])
        await tx.analytics_days.sum_up(step_of(START, Granularity.DAY), limit=9)
        await tx.user_settings.ensure(UserId(user))
        await tx.usage.add([used(tenant.org_id, uid, user_id=UserId(user), session_id=session)])
        await tx.model_calls.add(ModelCallRecord(learner=learner, user_id=user, outcome="ok", **CALL))
        window_of = {"first_seq": 1, "last_seq": 1, "run_id": key(alphabet), "version": Status.CURRENT}
        await tx.extractions.add(
            [ExtractionRecord(learner=learner, user_id=UserId(user), created_at=START, **window_of)]
        )
        await tx.operations.start(
            OperationName.PROFILE_GENERATION, OperationParameters(extractor_names=(name,))
        )
        cluster = {"cluster_id": key(alphabet), "learner": "aggregation", "name": name}
        at = {"created_at": START, "updated_at": START}
        await tx.clusters.save([PlaybookCluster(**cluster, agent_version=2 * learner, **at)])
    async with storage.backend.read(tenant.org_id) as connection:
        long = sa.select(memories.c.uid, memories.c.slot).where(memories.c.memory_id == memory.memory_id)
        rows = (await connection.execute(long)).all()
        assert [tuple(row) for row in rows] == [(uid, slot)]
        assert len((await connection.execute(sa.select(entities.c.name))).all()) == 3
        for table in metadata.sorted_tables:
            if table.name not in NOT_BY_LEARNING:
                count = sa.select(sa.func.count()).select_from(table)
                assert (await connection.execute(count)).scalar_one() > 0, table.name


async def test_longer_names_of_learners_are_cut_and_the_memory_is_kept(storage: Storage) -> None:
    """A model may say names of any length; the part that is kept is the same each time."""
    tenant = Tenant(org_id=OrgId("org-a"))
    long = key("four bytes", 3 * MAX_KEY_BYTES)
    tie = RelationshipMention(source=long, target="ana", relationship_type=long)
    candidate = Candidate(
        kind=MemoryKind.PROFILE,
        content="likes tea",
        slot=long,
        evidence=(1,),
        entities=(EntityMention(name=long), EntityMention(name=long + "x")),
        relationships=(tie,),
    )
    async with storage.begin(tenant) as tx:
        for uid in ("a", "b"):
            [memory] = await tx.memories.add([new_memory("likes tea", uid=uid, slot=candidate.slot)])
            await tx.graph.add(memory, candidate)
        found = await tx.memories.in_slots([MemoryKind.PROFILE], UserId("anna"), [candidate.slot])
    assert [one.uid for one in found] == ["a", "b"]
    assert long.startswith(candidate.slot)
    assert len(candidate.slot.encode()) == MAX_KEY_BYTES
    async with storage.read(tenant) as snapshot:
        ties = await ties_of(snapshot, UserId("anna"))
    assert [(kind, target) for _, kind, target in ties] == [(tie.relationship_type, "ana")]


async def test_an_organisation_with_too_long_a_name_is_not_made(storage: Storage) -> None:
    """It is refused with the length that it may have."""
    tenant = Tenant(org_id=OrgId("ü" * (MAX_ORG_BYTES // 2 + 1)))
    with pytest.raises(InvalidInput, match=f"at most {MAX_ORG_BYTES} bytes"):
        async with storage.begin(tenant) as tx:
            await tx.organisation.ensure()
