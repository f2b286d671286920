"""A user whom rules learned is learned again by a model: beside what is current, until somebody switches over."""

import asyncio
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from learning.careful_reader import Scenario, load
from learning.replay import ANSWERS, Service, compared, reply
from rich.console import Console

from sagacity.cli.versions import draw_diff
from sagacity.schemas.versions import ProfileDiff
from support.api import client_of, running, settings_in
from support.documents import ROOT
from support.parts import StoppedClock
from support.scripted_llm import Answer, ChatRequest, scripted_llm

PAGE = ROOT / "docs" / "howto" / "regenerate-and-upgrade.md"


@pytest.fixture
def scenario() -> Scenario:
    return replace(load(ANSWERS / "diet-reversal.yaml"), user_id="ana")


def shown(diff: ProfileDiff) -> list[str]:
    """The lines of a diff as a terminal shows them, without spaces for columns and without the rule between."""
    console = Console(file=io.StringIO(), width=200, highlight=False)
    draw_diff(diff, 50)(console)
    return [line for line in map(plain, console.file.getvalue().splitlines()) if line.strip("─")]


def plain(line: str) -> str:
    """A line without the cosine at its end, whose last digit depends on the processor."""
    return re.sub(r" 0\.\d\d$", "", " ".join(line.split()))


async def test_nothing_current_is_touched_before_the_switch(tmp_path: Path, scenario: Scenario) -> None:
    """Also while the model is asked; the diff is that of the manual, and what was switched to is right."""
    clock = StoppedClock(scenario.turns[0].at)
    seen: list[Any] = []
    loop = asyncio.get_running_loop()

    def answer(request: ChatRequest) -> Answer:
        seen.append(asyncio.run_coroutine_threadsafe(service.memories("ana"), loop).result(60))
        return reply(scenario, request)

    with scripted_llm() as model:
        model.answer_with(answer)
        async with running(settings_in(tmp_path), clock) as app, client_of(app) as http:
            service = Service(http, clock)
            await service.publish(scenario)
            by_rules = await service.memories("ana")
            assert {one["provenance"]["method"] for one in by_rules} == {"rules"}

            await service.learn_with(model.base_url)
            rerun = {"user_id": "ana"}
            await service.call("POST", "/api/rerun_profile_generation?wait_for_response=true", rerun)
            await service.call("POST", "/api/rerun_playbook_generation?wait_for_response=true", rerun)
            assert len(seen) > 1
            assert all(one == by_rules for one in (*seen, await service.memories("ana")))

            diff = ProfileDiff.model_validate(
                await service.call("POST", "/api/get_profile_diff", {"user_id": "ana"})
            )
            page = [plain(line) for line in PAGE.read_text().splitlines()]
            start = page.index(shown(diff)[0])
            assert page[start : start + len(shown(diff))] == shown(diff)

            await service.call("POST", "/api/upgrade_all_profiles", {"user_id": "ana"})
            result = compared(
                scenario, model.requests, await service.memories("ana"), await service.said("ana"), len
            )
            assert (result.missed, result.wrong, result.stale, result.misplaced) == ((), (), (), ())
            await service.call("POST", "/api/downgrade_all_profiles", {"user_id": "ana"})
            restored = await service.memories("ana")
            assert {one["content"] for one in restored} == {one["content"] for one in by_rules}
