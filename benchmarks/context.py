"""
How long building a context takes: results of a search become a text within a token budget.

    python benchmarks/context.py [--quick]
"""

import asyncio
import random
import time
from datetime import UTC, datetime, timedelta

from corpus import sentences, turns
from harness import Budget, Effort, Report, Table, median, number, run

from sagacity.domain.context import Context, ContextBudgets
from sagacity.domain.ids import InteractionId, MemoryId, MemoryUid, RequestId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Scored
from sagacity.providers.tokens import TokenCounter
from sagacity.retrieval.context.assemble import build_context

NOW = datetime(2026, 5, 1, tzinfo=UTC)
OF_EACH_KIND = 20  # what a caller gets who asks for nothing else
TOTALS = (1_000, 5_000, 20_000)


def found(rng: random.Random) -> list[Scored]:
    """What a search may find: memories of each kind, and turns with those beside them."""
    texts, said = sentences(), turns()
    items = [
        Scored(
            memory=Memory(
                uid=MemoryUid(f"{kind}-{n}"),
                memory_id=MemoryId(n),
                kind=kind,
                content=rng.choice(texts),
                created_at=NOW,
                updated_at=NOW,
            ),
            score=rng.random(),
        )
        for kind in MemoryKind
        for n in range(OF_EACH_KIND)
    ]
    for n in range(OF_EACH_KIND):
        (asked, answered), (_, later) = rng.choice(said), rng.choice(said)
        spoken = (("assistant", later), ("user", asked), ("assistant", answered))
        before, one, after = (_turn(3 * n + place, *words) for place, words in enumerate(spoken))
        items.append(Scored(interaction=one, score=rng.random(), neighbours=(before, after)))
    return items


def _turn(number: int, role: str, content: str) -> Interaction:
    return Interaction(
        interaction_id=InteractionId(number),
        seq=number,
        request_id=RequestId("r"),
        user_id=UserId("u"),
        role=role,
        content=content,
        created_at=NOW - timedelta(hours=number),
    )


def built(items: list[Scored], total: int, counter: TokenCounter) -> tuple[float, Context]:
    """Milliseconds that one context took, and the context."""
    started = time.process_time()
    context = build_context(
        items, budgets=ContextBudgets(total_tokens=total), count=counter.count, question="?"
    )
    return (time.process_time() - started) * 1000, context


def measure(effort: Effort) -> Report:
    """Build contexts of several sizes of what differs each time."""
    counter, rng = TokenCounter(), random.Random(7)
    started = time.process_time()
    asyncio.run(counter.warm())
    loading = (time.process_time() - started) * 1000
    rows, of_default = [], 0.0
    for total in TOTALS:
        runs = [built(found(rng), total, counter) for _ in range(effort.pick(15, 100))]
        middle = median([milliseconds for milliseconds, _ in runs])
        tokens = median([context.total_tokens for _, context in runs])
        lines = median([sum(len(one.items) for one in context.sections) for _, context in runs])
        rows.append((f"{total:,}", number(tokens), number(lines), number(middle)))
        of_default = middle if total == ContextBudgets().total_tokens else of_default
    report = Report(
        "Contexts",
        f"What a search found, {OF_EACH_KIND} of each kind with their neighbouring turns, becomes text. Each line "
        "and the whole are counted with the tokenizer. Times are processor times.",
        [Budget("context build, 5,000 tokens, median", of_default, 10, "ms")],
    )
    report.tables.append(Table("Figures", ("budget, tokens", "tokens", "lines", "ms"), rows))
    report.tables.append(
        Table("Loading", ("what", "ms"), [("the tokenizer, once a process", number(loading))])
    )
    return report


if __name__ == "__main__":
    run(measure)
