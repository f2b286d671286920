"""
How much the rules note without a model, and how much of it a careful reader would have noted too.

    python benchmarks/learning/rules.py [--split development|held-out|all] [--show]

Each line of `data/*.jsonl` is a short conversation with the notes that it should give; many teach nothing. The rules
read each separately. Recall is the share of the labelled notes that a proposal matches; precision is the share of the
proposals that match a note. The held-out half is only for measuring: authors of rules read the development half only.
"""

import argparse
import asyncio
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.ids import InteractionId, RequestId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.learning.extractors.rules import RuleProfileExtractor, RuleUserPlaybookExtractor

DATA: Final = Path(__file__).parent / "data"
SAID_AT: Final = datetime(2026, 1, 15, 12, tzinfo=UTC)
EXTRACTORS: Final = {"fact": RuleProfileExtractor(), "instruction": RuleUserPlaybookExtractor()}
ROWS: Final = {
    "English": ("en", "en-longmemeval", "en-tau-bench"),
    "  of it real chats": ("en-longmemeval", "en-tau-bench"),
    "German": ("de",),
    "French": ("fr",),
    "Spanish": ("es",),
    "Portuguese": ("pt",),
    "between named people": ("named-people",),
}
"""The rows of the table, and the files that each counts."""
CONVERSATIONS: Final = "conversations"
"""A row and a file of its own, which `all` leaves out."""
DENIES: Final = (
    r"no\b|not\b|\w+n't\b|never|without|avoid|stop|hate|dislike"
    r"|nicht|kein|nie\b|ohne|hass|aufhor|lass|vermeid"
    r"|pas\b|plus\b|jamais|sans\b|aucun|detest|evit|arret"
    r"|sin\b|nunca|odi|dej|nao\b|sem\b|pare\b|parar|para de"
)
"""Words that deny, in the five languages, without accents; `~` in a pattern."""


@dataclass(frozen=True)
class Note:
    """
    What a careful reader would write down: every pattern of *has* is in it, none of *lacks*.

    A *manner* says how the user wants answers, and may be noted as either kind; it counts as an instruction. What is
    *optional* is right when it is noted, and not missed when it is not.
    """

    kind: str
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    optional: bool = False

    def matches(self, kind: str, candidate: Candidate) -> bool:
        """Whether *candidate*, proposed as *kind*, says this."""
        if self.kind not in {kind, "manner"}:
            return False
        content = folded(candidate.content)
        whole = folded(" ".join((candidate.content, candidate.trigger or "", candidate.pitfall or "")))
        return all(begins_word(word, whole) for word in self.has) and not any(
            begins_word(word, content) for word in self.lacks
        )

    def __str__(self) -> str:
        """Return it as it is printed."""
        return f"{self.kind}: {', '.join(self.has)}" + (f", not {', '.join(self.lacks)}" * bool(self.lacks))


@dataclass(frozen=True)
class Statement:
    """A short conversation (role and text of each turn) and what there is to note of it."""

    turns: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]

    @property
    def is_held_out(self) -> bool:
        """Which half it belongs to, by its text alone: a line that is added moves no other."""
        text = "\n".join(text for _, text in self.turns)
        return hashlib.sha256(text.encode()).digest()[0] % 2 == 1

    @property
    def text(self) -> str:
        """What was said last."""
        return " / ".join(text for role, text in self.turns if role != "Assistant")

    def window(self) -> Window:
        """Return it as the rules read it: one user's turns, all of them new."""
        unread = tuple(
            Interaction(
                interaction_id=InteractionId(seq),
                seq=seq,
                request_id=RequestId("benchmark"),
                user_id=UserId("user"),
                role=role,
                content=text,
                created_at=SAID_AT,
            )
            for seq, (role, text) in enumerate(self.turns, start=1)
        )
        return Window(user_id=UserId("user"), first_seq=1, last_seq=len(unread), unread=unread)


@dataclass
class Tally:
    """Of one kind in one row: what was to note and noted, what was proposed and right."""

    labelled: int = 0
    found: int = 0
    proposed: int = 0
    right: int = 0

    def __str__(self) -> str:
        """Return recall and precision, each with its counts."""
        return f"{share(self.found, self.labelled)}  {share(self.right, self.proposed)}"


