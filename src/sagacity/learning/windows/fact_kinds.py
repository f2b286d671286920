"""Split the facts of a chat by kind: profiles about the user, semantic memories about others and things; pure."""

from typing import Final

from sagacity.domain.change import Candidate
from sagacity.domain.chat import CHAT
from sagacity.domain.cursor import Window
from sagacity.domain.graph import USER, EntityType
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extraction

OF_THE_WORLD: Final = frozenset(
    {
        *(
            "about",
            "people",
            "person",
            "relation",
            "relations",
            "relationship",
            "family",
            "friend",
            "friends",
        ),
        *("colleague", "pet", "pets", "event", "company", "team", "project", "projects", "world"),
    }
)
"""
Areas of slots for facts about others than the user: those of the rules' tables (`learning/rules`), and other words that
models choose.
"""
_OTHERS: Final = frozenset({EntityType.PERSON, EntityType.ANIMAL, EntityType.ORGANIZATION})
_OF_THE_USER: Final = "User "
"""The beginning of facts about the user, according to the prompts (`prompts/conversation_extraction`)."""


def told_apart(extraction: Extraction, window: Window, *, is_current: bool) -> Extraction:
    """
    Set the kind of each proposed fact.

    Facts from a chat about other people and things are semantic. Facts from other endpoints are all profiles, because
    their clients know no other kind of fact.

    Args:
        extraction: an extraction that has only profiles.
        window: the window that it was read from.
        is_current: whether the current version is written. Other versions have only profiles: semantic memories have a
            single version, so those that are proposed are left out.
    """
    from_chat = {turn.interaction_id for turn in window.unread if turn.source == CHAT}
    if not from_chat:
        return extraction
    kept: list[Candidate] = []
    for candidate in extraction.candidates:
        if not is_of_the_world(candidate) or not from_chat.issuperset(candidate.evidence):
            kept.append(candidate)
        elif is_current:
            kept.append(candidate.model_copy(update={"kind": MemoryKind.SEMANTIC}))
    return extraction.model_copy(update={"candidates": tuple(kept)})


def is_of_the_world(candidate: Candidate) -> bool:
    """Whether a fact is about somebody or something other than the user, by its slot or by whom it names."""
    area = candidate.slot.partition(".")[0]
    if area:
        return area in OF_THE_WORLD
    names_others = any(it.normalized_name != USER and it.entity_type in _OTHERS for it in candidate.entities)
    return names_others and not candidate.content.startswith(_OF_THE_USER)
