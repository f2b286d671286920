"""
How reliable the relevance of a result is: questions about memories, some of which have no answer.

    python benchmarks/relevance.py [--multilingual] [--fit]

Each question is asked of its own user and of another, who has no memories about it. `--fit` prints the calibration that
fits the first results best, for `retrieval/relevance.py`.
"""

import argparse
import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from corpus import TENANT
from harness import Place, Report, Table, folder
from run import PAGE, machine, put

from sagacity.bootstrap import open_database
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import MemoryUid, UserId
from sagacity.domain.memory import MemoryKind, NewMemory
from sagacity.domain.query import Filter, Query
from sagacity.providers.base import Embedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.embedders.multilingual import MultilingualUSE
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.transaction import Storage

PLOT = PAGE.with_name("relevance.svg")
DATA = Path(__file__).parent / "data" / "questions_of_memories.txt"
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)
BINS = 5
FIT_STEPS = 50
RIDGE = 1e-2
"""Keeps the fit finite where the data can be told apart without an error."""


@dataclass(frozen=True)
class User:
    """What is known of one user, and questions with the numbers of the facts that answer them."""

    facts: dict[int, str]
    questions: Sequence[tuple[str, frozenset[int]]]


@dataclass(frozen=True)
class Result:
    """One result: its relevance, its cosine, and whether it answers the question."""

    relevance: float
    cosine: float
    is_right: bool


@dataclass(frozen=True)
class Answer:
    """What one question brought, best first."""

    is_own: bool
    is_answerable: bool
    results: Sequence[Result]


def users() -> list[User]:
    """Read the users of the file."""
    found: list[User] = []
    for block in re.split(r"\n\s*\n", DATA.read_text(encoding="utf-8")):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        facts = dict(_fact(line) for line in lines if line[:1].isdigit())
        if facts:
            found.append(User(facts, [_question(line) for line in lines if line.startswith("?")]))
    return found


def _fact(line: str) -> tuple[int, str]:
    number, text = line.split(" ", 1)
    return int(number), text


def _question(line: str) -> tuple[str, frozenset[int]]:
    text, _, numbers = line.removeprefix("? ").rpartition(" | ")
    return text, frozenset(int(one) for one in numbers.split() if one != "-")


async def answers(embedder: Embedder, home: Path) -> list[Answer]:
    """Store the facts and ask the questions."""
    everybody = users()
    async with open_database(Place(home).settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        for place, user in enumerate(everybody):
            await _remember(storage, embedder, place, user)
        searcher = Searcher(storage, embedder, clock=SystemClock())
        return [
            await _ask(searcher, text, right if place == asked else frozenset(), place, asked)
            for place, user in enumerate(everybody)
            for text, right in user.questions
            for asked in (place, (place + 1) % len(everybody))
        ]


async def _remember(storage: Storage, embedder: Embedder, place: int, user: User) -> None:
    now = datetime.now(UTC)
    new = [
        NewMemory(
            uid=MemoryUid(f"{place}-{number}"),
            kind=MemoryKind.PROFILE,
            user_id=UserId(f"user-{place}"),
            content=text,
            created_at=now,
            updated_at=now,
        )
        for number, text in user.facts.items()
    ]
    vectors = await embedder.embed(list(user.facts.values()))
    async with storage.begin(TENANT) as transaction:
        await transaction.memories.add(
            new, vectors={one.uid: vector for one, vector in zip(new, vectors, strict=True)}
        )


async def _ask(searcher: Searcher, text: str, right: frozenset[int], place: int, asked: int) -> Answer:
    wanted = Filter(kinds=(MemoryKind.PROFILE,), user_id=UserId(f"user-{asked}"))
    found = await searcher.search(TENANT, Query(text=text, wanted=wanted, limit=20))
    results = [
        Result(
            one.relevance,
            one.components["vector"],
            int(one.memory.uid.partition("-")[2]) in right,
        )
        for one in found.items
        if one.memory is not None and one.relevance is not None
    ]
    return Answer(place == asked, bool(right), results)


def report_of(found: Sequence[Answer], model: str) -> Report:
    """The figures as a report."""
    own = [one for one in found if one.is_own]
    report = Report(
        "Relevance",
        f"{len(own)} questions about {len(users())} users with some ten facts each, by {model}; "
        f"{sum(one.is_answerable for one in own)} of them have an answer.",
    )
    firsts = [one.results[0] for one in own]
    report.tables += [
        Table("Calibration of first results", ("relevance", "results", "mean", "right"), list(_bins(firsts))),
        Table(
            "What a threshold does",
            (
                *("threshold", "nothing found, though known", "answered", "wrong results a question"),
                *("something found, though unknown", "of another user"),
            ),
            [_at(found, threshold) for threshold in THRESHOLDS],
        ),
        Table(
            "Telling apart",
            ("what", "AUC"),
            [
                ("right first results from wrong ones", f"{_auc(firsts):.3f}"),
                (
                    "questions with an answer from those without",
                    f"{_auc([Result(one.results[0].relevance, 0, one.is_answerable) for one in own]):.3f}",
                ),
            ],
        ),
    ]
    return report


def _bins(results: Sequence[Result]) -> list[tuple[str, ...]]:
    """Relevance beside the share that is right; the last row is the mean distance of the two."""
    rows: list[tuple[str, ...]] = []
    error = 0.0
    for place in range(BINS):
        some = [one for one in results if min(int(one.relevance * BINS), BINS - 1) == place]
        if some:
            mean = sum(one.relevance for one in some) / len(some)
            right = sum(one.is_right for one in some) / len(some)
            error += abs(mean - right) * len(some) / len(results)
            name = f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}"
            rows.append((name, str(len(some)), f"{mean:.2f}", f"{right:.2f}"))
    return [*rows, ("calibration error", str(len(results)), f"{error:.3f}", "")]


