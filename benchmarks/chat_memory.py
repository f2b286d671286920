"""
Whether the chat's prompt contains the turns that answer a question, within a limit of tokens.

    python benchmarks/chat_memory.py --data PATH [--locomo PATH] [--sample 24] [--locomo-sample 200]

Histories are published session by session, embedded, and learned from by rules. Each question is then asked as a
message to the chat, and its prompt is built as in the chat (`chat/remember.py`, `chat/history.py`); no model is called.
LongMemEval_S (`--data`) and LoCoMo are read as in `retrieval.py`.
"""

import argparse
import asyncio
import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import locomo
import longmemeval
from cached_embedder import CachedEmbedder
from corpus import TENANT
from evidence import Progress, opened
from harness import Place, Report, Table, folder, unheard
from histories import History, Question, TurnKey, histories_of
from retrieval import CACHE, STRATEGY_SECONDS, path_of, shown
from run import PAGE, machine, put

from sagacity.chat.history import in_sight, window
from sagacity.chat.remember import remember
from sagacity.config.database import DatabaseConfigs
from sagacity.domain.chat import Message, MessageRole
from sagacity.domain.clock import SystemClock
from sagacity.domain.context import Context, ContextBudgets
from sagacity.domain.ids import InteractionId, MemoryId, SessionId, TimeOrderedIds, UserId
from sagacity.domain.principal import Principal
from sagacity.learning.models import open_models
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.tasks.open import open_task_runner
from sagacity.memories.acting import Acting
from sagacity.providers.base import Embedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.tokens import TokenCounter
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.transaction import Storage
from support.acting import parts_of

CAPS = (1_000, 2_500, 5_000)
LONGMEMEVAL, LOCOMO = "LongMemEval_S", "LoCoMo"
LAST, NEW, GOING_ON = "the last turns", "the chat, a new conversation", "the chat, one long conversation"
WAYS = (LAST, NEW, GOING_ON)
ABOUT = (
    "Whether the prompt that the chat puts together shows the turns that answer a question, within a cap of tokens. "
    "Histories are published session by session into SQLite, embedded, and learned from by rules; then each question "
    "is asked as a message. No model is called. “the last turns” are the newest of the whole history that fit: a chat "
    "that remembers nothing but its conversation. “a new conversation” has nothing but what is remembered; “one long "
    "conversation” has its last turns, too: three tenths of the cap, and what memory leaves. “or what was "
    "learned” counts a memory in place of the turn that it was learned from."
)
_SHOWN_MESSAGES = 100
"""As many of a conversation as the chat looks at."""
_ROLES = {"user": MessageRole.USER, "assistant": MessageRole.ASSISTANT}


