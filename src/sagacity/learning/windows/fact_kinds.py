"""Split the facts of a chat by kind: profiles for the user, semantic memories for others and for things; pure."""

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
Areas of slots that say something of others than the user: what the rules' tables have (`learning/rules`), and the words
that models choose beside them.
"""
_OTHERS: Final = frozenset({EntityType.PERSON, EntityType.ANIMAL, EntityType.ORGANIZATION})
_OF_THE_USER: Final = "User "
"""How the prompts let a fact of the user begin (`prompts/conversation_extraction`)."""


def told_apart(extraction: Extraction, window: Window, *, is_current: bool) -> Extraction:
    """
    Give each fact that was proposed its kind.

    What a chat says of other people and of things is semantic. Of what other doors publish everything is a profile, as
    their clients know no other kind of fact.

    Args:
        extraction: with profiles alone.
        window: what it was read from.
        is_current: whether the current version is written. Another one is of profiles alone: facts have one version,
            so what it proposes of them is left out.
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
    """Whether a fact is about somebody or something else than the user, by what it answers or by whom it names."""
    area = candidate.slot.partition(".")[0]
    if area:
        return area in OF_THE_WORLD
    names_others = any(it.normalized_name != USER and it.entity_type in _OTHERS for it in candidate.entities)
    return names_others and not candidate.content.startswith(_OF_THE_USER)
