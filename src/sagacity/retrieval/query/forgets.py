"""Whether a message asks to forget something that the user said, or everything."""

import re
from enum import StrEnum
from typing import Final


class Forgets(StrEnum):
    """How much a message asks to forget."""

    SOMETHING = "something"
    EVERYTHING = "everything"


_POLITE: Final = (
    r"(?:(?:please|pls|just|now|ok|okay|actually|hey|so|and|(?:can|could|would|will|should) you|"
    r"i(?:'d| would)? (?:want|like|need) you to|bitte|kannst du|könntest du|s'il te plaît|s'il vous plaît|"
    r"tu peux|peux-tu|pouvez-vous|por favor|puedes|podrías|você pode|podes),?\s+){0,4}"
)
_OWNED: Final = (
    r"(?:data|memor(?:y|ies)|informations?|info|history|profile|conversations?|chats?|messages?|"
    r"daten|erinnerungen|verlauf|données|souvenirs|historique|datos|recuerdos|historial|dados|memórias|histórico)"
)
_DELETE: Final = "erase|delete|remove|wipe|clear"
_ALL: Final = "(?:what(?:ever)?|everything|anything|all)"
_ASKED: Final = (
    rf"(?:forget|disregard|unlearn|{_DELETE})(?: about)? {_ALL}(?=(?: that)? (?:i|we|you)\b| about\b|\W*$)",
    r"(?:forget|unlearn)(?: about)? (?:(?:that|what|who|where) (?:i|we|my|our)|i (?:said|told|mentioned)|my|our|me)\b",
    rf"(?:{_DELETE}) (?:all )?(?:of )?(?:my|your) {_OWNED}\b",
    r"(?:vergiss|vergesst|vergessen sie|lösche?|löschen sie)(?: bitte)?,? (?:(?:das )?was|dass|mich|meine\w?|alles)\b",
    r"(?:oublie[zr]?|efface[zr]?|supprime[zr]?) (?:tout|ce que|que|moi|mon|ma|mes)\b",
    r"(?:olvida|olvide|olvídate de|borra|borre|elimina|elimine) (?:todo|lo que|que|mí|mis?)\b",
    r"(?:esquece|esqueça|apaga|apague|elimina|elimine) (?:tudo|o que|que|meus?|minhas?)\b",
)
_FORGET: Final = re.compile(rf"\W*{_POLITE}(?:{'|'.join(_ASKED)})")
"""Matches only at the beginning of a sentence: "don't forget" and "I forgot" ask for something else."""
_EVERYTHING: Final = re.compile(
    rf"\b(?:everything|anything|all|alles|tout|todo|tudo|(?:forget|unlearn) (?:about )?me|vergiss mich"
    rf"|(?:my|your|meine|mes|mis|meus|minhas) (?:personal |whole |entire )?{_OWNED})\b"
)
_ABOUT: Final = re.compile(
    r"\b(?:about|regarding|über|von|zu|sur|de|sobre|acerca de)\s(?!me\b|myself\b|mich\b|mir\b|moi\b|mí\b|mim\b)"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n+")


def what_to_forget(message: str) -> Forgets | None:
    """
    Return how much *message* asks to forget; None if it does not ask to forget anything.

    "Forget what I said about peanuts" names something. "Forget everything" and "delete my data" do not.
    """
    plain = message.strip().lower().replace("\u2019", "'")
    asked = [one for one in _SENTENCE_END.split(plain) if _FORGET.match(one)]
    if not asked:
        return None
    is_all = any(_EVERYTHING.search(one) and not _ABOUT.search(one) for one in asked)
    return Forgets.EVERYTHING if is_all else Forgets.SOMETHING