@dataclass
class Score:
    """One row of the table."""

    name: str
    statements: int = 0
    teach_nothing: int = 0
    quiet: int = 0
    tallies: dict[str, Tally] = field(default_factory=lambda: {kind: Tally() for kind in EXTRACTORS})
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def count(self, statement: Statement, proposals: Sequence[tuple[str, Candidate]]) -> None:
        """Compare what was proposed of one *statement* with what there was to note."""
        self.statements += 1
        if not statement.notes:
            self.teach_nothing += 1
            self.quiet += not proposals
        for note in statement.notes:
            if note.optional:
                continue
            tally = self.tallies["instruction" if note.kind == "manner" else note.kind]
            is_found = any(note.matches(*proposal) for proposal in proposals)
            tally.labelled += 1
            tally.found += is_found
            if not is_found:
                self.missed.append(f"{note}  <  {statement.text}")
        for kind, candidate in proposals:
            is_right = any(note.matches(kind, candidate) for note in statement.notes)
            self.tallies[kind].proposed += 1
            self.tallies[kind].right += is_right
            if not is_right:
                self.wrong.append(f"{kind}: {candidate.content}  <  {statement.text}")

    def __str__(self) -> str:
        """Return the row as it is printed."""
        tallies = "  ".join(str(tally) for tally in self.tallies.values())
        return f"{self.name:22} {self.statements:5}  {tallies}  {share(self.quiet, self.teach_nothing)}"


def share(part: int, whole: int) -> str:
    """Return a share with its counts, 15 characters wide."""
    return f"{part / whole if whole else 0:.2f} ({part}/{whole})".ljust(15) if whole else "-".ljust(15)


def folded(text: str) -> str:
    """Return *text* without case and accents, as people type."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@cache
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{folded(word).replace('~', DENIES)})")


def begins_word(word: str, text: str) -> bool:
    """Whether a word of the folded *text* begins with the pattern *word*."""
    return _pattern(word).search(text) is not None


def load(path: Path) -> list[Statement]:
    """Read the statements of a file of *data*."""
    return [parsed(json.loads(line)) for line in path.read_text().splitlines() if line.strip()]


def parsed(row: dict[str, list[dict[str, object]]]) -> Statement:
    """Return one line of the data as a statement."""
    return Statement(
        turns=tuple((str(turn["role"]), str(turn["text"])) for turn in row["turns"]),
        notes=tuple(
            Note(
                kind=str(note["kind"]),
                has=tuple(map(str, note["has"])),
                lacks=tuple(map(str, note.get("lacks", ()))),
                optional=bool(note.get("optional")),
            )
            for note in row["notes"]
        ),
    )


async def proposals(statement: Statement) -> list[tuple[str, Candidate]]:
    """Return what the rules propose of *statement*, each with its kind."""
    return [
        (kind, candidate)
        for kind, extractor in EXTRACTORS.items()
        for candidate in (await extractor.extract(statement.window(), ())).candidates
    ]


async def measure(name: str, statements: Iterable[Statement]) -> Score:
    """Read *statements* one by one."""
    score = Score(name)
    for statement in statements:
        score.count(statement, await proposals(statement))
    return score


async def report(split: str, *, show: bool, data: Path = DATA) -> list[Score]:
    """Print the table of one *split* and return its rows."""
    files = {path.stem: load(path) for path in sorted(data.glob("*.jsonl"))}
    chosen = {
        name: [item for item in items if split == "all" or item.is_held_out == (split == "held-out")]
        for name, items in files.items()
    }
    kinds = "  ".join(f"{kind + 's found':15}  {'right':15}" for kind in EXTRACTORS)
    print(f"{split:22} {'said':>5}  {kinds}  {'quiet':15}")
    scores = [
        await measure(name, [item for file in parts for item in chosen.get(file, ())])
        for name, parts in {
            **ROWS,
            CONVERSATIONS: (CONVERSATIONS,),
            "all": tuple(name for name in chosen if name != CONVERSATIONS),
        }.items()
    ]
    for score in scores:
        print(str(score).rstrip())
    if show:
        shown = scores[-2:]
        print(*(f"missed  {line}" for score in shown for line in score.missed), sep="\n")
        print(*(f"wrong   {line}" for score in shown for line in score.wrong), sep="\n")
    return scores


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--split", choices=["development", "held-out", "all"], default="development")
    parser.add_argument("--show", action="store_true", help="also print what was missed and what is wrong")
    arguments = parser.parse_args()
    asyncio.run(report(arguments.split, show=arguments.show))


if __name__ == "__main__":
    main()
