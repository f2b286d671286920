"""What the steps of a search take, in this process: each strategy alone, and all together."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from corpus import TENANT, people_of, queries
from harness import Place, Table, median, number, percentile

from sagacity.bootstrap import open_database
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Approval, MemoryKind
from sagacity.domain.query import Filter, Found, Query, StrategyName, Trace
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.retrieval.pipeline import Searcher

KINDS = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)
TOP_K, THRESHOLD = 5, 0.3  # what a caller gets who asks for nothing else
EVERY_WAY = tuple(StrategyName)
WARM = 20


@dataclass
class Steps:
    """Milliseconds, by step."""

    alone: dict[StrategyName, list[float]] = field(default_factory=lambda: {name: [] for name in EVERY_WAY})
    rank: list[float] = field(default_factory=list)
    together: list[float] = field(default_factory=list)


def asking(seed: int, users: int, memories: int) -> Callable[[], tuple[str, str]]:
    """Return what gives questions, hardly ever the same twice, that name somebody, and who asks."""
    rng, asked = random.Random(seed), queries(seed)
    people = people_of(memories)
    return lambda: (f"{next(asked)} {rng.choice(people)}", f"user-{rng.randrange(users)}")


async def take_apart(place: Place, users: int, memories: int, count: int) -> Steps:
    """Ask *count* questions, in every way that there is; the first ones, which fill caches, do not count."""
    steps, embedder, question = Steps(), MiniLM(), asking(31, users, memories)
    await embedder.warm()
    async with open_database(place.settings) as storage:
        searcher = Searcher(storage, embedder, clock=SystemClock())
        for turn in range(WARM + count):
            taken = steps if turn >= WARM else Steps()
            for name in EVERY_WAY:
                answer = await searcher.search_kinds(TENANT, _query(*question(), ways=(name,)))
                taken.alone[name].append(_trace(answer).strategies[name])
            query = _query(*question(), ways=EVERY_WAY)
            started = time.perf_counter()
            answer = await searcher.search_kinds(TENANT, query)
            taken.together.append((time.perf_counter() - started) * 1000)
            taken.rank.append(_trace(answer).strategies["rank"])
    return steps


def _query(text: str, user: str, *, ways: tuple[StrategyName, ...]) -> Query:
    wanted = Filter(kinds=KINDS, user_id=UserId(user), approvals=(Approval.PENDING, Approval.APPROVED))
    return Query(text=text, wanted=wanted, limit=TOP_K, threshold=THRESHOLD, strategies=ways)


def _trace(answer: Mapping[str, Found]) -> Trace:
    trace = next(iter(answer.values())).trace
    if trace.failed:
        raise SystemExit(f"a strategy failed: {trace.failed}")
    return trace


def table_of(steps: dict[str, Steps]) -> Table:
    """The steps of every size side by side."""
    rows = [
        (
            name,
            *(number(median(one.alone[way])) for way in EVERY_WAY),
            number(median(one.rank)),
            number(percentile(one.together, 0.5)),
            number(percentile(one.together, 0.95)),
        )
        for name, one in steps.items()
    ]
    columns = (
        "data",
        *(f"{way}, ms" for way in EVERY_WAY),
        "rank, ms",
        "all p50, ms",
        "all p95, ms",
    )
    return Table(
        "Where the time goes",
        columns,
        rows,
        "In process, without HTTP, by the trace of the search; medians unless the column says otherwise. Each "
        "strategy is measured alone; “vector” includes embedding the question. “all” is a whole search with "
        "all five strategies.",
    )
