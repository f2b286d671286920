"""How users set an agent right: what it should not have done, what it left out, what is true instead."""

from typing import Final

from sagacity.learning.rules.manner import REPLY_WORDS
from sagacity.learning.rules.pattern import BY_ITSELF, PLEASE, VERBS, Pattern

_WRONG = (
    r"(?:(?:no|nope|nah|sorry|hm+|ugh|well|actually)[,.]?\s)?(?:that(?:'s| is| was)\s(?:just\s|simply\s)?(?:wrong|"
    r"incorrect|not (?:right|correct|true|how it works|what we do))|wrong|not (?:right|correct|true)|incorrect|"
    r"no(?=[^\n]{0,80}\s(?-i:[A-Z\d])))"
)
"""A mere "no" may answer a question: what follows must name something, or a number, to be true instead."""
_POINTS_BACK = r"(?!(?:it|that|this|these|those|them|him|her|the|my)\b)"
_WORD = r"(?:(?!(?:this|that|these|those|it|here|there|your|you|file|function|line|test|code)\b)[\w'-]+)"
_SOMEBODY = (
    r"(?:someone|somebody|anyone|anybody|people|customers?|clients?|users?|an?\s(?:\w+\s)?(?:customer|client|user|"
    r"guest|patient|student|caller|member|person|ticket|order|request|test|build)|they|something|anything)"
)

MISTAKES: Final[tuple[Pattern, ...]] = (
    Pattern(
        name="should_not",
        says=rf"you\s(?:shouldn't|should not|mustn't|must not|may not|are not (?:allowed|supposed) to|"
        rf"aren't (?:allowed|"
        rf"supposed) to)\s(?:just\s|ever\s|really\s|simply\s)?(?P<rule>(?={VERBS}\b)"
        rf"\w+\s{_POINTS_BACK}[^\n;.!?]{{3,120}}?)"
        rf"(?:{BY_ITSELF}|(?=,\s))",
        gives="do not {rule}",
        confidence=0.8,
        corrects=True,
        example=(
            "You shouldn't promise delivery dates, we got burned with that.",
            "Do not promise delivery dates.",
        ),
        counter="They shouldn't promise delivery dates.",
    ),
    Pattern(
        name="left_out",
        says=r"you\s(?:forgot to|didn't|did not|failed to|were supposed to|skipped)\s(?:even\s)?(?P<rule>(?:check|"
        r"verify|ask|confirm|warn|mention|look up|test|run|greet|escalate|explain)(?!\s(?:it|that|this|these|those|"
        r"them|him|the (?:first|second|third|last|next))\b)\s[^\n;.!?]{3,120})",
        confidence=0.75,
        corrects=True,
        example=("You forgot to check the membership first.", "Check the membership first."),
        counter="You forgot to check it.",
    ),
    Pattern(
        name="true_instead",
        says=rf"{_WRONG}[,.:;]?\s(?:actually\s)?(?P<rule>(?:the|our|we|in\s\w+)\s(?![^\n]{{0,80}}\b(?:one|ones|first|second|other|"
        rf"same|problem|issue|error|question|answer)\b)(?:{_WORD}\s){{0,5}}?(?:is|are|has|"
        rf"have|costs?|takes?|lasts?|starts?|ends?|closes?|opens?|offer|use|ship|charge|allow|goes|go)\s"
        rf"(?!(?:wrong|missing|not what|still)\b)[^\n;!?]{{1,140}}?)(?=\s*[.!]*$)",
        confidence=0.8,
        corrects=True,
        example=("That's wrong, the refund limit is 50.", "The refund limit is 50."),
        counter="The refund limit is 50.",
    ),
    Pattern(
        name="meant",
        says=r"(?:(?:no|nope|sorry|wait)[,.]?\s)?i\s(?:meant|was (?:asking|talking) about|asked (?:about|for))\s"
        r"(?P<meant>(?:the|an?|all|my|our|only|just|how|what|per|in|for|with)\s[^\n,;.!?]{3,80}?,?\s"
        r"(?:not|rather than|instead of)\s(?!(?:the\s)?(?-i:[A-Z])\S*\s*[.!]*$)[^\n,;.!?]{3,60}?)(?=\s*[.!]*$)",
        gives="the user means {meant}",
        confidence=0.7,
        corrects=True,
        example=(
            "No, I meant the totals per carrier, not per country.",
            "The user means the totals per carrier, not per country.",
        ),
        counter="I meant the Boston marathon, not Chicago.",
    ),
    Pattern(
        name="done_here",
        says=rf"(?:here,?\s)?(?:we|at \w+ we)\s(?P<how>always|never|don't|do not)?\s?(?P<rule>(?!(?:never|always|"
        rf"don't|do|just|only|get|be|stop)\b)(?={VERBS}\b|"
        rf"address\b)\w+"
        rf"\s[^\n;.!?]{{3,80}}?)\s(?:here|around here|in this (?:company|team|project|repo|repository|shop|house|"
        rf"codebase))"
        r"(?=\s*(?:[,.;!]|$))",
        gives="{how} {rule}",
        confidence=0.75,
        corrects=True,
        example=("We never refund cash in this shop.", "Never refund cash."),
        counter="We never met in this shop.",
    ),
    Pattern(
        name="when_somebody",
        says=rf"(?P<when>(?:when(?:ever)?|if)\s{_SOMEBODY}\s(?:is|are|has|have|asks?|wants?|says?|complains?|reports?|"
        rf"fails?|sends?|needs?|mentions?|orders?|cancels?|calls?|writes?|gets?)\b(?:(?!\b(?:i|we|my|our|you)\b)"
        rf"[^,;:?!\n]){{0,60}}?),?\s"
        rf"(?:{PLEASE}\s)?(?P<rule>(?:always\s|never\s|don't\s|do not\s|first\s|just\s|then\s)?(?={VERBS}\b)"
        rf"(?!(?:get|look|do|order|book|call|report|be|list|state|number|share|show|test|fix|change|log|run)\b"
        rf"(?<!,\s))[^\n;.!?]{{3,160}})",
        confidence=0.8,
        corrects=True,
        example=("When someone is angry apologise once.", "Apologise once."),
        counter="When someone is angry I apologise once.",
    ),
    Pattern(
        name="what_first",
        says=rf"(?:{PLEASE},?\s)?(?:the\s)?(?P<what>{REPLY_WORDS}|the (?:answer|result|conclusion|bad news|price))\s"
        rf"first(?:,\s(?:then|and then)\s[^\n,;.!?]{{3,40}})?{BY_ITSELF}",
        gives="give {what} first",
        confidence=0.75,
        corrects=True,
        example=("Examples first please.", "Give examples first."),
        counter="Questions first came up in May.",
    ),
)
"""Tried before the tables of style: each names what went wrong."""
