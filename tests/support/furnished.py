"""
Databases with rows in every table, of two organisations, and contents that are hard to carry.

    FURNISHED["sqlite"](request)      # the url of one that the test may change; DATABASES gives empty ones
"""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.change import Candidate, Change, ChangeAction
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.cursor import Window
from sagacity.domain.graph import RelationshipMention
from sagacity.domain.ids import RequestId
from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.operation import ItemStatus, OperationName, OperationParameters
from sagacity.domain.quarantine import QuarantineTarget
from sagacity.domain.query import Filter
from sagacity.domain.quota import QuotaName
from sagacity.domain.tenant import Tenant
from sagacity.storage.open import open_storage
from sagacity.storage.schema.tables import evaluations, extractions, model_calls, usage_events
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.rows import TABLES, Part, Snapshot, Sum, sum_of
from support.account_rows import with_account
from support.exchanges import converse
from support.local_servers import PostgresServer
from support.measured import measured
from support.parts import (
    ANNA,
    BEN,
    ORG,
    OTHER_ORG,
    START,
    CountingIds,
    StoppedClock,
    cursor_at,
    new_memory,
    said,
    unit_rows,
)
from support.reviews import compared, pair
from support.reviews import kept as kept_in_review
from support.tokens import with_token

DIMENSION = 16
HARD = (
    "Ärger 🙂👩‍👩‍👧 ﷽ 東京 ภาษาไทย \u202eback\u202c",
    "quotes ' \" \\ ; -- $1 %s \t tabs\r\nand lines\n\\N \\. NULL",
    "",
    "long " * 5_000,
    "\u0001\u001f\u007f controls \ufeff and \ufffd",
)
NUMBERS = {
    "whole": 100.0,
    "huge": 1e22,
    "small": 1e-7,
    "odd": 0.1 + 0.2,
    "none": None,
    "deep": [{"ü": [True, 2**53]}],
}
QUESTION = np.full(DIMENSION, 1 / np.sqrt(DIMENSION), np.float32)


async def build(url: str) -> None:
    """Furnish two organisations in an empty database."""
    storage = await open_storage(url, clock=StoppedClock(), ids=CountingIds("s"))
    for tenant, word in ((ORG, "mine"), (OTHER_ORG, "theirs")):
        async with storage.begin(tenant) as transaction:
            await transaction.organisation.ensure(HARD[0])
        await furnish(storage, tenant, word)
    await storage.claim_index("model", DIMENSION)
    await storage.close()


def _sqlite(request: pytest.FixtureRequest) -> str:
    path = request.getfixturevalue("tmp_path") / "furnished.db"
    shutil.copy(request.getfixturevalue("furnished_file"), path)
    return f"sqlite:///{path}"


def _postgres(request: pytest.FixtureRequest) -> str:
    server: PostgresServer = request.getfixturevalue("postgres")
    template = request.getfixturevalue("furnished_database")
    name = server.new_database(template=template)
    request.addfinalizer(lambda: server.drop_database(name))
    return server.url_of(name, PROGRAM)


PROGRAM = "sagacity_app"
FURNISHED: dict[str, Callable[[pytest.FixtureRequest], str]] = {"sqlite": _sqlite, "postgresql": _postgres}


