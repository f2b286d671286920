"""A user's graph: who and what they speak of, and how these belong together."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from sagacity.domain.base import Value
from sagacity.domain.ids import cut_key


class EntityType(StrEnum):
    """What sort of thing a name stands for."""

    PERSON = "person"
    PLACE = "place"
    ORGANIZATION = "organization"
    PRODUCT = "product"
    ANIMAL = "animal"
    OTHER = "other"


class EntityMention(Value):
    """A name found in evidence. The user themself has the name `user`."""

    name: str
    entity_type: EntityType = EntityType.OTHER

    @property
    def normalized_name(self) -> str:
        """The name as it is compared: case folded, spaces collapsed, as long as databases look up."""
        return cut_key(" ".join(self.name.casefold().split()))


class RelationshipMention(Value):
    """A tie between two names found in evidence, such as user, sister_of, Ana."""

    source: str
    target: str
    relationship_type: Annotated[str, AfterValidator(cut_key)]
    confidence: float = 0.8
