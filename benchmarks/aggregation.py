"""
Aggregation of many users' playbooks: how well clusters fit, how long they take, and the calls of an incremental run.

    python benchmarks/aggregation.py [--each 50] [--noise 200] [--rows 2000 20000]

Forty rules, each in EACH wordings, among NOISE rules that only one user has, embedded by MiniLM. Then a full run over
an SQLite database with a scripted model, 5 % more rows of a few of the rules, and an incremental run. `--rows` also
times clustering alone, over rows that are made from those vectors.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np
from cluster_metrics import completeness, homogeneity, labels_of
from playbook_corpus import Playbook, playbooks, wordings

from sagacity.domain.ids import TimeOrderedIds
from sagacity.learning.distil.cluster import clusters
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.litellm_seam import close_clients

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from support.aggregation import NAME, RULE, VERSION, Aggregating, in_own_words
from support.parts import ORG, StoppedClock, new_memory, opened
from support.scripted_llm import scripted_llm

SIMILARITY, SMALLEST = 0.5, 2
TOPICS = 40
GROWN = 4


def main() -> None:
    """Measure, and print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=50)
    parser.add_argument("--noise", type=int, default=200)
    parser.add_argument("--rows", type=int, nargs="*", default=[20_000])
    asyncio.run(_measure(parser.parse_args()))


async def _measure(chosen: argparse.Namespace) -> None:
    given = playbooks(TOPICS, chosen.each, chosen.noise)
    embedder = MiniLM()
    started = time.perf_counter()
    vectors = await embedder.embed([one.text for one in given])
    print(f"{len(given)} rows embedded in {time.perf_counter() - started:.1f} s")
    _quality(given, vectors)
    for count in chosen.rows:
        _time_alone(vectors, count)
    await _runs(given, vectors, embedder)
    await close_clients()


def _quality(given: list[Playbook], vectors: Vectors) -> None:
    found, seconds, peak = _clustered(vectors)
    labels = labels_of(found, len(given))
    known = [one.cluster if one.cluster >= 0 else ("odd", row) for row, one in enumerate(given)]
    rows = [row for row, one in enumerate(given) if one.cluster >= 0]
    of_known, of_found = [given[row].cluster for row in rows], [labels[row] for row in rows]
    pure = {label for row, label in enumerate(labels) if given[row].cluster < 0} & set(of_found)
    print(f"{len(found)} clusters in {seconds:.2f} s, {peak:.0f} MiB at the most")
    print(
        f"the {TOPICS} known rules: homogeneity {homogeneity(of_known, of_found):.3f}, "
        f"completeness {completeness(of_known, of_found):.3f}; clusters that mix them with noise: {len(pure)}"
    )
    print(
        f"with all noise as clusters of one: homogeneity {homogeneity(known, labels):.3f}, "
        f"completeness {completeness(known, labels):.3f}"
    )


def _time_alone(vectors: Vectors, count: int) -> None:
    """Cluster *count* rows, which are the existing ones with small changes."""
    rng = np.random.default_rng(7)
    picked = vectors[rng.integers(0, len(vectors), count)]
    moved = picked + 0.25 * rng.standard_normal(picked.shape, np.float32) / np.sqrt(picked.shape[1])
    moved = (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)
    found, seconds, peak = _clustered(moved)
    print(f"{count} rows: {len(found)} clusters in {seconds:.1f} s, {peak:.0f} MiB at the most")


def _clustered(vectors: Vectors) -> tuple[list[list[int]], float, float]:
    tracemalloc.start()
    started = time.perf_counter()
    found = clusters(vectors, similarity=SIMILARITY, min_size=SMALLEST)
    seconds = time.perf_counter() - started
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return found, seconds, peak


async def _runs(given: list[Playbook], vectors: Vectors, embedder: MiniLM) -> None:
    """Aggregate all, add 5 % more wordings of a few rules, and aggregate what changed."""
    clock, rng = StoppedClock(), random.Random(11)
    with tempfile.TemporaryDirectory() as folder, scripted_llm() as model:
        model.answer_with(in_own_words)
        async with opened(f"sqlite:///{Path(folder) / 'db.sqlite'}", clock, TimeOrderedIds()) as storage:
            one = Aggregating(storage, clock, TimeOrderedIds(), model=model, embedder=embedder)
            await _store(one, given, vectors)
            await _timed(one, "full run", full=True)
            calls = len(model.requests)
            more = [new for topic in range(GROWN) for new in wordings(topic, len(given) // 20 // GROWN, rng)]
            await _store(one, more, await embedder.embed([new.text for new in more]))
            before = {cluster.cluster_id: cluster.fingerprint for cluster in await one.clusters()}
            await _timed(one, f"incremental run after {len(more)} more rows of {GROWN} rules", full=False)
            changed = [
                cluster
                for cluster in await one.clusters()
                if before.get(cluster.cluster_id) != cluster.fingerprint
            ]
            made = len(model.requests) - calls
            print(
                f"calls: {calls} by the full run; {made} for {len(changed)} changed clusters of {len(before)}"
            )


async def _store(one: Aggregating, given: list[Playbook], vectors: Vectors) -> None:
    new = [
        new_memory(
            rule.content,
            kind=RULE,
            user_id=f"user-{number % 97}",
            name=NAME,
            agent_version=VERSION,
            trigger=rule.trigger,
        )
        for number, rule in enumerate(given)
    ]
    async with one.storage.begin(ORG) as transaction:
        by_uid = {memory.uid: vector for memory, vector in zip(new, vectors, strict=True)}
        await transaction.memories.add(new, vectors=by_uid)


async def _timed(one: Aggregating, what: str, *, full: bool) -> None:
    started = time.perf_counter()
    done = await one.run(full=full)
    print(f"{what}: {time.perf_counter() - started:.1f} s; {done.message}")


if __name__ == "__main__":
    main()