class DatedClock(SystemClock):
    """A clock that stands at the moment at which a question is asked."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC)

    def now(self) -> datetime:
        """Return that moment."""
        return self.at


@dataclass(frozen=True)
class Seen:
    """Which turns a prompt shows, and the turns that its memories were learned from."""

    turns: frozenset[TurnKey]
    learned_from: frozenset[TurnKey] = frozenset()


@dataclass(frozen=True)
class Outcome:
    """One question, asked in one way within one cap."""

    kind: str
    is_all: bool
    """Whether every turn that answers it is shown."""
    is_all_or_learned: bool
    """Likewise, a memory that was learned from a turn in place of it."""
    is_any: bool
    """Whether one of them is."""
    is_session: bool
    """Whether some turn of a session that answers it is shown."""
    tokens: int


def outcome(question: Question, seen: Seen, tokens: int) -> Outcome:
    """Compare what a prompt shows with what answers the question."""
    wanted = question.evidence_turns
    return Outcome(
        kind=question.kind,
        is_all=wanted <= seen.turns,
        is_all_or_learned=wanted <= seen.turns | seen.learned_from,
        is_any=bool(wanted & seen.turns),
        is_session=bool(question.evidence_sessions & {session for session, _ in seen.turns}),
        tokens=tokens,
    )


class Asker:
    """Puts prompts together over one database."""

    def __init__(self, storage: Storage, embedder: Embedder, histories: Sequence[History]) -> None:
        self._clock = DatedClock()
        self._counter = TokenCounter()
        self._histories = {history.user_id: history for history in histories}
        parts = parts_of(storage, embedder, self._clock, TimeOrderedIds())  # pyright: ignore[reportArgumentType]  # an embedder
        self._acting = Acting(
            replace(
                parts,
                searcher=Searcher(storage, embedder, clock=self._clock, strategy_seconds=STRATEGY_SECONDS),
                tokens=self._counter,
            ),
            Principal(tenant=TENANT),
        )

    async def ask(self, question: Question, way: str, cap: int) -> Outcome:
        """Put the prompt of one question together."""
        self._clock.at = question.asked_at
        history = self._histories[question.user_id]
        if way == LAST:
            seen, tokens = self._last(history, cap)
            return outcome(question, seen, tokens)
        said = _messages(history) if way == GOING_ON else []
        whole = ContextBudgets(total_tokens=cap)
        newest, budgets = in_sight(said, budgets=whole, count=self._counter.count)
        remembered = await remember(
            self._acting,
            UserId(question.user_id),
            question.text,
            settings=None,
            shown=await self._numbers(history, len(newest)),
            budgets=budgets,
        )
        context = remembered.context
        seen, tokens = await self._of_context(history, context), context.total_tokens
        if said:
            room = max(whole.history_tokens, cap - context.total_tokens)
            last, more = self._last(history, room)
            seen, tokens = Seen(seen.turns | last.turns, seen.learned_from), tokens + more
        return outcome(question, seen, tokens)

    def _last(self, history: History, budget: int) -> tuple[Seen, int]:
        """Return the newest turns that fit, as the chat chooses them, and their tokens."""
        taken, _ = window(_messages(history), budget=budget, count=self._counter.count)
        turns = history.turns[len(history.turns) - len(taken) :]
        tokens = sum(self._counter.count(message.content) for message in taken)
        return Seen(frozenset(key for key, _ in turns)), tokens

    async def _numbers(self, history: History, count: int) -> list[InteractionId]:
        """The numbers of the newest *count* turns, as they were stored."""
        if not count:
            return []
        async with self._acting.read(user_id=history.user_id) as snapshot:
            newest = await snapshot.interactions.log_before(
                UserId(history.user_id), seq=len(history.turns), limit=count
            )
        return [turn.interaction_id for turn in newest]

    async def _of_context(self, history: History, context: Context) -> Seen:
        items = [item for section in context.sections for item in section.items]
        ids = [int(item.citation.partition(":")[2]) for item in items if item.kind == "interaction"]
        memory_ids = [
            MemoryId(int(item.citation.partition(":")[2]))
            for item in items
            if item.kind not in {"interaction", "entity"}
        ]
        async with self._acting.read(user_id=history.user_id) as snapshot:
            turns = await snapshot.interactions.get([InteractionId(one) for one in ids])
            memories = await snapshot.memories.get_many(memory_ids)
            sources = await snapshot.interactions.get(
                [one for memory in memories for one in memory.source_interaction_ids]
            )
        return Seen(
            frozenset(history.turns[turn.seq - 1][0] for turn in turns),
            frozenset(history.turns[turn.seq - 1][0] for turn in sources),
        )


def _messages(history: History) -> list[Message]:
    """The newest turns as messages of one conversation."""
    return [
        Message(
            message_id="",
            session_id=SessionId("long"),
            role=_ROLES.get(turn.role, MessageRole.USER),
            content=turn.content,
            created_at=history.sessions[-1].at,
        )
        for _, turn in history.turns[-_SHOWN_MESSAGES:]
    ]


async def learned(
    storage: Storage, home: Path, embedder: Embedder, histories: Sequence[History], progress: Progress
) -> None:
    """Learn from every history by rules, as the server does without a model."""
    settings, clock = Place(home).settings, SystemClock()
    models = ModelGateway(storage, open_models(settings, {}), clock)
    tasks = open_task_runner(
        *(settings, storage, embedder, models, DatabaseConfigs(storage)),
        clock=clock,
        ids=TimeOrderedIds(),
        announce=unheard,
        forget_tokens=unheard,
    )
    for number, history in enumerate(histories, 1):
        report = await tasks.run_now(TENANT, UserId(history.user_id), "learn", force=True)
        if report.failed:
            raise SystemExit(f"learning failed: {report.failed}")
        progress("learning", number, len(histories))


async def measured(
    questions: Sequence[Question], home: Path, cache: Path
) -> dict[tuple[str, int], list[Outcome]]:
    """Ask every question in every way within every cap."""
    progress, embedder, histories = shown(), CachedEmbedder(MiniLM(), cache), histories_of(questions)
    async with opened(home, histories, embedder, progress) as storage:
        await learned(storage, home, embedder, histories, progress)
    found: dict[tuple[str, int], list[Outcome]] = {(way, cap): [] for cap in CAPS for way in WAYS}
    async with opened(home, histories, embedder, progress) as storage:  # embeds what was learned
        await embedder.keep([question.text for question in questions])
        asker = Asker(storage, embedder, histories)
        for number, question in enumerate(questions, 1):
            for (way, cap), outcomes in found.items():
                outcomes.append(await asker.ask(question, way, cap))
            progress("asking", number, len(questions))
    return found


def tables_of(name: str, found: dict[tuple[str, int], list[Outcome]]) -> list[Table]:
    """The whole, and by kind of question."""
    rows = [
        (
            f"{cap:,}",
            way,
            *(
                f"{_mean(getattr(one, figure) for one in outcomes):.3f}"
                for figure in ("is_all", "is_all_or_learned", "is_any", "is_session")
            ),
            f"{_mean(one.tokens for one in outcomes):,.0f}",
        )
        for (way, cap), outcomes in found.items()
    ]
    kinds = sorted({one.kind for outcomes in found.values() for one in outcomes})
    counts = {kind: sum(one.kind == kind for one in next(iter(found.values()))) for kind in kinds}
    by_kind = [
        (
            f"{cap:,}",
            way,
            *(f"{_mean(one.is_all for one in outcomes if one.kind == kind):.3f}" for kind in kinds),
        )
        for (way, cap), outcomes in found.items()
    ]
    count = len(next(iter(found.values())))
    return [
        Table(
            f"{name}: the evidence in the prompt",
            (
                "cap, tokens",
                "prompt",
                "all turns",
                "all turns, or what was learned",
                "a turn",
                "a session",
                "tokens",
            ),
            rows,
            f"Mean of {count} questions.",
        ),
        Table(
            f"{name}: all turns, by kind of question",
            ("cap, tokens", "prompt", *(f"{kind} ({counts[kind]})" for kind in kinds)),
            by_kind,
        ),
    ]


def _mean(values: Iterable[float]) -> float:
    return statistics.fmean(values)


def every(questions: Sequence[Question], count: int) -> list[Question]:
    """Return about *count* of the questions, evenly from first to last."""
    return [questions[place * len(questions) // count] for place in range(min(count, len(questions)))]


def main() -> None:
    """Measure, print, and keep what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=path_of, help="LongMemEval_S: .json or .jsonl, also .xz")
    parser.add_argument("--locomo", type=path_of, help="LoCoMo: .json, also .xz")
    parser.add_argument(
        "--sample", type=int, default=24, help="so many questions of LongMemEval_S, every kind in turn"
    )
    parser.add_argument("--locomo-sample", type=int, default=200, help="so many questions of LoCoMo, evenly")
    parser.add_argument(
        "--store", type=Path, help="keep the filled databases here, and use those that are here"
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help="where vectors are kept")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--page", action="store_true", help=f"put the figures into {PAGE.name}")
    parser.add_argument("--date", default="", help="the day to put on the page")
    arguments = parser.parse_args()
    sets: dict[str, list[Question]] = {}
    if arguments.data or not arguments.locomo:
        sets[LONGMEMEVAL] = longmemeval.taken(
            longmemeval.load(arguments.data or longmemeval.SAMPLE), arguments.sample
        )
    if arguments.locomo:
        sets[LOCOMO] = every(locomo.load(arguments.locomo), arguments.locomo_sample)
    report = Report("Memory in the chat", ABOUT)
    with folder() as temporary:
        for name, questions in sets.items():
            home = (arguments.store or temporary) / f"{name.lower()}-{len(questions)}"
            found = asyncio.run(measured(questions, home, arguments.cache))
            report.tables += tables_of(name, found)
    print(report.markdown())
    if arguments.json:
        arguments.json.write_text(json.dumps(asdict(report), indent=1))
    if arguments.page:
        day = f"Taken on {arguments.date}" if arguments.date else "Taken"
        text = f"{report.markdown()}\n{day} with `python benchmarks/chat_memory.py` on {machine()}"
        PAGE.write_text(put(PAGE.read_text(), "chat_memory", text))


if __name__ == "__main__":
    main()
