"""The user's own name, as memories state it."""

import re

from sagacity.domain.change import Candidate
from sagacity.domain.graph import NAME_SLOT, USER, EntityType

_SAYS = re.compile(
    r"\b(?:name is|named|is called|goes by|hei(?:ß|ss)t|s'appelle|se llama|se chama)\s+"
    r"(?P<name>[^\W\d_][^.,;:!?()\n]{0,80})",
    re.IGNORECASE,
)


def own_name(candidate: Candidate) -> str:
    """
    Return the name that *candidate* says is the user's; empty if it says none, or only an agent or a tool says it.

    In a model's answer that is the only person whom the fact names; otherwise the words after "name is".
    """
    if candidate.slot != NAME_SLOT or candidate.is_unconfirmed or candidate.negates:
        return ""
    people = [
        one.name
        for one in candidate.entities
        if one.entity_type is EntityType.PERSON
        and one.normalized_name != USER
        and one.name.casefold() in candidate.content.casefold()
    ]
    if len(people) == 1:
        return people[0]
    said = _SAYS.search(candidate.content)
    return said["name"].strip() if said and not people else ""
