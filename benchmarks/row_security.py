"""
What row-level security costs: the same searches on a database and on its copy without policies.

    python benchmarks/row_security.py [--quick | --full]

The program's role asks both in one process, one after the other in alternating order.
"""

import asyncio
import random
import statistics
import time

from corpus import TENANT, queries
from databases import Databases, backend_of, copied, databases, settled, storage_over
from harness import Budget, Effort, Place, Report, Table, folder, median, number, run
from search import Size, load, sizes
from steps import KINDS, THRESHOLD, TOP_K

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Approval
from sagacity.domain.query import Filter, Query
from sagacity.providers.embedders.cached import CachedEmbedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.schema.tables import metadata

WARM = 30
CHECKED, OPEN = "with policies", "without"
Times = dict[str, list[float]]


async def side_by_side(places: dict[str, Place], users: int, count: int) -> Times:
    """Milliseconds of the same searches in this process, each asked of both at once in changing order."""
    embedder = CachedEmbedder(MiniLM(), capacity=count)  # what is timed is the database
    rng, asked = random.Random(37), queries(53)
    backends = {name: backend_of(place) for name, place in places.items()}
    searchers = {
        name: Searcher(storage_over(backend), embedder, clock=SystemClock())
        for name, backend in backends.items()
    }
    times: Times = {name: [] for name in places}
    for turn in range(WARM + count):
        wanted = Filter(
            kinds=KINDS,
            user_id=UserId(f"user-{rng.randrange(users)}"),
            approvals=(Approval.PENDING, Approval.APPROVED),
        )
        query = Query(text=next(asked), wanted=wanted, limit=TOP_K, threshold=THRESHOLD)
        await embedder.embed([query.text])
        answers = []
        for name in sorted(places, reverse=turn % 2 == 0):
            started = time.perf_counter()
            answers.append(await searchers[name].search_kinds(TENANT, query))
            if turn >= WARM:
                times[name].append((time.perf_counter() - started) * 1000)
        found = [[[one.score for one in kind.items] for kind in answer.values()] for answer in answers]
        if found[0] != found[1]:
            raise SystemExit(f"the two differ for {query.text!r}")
    for backend in backends.values():
        await backend.close()
    return times


def without_policies(found: Databases, name: str) -> Place:
    """A copy of a database in which row-level security is off."""
    copy = f"{name}-open"
    found.names[copy] = found.server.new_database(template=found.names[name])
    for table in metadata.tables:
        found.execute(copy, f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
    settled(found, [copy])
    return found.postgres(copy)


def measure(effort: Effort) -> Report:
    """Fill SQLite, copy to PostgreSQL, copy that without policies, and ask both."""
    found_sizes = sizes(effort if effort is Effort.FULL else Effort.QUICK)
    with folder() as homes, databases(homes) as found:
        times = [asyncio.run(compared(found, size, effort.pick(100, 300))) for size in found_sizes]
    report = Report(
        "What row-level security costs",
        "The searches of [Search](#search), in process and without embedding, on a PostgreSQL database and on its copy "
        "with row-level security disabled, one after the other in changing order; both found the same each time. "
        "Both are asked by the program's role. The setting that names the user is set, so that the policy for end "
        "users is checked, too.",
        [
            Budget(f"{size.name}, p50", ratio(one)[0], 1.10, "×")
            for size, one in zip(found_sizes, times, strict=True)
        ],
    )
    rows = [
        (
            size.name,
            number(median(one[CHECKED])),
            number(median(one[OPEN])),
            f"{ratio(one)[0]:.3f}",
            f"{ratio(one)[1]:.2f} to {ratio(one)[2]:.2f}",
        )
        for size, one in zip(found_sizes, times, strict=True)
    ]
    columns = ("data", "with, p50 ms", "without, p50 ms", "ratio of the medians", "middle half of the pairs")
    report.tables.append(Table("With and without", columns, rows))
    return report


async def compared(found: Databases, size: Size, count: int) -> Times:
    """Milliseconds with and without policies over the rows of a size."""
    name = size.name
    source, target = found.sqlite(name), found.postgres(name)
    await load([size], [source])
    await copied(source, target, dimension=MiniLM().dimension)
    settled(found, [name])
    return await side_by_side({CHECKED: target, OPEN: without_policies(found, name)}, size.users, count)


def ratio(times: Times) -> tuple[float, float, float]:
    """The ratio of the medians, and the quartiles of the ratios of single pairs."""
    pairs = [one / other for one, other in zip(times[CHECKED], times[OPEN], strict=True)]
    low, _, high = statistics.quantiles(pairs, n=4)
    return median(times[CHECKED]) / median(times[OPEN]), low, high


if __name__ == "__main__":
    run(measure)
