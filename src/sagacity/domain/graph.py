"""A user's graph: entities that the user speaks of, and the relationships between them."""

import re
import unicodedata
from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, NewType

from pydantic import AfterValidator, Field, JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryId, MemoryUid, UserId, cut_key

EntityId = NewType("EntityId", int)
RelationshipId = NewType("RelationshipId", int)

USER: Final = "user"
"""The name of the user themself in the graph."""
NAME_SLOT: Final = "identity.name"
"""The slot of the user's own name."""
MAX_NAME_CHARACTERS = 120
MAX_DESCRIPTION_CHARACTERS = 2_000
MAX_NAME_WORDS = 5
"""Maximum number of words of a name within a text."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINERS = "\u200c\u200d"
"""Unseen, and yet part of how emoji, Persian and Indic names are written."""
_WORD = re.compile(r"[^\W_]+(?:[-.&+][^\W_]+)*")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]{2,}"
)
"""Thai, Lao, Burmese, Khmer, Chinese, Japanese, and Korean with its particles: names have no spaces around them."""
_LONGEST_UNSPACED = 6
MAX_NAMES_WITHIN = 2_000
"""Maximum number of names of one text: more would slow the look-up, and such a long text is pasted."""


class EntityType(StrEnum):
    """The type of an entity; the vocabulary of the chat contract."""

    PERSON = "person"
    ORGANIZATION = "organization"
    LOCATION = "location"
    PROJECT = "project"
    CONCEPT = "concept"
    EVENT = "event"
    PRODUCT = "product"
    SKILL = "skill"
    INTEREST = "interest"
    GOAL = "goal"
    DATE = "date"
    ANIMAL = "animal"
    OTHER = "other"


class RelationType(StrEnum):
    """Types of relationship offered to models and people. Others are kept: `sister_of` says more than `family_of`."""

    KNOWS = "knows"
    FRIEND_OF = "friend_of"
    FAMILY_OF = "family_of"
    COLLEAGUE_OF = "colleague_of"
    WORKS_WITH = "works_with"
    WORKS_AT = "works_at"
    MEMBER_OF = "member_of"
    LEADS = "leads"
    REPORTS_TO = "reports_to"
    LOCATED_IN = "located_in"
    LIVES_IN = "lives_in"
    VISITED = "visited"
    WORKS_ON = "works_on"
    CREATED = "created"
    OWNS = "owns"
    CONTRIBUTES_TO = "contributes_to"
    INTERESTED_IN = "interested_in"
    SKILLED_IN = "skilled_in"
    STUDIED = "studied"
    RELATED_TO = "related_to"
    ATTENDED = "attended"
    PARTICIPATED_IN = "participated_in"
    ASSOCIATED_WITH = "associated_with"


def clean_name(text: str) -> str:
    """Return *text* as a name: one line, without invisible characters, cut to the maximum length."""
    return " ".join(_seen(text).split())[:MAX_NAME_CHARACTERS].rstrip()


def clean_description(text: str) -> str:
    """Return *text* as a description: without invisible characters, with plain spaces, cut to the maximum length."""
    return " ".join(_seen(text).split())[:MAX_DESCRIPTION_CHARACTERS].rstrip()


def _seen(text: str) -> str:
    """Return *text* with a space for each invisible character; fast, because a question has about a hundred names."""
    if text.isprintable():
        return text
    return "".join(
        one if one in _JOINERS or unicodedata.category(one) not in _UNSEEN else " " for one in text
    )


def normalized(name: str) -> str:
    """Return *name* in its comparable form: case folded, NFKC, cut to the length that databases can look up."""
    text = clean_name(name)
    if text.isascii():  # quicker, as a question brings some fifty names, and the same
        return text.lower()
    return cut_key(" ".join(unicodedata.normalize("NFKC", text).casefold().split()))


def relation_word(text: str) -> str:
    """Return *text* as the word of a relationship: `Works at` becomes `works_at`."""
    return cut_key(re.sub(r"\W+", "_", clean_name(text).casefold()).strip("_"))


def names_within(text: str, *, as_names: bool = False) -> list[str]:
    """
    Return what could be a name in running *text*, in comparable form.

    That is one to five words in a row, and in scripts without spaces any two to six characters.

    Args:
        text: any.
        as_names: only what does not begin in lower case, as names in a sentence do not.

    Returns:
        Each once, `MAX_NAMES_WITHIN` at the most; in the order of the text, of those that begin at one place the
        longer first.
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    found: dict[str, None] = {}
    for first, (start, _) in enumerate(words):
        if as_names and text[start].islower():
            continue
        for last in range(min(first + MAX_NAME_WORDS, len(words)) - 1, first - 1, -1):
            found.setdefault(normalized(text[start : words[last][1]]))
        for run in _UNSPACED.finditer(text, start, words[first][1]):
            for begin in range(run.start(), run.end() - 1):
                for end in range(min(begin + _LONGEST_UNSPACED, run.end()), begin + 1, -1):
                    found.setdefault(normalized(text[begin:end]))
        if len(found) >= MAX_NAMES_WITHIN:
            break
    return [name for name in found if name][:MAX_NAMES_WITHIN]


