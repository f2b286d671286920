"""The shadow report, against the same sums in Python."""

import random
from collections import Counter, defaultdict
from datetime import timedelta

from sagacity.domain.evaluation import NewEvaluation, RegularVsShadow
from sagacity.domain.ids import SessionId
from sagacity.domain.principal import CallerKind, Principal
from sagacity.domain.shadow_report import ShadowFilter
from sagacity.storage.transaction import Storage
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START

SCORES = {
    "shadow_is_better": 2,
    "shadow_is_slightly_better": 1,
    "tied": 0,
    "regular_is_slightly_better": -1,
    "regular_is_better": -2,
}
ALL = ShadowFilter(start=START, end=START + timedelta(days=1))


async def judge(storage: Storage, count: int, tenant=ORG) -> list[tuple[str, NewEvaluation]]:
    """Comparisons of many kinds, some by two evaluators, and sessions without a shadow among them."""
    rng = random.Random(7)
    made = []
    for number in range(count):
        session = SessionId(f"s{number}")
        user, version, source = rng.choice([ANNA, BEN]), rng.choice(["v1", "v2"]), rng.choice(["", "web"])
        for name in ["resolved", "polite"][: rng.choice([1, 2])]:
            compared = rng.choice([None, *RegularVsShadow])
            made.append(
                (
                    user,
                    NewEvaluation(
                        agent_version=version,
                        source=source,
                        session_id=session,
                        is_success=rng.random() < 0.5,
                        evaluation_name=name,
                        regular_vs_shadow=compared,
                        is_shadow_first=None if compared is None else rng.random() < 0.5,
                        is_shadow_success=None if compared is None else rng.random() < 0.7,
                        comparison_reason="" if compared is None else f"why {number}",
                        created_at=START + timedelta(minutes=number),
                    ),
                )
            )
    async with storage.begin(tenant) as transaction:
        for user, one in made:
            await transaction.evaluations.replace(user, one)
    return made


def by_session(made: list[tuple[str, NewEvaluation]]) -> dict[tuple[str, str], list[NewEvaluation]]:
    found: dict[tuple[str, str], list[NewEvaluation]] = defaultdict(list)
    for user, one in made:
        if one.regular_vs_shadow is not None:
            found[user, one.session_id].append(one)
    return found


def score(verdicts: list[NewEvaluation]) -> int:
    return sum(SCORES[str(one.regular_vs_shadow)] for one in verdicts)


async def test_counts_are_those_of_the_comparisons(storage: Storage) -> None:
    """In total, by version and source, by place, and for each filter; another organisation's are not among them."""
    made = await judge(storage, 60)
    await judge(storage, 9, OTHER_ORG)
    cases = [
        ({}, lambda one: True),
        ({"agent_version": "v1"}, lambda one: one.agent_version == "v1"),
        ({"source": ""}, lambda one: one.source == ""),
        ({"evaluation_name": "polite"}, lambda one: one.evaluation_name == "polite"),
        ({"end": START + timedelta(minutes=20)}, lambda one: one.created_at <= START + timedelta(minutes=20)),
    ]
    for given, holds in cases:
        wanted = ALL.model_copy(update=given)
        kept = [(user, one) for user, one in made if holds(one)]
        judged = by_session(kept)
        async with storage.read(ORG) as snapshot:
            total = await snapshot.shadow.total(wanted)
            groups = await snapshot.shadow.by_group(wanted, limit=9)
            places = {one.is_shadow_first: one for one in await snapshot.shadow.positions(wanted)}
        signs = Counter((score(one) > 0) - (score(one) < 0) for one in judged.values())
        verdicts = [one for of_one in judged.values() for one in of_one]
        assert (total.sessions, total.comparisons) == (len(judged), len(verdicts))
        assert (total.shadow_wins, total.ties, total.regular_wins) == (signs[1], signs[0], signs[-1])
        counted = Counter(one.regular_vs_shadow for one in verdicts)
        assert total.verdicts == {one: counted[one] for one in RegularVsShadow}
        assert total.regular_successes == sum(one.is_success for one in verdicts)
        assert total.shadow_successes == sum(bool(one.is_shadow_success) for one in verdicts)
        sizes = Counter((of_one[0].agent_version, of_one[0].source) for of_one in judged.values())
        assert {(version, source): one.sessions for version, source, one in groups} == sizes
        assert [one.sessions for _, _, one in groups] == sorted(sizes.values(), reverse=True)
        for first in (True, False):
            signs = Counter(
                (score([one]) > 0) - (score([one]) < 0) for one in verdicts if one.is_shadow_first is first
            )
            found = places[first]
            assert (found.shadow_wins, found.ties, found.regular_wins) == (signs[1], signs[0], signs[-1])


async def test_sessions_that_differ_most_come_first(storage: Storage) -> None:
    """With what each evaluator said of them; for one user, only that user's."""
    judged = by_session(await judge(storage, 40))
    async with storage.read(ORG) as snapshot:
        found = await snapshot.shadow.differing(ALL, limit=12)
    sizes = sorted((abs(score(one)) for one in judged.values()), reverse=True)[:12]
    assert [abs(one.score) for one in found] == sizes
    for one in found:
        said = judged[str(one.user_id), one.session_id]
        assert one.score == score(said)
        assert {(each.evaluation_name, each.reason, each.shown_first) for each in one.comparisons} == {
            (each.evaluation_name, each.comparison_reason, "shadow" if each.is_shadow_first else "regular")
            for each in said
        }
    async with storage.read(Principal(tenant=ORG, user_id=BEN, kind=CallerKind.USER)) as snapshot:
        assert {one.user_id for one in await snapshot.shadow.differing(ALL, limit=99)} == {BEN}
        assert (await snapshot.shadow.total(ALL)).sessions == sum(user == BEN for user, _ in judged)
