"""What a turn's neighbours, speaker and wording add to how well it matches; pure."""

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
"""Of a neighbour's score that a turn gets, if it is so short that it needs its neighbours to be understood."""
FIRST_PERSON_ENOUGH = 0.05
"""One word in twenty."""
LONG_TERMS = 20
"""A turn of so many terms gets half of the gain for its length."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class TalkWeights:
    """
    How turns of one sort of conversation are ranked.

    Shares are of the score by words and meaning that another turn has; gains are of a turn's own.
    """

    keyword_share: float
    """Of words against meaning, where the best match says enough of what the question says."""
    brief_terms: int
    """A turn of so many terms gets half of `NEIGHBOUR_SHARE`."""
    first_person_gain: float
    """For speaking of oneself, unless the agent's words are asked for."""
    answer_share: float = 0.0
    """Of the turn before, if that ends in a question."""
    session_share: float = 0.0
    """Of the best match in the same session."""
    speaker_gain: float = 0.0
    """For being said by whom the question names."""
    asking_loss: float = 0.0
    """For ending in a question."""
    length_gain: float = 0.0
    """For saying much; see `LONG_TERMS`."""


ASSISTED = TalkWeights(keyword_share=0.55, brief_terms=15, first_person_gain=0.7)
"""Somebody and an assistant. Chosen on LongMemEval and BEAM; see docs/reference/benchmarks.md."""
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
"""People who talk with each other. Chosen on LoCoMo; see docs/reference/benchmarks.md."""


def weights_for(turns: Sequence[RankingSignals]) -> TalkWeights:
    """Return how *turns* are ranked: as talk by name, where two or more named people said most of them."""
    named = Counter(one.speaker for one in turns if one.speaker)
    return BY_NAME if len(named) > 1 and named.total() * 2 > len(turns) else ASSISTED


class Talk:
    """Turns among what was found: which rows they are, and what is known of them."""

    def __init__(self, rows: Sequence[int], turns: Sequence[RankingSignals], count: int) -> None:
        """
        Take turns.

        Args:
            rows: of the evidence, that are turns; in the order of their sessions and in that of each session.
            turns: what is known of each.
            count: how many rows there are in all.
        """
        self._rows = rows
        self._turns = turns
        self._count = count
        self.weights = weights_for(turns)

    def shares(self, own: Numbers) -> dict[str, Numbers]:
        """
        Return what each turn gets of the turns before and after it and of its session's best.

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
        """Give the share of its own score that each row gains, or loses, by each signal; 0 for what is no turn."""
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
        """Return a value for each row: of the turns those given."""
        every = np.zeros(self._count)
        every[self._rows] = values
        return every


def talk_of(known: Sequence[RankingSignals | None]) -> Talk | None:
    """Return the turns among what is *known*, row by row; None where there are none."""
    turns = [(row, one) for row, one in enumerate(known) if one is not None and one.session[1]]
    if not turns:
        return None
    turns.sort(key=lambda one: (one[1].session, one[1].seq))
    return Talk([row for row, _ in turns], [one for _, one in turns], len(known))


def speakers_named(text: str, turns: Iterable[RankingSignals]) -> frozenset[str]:
    """Return those who said *turns* and are named in *text*, by their whole name or the first word of it."""
    speakers = {one.speaker for one in turns if one.speaker}
    words = set(_WORD.findall(text.casefold())) if speakers else set[str]()
    return frozenset(name for name in speakers if _first_word(name) in words)


def _first_word(name: str) -> str:
    found = _WORD.search(name.casefold())
    return found.group() if found else name
