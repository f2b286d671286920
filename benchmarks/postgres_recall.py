"""
The recall of PostgreSQL's vector search under filters, in the way that it chooses and by the graph.

    python benchmarks/postgres_recall.py [--quick]

One table has users of three sizes and many others; vectors cluster like those of real sentences. Search documents are
inserted by COPY, without memories, and the HNSW index is created afterwards.
"""

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
from corpus import TENANT, Corpus, queries
from databases import Databases, backend_of, databases, settled
from harness import Budget, Effort, Report, Table, folder, median, number, percentile, run

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.base import Scope
from sagacity.storage.postgres.vectors import PostgresVectors
from sagacity.storage.schema.tables import organisations, search_documents, search_index, search_scopes
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.writing import pack

DEPTH, PAGE = 10, 2_000
START = datetime(2026, 1, 1, tzinfo=UTC)
WARM, DATABASE, EVERYONE, CHOSEN = 5, "recall", "", "as it chooses"
EMPTY = {("user-100", "1 %, by name"), ("user-100", "1 %, by time")}
"""One row at the most: nothing to rank."""
WAYS = {CHOSEN: PostgresVectors(), "graph": PostgresVectors(exact_documents=0, least_share=0.0)}
KIND = MemoryKind.USER_PLAYBOOK
"""A kind that filters by name hold for."""


Known = tuple[np.ndarray, list[dict]]
"""Vectors, float32 [n, d], and what filters look at."""


@dataclass
class Case:
    """A question's reach, and what each way gave."""

    user: str
    share: str
    rows: int
    recalls: dict[str, float] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)


def filters() -> dict[str, dict]:
    """Filters by the share of rows that they admit."""
    return {
        "100 %": {},
        "10 %, by status": {"statuses": ("archived",)},
        "10 %, by name": {"name": "tenth"},
        "1 %, by name": {"name": "hundredth"},
        "10 %, by time": {"start": START + timedelta(days=900)},
        "1 %, by time": {"start": START + timedelta(days=990)},
    }


def fields(number_of_row: int, rng: np.random.Generator) -> dict[str, object]:
    """What the filters look at, each independent of the other."""
    name = rng.random()
    return {
        "name": "hundredth" if name < 0.01 else "tenth" if name < 0.11 else "other",
        "status": "archived" if rng.random() < 0.1 else "current",
        "changed_at": START + timedelta(days=int(rng.integers(0, 1_000))),
        "owner_id": number_of_row,
    }


async def load(found: Databases, users: dict[str, int]) -> tuple[dict[str, Known], float]:
    """Store the rows of each user; returns them, and how long the index took."""
    place, embedder, rng = found.postgres(DATABASE), MiniLM(), np.random.default_rng(13)
    corpus, stored, backend = await Corpus.load(embedder), {}, backend_of(place, owner=True)
    await backend.migrate()
    now, org_id, done = SystemClock().now(), TENANT.org_id, 0
    async with backend.write(org_id) as connection:
        row = {"org_id": org_id, "name": org_id, "status": "active", "created_at": now}
        await connection.execute(organisations.insert(), row)
        made = {
            "index_id": 1,
            "embedder": embedder.model,
            "dimension": 384,
            "analyzer": "",
            "created_at": now,
        }
        await connection.execute(search_index.insert(), made)
    for scope_id, (user, count) in enumerate(users.items(), start=1):
        texts, vectors = corpus.rows(count, rng)
        rows = [fields(done + place_of, rng) for place_of in range(count)]
        scope = {"scope_id": scope_id, "org_id": org_id, "user_id": user, "kind": str(KIND)}
        async with backend.write(org_id) as connection:
            await connection.execute(
                search_scopes.insert(),
                scope | {"document_count": count, "term_count": 9 * count, "revision": 1},
            )
            for start in range(0, count, PAGE):
                part = [
                    {
                        "org_id": org_id,
                        "scope_id": scope_id,
                        "kind": str(KIND),
                        "approval": "pending",
                        "text": text,
                    }
                    | {"term_count": 9, "revision": 1, "vector": pack(vector)}
                    | row
                    for text, vector, row in zip(
                        texts[start : start + PAGE], vectors[start : start + PAGE], rows[start:], strict=False
                    )
                ]
                await backend.load(connection, search_documents, part)
        stored[user] = vectors, rows
        done += count
    started = time.perf_counter()
    await backend.prepare_vectors(384)
    seconds = time.perf_counter() - started
    await backend.close()
    settled(found, [DATABASE])
    return stored, seconds


