"""
The user's own name in a question: it says whose memories are asked for, and nothing about what is in them.

No memory repeats the name of the user whom it is about but the one that gives it. "Where does Priya work?" would find
"Name is Priya Sharma." first, by word and by meaning.
"""

import re
from collections.abc import Sequence

from sagacity.domain.graph import USER, Entity, normalized
from sagacity.retrieval.query.names import names_in
from sagacity.retrieval.query.words import keywords_of


def may_name_the_user(text: str) -> bool:
    """Return whether a question has a name at all; most have none, and nothing needs to be looked up for them."""
    return bool(names_in(text, ()))


def own_names(entities: Sequence[Entity]) -> tuple[str, ...]:
    """
    Return what the user is called, in whole and by their first name, the longest first.

    Args:
        entities: the user's own and others that the question may mean, whose names are not taken for the user's.
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
    Return a question with the user's names replaced by "they", which is in no index of words.

    One that asks about nothing but the name ("Who is Priya?") stays as it is.
    """
    if not names:
        return text
    either = "|".join(map(re.escape, names))
    replaced = re.sub(rf"\b(?:{either})['’]s\b", "their", text, flags=re.IGNORECASE)
    replaced = re.sub(rf"\b(?:{either})\b", "they", replaced, flags=re.IGNORECASE)
    return replaced if keywords_of(replaced) else text
