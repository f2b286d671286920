"""What an episode consists of, and how it grows when more is said; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sagacity.domain.chat import CHAT, Conversation
from sagacity.domain.ids import MemoryUid
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import (
    Attributes,
    EpisodeFacts,
    Memory,
    MemoryKind,
    NewMemory,
    Provenance,
    Status,
)
from sagacity.domain.trust import least_trusted
from sagacity.learning.episodes.rules import Summary
from sagacity.learning.writing.contact_data import contact_data_removed
from sagacity.learning.writing.secrets import redacted

LEARNER = "episodic:chat"
BY_MODEL, BY_RULES = 0.9, 0.7
"""Confidence in a summary that a model wrote, and in one that quotes."""
_LONGEST = 4_000
"""The most characters of an episode that quotes."""
_MOST_EVIDENCE = 200
"""How many turns an episode names as evidence, the last ones."""
Episode = TypeVar("Episode", bound=NewMemory)


@dataclass(frozen=True, slots=True)
class Written:
    """A summary, and who wrote it."""

    summary: Summary
    confidence: float
    provenance: Provenance


def begun(
    conversation: Conversation, turns: Sequence[Interaction], *, uid: MemoryUid, now: datetime
) -> NewMemory:
    """Return the empty episode of a conversation."""
    started_at = turns[0].occurred_at
    facts = EpisodeFacts(session_id=conversation.session_id, title=conversation.title, started_at=started_at)
    return NewMemory(
        uid=uid,
        kind=MemoryKind.EPISODIC,
        user_id=conversation.user_id,
        source=CHAT,
        attributes=Attributes(episode=facts),
        created_at=now,
        updated_at=now,
        valid_from=started_at,
    )


def continued(
    episode: Episode,
    turns: Sequence[Interaction],
    written: Written,
    *,
    has_contact_data: bool = False,
    now: datetime,
) -> Episode:
    """
    Return an episode extended by *turns*.

    Args:
        episode: the episode of the earlier turns.
        turns: the later turns, oldest first; at least one.
        written: the summary of both.
        has_contact_data: whether it may contain contact data.
        now: the time of the change.
    """
    summary, ended_at = written.summary, turns[-1].occurred_at
    facts = episode.attributes.episode or EpisodeFacts(started_at=turns[0].occurred_at)

    def clean(text: str) -> str:
        return redacted(text) if has_contact_data else contact_data_removed(redacted(text))

    facts = facts.model_copy(
        update={
            "title": clean(summary.title or facts.title),
            "outcome": clean(summary.outcome),
            "ended_at": ended_at,
            "turn_count": facts.turn_count + len(turns),
        }
    )
    requests = dict.fromkeys((*episode.source_request_ids, *(turn.request_id for turn in turns)))
    origin = least_trusted((episode.attributes.origin, *(turn.stamped_origin for turn in turns)))
    evidence = (*episode.source_interaction_ids, *(turn.interaction_id for turn in turns))
    return episode.model_copy(
        update={
            "content": clean(summary.content),
            "keywords": tuple(map(clean, summary.keywords)),
            "attributes": episode.attributes.model_copy(
                update={"said_at": ended_at, "episode": facts, "origin": origin}
            ),
            "source_request_ids": tuple(requests)[-_MOST_EVIDENCE:],
            "source_interaction_ids": evidence[-_MOST_EVIDENCE:],
            "provenance": written.provenance,
            "confidence": written.confidence,
            "updated_at": now,
        }
    )


def may_be_continued(episode: Memory) -> bool:
    """Whether that memory may be extended: not if a person archived, edited or confirmed it."""
    return episode.status is Status.CURRENT and episode.attributes.confirmed_through is None


def fitting(lines: Sequence[str]) -> str:
    """Return the first line and as many of the last lines as fit into an episode."""
    first, *others = lines
    room = _LONGEST - len(first)
    kept: list[str] = []
    for line in reversed(others):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join((first, *reversed(kept)))
