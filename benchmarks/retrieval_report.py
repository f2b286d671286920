"""What searching for evidence gave: figures, tables, and the questions whose evidence was not found."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from harness import Budget, Report, Table, number, percentile
from histories import Question, Turn, TurnKey

from sagacity.quality.ir_metrics import Gains, all_at, any_at, ndcg_at, reciprocal_rank_at, standard_error

CUTS = (1, 5, 10)
SHARES = tuple(f"{what}@{k}" for what in ("any", "all") for k in CUTS)
METRICS = (*SHARES, "NDCG@10", "MRR@10")
SHORT = ("recall@10", "any@10", "all@10", "MRR@10")
ABOUT = (
    "The questions of a LongMemEval_S file, each asked by a user of its own, to whom its whole history belongs: "
    "published session by session into SQLite, embedded, and searched with `Searcher.search`. Ten turns are asked for. "
    "A session ranks where its best turn does, among 200. Questions without an answer are left out. "
    "LoCoMo and BEAM, below, likewise. The weights of the ranking were chosen on these questions, so expect a "
    "little less on others."
)


@dataclass(frozen=True)
class Hit:
    """One turn that was found."""

    key: TurnKey
    turn: Turn
    score: float
    components: Mapping[str, float]


@dataclass(frozen=True)
class Outcome:
    """What one question brought: the turns a caller gets, and many more for what lies behind them."""

    question: Question
    hits: Sequence[Hit]
    far_hits: Sequence[Hit]
    milliseconds: float
    """Of the search for the first, with the question's vector known."""
    embedding_milliseconds: float
    """Of the same search, with the question embedded."""
    failed: Mapping[str, str]
    """What gave no answer, or not all of it, and why."""

    @cached_property
    def turns(self) -> Mapping[str, float]:
        """How well the turns were found, by metric."""
        wanted = self.question.evidence_turns
        return _metrics([hit.key in wanted for hit in self.hits], len(wanted))

    @cached_property
    def sessions(self) -> Mapping[str, float]:
        """How well the sessions were found, by metric."""
        wanted = self.question.evidence_sessions
        ranked = dict.fromkeys(hit.key[0] for hit in self.far_hits)
        return _metrics([key in wanted for key in ranked], len(wanted))


@dataclass(frozen=True)
class Row:
    """One way of searching and all that came of it."""

    name: str
    label: str
    outcomes: Sequence[Outcome]

    def of_turns(self, metric: str, kind: str = "") -> list[float]:
        """A metric of the turns, by question; of one kind of question, or of all."""
        return [one.turns[metric] for one in self.outcomes if kind in {"", one.question.kind}]

    def of_sessions(self, metric: str) -> list[float]:
        """A metric of the sessions, by question."""
        return [one.sessions[metric] for one in self.outcomes]

    @property
    def kinds(self) -> list[str]:
        """The kinds of question there are."""
        return sorted({one.question.kind for one in self.outcomes})


def _metrics(gains: Gains, wanted: int) -> dict[str, float]:
    found: dict[str, float] = {f"any@{k}": any_at(gains, k) for k in CUTS}
    found |= {f"all@{k}": all_at(gains, k, wanted=wanted) for k in CUTS}
    found["recall@10"] = sum(gains[:10]) / wanted
    return found | {"NDCG@10": ndcg_at(gains, 10, wanted=wanted), "MRR@10": reciprocal_rank_at(gains, 10)}


def report_of(rows: Sequence[Row]) -> Report:
    """The figures as a report."""
    count = len(rows[0].outcomes)
    report = Report("Retrieval", f"{ABOUT} There are {count} questions.", list(_budgets(rows)))
    note = f"Mean of {count} questions ± its standard error."
    report.tables += [
        _table(
            "Turns",
            rows,
            Row.of_turns,
            f"{note} “all” counts a question only if all of its evidence was found.",
        ),
        _table("Sessions", rows, Row.of_sessions, note),
        _by_kind(rows),
        _latency(rows),
    ]
    return report


def tables_of(name: str, rows: Sequence[Row]) -> list[Table]:
    """The figures of a data set beside LongMemEval_S: recall is the share of a question's evidence that was found."""
    count, kinds = len(rows[0].outcomes), rows[0].kinds
    whole = [(row.label, *(_cell(row.of_turns(metric)) for metric in SHORT)) for row in rows]
    by_kind = [
        (row.label, *(f"{_mean(row.of_turns('recall@10', kind)):.3f}" for kind in kinds)) for row in rows
    ]
    counts = ", ".join(f"{len(rows[0].of_turns('recall@10', kind))} {kind}" for kind in kinds)
    return [
        Table(
            f"{name}: turns", ("search", *SHORT), whole, f"Mean of {count} questions ± its standard error."
        ),
        Table(f"{name}: recall@10 by kind of question", ("search", *kinds), by_kind, f"Questions: {counts}."),
    ]


