"""Two organisations with the same users, names and keys, and rows in every table."""

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.api_token import ApiToken
from sagacity.domain.change import Candidate, Change, ChangeAction
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.cursor import LEARN, DeadLetter, Lease, Window
from sagacity.domain.distillation import Distillation
from sagacity.domain.evaluation import NewEvaluation, WaitingSession
from sagacity.domain.extraction import ExtractionRecord
from sagacity.domain.graph import RelationshipMention
from sagacity.domain.ids import RunId, SessionId
from sagacity.domain.interaction import Interaction
from sagacity.domain.ledger import CallFilter, ModelCallRecord
from sagacity.domain.memory import Memory, MemoryKind, NewMemory, Status
from sagacity.domain.operation import OperationItem, OperationName, OperationParameters
from sagacity.domain.quarantine import QuarantineTarget
from sagacity.domain.query import Filter
from sagacity.domain.quota import QuotaName
from sagacity.domain.tenant import Tenant
from sagacity.storage.base import SearchScope
from sagacity.storage.schema.tables import metadata
from sagacity.storage.search.documents import Unembedded
from sagacity.storage.transaction import Storage, Transaction
from support.account_rows import with_account
from support.exchanges import converse
from support.measured import measured
from support.parts import ANNA, BEN, START, cursor_at, new_memory, said, unit_rows
from support.reviews import compared, pair
from support.reviews import kept as kept_in_review
from support.tokens import with_token
from support.usage import used

EVERYTHING = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
RUN = OperationName.PROFILE_GENERATION
DISTILLED = ("aggregation", "x", "")
"""What is distilled in both: by what, name and agent version."""
[VECTOR] = unit_rows(1)


@dataclass(kw_only=True)
class Held:
    """What an organisation has; both have the same names and texts of their own."""

    word: str
    turn: Interaction
    last_turn: Interaction
    session: WaitingSession
    memory: Memory
    pending: Memory
    archived: Memory
    lease: Lease
    letter: DeadLetter
    token: ApiToken
    waiting: list[Unembedded]
    run_id: str
    scope: SearchScope
    document_id: int
    entity_id: int
    relationship_id: int
    cluster: PlaybookCluster
    item: OperationItem
    call_id: int
    action_id: int
    quarantine_id: str


EXPIRY = START + timedelta(days=3_650)
"""When their memory expires; mine never does."""


async def furnish(storage: Storage, tenant: Tenant, word: str, *, turns: int = 1) -> Held:
    """Give an organisation rows in every table; *turns* are those of its last session, which is named by *word*."""
    await storage.append(tenant, said(f"{word} turn", session_id="s", force_extraction=True))
    again = said(*[f"{word} again"] * turns, request_id=f"{word} request", session_id=word)
    await storage.append(tenant, again)
    async with storage.begin(tenant) as tx:
        kept, pending, archived, playbook = await tx.memories.add(_learned(word), vectors={"uid": VECTOR})
        cluster = await _note(tx, kept, playbook, word)
        lease = await tx.leases.claim(LEARN, word, 60, user_id=ANNA)
        token = await with_token(tx, word, secret=word)
        await converse(tx, word)
        await tx.request_analytics.add([measured(word, error_message=word)])
        await tx.analytics_days.sum_up(step_of(START, Granularity.DAY), limit=9)
        await tx.user_settings.change(ANNA, lambda one: one.model_copy(update={"bio": word}))
        await with_account(tx, word)
        item = await _run(tx, word)
        await tx.erasures.add(f"{word} erasure", user_hash=word, key_id="k", sealed=word)
        await tx.memories.add([new_memory(f"{word} held", kind=MemoryKind.SEMANTIC, user_id=BEN, name="y")])
        quarantine = await tx.quarantines.begin(
            QuarantineTarget.LEARNER, "y", reason=f"{word} reason", actor=word
        )
        await tx.imports.begin(f"{word} import")
        action = await tx.review_actions.add(kept_in_review(kept, word, run_id=f"{word} run"))
        scopes = await tx.search.scopes(Filter(kinds=(MemoryKind.PROFILE,)))
        await tx.duplicates.replace(compared(scopes[0].scope_id, kept), *pair(kept, pending))
    await _use(storage, tenant, word)
    async with storage.read(tenant) as snapshot:
        [turn, *_, last_turn] = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
        [letter] = await snapshot.dead_letters.list_newest()
        [scope] = await snapshot.search.scopes(Filter(kinds=(MemoryKind.PROFILE,)))
        [hit] = await snapshot.search.by_terms(EVERYTHING, "memory", 9)
        [known], _ = await snapshot.relationships.list_page(ANNA)
        [entry] = await snapshot.model_calls.list_newest(CallFilter())
        return Held(
            word=word,
            turn=turn,
            last_turn=last_turn,
            session=await snapshot.sessions.find(ANNA, SessionId(word)),
            memory=kept,
            pending=pending,
            archived=archived,
            lease=lease,
            letter=letter,
            token=token,
            waiting=await snapshot.search.unembedded(9),
            run_id=f"{word} run",
            scope=scope,
            document_id=hit.document_id,
            entity_id=known.source_entity_id,
            relationship_id=known.relationship_id,
            cluster=cluster,
            item=item,
            call_id=entry.call_id,
            action_id=action.action_id,
            quarantine_id=quarantine.quarantine_id,
        )


