"""What the user asks to have remembered, in the words in which it was said, where no other row reads it."""

import re
from typing import Final

from sagacity.learning.rules.draft import Draft
from sagacity.learning.rules.sentences import Sentence, Stance
from sagacity.learning.rules.wording import finish, slug, third_person

_ASKED: Final = (
    r"(?:(?:please|pls|plz|(?P<polite>(?:can|could|would|will) (?:you|u))|and|also|just|always|so|ok|okay)[,\s]+){0,3}"
    r"(?:remember|memori[sz]e|keep in mind|bear in mind|make a note|(?:don't|do not|never) forget)"
    r"(?: this| it)?(?: for (?:later|me|the future|next time))?(?:,? that\b|:)"
)
"""How it is asked for. "Remember to" tells how to act, and "do you remember that" is a question."""
_STATES: Final = re.compile(
    rf"{_ASKED}\s+(?P<what>(?!i(?:'d| would)? (?:want|need|like|prefer)\b)"
    r"(?:(?:my|our)\s(?P<of>[\w' -]{2,60}?)\s(?:is|are|was|were)\b|"
    r"(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'll|my|our|the|there|(?-i:[A-Z])[\w'-]+)\s)[^\n?]{3,300})\??$",
    re.IGNORECASE,
)
"""Of somebody or something that is named: "it", "this" and "they" say nothing by themselves later. What the user wants
and prefers of an answer is for the agent's rules."""
_POINTS: Final = re.compile(
    r"\b(?:above|below|this|that one|these|those|earlier|previous|last (?:answer|message|reply|step)|"
    r"your|you|you're)\b",
    re.IGNORECASE,
)
"""What needs the conversation to be understood, or is about the agent."""
_OWN: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|we're|we've|us|our)\b", re.IGNORECASE)
_CONFIDENCE = 0.9


def remembered(sentence: Sentence, *, is_all: bool) -> Draft | None:
    """
    Return what *sentence* asks to have remembered; None if it asks for nothing, or for what means nothing later.

    Args:
        sentence: of the user.
        is_all: whether it is all that the user said. Within a longer text, what does not speak of the user belongs to
            the task: "Remember that the list may be empty."
    """
    for clause in sentence.clauses:
        match = _STATES.match(sentence.text, clause.start)
        if match is None or _POINTS.search(match["what"]):
            continue
        is_asked_for = clause.stance is Stance.STATED or (clause.stance is Stance.ASKED and match["polite"])
        if is_asked_for and (is_all or _OWN.search(match["what"])):
            of = slug(match["of"] or "")
            return Draft(
                rule="remembered",
                content=finish(third_person(match["what"])),
                slot=f"remembered.{of}" if of else "",
                exclusive=bool(of),
                confidence=_CONFIDENCE,
            )
    return None
