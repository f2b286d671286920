"""Summarise a conversation without a model: the user's own words, and how it ended; pure."""

from collections.abc import Sequence

from sagacity.domain.base import Value
from sagacity.domain.chat import is_extractive
from sagacity.domain.interaction import Interaction
from sagacity.learning.evaluate.rules import judge_by_rules
from sagacity.learning.rules.ended import without_forgotten
from sagacity.learning.rules.languages.detect import language_of, own_words
from sagacity.learning.rules.languages.load import LANGUAGES, load_language
from sagacity.learning.rules.sentences import ENGLISH, Sentence, Stance, split_sentences
from sagacity.learning.windows.gate import says_something
from sagacity.learning.windows.render import shorten

MOST_QUOTES = 6
_QUOTE_CHARS = 160
_FEWEST_WORDS = 3
"""The least number of words of a quote; fewer say little about a conversation."""


class Summary(Value):
    """A summary of a conversation."""

    title: str = ""
    """Empty: the conversation's title."""
    content: str
    outcome: str = ""
    """How the conversation ended; empty if that is unknown."""
    keywords: tuple[str, ...] = ()


def summary_by_rules(turns: Sequence[Interaction]) -> Summary | None:
    """
    Return a summary of a conversation; None if its user said nothing worth quoting.

    What the user asks to forget is not quoted. Also None if the user only asked, and the answer quoted memories: these
    would otherwise become a memory again.
    """
    beside = own_words(turns)
    said = [one for turn in turns if turn.is_user for one in _sentences(turn.content, beside)]
    kept = list(without_forgotten(said))
    quotes = _chosen([quote for one in kept for quote in _quotes(one)])
    only_asked = all(map(_only_asks, kept))
    answers = [turn.content for turn in turns if not turn.is_user]
    if not quotes or (only_asked and answers and all(map(is_extractive, answers))):
        return None
    outcome = _outcome(turns)
    quoted = "; ".join(f"“{quote}”" for quote in quotes)
    return Summary(content=" ".join(filter(None, (f"The user said: {quoted}.", outcome))), outcome=outcome)


def _sentences(text: str, beside: str) -> list[tuple[str, Sentence]]:
    """Split a turn into sentences, each with its language, by whose rules "am 2. Oktober" is not an end."""
    code = language_of(text, beside)
    grammar = load_language(code).grammar if code in LANGUAGES else ENGLISH
    return [(code, one) for one in split_sentences(text, grammar)]


def _only_asks(sentence: Sentence) -> bool:
    """Whether a sentence is only a question, perhaps after a word such as "and"."""
    asked = [clause.start for clause in sentence.clauses if clause.stance is Stance.ASKED]
    return bool(asked) and len(sentence.text[: min(asked)].split()) <= 1


def _quotes(sentence: Sentence) -> list[str]:
    """Return a sentence as it was said, if it says something."""
    said = " ".join(sentence.text.split())
    if len(said.split()) < _FEWEST_WORDS or not says_something(said, ""):
        return []
    return [shorten(said.rstrip(".!"), _QUOTE_CHARS)]


def _chosen(quotes: Sequence[str]) -> list[str]:
    """Return the first and last quotes, which tell how it began and ended, and the longest of the others; in order."""
    every = list(dict.fromkeys(quotes))
    if len(every) <= MOST_QUOTES:
        return every
    kept = {0, 1, len(every) - 1}
    longest = sorted(range(2, len(every) - 1), key=lambda place: (-len(every[place]), place))
    kept |= set(longest[: MOST_QUOTES - len(kept)])
    return [every[place] for place in sorted(kept)]


def _outcome(turns: Sequence[Interaction]) -> str:
    verdict = judge_by_rules(turns)
    if verdict is None:
        return ""
    if verdict.is_success:
        return "It ended well."
    reason = (verdict.failure_reason or "").strip().rstrip(".")
    return f"It did not end well: {reason}." if reason else "It did not end well."
