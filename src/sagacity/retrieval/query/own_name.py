"""
The user's own name in a question: it says whose memories are wanted, not what they are about.

Memories do not repeat the name of their user; only one of them states it. So "Where does Priya work?" would find
"Name is Priya Sharma." first, both by words and by meaning.
"""

import re
from collections.abc import Sequence

from sagacity.domain.graph import USER, Entity, normalized
from sagacity.retrieval.query.names import names_in
from sagacity.retrieval.query.words import keywords_of


def may_name_the_user(text: str) -> bool:
    """Return whether a question contains any name. Most do not, which saves a lookup."""
    return bool(names_in(text, ()))


def own_names(entities: Sequence[Entity]) -> tuple[str, ...]:
    """
    Return the user's names, full names and first names, longest first.

    Args:
        entities: the user, and others that the question may mean; their names are not taken for the user's.
    """
    others = {
        normalized(name)
        for entity in entities
        if normalized(entity.name) != USER
        for name in (entity.name, *entity.aliases)
    }
    own = {
        name
        for entity in entities
        if normalized(entity.name) == USER
        for alias in entity.aliases
        for name in (alias, alias.partition(" ")[0])
        if normalized(name) not in others
    }
    return tuple(sorted(own, key=lambda name: (-len(name), name)))


def by_pronoun(text: str, names: Sequence[str]) -> str:
    """
    Replace the user's names in a question by "they", a stop word.

    A question about nothing but the name ("Who is Priya?") is returned unchanged.
    """
    if not names:
        return text
    either = "|".join(map(re.escape, names))
    replaced = re.sub(rf"\b(?:{either})['’]s\b", "their", text, flags=re.IGNORECASE)
    replaced = re.sub(rf"\b(?:{either})\b", "they", replaced, flags=re.IGNORECASE)
    return replaced if keywords_of(replaced) else text
