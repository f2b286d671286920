"""Judge a session without a model, by the user's last words; pure, and undecided when in doubt."""

import re
from collections.abc import Sequence

from sagacity.domain.evaluation import FailureType
from sagacity.domain.interaction import Interaction
from sagacity.learning.evaluate.verdict import Verdict
from sagacity.learning.rules.sentences import Sentence, Stance, split_sentences
from sagacity.learning.windows.render import shorten

_OBJECTED = "objected"
_QUOTED_CHARS = 200
_TURNS_READ = 50
"""How many of the last turns are read, because users judge at the end, if at all."""
_SHORT_WORDS, _LONGEST_WORDS = 16, 40
"""The most words of mere thanks, and of a last turn that is judged; longer ones may be about something else."""


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_PERSON = (
    r"(?:(?:a|an|your|another|the|some)\s?)?(?:(?:real|actual|live|human)\s)?"
    r"(?:human|person|being|representative|rep|agent|supervisor|manager|operator|one|body)\b"
)
_WANTS_PERSON = _any_of(
    rf"\b(?:i|me|we|us)\b[^.?!]{{0,30}}\b(?:speak|talk|chat) (?:to|with) {_PERSON}",
    rf"\btransfer(?:red|ring)? (?:(?:me|us|this|it)\s)?to {_PERSON}",
    rf"\b(?:connect|put|pass|hand) (?:me|us|this|it)\s(?:\w+\s)?(?:to|with) {_PERSON}",
    rf"\b(?:want|need|get me|give me) {_PERSON}(?: now| please)?\s*(?:[.!?,]|$)",
    r"\bescalate (?:this|it|my)\b",
)
_HANDS_OVER = _any_of(r"(?:transfer|hand|escalat)\w*_to_|hand_?(?:off|over)|escalat")
"""Names of tools that hand a session over to a person."""
_GIVES_UP = _any_of(
    r"\b(?:this|that|you)(?:'s| is| are|'re)?\s(?:\w+\s){0,2}(?:useless|a waste of time|no help|not helping)\b",
    r"\bwast(?:e|ed|ing) (?:of )?my time\b",
    r"\bforget (?:it|about it)\b",
    r"\b(?:i(?:'m| am)?\s)?(?:give|giving) up\b",
    r"\bthanks for nothing\b",
    r"\bi'll (?:do|fix|figure|find|sort)\b[^.?!]{0,30}\bmyself\b",
    r"\bi'll (?:go|look|try|shop|take my business) (?:somewhere else|elsewhere)\b",
)
_IS_WRONG = _any_of(
    r"\bthat(?:'s| is| was) (?:(?:still|just|also|simply)\s)?(?:wrong|incorrect|false)\b",
    r"\bthat(?:'s| is| was) (?:still )?not (?:right|correct|true|it|what i)\b",
    r"\byou(?:'re| are) wrong\b",
    r"\byou (?:misunderstood|got (?:it|that|this) wrong|ignored|missed)\b",
    r"\bnot what i (?:asked|meant|wanted|said|need)",
    r"\bi (?:just |already )?(?:said|told you|asked for|meant)\b",
)
_NOT = r"(?:doesn't|does not|didn't|did not|isn't|won't|not)"
_FAILS = _any_of(
    rf"\b{_NOT} (?:\w+\s)?(?:work|working|help|solve|fix|fixed|solved|answer)\b",
    r"\bstill (?:not|doesn't|does not|isn't|can't|cannot|won't|gets?|getting|nothing|waiting|no)\b",
    r"\bstill (?:broken|failing|fails|wrong|the same)\b",
    r"\bsame (?:error|problem|issue|result)\b",
)
_WORKED = _any_of(
    r"\b(?:that|this|it) (?:just |really )?(?:worked|works|did it|did the trick|helped)\b(?! out\b)",
    r"\b(?:that|this|it) (?:just |really )?(?:fixed|solved|resolved) (?:it|that|this|my|the)\b",
    r"\b(?:it|that|everything)(?:'s| is)? (?:works|working|fixed|solved|sorted|resolved) now\b",
    r"\b(?:problem|issue|question)(?:'s| is)? (?:now )?(?:solved|resolved|fixed|answered)\b",
    r"\bexactly what i (?:needed|wanted|was looking for)\b",
    r"\bthat(?:'s| is| was|'ll be| will be| should be) (?:all|everything)\b",
    r"\bi(?:'m| am) all set\b",
)
_THANKS = _any_of(
    r"\bthank(?:s| you)\b(?! (?:in advance|anyway|for nothing|but)\b)",
    r"^(?:perfect|great|excellent|awesome|brilliant|wonderful|fantastic|lovely)\b",
    r"\b(?:that|this)(?:'s| is) (?:perfect|great|excellent|very helpful|helpful)\b",
)
_GOES_ON = _any_of(
    r"\b(?:but|however|though|next|also|then|can|could|would|please|instead|anyway)\b",
    r"(?<!for )\bnow,? \w",
)
_SUPPOSED = _any_of(r"\b(?:if|unless|hope|hopefully|wish|when|once|until|whether)\b")
_DOUBTED = _any_of(
    _SUPPOSED.pattern,
    r"n't\b|\b(?:not|never|hardly|barely|should (?!be all)|would|could|might|says?|said|told|claims?)\b",
)
_DECLINED = _any_of(
    r"\bi(?:'m| am)? (?:cannot|can't|can not|unable to|not able to|afraid)\b",
    r"\bi (?:don't|do not) have (?:access|a way|the ability|a tool)\b",
    r"\bunfortunately\b",
)


