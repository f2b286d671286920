"""What stands beside a turn, who said it and how: what that adds to how well it matches; pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from sagacity.domain.analysis import QueryAnalysis, Speaker
from sagacity.storage.search.ranking_signals import RankingSignals

Key = tuple[str, int]

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


def weights_for(standings: Mapping[Key, RankingSignals]) -> TalkWeights | None:
    """
    Return how the turns among *standings* are ranked; None where there are no turns.

    As talk by name, where two or more named people said most of them.
    """
    turns = sum(bool(one.session[1]) for one in standings.values())
    if not turns:
        return None
    named = Counter(one.speaker for one in standings.values() if one.speaker)
    return BY_NAME if len(named) > 1 and named.total() * 2 > turns else ASSISTED


def add_shares(
    parts: Mapping[Key, dict[str, float]], standings: Mapping[Key, RankingSignals], weights: TalkWeights
) -> None:
    """Add to each turn's parts what it gets of the turns before and after it and of its session's best."""
    own = {key: sum(parts[key].values()) for key in parts}
    for keys in _sessions(parts, standings):
        for one, other in pairwise(keys):
            if standings[other].seq - standings[one].seq == 1:
                for to, giver in ((one, other), (other, one)):
                    brevity = weights.brief_terms / (weights.brief_terms + standings[to].term_count)
                    _add(parts[to], "neighbours_part", NEIGHBOUR_SHARE * brevity * own[giver])
                if standings[one].asks:
                    _add(parts[other], "answer_part", weights.answer_share * own[one])
        best = max(own[key] for key in keys)
        for key in keys:
            _add(parts[key], "session_part", weights.session_share * best)


def gains_of(
    standing: RankingSignals, analysis: QueryAnalysis, weights: TalkWeights, named: frozenset[str]
) -> Iterator[tuple[str, float]]:
    """
    Give the share of its own score that a turn gains, or loses, by each signal.

    Args:
        standing: the turn's.
        analysis: the question.
        weights: of this sort of conversation.
        named: whom the question names; see `speakers_named`.
    """
    if analysis.speaker is not Speaker.AGENT:
        of_themself = min(standing.first_person / FIRST_PERSON_ENOUGH, 1.0)
        yield "first_person_part", weights.first_person_gain * of_themself
    if len(named) == 1 and standing.speaker in named:
        yield "speaker_part", weights.speaker_gain
    if standing.asks:
        yield "asking_part", -weights.asking_loss
    yield "length_part", weights.length_gain * standing.term_count / (standing.term_count + LONG_TERMS)


def speakers_named(text: str, standings: Mapping[Key, RankingSignals]) -> frozenset[str]:
    """Return those who spoke and are named in *text*, by their whole name or the first word of it."""
    words = set(_WORD.findall(text.casefold()))
    speakers = {one.speaker for one in standings.values() if one.speaker}
    return frozenset(name for name in speakers if _first_word(name) in words)


def _first_word(name: str) -> str:
    found = _WORD.search(name.casefold())
    return found.group() if found else name


def _sessions(parts: Mapping[Key, object], standings: Mapping[Key, RankingSignals]) -> Iterator[list[Key]]:
    """Give the turns of each session in their order."""
    by_session: dict[tuple[str, str], list[Key]] = defaultdict(list)
    for key in parts:
        standing = standings.get(key)
        if standing is not None and standing.session[1]:
            by_session[standing.session].append(key)
    for keys in by_session.values():
        yield sorted(keys, key=lambda key: standings[key].seq)


def _add(own: dict[str, float], name: str, part: float) -> None:
    if part:
        own[name] = own.get(name, 0.0) + part
