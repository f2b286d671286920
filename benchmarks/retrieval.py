"""
How well the program's search finds the turns and sessions that answer a question.

    python benchmarks/retrieval.py --data PATH [--locomo PATH] [--beam PATH] [--only ROW ...] [--misses]
    python benchmarks/retrieval.py --sample [N]

In LongMemEval_S (`--data`), every question has a user of its own, with the whole history that it is asked over;
`pooled` rows ask all questions of one user who has all sessions. In LoCoMo and BEAM, the questions of a conversation
share a user.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import beam
import locomo
import longmemeval
from cached_embedder import CachedEmbedder
from corpus import TENANT
from evidence import Progress, copied, opened
from harness import ROOT, Report, folder
from histories import History, Question, histories_of
from retrieval_report import Hit, Outcome, Row, figures_of, misses_of, report_of, tables_of
from run import PAGE, machine, put

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import UserId
from sagacity.domain.query import Filter, Found, Query, Ranking, SearchMode, StrategyName
from sagacity.providers.base import Embedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.embedders.multilingual import MultilingualUSE
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.transaction import Storage

LOG_SECONDS = 10.0
STRATEGY_SECONDS = 60.0
"""A busy machine may make a strategy slow here, and not make it fail."""
CACHE = ROOT / ".cache" / "retrieval"
EVERYBODY = "everybody"
LONGMEMEVAL = "LongMemEval_S"
ALL_SETS = 3
DEPTH = 10
"""How many turns a caller asks for; what is told of turns is of these."""
FAR_DEPTH = 200
"""How many are asked for to rank sessions, and to see where missing turns are."""
WORDS = {"mode": SearchMode.FTS, "ranking": Ranking.RRF, "strategies": (StrategyName.KEYWORD,)}
MEANING = {"mode": SearchMode.VECTOR, "ranking": Ranking.RRF, "strategies": (StrategyName.VECTOR,)}


@dataclass(frozen=True)
class Way:
    """One way of searching, and the database it is tried on."""

    name: str
    label: str
    options: dict[str, Any]
    database: str = "questions"


WAYS = (
    Way("bm25", "BM25 alone", WORDS),
    Way("minilm", "dense alone, MiniLM", MEANING),
    Way("multilingual", "dense alone, multilingual", MEANING, "multilingual"),
    Way("rrf", "reciprocal ranks", {"ranking": Ranking.RRF}),
    Way("weighted", "`weighted`", {"ranking": Ranking.WEIGHTED}),
    Way("default", "the default", {}),
    Way("pooled-bm25", "pooled: BM25 alone", WORDS, "pooled"),
    Way("pooled-default", "pooled: the default", {}, "pooled"),
)


class Databases:
    """Opens each database when it is first asked for, filled with what it has to hold."""

    def __init__(self, questions: Sequence[Question], home: Path, cache: Path, progress: Progress) -> None:
        self._home = home
        self._progress = progress
        self._minilm = CachedEmbedder(MiniLM(), cache)
        self._multilingual = CachedEmbedder(MultilingualUSE(), cache)
        self._own = histories_of(questions)
        self._all = [History(EVERYBODY, longmemeval.pooled(questions))]

    @asynccontextmanager
    async def open(self, name: str) -> AsyncIterator[tuple[Storage, CachedEmbedder]]:
        """Open one of them, with the embedder of its index."""
        histories = self.histories(name)
        embedder = self._minilm
        if name == "multilingual":
            async with opened(self._home / "questions", histories, self._minilm, self._progress):
                pass
            copied(self._home / "questions", self._home / name)
            embedder = self._multilingual
        async with opened(self._home / name, histories, embedder, self._progress) as storage:
            yield storage, embedder

    def histories(self, name: str) -> list[History]:
        """Whose logs one of them holds."""
        return self._all if name == "pooled" else self._own


async def ask(
    cached: Searcher, embedding: Searcher, way: Way, question: Question, history: History
) -> Outcome:
    """Ask one question, deep first, so that what is timed afterwards meets warm caches."""
    query = Query(
        text=question.text,
        wanted=Filter(interactions=True, user_id=UserId(history.user_id)),
        limit=FAR_DEPTH,
        reference_at=question.asked_at,
        **way.options,
    )
    far = await cached.search(TENANT, query)
    query = query.model_copy(update={"limit": DEPTH})
    started = time.perf_counter()
    found = await cached.search(TENANT, query)
    answered = time.perf_counter()
    await embedding.search(TENANT, query)
    ended = time.perf_counter()
    return Outcome(
        question,
        hits_of(found, history),
        hits_of(far, history),
        milliseconds=(answered - started) * 1000,
        embedding_milliseconds=(ended - answered) * 1000,
        failed=far.trace.failed | found.trace.failed,
    )


def hits_of(found: Found, history: History) -> list[Hit]:
    """The turns that were found, as the history knows them."""
    return [
        Hit(*history.turns[item.interaction.seq - 1], item.score, item.components)
        for item in found.items
        if item.interaction
    ]


async def measured(
    ways: Sequence[Way], questions: Sequence[Question], databases: Databases, progress: Progress
) -> list[Row]:
    """Ask every answerable question in every way, database by database."""
    asked = [question for question in questions if question.is_answerable]
    rows: dict[str, Row] = {}
    for database in dict.fromkeys(way.database for way in ways):
        histories = {history.user_id: history for history in databases.histories(database)}
        async with databases.open(database) as (storage, embedder):
            await embedder.keep([question.text for question in asked])
            await embedder.inner.warm()
            cached, embedding = (searcher(storage, one) for one in (embedder, embedder.inner))
            for way in (way for way in ways if way.database == database):
                outcomes: list[Outcome] = []
                for question in asked:
                    history = histories.get(question.user_id) or histories[EVERYBODY]
                    outcomes.append(await ask(cached, embedding, way, question, history))
                    progress(f"asking, {way.name}", len(outcomes), len(asked))
                rows[way.name] = Row(way.name, way.label, outcomes)
    return [rows[way.name] for way in ways]


def searcher(storage: Storage, embedder: Embedder) -> Searcher:
    """What answers, put together as the program does."""
    return Searcher(
        storage,
        embedder,
        clock=SystemClock(),
        strategy_seconds=STRATEGY_SECONDS,
    )


def shown() -> Progress:
    """Return what tells of progress on standard error: one line that changes, or in a log one now and then."""
    is_terminal, told = sys.stderr.isatty(), 0.0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal told
        if done == total or time.monotonic() - told > (0.2 if is_terminal else LOG_SECONDS):
            told = time.monotonic()
            end = "\r" if is_terminal and done < total else "\n"
            print(f"{what}: {done:,} of {total:,}", end=end, file=sys.stderr, flush=True)

    return progress


def questions_of(arguments: argparse.Namespace) -> dict[str, list[Question]]:
    """The questions that are asked for, by the name of their data set."""
    if arguments.sample is not None:
        every = longmemeval.load(arguments.data or longmemeval.SAMPLE)
        return {LONGMEMEVAL: longmemeval.taken(every, arguments.sample)}
    found: dict[str, list[Question]] = {}
    if arguments.data or not (arguments.locomo or arguments.beam):
        found[LONGMEMEVAL] = longmemeval.load(arguments.data)
    if arguments.locomo:
        found["LoCoMo"] = locomo.load(arguments.locomo)
    if arguments.beam:
        found["BEAM"] = beam.load(arguments.beam)
    return found


async def rows_of(arguments: argparse.Namespace, name: str, questions: Sequence[Question]) -> list[Row]:
    """Measure what is asked for on one data set; only LongMemEval_S is asked in every way."""
    ways = [way for way in WAYS if way.name in arguments.only]
    if name != LONGMEMEVAL:
        ways = [way for way in ways if way.database == "questions"]
    progress = shown()
    with folder() as temporary:
        home = (arguments.store or temporary) / name.lower()
        return await measured(
            ways, questions, Databases(questions, home, arguments.cache, progress), progress
        )


def main() -> None:
    """Measure, print, and keep what is asked for."""
    names = [way.name for way in WAYS]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=path_of, help="LongMemEval_S: .json or .jsonl, also .xz")
    parser.add_argument("--locomo", type=path_of, help="LoCoMo: .json, also .xz")
    parser.add_argument("--beam", type=path_of, help="BEAM, one chat a line: .jsonl, also .xz")
    parser.add_argument(
        "--sample", type=int, nargs="?", const=10, help="so many questions, of the sample without --data"
    )
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="ROW", help=", ".join(names)
    )
    parser.add_argument("--misses", action="store_true", help="tell which evidence the default did not find")
    parser.add_argument(
        "--store", type=Path, help="keep the filled databases here, and use those that are here"
    )
    parser.add_argument("--cache", type=Path, default=CACHE, help="where vectors are kept")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument(
        "--page", action="store_true", help=f"put the figures into {PAGE.name}, if they are of all"
    )
    parser.add_argument("--date", default="", help="the day to put on the page")
    arguments = parser.parse_args()
    rows = {
        name: asyncio.run(rows_of(arguments, name, questions))
        for name, questions in questions_of(arguments).items()
    }
    report = report_of(rows[LONGMEMEVAL]) if LONGMEMEVAL in rows else Report("Retrieval", "")
    for name in (name for name in rows if name != LONGMEMEVAL):
        report.tables += tables_of(name, rows[name])
    print(report.markdown())
    if arguments.misses:
        for found in rows.values():
            told = [row for row in found if row.name == "default"] or found
            print("\n".join(line for row in told for line in (f"# {row.label}", *misses_of(row))))
    if arguments.json:
        figures = {name: figures_of(found) for name, found in rows.items()}
        arguments.json.write_text(json.dumps(asdict(report) | {"rows": figures}, indent=1))
    if arguments.page and arguments.sample is None and arguments.only is names and len(rows) == ALL_SETS:
        day = f"Taken on {arguments.date}" if arguments.date else "Taken"
        text = f"{report.markdown()}\n{day} with `make bench-retrieval` on {machine()}"
        PAGE.write_text(put(PAGE.read_text(), "retrieval", text))


def path_of(text: str) -> Path | None:
    """A path, or none where a variable of the caller's is empty."""
    return Path(text) if text else None


if __name__ == "__main__":
    main()
