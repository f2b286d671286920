"""Whether a text is English, judged by its most common words."""

import re

from sagacity.storage.search.keywords import WORD

FOREIGN = frozenset(
    """aber als auch auf aus bei bitte das dass dem den der des dich dir doch du ein eine einem einen einer er es für
    habe haben ich ihm ihn ihr im ist ja kein keine mein meine meinen mich mir mit nach nein nicht noch nur oder sehr
    sich sie sind und uns von vor wenn wie wir wird zu zum zur nutzer benutzer
    au aux avec ce cette dans de du elle en est et il je la le les leur lui mais mes moi mon ne nous ou pas pour que
    qui ses sont sur une utilisateur utilisatrice vous
    al como del el ella esta este las lo los mi mis muy para pero por porque se su sus también tiene un y yo usuario
    ao aos da dos ela ele em está eu isso meu minha na nas não nos numa os quando sem seu sua tem um uma usuário você
    che di gli ho io nel più sono una een ik niet voor""".split()
)
"""The most common words of some languages that are not English words. (The most common English words are not terms.)"""
_ENGLISH = frozenset(
    """the and of with for from has have had my your you i i'm i've i'd are is was not that this it its it's don't
    please always never what when how can could would there just user user's she he they their his her to by""".split()
)


_COMPOUND = re.compile(r"\b[A-Za-z]+(?:-[A-Za-z]+)+\b")
"""Words with hyphens, whose parts are no words of their own: "to-dos" is not Portuguese."""


def is_english(text: str) -> bool:
    """Whether a text is certainly English."""
    return not _ENGLISH.isdisjoint(map(str.casefold, _words(text))) and not is_foreign(text)


def is_foreign(text: str) -> bool:
    """Whether a text is certainly in another language; capitalised words may be names ("Los Angeles")."""
    words = [word for word in _words(text) if not word[0].isupper()]
    return not FOREIGN.isdisjoint(words) or any(not word[0].isascii() for word in words)


def _words(text: str) -> list[str]:
    return WORD.findall(_COMPOUND.sub(" ", text.replace("’", "'")))