def _learned(word: str) -> list[NewMemory]:
    """One memory of each version, and a playbook of the last session."""
    return [
        new_memory(
            f"{word} memory, allergic to nuts",
            uid="uid",
            slot="home",
            name="x",
            source_request_ids=("r1",),
            expires_at=EXPIRY if word == "theirs" else None,
        ),
        new_memory(f"{word} rerun", uid="pending", status=Status.PENDING),
        new_memory(f"{word} former", uid="archived", status=Status.ARCHIVED),
        new_memory(
            f"{word} rule",
            uid="rule",
            kind=MemoryKind.USER_PLAYBOOK,
            name=word,
            source_request_ids=(f"{word} request",),
        ),
    ]


async def _note(tx: Transaction, kept: Memory, playbook: Memory, word: str) -> PlaybookCluster:
    """Write down how what is *kept* was learned, and what was made of it."""
    await tx.changes.add([change(kept, f"{word} run")])
    for version in (Status.CURRENT, Status.PENDING, Status.ARCHIVED):
        await tx.cursors.save(cursor_at(1, version=version, error=word))
    window = Window(user_id=ANNA, first_seq=1, last_seq=1, unread=())
    await tx.dead_letters.add("profile:l", window, attempts=1, error_kind="E", error=word)
    await tx.graph.add(kept, tie(word))
    await tx.organisation.set_config(f'"{word}"')
    await tx.site.put("model.chat", word, author=word)
    await tx.quotas.set({QuotaName.MEMORIES: 1_000_000})
    cluster = PlaybookCluster(
        cluster_id=word,
        learner="aggregation",
        name=word,
        agent_version="",
        member_ids=(playbook.memory_id,),
        created_at=START,
        updated_at=START,
    )
    await tx.clusters.save([cluster])
    await tx.distillations.lock(*DISTILLED)
    await tx.distillations.save(distillation(word))
    return cluster


async def _run(tx: Transaction, word: str) -> OperationItem:
    """Start an operation of which one item was tried once."""
    operation = await tx.operations.start(RUN, OperationParameters(source=word))
    [item] = await tx.operations.items(operation.operation_id, limit=9)
    await tx.operations.postpone(item, attempts=1, next_try_at=START, error=word)
    return item


async def _use(storage: Storage, tenant: Tenant, word: str) -> None:
    async with storage.begin(tenant) as tx:
        await tx.model_calls.add(call(word))
        await tx.extractions.add([extraction(word)])
        await tx.evaluations.replace(ANNA, evaluation(word))
        await tx.usage.add([used(tenant.org_id, word, holdout_share=0.1, metadata={"learner": word})])


def distillation(error: str) -> Distillation:
    """How far the playbooks that both organisations have were distilled."""
    learner, name, agent_version = DISTILLED
    return Distillation(learner=learner, name=name, agent_version=agent_version, last_read=1, error=error)


def call(learner: str) -> ModelCallRecord:
    """One request to a model."""
    return ModelCallRecord(learner=learner, user_id=ANNA, model="m", created_at=START)


def extraction(word: str) -> ExtractionRecord:
    """What became of a window's entries, in the run that *word* names."""
    return ExtractionRecord(
        learner=word,
        user_id=ANNA,
        version=Status.CURRENT,
        run_id=RunId(f"{word} run"),
        first_seq=1,
        last_seq=1,
        proposed=1,
        kept=1,
        created_at=START,
    )


def evaluation(word: str) -> NewEvaluation:
    """What the evaluator named *word* found of the session named so."""
    return NewEvaluation(
        agent_version="",
        session_id=SessionId(word),
        is_success=True,
        evaluation_name=word,
        created_at=START,
    )


def change(memory: Memory, run_id: str) -> Change:
    """The record of one memory that was added."""
    return Change(
        run_id=run_id,
        kind=memory.kind,
        user_id=ANNA,
        request_id=None,
        memory_id=memory.memory_id,
        action=ChangeAction.ADDED,
        after=memory,
        created_at=START,
    )


def tie(word: str) -> Candidate:
    """A proposal that the user knows *word*."""
    mention = RelationshipMention(source="user", target=word, relationship_type="knows")
    return Candidate(kind=MemoryKind.PROFILE, content=word, evidence=(1,), relationships=(mention,))


async def rows_of(storage: Storage, tenant: Tenant) -> dict[str, list]:
    """All rows of one organisation, table by table."""
    rows = {}
    async with storage.backend.read(tenant.org_id) as connection:
        for table in metadata.sorted_tables:
            if "org_id" in table.c:
                statement = sa.select(table).where(table.c.org_id == tenant.org_id)
                rows[table.name] = sorted(map(repr, (await connection.execute(statement)).all()))
    return rows