def judge_by_rules(turns: Sequence[Interaction]) -> Verdict | None:
    """
    Judge a session by its user's last words, in English.

    It is a success if the user confirms it. It is a failure if it ends with a request for a person, with the user
    giving up, or with an objection that is not the first, or was not answered.

    Returns:
        The verdict; None if the words do not settle it.
    """
    said = [turn for turn in turns if turn.is_user and turn.content.strip()][-_TURNS_READ:]
    if not said or all(turn.is_user for turn in turns) or len(said[-1].content.split()) > _LONGEST_WORDS:
        return None
    answers = [turn for turn in turns if turn.seq > said[-1].seq]
    escalated = any(_says(turn, _WANTS_PERSON) for turn in said) or any(map(_hands_over, turns))
    if fault := _fault(said, answers):
        quoted = shorten(" ".join(said[-1].content.split()), _QUOTED_CHARS)
        is_wrong = fault == _OBJECTED and _says(said[-1], _IS_WRONG)
        return Verdict(
            is_success=False,
            failure_type=FailureType.WRONG_ANSWER if is_wrong else None,
            failure_reason=f"At the end the user {fault}: “{quoted}”",
            is_escalated=escalated,
        )
    answer = next((turn.content for turn in reversed(turns[: turns.index(said[-1])]) if not turn.is_user), "")
    return Verdict(is_success=True, is_escalated=escalated) if _confirms(said[-1], answer) else None


def _fault(said: Sequence[Interaction], answers: Sequence[Interaction]) -> str:
    """Return what the user did at the end that shows a failure; empty if nothing does."""
    *before, last = said
    if _says(last, _WANTS_PERSON):
        return "asked for a person"
    if any(map(_hands_over, answers)):
        return "was handed to a person, after"
    if _says(last, _GIVES_UP):
        return "gave up"
    # An objection that was answered may have been met; nobody says so.
    if _objects(last) and (not answers or any(_objects(turn) for turn in before)):
        return _OBJECTED
    return ""


def _hands_over(turn: Interaction) -> bool:
    return not turn.is_user and any(_HANDS_OVER.search(tool.tool_name) for tool in turn.tools_used)


def _objects(turn: Interaction) -> bool:
    return _says(turn, _IS_WRONG) or _says(turn, _FAILS)


def _confirms(turn: Interaction, answer: str) -> bool:
    """Whether the user says that it worked, or only thanks for an answer that did not decline."""
    sentences = split_sentences(turn.content)
    if _objects(turn) or any(_asks(sentence) for sentence in sentences):
        return False
    if any(_WORKED.search(one.text) and not _DOUBTED.search(one.text) for one in sentences):
        return True
    return (
        len(turn.content.split()) <= _SHORT_WORDS
        and any(_THANKS.search(sentence.text) for sentence in sentences)
        and not _GOES_ON.search(turn.content)
        and not _DECLINED.search(answer)
    )


def _says(turn: Interaction, pattern: re.Pattern[str]) -> bool:
    return any(
        pattern.search(one.text) and not _SUPPOSED.search(one.text) for one in split_sentences(turn.content)
    )


def _asks(sentence: Sentence) -> bool:
    return sentence.text.rstrip().endswith("?") or any(
        clause.stance is Stance.ASKED for clause in sentence.clauses
    )
