"""Situations: what a user asked for, worded as the trigger of a playbook."""

import re

from sagacity.learning.rules.sentences import Stance, split_sentences
from sagacity.learning.rules.wording import shorten, trim

MAX_GIST = 110

_REQUEST = re.compile(
    r"\b(?:i (?:also |now )?(?:need|want|would like)|i'd like|i'm (?:trying|looking|hoping)|we(?:'re|"
    r" are) trying|help me|show me|walk me|let's|please|my \w+ wants)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:hi|hello|hey|now|also|so|ok|okay|yes|yeah|well|sure|sorry|please|quick question though|"
    r"one more thing)\b[\s,.!:-]*){0,4}(?:(?:i'm|i am|we're) (?:trying|looking|hoping|here) (?:to|for)\s|"
    r"i (?:also |now )?(?:would like|want|need)(?: you)?(?: to)?\s|i'd like(?: to)?\s|(?:can|could|"
    r"would) you (?:please )?)?",
    re.IGNORECASE,
)
_EMBEDDED = re.compile(
    r"\b(?P<when>(?:before|after|when|while|whenever) (?:you )?(?!you\b)(?:\w+ing|each|every|"
    r"any)\b[^,.;?!]{2,70}|before you (?:say|claim|tell|report|call|declare|push|commit|merge|finish|stop|answer|"
    r"reply|respond)\b[^,.;?!]{0,70}|(?:when(?:ever)?|if) the user (?:asks?|reports?|says?|shares?|sends?|mentions?)\b"
    r"[^,.;?!]{2,70})",
    re.IGNORECASE,
)
_TOPICS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), trigger)
    for pattern, trigger in (
        (r"\b(?:format|structure)\b", "When writing a reply"),
        (r"\b(?:cli|commands?|install|pnpm|npm|yarn)\b", "When showing commands or package installs"),
        (r"\b(?:code|snippets?|typescript|javascript|python|comments)\b", "When showing code"),
        (r"\bexamples?\b", "When giving examples"),
        (
            r"\b(?:concepts?|analog(?:y|ies)|jargon|explain|basics|understood)\b",
            "When explaining something new",
        ),
        (r"\b(?:compensation|goodwill|credit)\b", "When the service has failed the user"),
        (r"\b(?:tracking|carrier|shipment|parcel|package)\b", "When asked where a delivery is"),
        (r"\b(?:orders?|items?)\b", "When handling an order"),
        (r"\b(?:options|etas?|choices)\b", "When presenting options"),
        (r"\b(?:units?|metric|celsius|kilomet\w+)\b", "When giving measurements"),
        (r"\b(?:sources?|citations?|cite|references?)\b", "When stating facts"),
        (r"\b(?:e-?mails?|letters?|drafts?)\b", "When drafting messages"),
        (
            (
                r"\b(?:respon\w+|explanations?|introductions?|answers?|repl\w+|sentences?|short|brief|"
                r"concise|bullet\w*|tone|emojis?)\b"
            ),
            "When writing a reply",
        ),
        (r"\b(?:search\w*|docs|documentation|look(?:ing)? up)\b", "When looking something up"),
        (
            r"^(?!always\b|never\b).*\b(?:run|running|creat\w+|delet\w+|generat\w+)\b",
            "When about to use a tool that changes something",
        ),
    )
)


def topic_trigger(rule: str, when: str) -> str:
    """Return when *rule* applies, by its *when*, a clause inside it or its topic; empty if unsaid."""
    if when:
        return when
    embedded = _EMBEDDED.search(rule)
    if embedded:
        return trim(embedded["when"])
    return next((trigger for pattern, trigger in _TOPICS if pattern.search(rule)), "")


def gist(text: str) -> str:
    """Return what *text* asks for, as "When asked: …"; empty if it asks for nothing."""
    for sentence in split_sentences(text):
        stances = {clause.stance for clause in sentence.clauses}
        if stances <= {Stance.SUPPOSED, Stance.REPORTED} or not (
            Stance.ASKED in stances or _REQUEST.search(sentence.text)
        ):
            continue
        body = trim(_LEAD.sub("", sentence.text, count=1).rstrip("?"))
        if len(body.split()) >= 3:  # noqa: PLR2004 - "yes please" asks for nothing nameable
            return f"When asked: {shorten(body, MAX_GIST)}"
    return ""
