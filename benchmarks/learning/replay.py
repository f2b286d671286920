"""
What is remembered after whole conversations that a capable model reads.

    python benchmarks/learning/replay.py [--show] [--against COMMIT]

Each file of `answers` is a scenario: dated sessions, the notes of a careful reader on each turn (facts, rules, and what
they end), and what should be current in the end. A scripted server stands in for the model. It answers each prompt with
the notes on the turns that the prompt shows as new, and judges similarity by what the notes end. So the answers do not
depend on the windows or the wording of prompts, and differences show what the pipeline does with them. Turns are sent
one exchange at a time, at the time at which they were said.

`current` is the share of what should be remembered that is, and `right` the share of what is remembered that should be.
`stale` counts current memories that no longer hold, `double` those that repeat another, and `source` those that name a
wrong turn. `--against` first prints the table of another commit's application, with the same answers.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

ROOT: Final = Path(__file__).parents[2]
sys.path += [str(ROOT / "benchmarks"), str(ROOT / "tests")]

from learning.careful_reader import BETWEEN_TURNS, Scenario, Turn, answer, load, says  # noqa: E402

from sagacity.providers.tokens import TokenCounter  # noqa: E402
from support.api import client_of, running, settings_in  # noqa: E402
from support.parts import StoppedClock  # noqa: E402
from support.scripted_llm import Answer, ChatRequest, as_json, scripted_llm, status  # noqa: E402

ANSWERS: Final = Path(__file__).parent / "answers"
HEADING: Final = (
    f"{'scenario':24} {'turns':>5} {'current':>8} {'right':>8} {'stale':>5}"
    f" {'double':>6} {'source':>6} {'calls':>5} {'prompts':>8} {'text':>6}"
)
"""The last two columns: tokens of prompts with their schemas, and of the turns themselves, for ten turns."""


@dataclass(frozen=True)
class Result:
    """What one scenario gave."""

    name: str
    turns: int
    calls: int
    prompt_tokens: int
    text_tokens: int
    expected: int
    missed: tuple[str, ...]
    memories: int
    wrong: tuple[str, ...]
    stale: tuple[str, ...]
    doubled: tuple[str, ...]
    misplaced: tuple[str, ...]

    def __str__(self) -> str:
        """Return the row as it is printed."""
        prompts, text = (count * 10 // self.turns for count in (self.prompt_tokens, self.text_tokens))
        current = f"{self.expected - len(self.missed)}/{self.expected}"
        right = f"{self.memories - len(self.wrong)}/{self.memories}"
        return (
            f"{self.name:24} {self.turns:5} {current:>8} {right:>8} {len(self.stale):5}"
            f" {len(self.doubled):6} {len(self.misplaced):6} {self.calls:5} {prompts:8,} {text:6,}"
        )


@dataclass(frozen=True)
class Service:
    """The application that is measured; its time is that of the conversation."""

    http: httpx.AsyncClient
    clock: StoppedClock

    async def call(self, method: str, path: str, body: object = None) -> Any:
        """One call that has to succeed."""
        reply = await self.http.request(method, path, json=body)
        if not reply.is_success:
            raise SystemExit(f"{method} {path}: {reply.status_code} {reply.text}")
        return reply.json()

    async def learn_with(self, model_url: str) -> None:
        """Let the model at *model_url* read."""
        config = await self.call("GET", "/api/get_config")
        endpoint = {"model": "replayed", "api_key": "none", "api_base": model_url}
        config["api_key_config"] = {"custom_endpoint": endpoint}
        await self.call("POST", "/api/set_config", config)

    async def publish(self, scenario: Scenario) -> None:
        """Send a scenario, an exchange at a time; what is left at the end of a session is read then."""
        for place, session in enumerate(scenario.sessions):
            exchanges = list(_exchanges(session))
            for exchange in exchanges:
                later = exchange[-1].at + BETWEEN_TURNS - self.clock.now()
                self.clock.advance(max(later.total_seconds(), 0))  # an old conversation may be sent late
                body = {
                    "user_id": scenario.user_id,
                    "session_id": f"{scenario.name}-{place}",
                    "force_extraction": exchange is exchanges[-1],
                    "interaction_data_list": [
                        {"role": turn.role, "content": turn.text, "created_at": int(turn.at.timestamp())}
                        for turn in exchange
                    ],
                }
                await self.call("POST", "/api/publish_interaction?wait_for_response=true", body)

    async def memories(self, user_id: str) -> list[Mapping[str, Any]]:
        """What is current of a user."""
        wanted = {"user_id": user_id, "status_filter": [None]}
        profiles = await self.call("POST", "/api/get_profiles", wanted)
        rules = await self.call("POST", "/api/get_user_playbooks", wanted)
        return [*profiles["user_profiles"], *rules["user_playbooks"]]

    async def said(self, user_id: str) -> dict[int, str]:
        """The text of each turn by its id."""
        turns = await self.call("POST", "/api/get_interactions", {"user_id": user_id})
        return {turn["interaction_id"]: turn["content"] for turn in turns["interactions"]}


def _exchanges(session: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Yield what is said from one turn of who began up to the next."""
    exchange: list[Turn] = []
    for turn in session:
        if turn.role == session[0].role and exchange:
            yield exchange
            exchange = []
        exchange.append(turn)
    if exchange:
        yield exchange


