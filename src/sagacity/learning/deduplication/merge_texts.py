"""Merge texts that say the same without losing what only one of them says."""

from collections.abc import Iterable, Sequence

from sagacity.domain.change import Candidate
from sagacity.domain.memory import Memory, TimeToLive
from sagacity.domain.trust import least_trusted, most_trusted


def joined(candidate: Candidate, guests: Sequence[Candidate]) -> Candidate:
    """Add to a candidate the evidence, features, keywords and graph of candidates that say the same."""
    every = (candidate, *guests)
    features = {key: value for one in reversed(every) for key, value in one.custom_features.items()}
    return candidate.model_copy(
        update={
            "evidence": tuple(sorted({turn for one in every for turn in one.evidence})),
            "ends": tuple(dict.fromkeys(memory_id for one in every for memory_id in one.ends)),
            "said_at": max((one.said_at for one in every if one.said_at), default=None),
            "is_unconfirmed": all(one.is_unconfirmed for one in every),
            "origin": most_trusted(one.origin for one in every),
            "pitfall": _together(one.pitfall for one in every),
            "rationale": _together(one.rationale for one in every),
            "blocking_issue": next((one.blocking_issue for one in every if one.blocking_issue), None),
            "custom_features": features,
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
    pitfall: str | None,
    time_to_live: TimeToLive | None,
) -> Candidate:
    """
    Merge a candidate with *memories*, keeping everything that they carry.

    Args:
        candidate: its features take precedence over those of the memories.
        memories: the memories to merge it with.
        content: the merged text.
        trigger: the situation common to all; None for the candidate's own.
        pitfall: what to avoid; None to join those of all.
        time_to_live: of the result; by default the longest of all.
    """
    features = {key: value for memory in memories for key, value in memory.attributes.custom_features.items()}
    keywords = (*candidate.keywords, *(keyword for memory in memories for keyword in memory.keywords))
    lives = (candidate.time_to_live, *(memory.attributes.time_to_live for memory in memories))
    return candidate.model_copy(
        update={
            "content": content,
            "origin": least_trusted((candidate.origin, *(memory.attributes.origin for memory in memories))),
            "trigger": trigger or candidate.trigger,
            "pitfall": pitfall or _together((candidate.pitfall, *(memory.pitfall for memory in memories))),
            "rationale": _together((candidate.rationale, *(memory.rationale for memory in memories))),
            "blocking_issue": candidate.blocking_issue
            or next((memory.blocking_issue for memory in memories if memory.blocking_issue), None),
            "time_to_live": time_to_live or max(lives, key=list(TimeToLive).index),
            "custom_features": features | candidate.custom_features,
            "keywords": tuple(dict.fromkeys(keywords)),
        }
    )


def _together(texts: Iterable[str | None]) -> str | None:
    """Return the distinct non-empty texts, one per line; None if there are none."""
    return "\n".join(dict.fromkeys(text for text in texts if text)) or None