def figures_of(rows: Sequence[Row]) -> dict[str, dict[str, object]]:
    """All metrics of each row, for programs."""
    return {
        row.name: {
            "turns": {metric: _mean(row.of_turns(metric)) for metric in ("recall@10", *METRICS)},
            "sessions": {metric: _mean(row.of_sessions(metric)) for metric in METRICS},
            "all@10 by kind": {kind: _mean(row.of_turns("all@10", kind)) for kind in row.kinds},
            "questions": {
                one.question.question_id: {
                    "turns": one.turns,
                    "sessions": one.sessions,
                    "milliseconds": one.milliseconds,
                }
                for one in row.outcomes
            },
        }
        for row in rows
    }


def misses_of(row: Row) -> Iterator[str]:
    """Tell of each question whose evidence is not complete: what is missing, where it is, and what is in its place."""
    for outcome in row.outcomes:
        question = outcome.question
        missing = question.evidence_turns - {hit.key for hit in outcome.hits}
        if not missing:
            continue
        turns = {(one.key, place): turn for one in question.sessions for place, turn in enumerate(one.turns)}
        yield f"\n{question.question_id} · {question.kind} · {question.asked_at:%Y-%m-%d}\n  ? {question.text}"
        for key in sorted(missing):
            far = next(((n, hit) for n, hit in enumerate(outcome.far_hits, 1) if hit.key == key), None)
            rank = f"{far[0]:>4} {_parts(far[1])}" if far else "   -"
            yield f"  missing {rank} {_said(turns[key], 200)}"
        for place, hit in enumerate(outcome.hits, 1):
            mark = "found  " if hit.key in question.evidence_turns else "instead"
            yield f"  {mark} {place:>4} {_parts(hit)} {_said(hit.turn, 120)}"


def _parts(hit: Hit) -> str:
    parts = " ".join(f"{name} {score:.2f}" for name, score in hit.components.items())
    return f"{hit.score:.3f} ({parts})"


def _said(turn: Turn, length: int) -> str:
    return f"{turn.role}: {' '.join(turn.content.split())[:length]}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _cell(values: Sequence[float]) -> str:
    return f"{_mean(values):.3f} ± {standard_error(values):.3f}"


def _table(title: str, rows: Sequence[Row], of: Callable[[Row, str], list[float]], note: str) -> Table:
    cells = [(row.label, *(_cell(of(row, metric)) for metric in METRICS)) for row in rows]
    return Table(title, ("search", *METRICS), cells, note)


def _by_kind(rows: Sequence[Row]) -> Table:
    kinds = rows[0].kinds
    cells = [(row.label, *(f"{_mean(row.of_turns('all@10', kind)):.3f}" for kind in kinds)) for row in rows]
    counts = ", ".join(f"{len(rows[0].of_turns('all@10', kind))} {kind}" for kind in kinds)
    return Table(
        "All evidence turns among the first ten, by kind of question",
        ("search", *kinds),
        cells,
        f"Questions: {counts}. Search does not know the kinds.",
    )


def _latency(rows: Sequence[Row]) -> Table:
    cells = []
    for row in rows:
        alone = [one.milliseconds for one in row.outcomes]
        whole = [one.embedding_milliseconds for one in row.outcomes]
        shown = (percentile(times, share) for times in (alone, whole) for share in (0.5, 0.95))
        late = sum(bool(one.failed) for one in row.outcomes)
        cells.append((row.label, *(number(value) for value in shown), str(late)))
    return Table(
        "Time a question",
        ("search", "p50, ms", "p95, ms", "p50 with embedding, ms", "p95 with embedding, ms", "late"),
        cells,
        "Ten turns, in process, one question at a time, caches warm; with the question's vector known, then embedded. "
        "“late” counts questions for which a strategy did not answer in time.",
    )


def _budgets(rows: Iterable[Row]) -> Iterator[Budget]:
    """What the default has to reach."""
    by_name = {row.name: row for row in rows}
    default, words, together = (by_name.get(name) for name in ("default", "bm25", "pooled-default"))
    if default:
        turns, sessions = default.of_turns, default.of_sessions
        yield Budget("turns, all@10", _mean(turns("all@10")), 0.80, "", at_least=True)
        if words:
            gains = [
                _mean(turns("all@10", kind)) - _mean(words.of_turns("all@10", kind)) for kind in default.kinds
            ]
            yield Budget("turns, all@10, worst kind against BM25 alone", min(gains), 0, "", at_least=True)
        for metric, limit in (("any@1", 0.91), ("all@10", 0.94), ("NDCG@10", 0.93)):
            yield Budget(f"sessions, {metric}", _mean(sessions(metric)), limit, "", at_least=True)
    if together:
        yield Budget("pooled, sessions, any@5", _mean(together.of_sessions("any@5")), 0.65, "", at_least=True)