def admits(wanted: Filter, row: dict) -> bool:
    """Whether a filter admits a row, by itself."""
    return (
        row["status"] in wanted.statuses
        and row["name"] in (wanted.names or [row["name"]])
        and (wanted.start is None or row["changed_at"] >= wanted.start)
    )


async def ask(found: Databases, user: str, share: str, known: Known, asked: Vectors) -> Case:
    """Recall and milliseconds of each way for one user, or all, under one filter."""
    vectors, rows = known
    user_id = None if user == EVERYONE else UserId(user)
    wanted = Filter(**{"kinds": (KIND,), "user_id": user_id} | filters()[share])
    admitted = np.array([admits(wanted, row) for row in rows])
    numbers, matrix = np.array([row["owner_id"] for row in rows])[admitted], vectors[admitted]
    nearest = [set(numbers[np.argsort(-(matrix @ vector))[:DEPTH]].tolist()) for vector in asked]
    case, backend = Case(user, share, len(rows)), backend_of(found.postgres(DATABASE))
    for way, index in WAYS.items():
        shares, times = [], []
        for vector, true in zip([*asked[:WARM], *asked], [*nearest[:WARM], *nearest], strict=True):
            async with backend.read(
                TENANT.org_id, user_id=user_id, keeps_plans=user_id is not None
            ) as connection:
                scope = Scope(connection, TENANT.org_id, backend, SystemClock(), TimeOrderedIds())
                scopes = await SearchRepository(scope).scopes(wanted)
                started = time.perf_counter()
                hits = (await index.search(scope, scopes, wanted, vector, DEPTH)).hits
                times.append((time.perf_counter() - started) * 1000)
            shares.append(len({hit.owner_id for hit in hits} & true) / len(true))
        case.recalls[way], case.times[way] = sum(shares[WARM:]) / len(asked), times[WARM:]
    await backend.close()
    return case


def measure(effort: Effort) -> Report:
    """Ask for each user and for all, under each filter, both ways."""
    others, questions = effort.pick(2_000, 40_000) // 20, effort.pick(20, 60)
    users = {
        "user-100": 100,
        "user-10000": effort.pick(2_000, 10_000),
        "user-50000": effort.pick(6_000, 50_000),
    }
    with folder() as homes, databases(homes) as found:
        stored, seconds = asyncio.run(load(found, users | {f"other-{n}": others for n in range(20)}))
        words = queries(61)
        asked = asyncio.run(MiniLM().embed([next(words) for _ in range(questions)]))
        everyone = (
            np.concatenate([vectors for vectors, _ in stored.values()]),
            [row for _, rows in stored.values() for row in rows],
        )
        cases = [
            asyncio.run(ask(found, user, share, stored.get(user, everyone), asked))
            for user in (*users, EVERYONE)
            for share in filters()
            if (user, share) not in EMPTY
        ]
    return report_of(cases, questions, len(everyone[1]), seconds)


def report_of(cases: list[Case], questions: int, rows: int, seconds: float) -> Report:
    """The figures as a report."""
    least = min(case.recalls[CHOSEN] for case in cases if case.user != EVERYONE)
    report = Report(
        "Recall on PostgreSQL",
        f"The ten nearest of `PostgresVectors` against an exact search in single precision, for {questions} questions "
        f"embedded by MiniLM, over {rows:,} rows in one table whose vectors cluster like those of real sentences. "
        "“As it chooses” is what the program does; “graph” always walks the HNSW index. The index (m 16, "
        f"ef_construction 64) was made in {number(seconds)} s after the rows were there.",
        [Budget("within a user, any size and filter, worst recall at 10", least, 0.98, "", at_least=True)],
    )
    figures = [
        (
            f"{case.rows:,} rows, {'all users' if case.user == EVERYONE else 'one user'}; {case.share}",
            *(
                cell
                for way in WAYS
                for cell in (
                    f"{case.recalls[way]:.3f}",
                    number(median(case.times[way])),
                    number(percentile(case.times[way], 0.95)),
                )
            ),
        )
        for case in cases
    ]
    columns = (
        "rows and share admitted",
        *(f"{way}: {what}" for way in WAYS for what in ("recall", "p50, ms", "p95, ms")),
    )
    report.tables.append(Table("Recall at 10, and how long it took", columns, figures))
    return report


if __name__ == "__main__":
    run(measure)
