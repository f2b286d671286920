"""Retrieval is measured on what users said, where the answers are known; a ranking made worse is found out."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.domain.ids import RequestId
from sagacity.domain.principal import Principal
from sagacity.domain.query import Ranking, StrategyName
from sagacity.domain.tenant import Tenant
from sagacity.domain.usage import UsageEvent
from sagacity.memories.acting import Acting, Parts
from sagacity.quality.draw import drawn
from sagacity.quality.evaluate import ALL, Progress, SearchOptions, Subject, measured
from sagacity.quality.report import Saved, Verdict, Wanted, evaluate, evaluate_again, read_saved
from support.acting import for_everyone
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, new_memory, said

COUNT = 30
THINGS = (
    "canoe kettle lantern violin anvil saddle compass mirror hammock teapot ladder drum basket quilt globe abacus "
    "easel flute rucksack tripod wok loom helmet kite samovar trumpet wheelbarrow typewriter barometer accordion"
).split()
STATEMENTS = [f"I bought a {thing} for the {thing}works in Lyon." for thing in THINGS]


class Surfaced(list[UsageEvent]):
    """What is recorded as surfaced."""

    def record(self, tenant: Tenant, event: UsageEvent) -> None:
        self.append(event)


def unheard(_done: int, _total: int) -> None:
    """Nobody is told how far it is."""


async def told(parts: Parts, *, memories: bool = False) -> list[int]:
    """Anna says her statements, an agent repeats what needs no question, and Ben says little; returns her turns."""
    request = await parts.storage.append(ORG, said(*STATEMENTS, "Where is it?", "Thanks a lot!"))
    await parts.storage.append(ORG, said("My favourite colour is teal.", request_id="r2", user_id=BEN))
    await parts.storage.append(OTHER_ORG, said("I bought a yacht for the harbour in Nice."))
    async with parts.storage.read(ORG) as snapshot:
        turns = await snapshot.interactions.log(ANNA, after_seq=0, limit=COUNT)
    if memories:
        rest = [
            new_memory(
                f"Bought a {thing} for the {thing}works.",
                source_request_ids=(request.request_id,),
                source_interaction_ids=(turn.interaction_id,),
                at=START - timedelta(days=turn.seq),
            )
            for thing, turn in zip(THINGS, turns, strict=True)
        ]
        async with parts.storage.begin(ORG) as transaction:
            await transaction.memories.add(rest)
    return [turn.interaction_id for turn in turns]


@pytest.mark.one_database
async def test_figures_are_of_what_is_known_to_answer(parts: Parts) -> None:
    """Words find each turn, the newest ten are found without them; what has too few questions has no figures."""
    turns, heard = await told(parts), []
    tell: Progress = lambda done, total: heard.append((done, total))  # noqa: E731
    surfaced = Surfaced()
    done, saved = await evaluate(for_everyone(replace(parts, usage=surfaced)), Wanted(), tell)
    assert (done.verdict, done.questions, heard[-1]) == (Verdict.MEASURED, COUNT + 1, (COUNT + 1, COUNT + 1))
    rows = {one.strategy: one for one in done.rows if one.subject is Subject.TURNS}
    assert rows.keys() == {StrategyName.KEYWORD, StrategyName.VECTOR, StrategyName.RECENT, "all"}
    assert (rows["keyword"].recall.mean, rows["keyword"].recall.high) == (1.0, 1.0)
    assert 0.85 < rows["keyword"].recall.low < 0.95
    newest = 1 + sum(
        turn in turns[-8:] for turn in turns
    )  # Ben's, and of Anna's newest ten, two ask or thank
    assert rows["recent"].recall.mean == pytest.approx(newest / done.questions, abs=1e-4)
    assert [one for one in done.rows if one.subject is Subject.MEMORIES] == []
    asked = [one.question for one in saved.outcomes]
    assert {one.user_id for one in asked} == {ANNA, BEN}
    assert all("yacht" not in one.text for one in asked)
    again = await drawn(for_everyone(parts), count=5, seed=1)
    assert again == await drawn(for_everyone(parts), count=5, seed=1)
    assert again != await drawn(for_everyone(parts), count=5, seed=2)
    assert surfaced == []


async def test_each_reaches_only_their_own(parts: Parts) -> None:
    """A user's questions are the user's, another organisation has its own, and its files are refused."""
    await told(parts)
    ben = Acting(parts, Principal(tenant=ORG, user_id=BEN))
    few, saved = await evaluate(ben, Wanted(), unheard)
    assert (few.verdict, few.questions, few.rows) == (Verdict.TOO_FEW, 1, ())
    with pytest.raises(Forbidden):
        await drawn(ben, count=5, seed=1, user_id=ANNA)
    other = Acting(parts, Principal(tenant=OTHER_ORG))
    assert [one.text for one in await drawn(other, count=5, seed=1)] == [
        "What was it that I bought for the harbour in Nice?"
    ]
    with pytest.raises(InvalidInput, match="org-a"):
        await evaluate_again(other, saved, may_lose=0, ranking=None, on_progress=unheard)


@pytest.mark.one_database
async def test_the_gate_fails_when_settings_make_the_ranking_worse(parts: Parts, tmp_path: Path) -> None:
    """The same questions, asked again: nothing is lost by itself, much by ranking what is newest first."""
    acting = for_everyone(parts)
    await told(parts, memories=True)
    asking = SearchOptions(ranking=Ranking.WEIGHTED, at=START)
    found = await measured(
        acting, await drawn(acting, count=COUNT, seed=1, user_id=ANNA), asking, unheard, ways=(ALL,)
    )
    saved = Saved(**asking.model_dump(), org_id=ORG.org_id, seed=1, embedder="any", outcomes=found.outcomes)
    kept = tmp_path / "kept.json"
    kept.write_text(saved.model_dump_json())
    assert read_saved(kept) == saved

    async def again() -> tuple[Verdict, dict[Subject, float]]:
        done = await evaluate_again(acting, saved, may_lose=0.02, ranking=None, on_progress=unheard)
        return done.verdict, {one.subject: one.difference for one in done.comparisons}

    assert await again() == (Verdict.NO_WORSE, {Subject.TURNS: 0.0, Subject.MEMORIES: 0.0})
    newest_first = dict.fromkeys(("keyword", "vector", "reliability", "frequency"), 0) | {"recency": 1}
    await parts.configs.set(ORG, TenantConfig.model_validate({"ranking_weights": newest_first}))
    verdict, lost = await again()
    assert verdict is Verdict.WORSE
    assert lost[Subject.MEMORIES] < -0.3
    async with parts.storage.begin(ORG) as transaction:
        await transaction.interactions.delete_requests([RequestId("r1")])
    assert await again() == (Verdict.TOO_FEW, {})
