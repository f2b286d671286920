"""Expert turns: what a human expert would have answered, against what the agent did."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sagacity.domain.change import Candidate
from sagacity.domain.ids import InteractionId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import MemoryKind
from sagacity.learning.rules.requests import gist
from sagacity.learning.rules.wording import finish, keywords, shorten, words

MAX_ADVICE: Final = 400
MAX_SENTENCES: Final = 4
SAID_ALREADY: Final = 0.75
"""Share of an expert's words that the agent used too, from which on the sentence teaches nothing."""
MAX_READ: Final = 8_000

_SENTENCE = re.compile(r"[^.!?\n\u3002]+(?:[.!?\u3002]+(?=\s|$)|[.!?\u3002](?=\S)[^.!?\n\u3002]*){0,40}")
_PLEASANTRY = re.compile(
    r"(?:hi|hello|hey|thanks?|thank you|sure|of course|certainly|great question|no problem|i hope|"
    r"i'm sorry|i am sorry|apologies|let me know|feel free|have a (?:great|nice)|you're welcome|"
    r"best regards|happy to help)\b",
    re.IGNORECASE,
)


def expert_candidates(turns: Sequence[Interaction], unread: frozenset[int]) -> Iterator[Candidate]:
    """Yield a candidate for each *unread* turn of the agent that an expert would have answered otherwise."""
    question = ""
    for turn in turns:
        if turn.is_user and turn.content.strip():
            question = turn.content
        if turn.expert_content.strip() and turn.seq in unread:
            found = expert_candidate(
                question, answer=turn.content, expert=turn.expert_content, evidence=(turn.interaction_id,)
            )
            if found:
                yield found


def expert_candidate(
    question: str, *, answer: str, expert: str, evidence: tuple[InteractionId, ...]
) -> Candidate | None:
    """
    Learn from an expert's answer what the agent left out or had wrong.

    Args:
        question: what the user asked.
        answer: what the agent said.
        expert: what the expert would have said.
        evidence: the turns that this is from; at least one.

    Returns:
        The expert's sentences that say something new, as a rule; None when the agent said as much.
    """
    said = set(words(answer[:MAX_READ]))
    new = [sentence for sentence in _sentences(expert[:MAX_READ]) if _is_new(sentence, said)]
    if not new:
        return None
    advice = finish(shorten(" ".join(new[:MAX_SENTENCES]), MAX_ADVICE))
    asked = gist(question) or (f"When asked: {shorten(question, 110)}" if question.strip() else "")
    return Candidate(
        kind=MemoryKind.USER_PLAYBOOK,
        trigger=asked or "When answering this user",
        content=advice,
        pitfall=f"Answering only: {shorten(answer, 160)}" if answer.strip() else None,
        rationale="An expert answered this where the agent did not.",
        slot="",
        keywords=keywords(advice),
        confidence=0.85,
        evidence=evidence,
    )


def _sentences(text: str) -> list[str]:
    found = (" ".join(match.group().split()) for match in _SENTENCE.finditer(text))
    return [sentence for sentence in found if sentence and not _PLEASANTRY.match(sentence)]


def _is_new(sentence: str, said: set[str]) -> bool:
    own = set(words(sentence))
    return bool(own) and len(own & said) / len(own) < SAID_ALREADY