def plotted(rows: Sequence[tuple[str, ...]]) -> str:
    """
    Draw the bins as SVG: the mean relevance to the right, the share that is right upwards, the size their number.

    Args:
        rows: of `_bins`, without the last.
    """
    side, edge = 300, 40
    most = max(int(count) for _, count, _, _ in rows)
    dots: list[str] = []
    for _, count, mean, right in rows:
        x, y = edge + float(mean) * side, edge + (1 - float(right)) * side
        radius = 4 + 10 * (int(count) / most) ** 0.5
        dots.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="#3465a4" fill-opacity="0.7"/>')
    ends, middle = edge + side, edge + side / 2
    box = f'viewBox="0 0 {ends + edge} {ends + edge}" width="{ends + edge}"'
    words = [
        f'<text x="{middle:.0f}" y="{ends + 32}" text-anchor="middle">relevance</text>',
        f'<text x="14" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 14 {middle:.0f})">right</text>',
        *(
            f'<text x="{edge + at * side:.0f}" y="{ends + 16}" text-anchor="middle">{at:g}</text>'
            f'<text x="{edge - 8}" y="{edge + (1 - at) * side + 4:.0f}" text-anchor="end">{at:g}</text>'
            for at in (0, 0.5, 1)
        ),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12">',
            "<title>Relevance of first results and how many of them are right</title>",
            f'<rect width="{ends + edge}" height="{ends + edge}" fill="white"/>',
            f'<rect x="{edge}" y="{edge}" width="{side}" height="{side}" fill="none" stroke="#888"/>',
            f'<line x1="{edge}" y1="{ends}" x2="{ends}" y2="{edge}" stroke="#888" stroke-dasharray="4"/>',
            *dots,
            *words,
            "</svg>\n",
        ]
    )


def _at(found: Sequence[Answer], threshold: float) -> tuple[str, ...]:
    """What is left of the answers above *threshold*."""
    kept = [(one, [it for it in one.results if it.relevance >= threshold]) for one in found]
    known = [left for one, left in kept if one.is_own and one.is_answerable]
    unknown = [left for one, left in kept if one.is_own and not one.is_answerable]
    others = [left for one, left in kept if not one.is_own]
    return (
        f"{threshold:g}",
        f"{sum(not left for left in known) / len(known):.2f}",
        f"{sum(any(it.is_right for it in left) for left in known) / len(known):.2f}",
        f"{sum(not it.is_right for left in known for it in left) / len(known):.2f}",
        f"{sum(bool(left) for left in unknown) / len(unknown):.2f}",
        f"{sum(bool(left) for left in others) / len(others):.2f}",
    )


def _auc(results: Sequence[Result]) -> float:
    """How often something right is more relevant than something wrong."""
    right = np.array([one.relevance for one in results if one.is_right])
    wrong = np.array([one.relevance for one in results if not one.is_right])
    return float(
        (right[:, None] > wrong[None]).mean() + 0.5 * (right[:, None] == wrong[None]).mean(dtype=float)
    )


def fitted(found: Sequence[Answer]) -> tuple[float, float]:
    """Return intercept and weight of the cosine that fit the first results best, by Newton's method."""
    firsts = [one.results[0] for one in found if one.is_own]
    given = np.array([(1.0, one.cosine) for one in firsts])
    right = np.array([one.is_right for one in firsts], float)
    weights = np.zeros(2)
    for _ in range(FIT_STEPS):
        likely = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (likely - right) + RIDGE * weights
        curve = (given * (likely * (1 - likely))[:, None]).T @ given + RIDGE * np.eye(2)
        weights -= np.linalg.solve(curve, slope)
    return float(weights[0]), float(weights[1])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--multilingual", action="store_true", help="the other built-in embedder")
    parser.add_argument("--page", action="store_true", help=f"put the figures into {PAGE.name}, with a plot")
    parser.add_argument("--date", default="", help="the day to put on the page")
    parser.add_argument("--fit", action="store_true", help="print the calibration that fits best")
    arguments = parser.parse_args()
    embedder = MultilingualUSE() if arguments.multilingual else MiniLM()
    with folder() as home:
        found = asyncio.run(answers(embedder, home))
    report = report_of(found, embedder.model)
    print(report.markdown())
    if arguments.page:
        PLOT.write_text(plotted(report.tables[0].rows[:-1]), encoding="utf-8")
        figure = f"![Calibration of first results]({PLOT.name})"
        taken = f"Taken on {arguments.date} with `python benchmarks/relevance.py` on {machine()}."
        PAGE.write_text(put(PAGE.read_text(), "relevance", f"{report.markdown()}\n{figure}\n\n{taken}"))
    if arguments.fit:
        print("Calibration({:.2f}, {:.2f})".format(*fitted(found)))


if __name__ == "__main__":
    main()
