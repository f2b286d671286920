"""Figures over time, against the same sums in Python."""

import random
from collections import Counter
from datetime import datetime, timedelta

from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.dashboard import Figure, FigureFilter, FigureGroup
from sagacity.domain.evaluation import NewEvaluation
from sagacity.domain.ids import SessionId
from sagacity.domain.memory import MemoryKind
from sagacity.storage.transaction import Storage
from support.evaluating import talk
from support.parts import ANNA, ORG, OTHER_ORG, START, StoppedClock, new_memory

Came = list[tuple[datetime, str, str]]


async def fill(storage: Storage, clock: StoppedClock, tenant=ORG) -> tuple[Came, Came, Came]:
    """Turns, profiles and verdicts over some weeks, with gaps; returns when each came, of which version and source."""
    rng = random.Random(3)
    turns, profiles, verdicts = Came(), Came(), Came()
    for number in range(12):
        at = clock.advance(rng.choice([600, 3_000, 90_000, 400_000]))
        version, source = rng.choice(["v1", "v2"]), rng.choice(["", "web"])
        await storage.append(tenant, talk(f"r{number}", "a", "b", agent_version=version, source=source))
        turns += [(at, version, source)] * 2
        profiles.append((at, version, source))
        verdict = NewEvaluation(
            agent_version=version,
            source=source,
            session_id=SessionId(f"s{number}"),
            is_success=number % 3 > 0,
            is_escalated=number % 4 == 0,
            evaluation_name="resolved",
            created_at=at,
        )
        verdicts.append((at, version, source))
        async with storage.begin(tenant) as transaction:
            await transaction.memories.add(
                [new_memory(f"m{number}", agent_version=version, source=source, created_at=at)]
            )
            await transaction.evaluations.replace(ANNA, verdict)
    return turns, profiles, verdicts


async def test_figures_are_those_of_the_rows(storage: Storage, clock: StoppedClock) -> None:
    """By every step, in total, by version and source, and for each filter; not those of another organisation."""
    await fill(storage, clock, OTHER_ORG)
    turns, profiles, verdicts = await fill(storage, clock)
    every = FigureFilter(start=START, end=clock.now() + timedelta(seconds=1))
    middle = turns[10][0]
    cases = [
        ({}, lambda one: True),
        ({"source": ""}, lambda one: one[2] == ""),
        ({"agent_version": "v1", "source": "web"}, lambda one: one[1:] == ("v1", "web")),
        ({"start": middle, "granularity": Granularity.HOUR}, lambda one: one[0] >= middle),
        ({"end": middle, "granularity": Granularity.WEEK}, lambda one: one[0] < middle),
        ({"by": FigureGroup.AGENT_VERSION}, lambda one: True),
        ({"by": FigureGroup.SOURCE, "groups": ("web",)}, lambda one: one[2] == "web"),
    ]
    for given, holds in cases:
        wanted = every.model_copy(update=given)
        async with storage.read(ORG) as snapshot:
            found = [
                (await snapshot.figures.interactions(wanted), turns),
                (await snapshot.figures.memories([MemoryKind.PROFILE], wanted), profiles),
                (await snapshot.figures.evaluations(wanted), verdicts),
            ]
            assert await snapshot.figures.memories([MemoryKind.SKILL], wanted) == []
        for figures, came in found:
            assert counted(figures) == expected(wanted, [one for one in came if holds(one)])
            assert [one.timestamp for one in figures] == sorted(one.timestamp for one in figures)
        judged = found[2][0]
        kept = [number for number, one in enumerate(verdicts) if holds(one)]
        assert sum(one.successes for one in judged) == sum(number % 3 > 0 for number in kept)
        assert sum(one.escalations for one in judged) == sum(number % 4 == 0 for number in kept)


async def test_groups_are_the_largest_first(storage: Storage, clock: StoppedClock) -> None:
    """Of requests, memories and verdicts together; nothing is grouped unless that is asked for."""
    _, _, verdicts = await fill(storage, clock)
    wanted = FigureFilter(start=START, end=clock.now() + timedelta(seconds=1))
    by_version = wanted.model_copy(update={"by": FigureGroup.AGENT_VERSION})
    sizes = Counter(version for _, version, _ in verdicts)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.figures.groups(wanted, limit=9) == []
        groups = await snapshot.figures.groups(by_version, limit=9)
        assert groups == sorted(sizes, key=lambda one: (-sizes[one], one))
        assert await snapshot.figures.groups(by_version, limit=1) == groups[:1]


def counted(figures: list[Figure]) -> dict[tuple[datetime, str | None], int]:
    return {(one.timestamp, one.group): one.count for one in figures}


def expected(wanted: FigureFilter, came: Came) -> dict[tuple[datetime, str | None], int]:
    place = None if wanted.by is None else {"agent_version": 1, "source": 2}[wanted.by]
    return dict(
        Counter(
            (step_of(one[0], wanted.granularity), None if place is None else str(one[place])) for one in came
        )
    )