@pytest.fixture(scope="module")
def furnished_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in a file, to be copied."""
    path = tmp_path_factory.mktemp("furnished") / "furnished.db"
    asyncio.run(build(f"sqlite:///{path}"))
    return path


@pytest.fixture(scope="module")
def furnished_database(postgres: PostgresServer, migrated_database: str) -> str:
    """The name of a database on the server, to be copied."""
    name = postgres.new_database(template=migrated_database)
    asyncio.run(build(postgres.url_of(name, PROGRAM)))
    return name


async def furnish(storage: Storage, tenant: Tenant, word: str, *, turns: int = 130) -> None:
    """Give an organisation rows in every table; some of its documents have a vector, some wait for it."""
    hard = tuple(
        NewInteraction(content=text, tools_used=(), image_base64="aGk=" * 9) for text in HARD if text
    )
    await storage.append(tenant, NewRequest(request_id=RequestId("hard ü"), user_id=ANNA, interactions=hard))
    for user, share in ((ANNA, turns - 9), (BEN, 9)):
        contents = [f"{word} turn {number}" for number in range(share)]
        await storage.append(
            tenant, said(*contents, request_id=f"{word} {user}", user_id=user, session_id="s ß")
        )
    async with storage.begin(tenant) as tx:
        new = [
            new_memory(
                f"{word} {text}",
                uid=f"{word}-{number}",
                slot=f"slot-{number}",
                source_request_ids=("hard ü",),
            )
            for number, text in enumerate(HARD)
        ]
        shared = new_memory(f"{word} rule", uid=f"{word}-rule", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None)
        vectors = dict(zip([one.uid for one in new], unit_rows(len(new), DIMENSION), strict=True))
        kept = await tx.memories.add([*new, shared], vectors=vectors)
        await tx.changes.add([_added(memory) for memory in kept])
        await tx.cursors.save(cursor_at(1, learner=f"profile:{HARD[0]}", error=HARD[1]))
        await tx.leases.claim("lease", word, 60)
        window = Window(user_id=ANNA, first_seq=1, last_seq=1, unread=())
        await tx.dead_letters.add("l", window, attempts=1, error_kind="E", error=HARD[0])
        for memory in kept:
            tie = RelationshipMention(source="user", target=f"{word} {memory.uid}", relationship_type="knows")
            await tx.graph.add(
                memory, Candidate(kind=MemoryKind.PROFILE, content=word, evidence=(1,), relationships=(tie,))
            )
        await converse(tx, word)
        await tx.request_analytics.add([measured(word, user_id=user) for user in (ANNA, BEN)])
        await tx.request_analytics.add(
            [measured(HARD[0], request_id=HARD[1], error_message=HARD[4], total_time_ms=0.1 + 0.2)]
        )
        await tx.analytics_days.sum_up(step_of(START, Granularity.DAY), limit=9)
        await tx.user_settings.change(ANNA, lambda one: one.model_copy(update={"bio": word}))
        await with_account(tx, word)
        await tx.organisation.set_config(f'"{word}"')
        await tx.site.put("model.chat", word, author=word)
        await tx.quotas.set({QuotaName.MEMORIES: 1_000_000})
        await with_token(tx, word, secret=word)
        cluster = PlaybookCluster(
            cluster_id=word,
            learner="aggregation",
            name=HARD[0],
            agent_version="",
            member_ids=[one.memory_id for one in kept],
            memory_id=kept[-1].memory_id,
            created_at=START,
            updated_at=START,
        )
        await tx.clusters.save([cluster])
        await tx.review_actions.add(kept_in_review(kept[0], HARD[0], actor=HARD[1]))
        [scope, *_] = await tx.search.scopes(Filter(kinds=(MemoryKind.PROFILE,)))
        await tx.duplicates.replace(compared(scope.scope_id, kept[0]), *pair(kept[0], kept[1]))
        distilled = await tx.distillations.lock("skills", HARD[0], HARD[1])
        remembered = {"last_read": -1, "attempts": 2, "error": HARD[0], "cooldown_from": START}
        await tx.distillations.save(distilled.model_copy(update=remembered))
        run = OperationParameters(source=HARD[1])
        operation = await tx.operations.start(OperationName.PROFILE_GENERATION, run)
        [item, *_] = await tx.operations.items(operation.operation_id, limit=1)
        await tx.operations.settle(item, ItemStatus.FAILED, error=HARD[0], result=NUMBERS)
        held = {"reason": HARD[3][:500], "actor": HARD[1]}
        await tx.quarantines.begin(QuarantineTarget.LEARNER, HARD[0], **held)
        await tx.memories.add([new_memory("held", name="held")])
        await tx.quarantines.begin(QuarantineTarget.LEARNER, "held", **held)
        await tx.erasures.add(HARD[0], user_hash=HARD[1], key_id="k", sealed=HARD[0])
        await tx.imports.begin(HARD[0])
        waiting = await tx.search.unembedded(9)
        await tx.search.set_vectors(waiting, unit_rows(len(waiting), DIMENSION, seed=3))
    async with storage.backend.write(tenant.org_id) as connection:
        own = {"org_id": tenant.org_id, "created_at": START}
        await connection.execute(evaluations.insert(), own | {"session_id": word, "is_success": True})
        event = {"uid": word, "event_name": "e", "event_category": "c", "metadata": NUMBERS}
        await connection.execute(usage_events.insert(), own | event)
        spent = {"learner": word, "cost_usd": 0.1 + 0.2, "outcome": HARD[1]}
        await connection.execute(model_calls.insert(), own | spent)
        counted = {"learner": word, "user_id": HARD[0], "version": "current", "first_seq": 1, "last_seq": 2}
        await connection.execute(extractions.insert(), own | counted | {"reasons": {"empty": 2}})


def _added(memory: Memory) -> Change:
    return Change(
        run_id="run",
        kind=memory.kind,
        user_id=memory.user_id,
        request_id=None,
        memory_id=memory.memory_id,
        action=ChangeAction.ADDED,
        after=memory,
        created_at=START,
    )


async def sums_of(storage: Storage) -> dict[Part, Sum]:
    """The checksum of every table of every organisation, where there are rows."""
    backend = storage.backend
    sums = {}
    async with backend.read(None) as connection:
        snapshot = Snapshot(backend, connection)
        for org_id in await snapshot.organisations():
            for table in TABLES:
                rows = [row async for page in snapshot.pages(Part(table, org_id)) for row in page]
                if rows:
                    sums[Part(table, org_id)] = sum_of(table, rows)
    return sums


async def numbers_of(storage: Storage, tenant: Tenant, column: sa.Column) -> list[int]:
    """The row numbers of one organisation's table, in order."""
    async with storage.backend.read(tenant.org_id) as connection:
        statement = sa.select(column).where(column.table.c.org_id == tenant.org_id).order_by(column)
        return list((await connection.execute(statement)).scalars())