Name = Annotated[str, AfterValidator(clean_name)]
RelationWord = Annotated[str, AfterValidator(relation_word)]
Description = Annotated[str, AfterValidator(clean_description)]
Confidence = Annotated[float, Field(ge=0, le=1)]


class EntityMention(Value):
    """A name found in evidence. The user themself has the name `user`."""

    name: Name
    entity_type: EntityType = EntityType.OTHER
    description: Description = ""

    @property
    def normalized_name(self) -> str:
        """The name in its comparable form."""
        return normalized(self.name)


class RelationshipMention(Value):
    """A relationship between two names found in evidence, such as user, sister_of, Ana."""

    source: Name
    target: Name
    relationship_type: RelationWord
    description: Description = ""
    confidence: Confidence = 0.8


class NewEntity(Value):
    """An entity to add by hand."""

    name: Name
    entity_type: EntityType = EntityType.OTHER
    description: Description = ""
    aliases: tuple[Name, ...] = ()
    attributes: dict[str, JsonValue] = {}


class EntityEdit(Value):
    """The changes; None leaves a field unchanged."""

    name: Name | None = None
    entity_type: EntityType | None = None
    description: Description | None = None
    aliases: tuple[Name, ...] | None = None
    attributes: dict[str, JsonValue] | None = None


class Entity(Value):
    """A person, place or thing that a user mentions."""

    entity_id: EntityId
    user_id: UserId
    name: str
    normalized_name: str
    entity_type: EntityType
    description: str = ""
    aliases: tuple[str, ...] = ()
    """Other names of it."""
    attributes: dict[str, JsonValue] = {}
    mention_count: int = 0
    """Number of memories that mention it."""
    last_mentioned_at: datetime | None = None
    source_memory_ids: tuple[MemoryUid, ...] = ()
    """The newest memories that mention it."""
    created_at: datetime
    updated_at: datetime

    def is_called(self, names: Collection[str]) -> bool:
        """Whether its name or an alias is among *names*, which are normalised."""
        return self.normalized_name in names or any(normalized(alias) in names for alias in self.aliases)


class NewRelationship(Value):
    """A relationship to add by hand."""

    source_entity_id: EntityId
    target_entity_id: EntityId
    relationship_type: RelationWord
    description: Description = ""
    confidence: Confidence = 1.0
    is_bidirectional: bool = False


class RelationshipEdit(Value):
    """The changes; None leaves a field unchanged."""

    relationship_type: RelationWord | None = None
    description: Description | None = None
    confidence: Confidence | None = None
    is_bidirectional: bool | None = None


class Relationship(Value):
    """A named connection between two entities of a user."""

    relationship_id: RelationshipId
    user_id: UserId
    source_entity_id: EntityId
    source_name: str
    target_entity_id: EntityId
    target_name: str
    relationship_type: str
    """A word of `RelationType`, or one that says more."""
    description: str = ""
    confidence: float = 1.0
    is_bidirectional: bool = False
    """Whether it is symmetric. Either way it is followed in both directions."""
    valid_from: datetime | None = None
    """Since when it holds, by the first memory that states it; None if it was written by hand."""
    valid_to: datetime | None = None
    """Until when it held, by the last memory that stated it; None while it holds."""
    source_memory_ids: tuple[MemoryUid, ...] = ()
    """The newest memories that state it."""
    created_at: datetime
    updated_at: datetime


class EntityGraph(Value):
    """The surroundings of one entity."""

    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    center_entity_id: EntityId
    depth: int


class Near(Value):
    """A memory that mentions an entity near the requested ones."""

    memory_id: MemoryId
    score: float
    """0 to 1: the product of the confidences on the best path there, halved each step; 1 without a step."""
    hops: int
    via: EntityId
    """The entity that it mentions."""
