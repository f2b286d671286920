"""What a turn's neighbours, speaker and wording add to its score; pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from sagacity.domain.analysis import QueryAnalysis, Speaker
from sagacity.retrieval.evidence import Numbers
from sagacity.storage.search.ranking_signals import RankingSignals

NEIGHBOUR_SHARE = 0.5
"""The share of a neighbour's score that a turn gets if it is too short to be understood alone."""
FIRST_PERSON_ENOUGH = 0.05
"""The share of first-person words that earns a turn the whole `first_person_gain`."""
LONG_TERMS = 20
"""The number of terms at which a turn gets half of `length_gain`."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class TalkWeights:
    """
    How turns of one type of conversation are ranked.

    Scores are those by words and meaning. A turn gets a share of another turn's score, and gains a share of its own.
    """

    keyword_share: float
    """The share of words against meaning, if the best match covers enough of the question's words."""
    brief_terms: int
    """The number of terms at which a turn gets half of `NEIGHBOUR_SHARE`."""
    first_person_gain: float
    """The gain of a turn whose speaker speaks of themselves, unless the question asks for the agent's words."""
    answer_share: float = 0.0
    """The share from the turn before, if that ends in a question."""
    session_share: float = 0.0
    """The share from the best match in the same session."""
    speaker_gain: float = 0.0
    """The gain of a turn whose speaker the question names."""
    asking_loss: float = 0.0
    """The loss of a turn that ends in a question."""
    length_gain: float = 0.0
    """The gain of a long turn; see `LONG_TERMS`."""


ASSISTED = TalkWeights(keyword_share=0.55, brief_terms=15, first_person_gain=0.7)
"""For a user and an assistant. Chosen on LongMemEval and BEAM; see docs/reference/benchmarks.md."""
BY_NAME = TalkWeights(
    keyword_share=0.8,
    brief_terms=60,
    first_person_gain=0.3,
    answer_share=0.3,
    session_share=1.0,
    speaker_gain=0.25,
    asking_loss=0.1,
    length_gain=0.8,
)
"""For people who talk with each other. Chosen on LoCoMo; see docs/reference/benchmarks.md."""


def weights_for(turns: Sequence[RankingSignals]) -> TalkWeights:
    """Return how *turns* are ranked: as talk between people if two or more named speakers said most of them."""
    named = Counter(one.speaker for one in turns if one.speaker)
    return BY_NAME if len(named) > 1 and named.total() * 2 > len(turns) else ASSISTED


class Talk:
    """The turns among the results: their rows and their ranking signals."""

    def __init__(self, rows: Sequence[int], turns: Sequence[RankingSignals], count: int) -> None:
        """
        Hold the turns of the evidence.

        Args:
            rows: the rows that are turns, session by session and in the order of each session.
            turns: the ranking signals of each.
            count: the number of all rows.
        """
        self._rows = rows
        self._turns = turns
        self._count = count
        self.weights = weights_for(turns)

    def shares(self, own: Numbers) -> dict[str, Numbers]:
        """
        Return what each turn gets from the turns before and after it and from its session's best match.

        Args:
            own: the score of each row by words and meaning, float64 [n].
        """
        neighbours, answers, sessions = (np.zeros(self._count) for _ in range(3))
        for (one, before), (other, after) in pairwise(zip(self._rows, self._turns, strict=True)):
            if before.session != after.session:
                continue
            if after.seq - before.seq == 1:
                neighbours[one] += self._brevity(before) * own[other]
                neighbours[other] += self._brevity(after) * own[one]
                if before.asks:
                    answers[other] += self.weights.answer_share * own[one]
        if self.weights.session_share:
            for _, group in groupby(
                zip(self._rows, self._turns, strict=True), key=lambda one: one[1].session
            ):
                rows = [row for row, _ in group]
                sessions[rows] = self.weights.session_share * own[rows].max()
        return {"neighbours_part": neighbours, "answer_part": answers, "session_part": sessions}

    def _brevity(self, turn: RankingSignals) -> float:
        brief = self.weights.brief_terms
        return NEIGHBOUR_SHARE * brief / (brief + turn.term_count)

    def gains(self, analysis: QueryAnalysis) -> Iterator[tuple[str, Numbers]]:
        """Yield the share of its own score that each row gains or loses by each signal; 0 for rows that are no turn."""
        weights, turns = self.weights, self._turns
        if analysis.speaker is not Speaker.AGENT:
            enough = [min(one.first_person / FIRST_PERSON_ENOUGH, 1.0) for one in turns]
            yield "first_person_part", weights.first_person_gain * self._spread(enough)
        named = speakers_named(analysis.original_query, turns)
        if len(named) == 1:
            yield "speaker_part", weights.speaker_gain * self._spread([one.speaker in named for one in turns])
        yield "asking_part", -weights.asking_loss * self._spread([one.asks for one in turns])
        length = [one.term_count / (one.term_count + LONG_TERMS) for one in turns]
        yield "length_part", weights.length_gain * self._spread(length)

    def _spread(self, values: Sequence[float]) -> Numbers:
        """Return a value for each row: *values* for the turns, 0 for the others."""
        every = np.zeros(self._count)
        every[self._rows] = values
        return every


def talk_of(known: Sequence[RankingSignals | None]) -> Talk | None:
    """Return the turns among *known*, which has one entry per row; None if there are none."""
    turns = [(row, one) for row, one in enumerate(known) if one is not None and one.session[1]]
    if not turns:
        return None
    turns.sort(key=lambda one: (one[1].session, one[1].seq))
    return Talk([row for row, _ in turns], [one for _, one in turns], len(known))


def speakers_named(text: str, turns: Iterable[RankingSignals]) -> frozenset[str]:
    """Return the speakers of *turns* whom *text* names, by their full name or its first word."""
    speakers = {one.speaker for one in turns if one.speaker}
    words = set(_WORD.findall(text.casefold())) if speakers else set[str]()
    return frozenset(name for name in speakers if _first_word(name) in words)


def _first_word(name: str) -> str:
    found = _WORD.search(name.casefold())
    return found.group() if found else name
