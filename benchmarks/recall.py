"""
What is lost by storing vectors in half precision, and by embedding texts in batches.

    python benchmarks/recall.py [--quick]
"""

import asyncio

import numpy as np
from corpus import TENANT, Corpus, Scope, queries, sentences
from harness import Budget, Effort, Report, folder, run

from sagacity.bootstrap import open_database
from sagacity.config.settings import Settings
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.minilm import MiniLM

DEPTH = 10
WANTED = Filter(kinds=(MemoryKind.PROFILE,), user_id=UserId("user"))


async def recalls(effort: Effort) -> tuple[list[float], list[float], int]:
    """Shares of the true ten nearest that storage finds, and errors of its scores, over many questions."""
    embedder = MiniLM()
    corpus = await Corpus.load(embedder)
    rows = list(
        Scope(MemoryKind.PROFILE, ["user"], effort.pick(3_000, 20_000)).memories(
            corpus, np.random.default_rng(7)
        )
    )
    exact = np.stack([vector for _, vector in rows])
    asked = queries(43)
    shares: list[float] = []
    errors: list[float] = []
    with folder() as home:
        async with open_database(Settings(home=home)) as storage:
            await storage.claim_index(embedder.model, embedder.dimension)
            async with storage.begin(TENANT) as transaction:
                stored = await transaction.memories.add(
                    [memory for memory, _ in rows], vectors={memory.uid: vector for memory, vector in rows}
                )
            place = {int(memory.memory_id): position for position, memory in enumerate(stored)}
            for _ in range(effort.pick(50, 200)):
                vector = (await embedder.embed([next(asked)]))[0]
                async with storage.read(TENANT) as snapshot:
                    hits = (await snapshot.search.by_vector(WANTED, vector, DEPTH)).hits
                scores = exact @ vector
                nearest = set(np.argsort(-scores)[:DEPTH].tolist())
                shares.append(len(nearest & {place[hit.owner_id] for hit in hits}) / DEPTH)
                errors += [abs(hit.score - float(scores[place[hit.owner_id]])) for hit in hits]
    return shares, errors, len(rows)


async def companions(count: int) -> Vectors:
    """Cosines between a sentence embedded alone and the same among seven others."""
    embedder, texts = MiniLM(), sentences()[:count]
    alone = np.concatenate([await embedder.embed([text]) for text in texts])
    together = await embedder.embed(texts)
    return np.sum(alone * together, axis=1)


def measure(effort: Effort) -> Report:
    """Compare with exact search in single precision, and lone texts with batches."""
    shares, errors, rows = asyncio.run(recalls(effort))
    cosines = asyncio.run(companions(effort.pick(80, 400)))
    return Report(
        "Recall",
        f"The ten nearest of {rows:,} rows by `search.by_vector`, which keeps half precision, against an exact search "
        f"over the same vectors in single precision, for {len(shares)} questions.",
        [
            Budget("recall at 10", sum(shares) / len(shares), 0.99, "", at_least=True),
            Budget("largest error of a cosine", max(errors), 0.001, ""),
            Budget(
                f"cosine of a text embedded alone and among seven others, worst of {len(cosines)}",
                float(cosines.min()),
                0.999,
                "",
                at_least=True,
            ),
        ],
    )


if __name__ == "__main__":
    run(measure)