async def measure(scenario: Scenario, count_tokens: Callable[[str], int]) -> Result:
    """
    Send a scenario through an application with a database of its own, and compare.

    Raises:
        SystemExit: the application refused a call, or asked the model what nothing was noted for.
    """
    clock = StoppedClock(scenario.turns[0].at)
    with tempfile.TemporaryDirectory() as home, scripted_llm() as model:
        model.answer_with(lambda request: reply(scenario, request))
        async with running(settings_in(Path(home)), clock) as app, client_of(app) as http:
            service = Service(http, clock)
            await service.learn_with(model.base_url)
            await service.publish(scenario)
            memories, said = await service.memories(scenario.user_id), await service.said(scenario.user_id)
        unanswered = [sorted(_fields(one)) for one in model.requests if reply(scenario, one).status != 200]
    if unanswered:
        raise SystemExit(f"{scenario.name}: nothing was noted for a prompt that asks for {unanswered[0]}")
    return compared(scenario, model.requests, memories, said, count_tokens)


def reply(scenario: Scenario, request: ChatRequest) -> Answer:
    """Return the careful reader's answer to a request."""
    given = answer(scenario, request.messages[-1]["content"], _fields(request))
    return status(400, says="nothing was noted for such a prompt") if given is None else as_json(given)


def _fields(request: ChatRequest) -> set[str]:
    return set((request.schema or {}).get("properties", {}))


def compared(
    scenario: Scenario,
    requests: Sequence[ChatRequest],
    memories: Sequence[Mapping[str, Any]],
    said: Mapping[int, str],
    count_tokens: Callable[[str], int],
) -> Result:
    """Compare the current *memories* with what is expected; *said* is the text of each turn by its id."""
    texts = [f"{one.get('trigger') or ''} {one['content']}".strip() for one in memories]
    stale = [place for place, text in enumerate(texts) if says(text, scenario.stale)]
    hits = {
        one: [place for place, text in enumerate(texts) if says(text, [one.pattern]) and place not in stale]
        for one in scenario.expected
    }
    right = {place for places in hits.values() for place in places}
    firsts = {places[0] for places in hits.values() if places}
    misplaced = {
        place
        for one, places in hits.items()
        for place in places
        if not any(one.source in said.get(turn, "") for turn in memories[place]["source_interaction_ids"])
    }
    return Result(
        name=scenario.name,
        turns=len(scenario.turns),
        calls=len(requests),
        prompt_tokens=sum(count_tokens(one.prompt + json.dumps(one.schema or {})) for one in requests),
        text_tokens=sum(count_tokens(turn.text) for turn in scenario.turns),
        expected=len(scenario.expected),
        missed=tuple(one.pattern for one, places in hits.items() if not places),
        memories=len(texts),
        wrong=tuple(text for place, text in enumerate(texts) if place not in right),
        stale=tuple(texts[place] for place in stale),
        doubled=tuple(texts[place] for place in sorted(right - firsts)),
        misplaced=tuple(texts[place] for place in sorted(misplaced)),
    )


def together(results: Sequence[Result]) -> Result:
    """Add up rows."""
    return Result(
        name="all",
        turns=sum(one.turns for one in results),
        calls=sum(one.calls for one in results),
        prompt_tokens=sum(one.prompt_tokens for one in results),
        text_tokens=sum(one.text_tokens for one in results),
        expected=sum(one.expected for one in results),
        missed=tuple(text for one in results for text in one.missed),
        memories=sum(one.memories for one in results),
        wrong=tuple(text for one in results for text in one.wrong),
        stale=tuple(text for one in results for text in one.stale),
        doubled=tuple(text for one in results for text in one.doubled),
        misplaced=tuple(text for one in results for text in one.misplaced),
    )


def print_table_of(commit: str) -> None:
    """
    Print the table of the application as it was at *commit*, by this benchmark and its answers.

    Raises:
        subprocess.CalledProcessError: there is no such commit, or its application does not run here.
    """
    with tempfile.TemporaryDirectory() as folder:
        archive = ["git", "-C", str(ROOT), "archive", commit, "src"]
        source = subprocess.run(archive, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=source, check=True)
        before = {**os.environ, "PYTHONPATH": str(Path(folder) / "src")}
        subprocess.run([sys.executable, __file__], env=before, check=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--show", action="store_true", help="also print what is missed, wrong, stale, doubled and misplaced"
    )
    parser.add_argument(
        "--against", metavar="COMMIT", help="print the table of this commit's application too"
    )
    arguments = parser.parse_args()
    if arguments.against:
        print(f"{arguments.against}:")
        print_table_of(arguments.against)
        print("this tree:")
    count_tokens = TokenCounter().count
    print(HEADING, flush=True)
    results: list[Result] = []
    for path in sorted(ANSWERS.glob("*.yaml")):
        result = asyncio.run(measure(load(path), count_tokens))
        results.append(result)
        print(result)
        for word in ("missed", "wrong", "stale", "doubled", "misplaced") if arguments.show else ():
            for text in getattr(result, word):
                print(f"    {word}: {text}")
    print(together(results))


if __name__ == "__main__":
    main()
