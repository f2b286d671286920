"""`--explain`: how an answer came about, as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rich.console import Console

from sagacity.cli.draw import number
from sagacity.cli.output import Render, facts, plain, table

if TYPE_CHECKING:
    from pydantic import JsonValue

    from sagacity.domain.analysis import QueryAnalysis
    from sagacity.schemas.found import Explanation

_SHOWN_CHARACTERS = 60


class Scored(Protocol):
    """What all wire shapes of things found have in common."""

    @property
    def content(self) -> str:
        """The text."""
        ...

    @property
    def score(self) -> float | None:
        """Higher is better."""
        ...

    @property
    def relevance(self) -> float | None:
        """How likely it answers the question."""
        ...

    @property
    def score_components(self) -> Mapping[str, float] | None:
        """The parts of the score."""
        ...


class Result(NamedTuple):
    """One thing that was found, as far as an explanation speaks of it."""

    kind: str
    item_id: object
    content: str
    score: float | None
    relevance: float | None
    components: Mapping[str, float] | None


def results(kind: str, views: Iterable[Scored], id_name: str) -> list[Result]:
    """Return the things found of one kind, whose number or name is in the field *id_name*."""
    return [
        Result(kind, getattr(view, id_name), view.content, view.score, view.relevance, view.score_components)
        for view in views
    ]


def with_explanation(drawn: Render, explained: "Explanation | None", found: Sequence[Result]) -> Render:
    """Return what draws results, and then how they were found if that was asked for."""

    def render(console: Console) -> None:
        drawn(console)
        if explained is not None:
            console.print()
            explanation(explained, found)(console)

    return render


def in_meta(explained: "Explanation | None") -> "dict[str, JsonValue]":
    """Return what the JSON envelope of a list says besides."""
    return {} if explained is None else {"explanation": explained.model_dump(mode="json", exclude_none=True)}


def explanation(explained: "Explanation", found: Sequence[Result]) -> Render:
    """Draw how an answer came about: what the question was taken for, what each strategy did, what made each score."""

    def render(console: Console) -> None:
        console.print(plain("how it was found", "bold"))
        facts(_question(explained))(console)
        console.print()
        _strategies(explained)(console)
        console.print()
        _components(found)(console)

    return render


def _question(explained: "Explanation") -> Mapping[str, object]:
    read: Mapping[str, object] = {} if explained.analysis is None else _analysis(explained.analysis)
    dropped = ", ".join(f"{count} {reason}" for reason, count in sorted(explained.dropped.items()))
    said = {"searched for": explained.query, "ranking": explained.ranking, **read, "held back": dropped}
    return {name: value for name, value in said.items() if value}


def _analysis(read: "QueryAnalysis") -> Mapping[str, object]:
    when = read.time_reference
    return {
        "intent": f"{read.intent} ({number(read.confidence)})",
        "keywords": ", ".join(read.keywords),
        "phrases": ", ".join(read.phrases),
        "names": ", ".join(read.entities_mentioned),
        "time": ""
        if when is None
        else " ".join(str(part) for part in (when.text, when.start or "", when.end or "") if part),
        "without": ", ".join(read.negated),
    }


def _strategies(explained: "Explanation") -> Render:
    rows = [
        (
            one.name,
            "" if one.milliseconds is None else f"{one.milliseconds:.1f}",
            "" if one.found is None else one.found,
            one.failed or "",
        )
        for one in explained.strategies
    ]
    return table(
        ("step", "#ms", "#found", "failed"), rows, empty="nothing was searched: the newest are listed"
    )


def _components(found: Sequence[Result]) -> Render:
    """One line a result; what made its score is in one cell, as columns of their own take the whole screen."""
    rows = [
        (
            one.kind,
            one.item_id,
            _short(one.content),
            number(one.relevance),
            number(one.score),
            ", ".join(f"{name} {value:.3f}" for name, value in (one.components or {}).items()),
        )
        for one in found
    ]
    return table(("kind", "#id", "content", "#relevance", "#score", "made of"), rows, empty="nothing found")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"
