"""What says one thing becomes one: nothing that anyone of them carried is lost."""

from collections.abc import Sequence

from sagacity.domain.change import Candidate
from sagacity.domain.memory import Memory, TimeToLive


def joined(candidate: Candidate, guests: Sequence[Candidate]) -> Candidate:
    """Give a candidate the evidence, keywords and graph of those that say the same."""
    every = (candidate, *guests)
    return candidate.model_copy(
        update={
            "evidence": tuple(sorted({turn for one in every for turn in one.evidence})),
            "keywords": tuple(dict.fromkeys(word for one in every for word in one.keywords)),
            "entities": tuple(dict.fromkeys(entity for one in every for entity in one.entities)),
            "relationships": tuple(
                dict.fromkeys(relationship for one in every for relationship in one.relationships)
            ),
        }
    )


def merged(
    candidate: Candidate,
    memories: Sequence[Memory],
    *,
    content: str,
    trigger: str | None,
    time_to_live: TimeToLive | None,
) -> Candidate:
    """
    Unite a candidate with *memories*: features and keywords of all, and the longest life unless one is given.

    Args:
        candidate: its features count before those of memories.
        memories: what it is merged with.
        content: says what all of them say.
        trigger: the situation common to all; None for the candidate's own.
        time_to_live: of the whole.
    """
    features = {key: value for memory in memories for key, value in memory.attributes.custom_features.items()}
    keywords = (*candidate.keywords, *(keyword for memory in memories for keyword in memory.keywords))
    lives = (candidate.time_to_live, *(memory.attributes.time_to_live for memory in memories))
    return candidate.model_copy(
        update={
            "content": content,
            "trigger": trigger or candidate.trigger,
            "time_to_live": time_to_live or max(lives, key=list(TimeToLive).index),
            "custom_features": features | candidate.custom_features,
            "keywords": tuple(dict.fromkeys(keywords)),
        }
    )
