"""A conversation in short without a model: what its user said, in their own words, and how it ended; pure."""

from collections.abc import Sequence

from sagacity.domain.base import Value
from sagacity.domain.interaction import Interaction
from sagacity.learning.evaluate.rules import judge_by_rules
from sagacity.learning.rules.sentences import split_sentences
from sagacity.learning.windows.gate import says_something
from sagacity.learning.windows.render import shorten

MOST_QUOTES = 6
_QUOTE_CHARS = 160
_FEWEST_WORDS = 3
"""What has fewer tells little of what a conversation was about."""


class Summary(Value):
    """A conversation in short."""

    title: str = ""
    """Empty: that of the conversation."""
    content: str
    outcome: str = ""
    """Empty where it cannot be told."""
    keywords: tuple[str, ...] = ()


def summary_by_rules(turns: Sequence[Interaction]) -> Summary | None:
    """Return a conversation in short; None if its user said nothing that is worth quoting."""
    quotes = _chosen([quote for turn in turns if turn.is_user for quote in _quotes(turn.content)])
    if not quotes:
        return None
    outcome = _outcome(turns)
    said = "; ".join(f"“{quote}”" for quote in quotes)
    return Summary(content=" ".join(filter(None, (f"The user said: {said}.", outcome))), outcome=outcome)


def _quotes(text: str) -> list[str]:
    """Return the sentences of one turn that say something, as they were said."""
    sentences = [" ".join(one.text.split()) for one in split_sentences(text)]
    return [
        shorten(one.rstrip(".!"), _QUOTE_CHARS)
        for one in sentences
        if len(one.split()) >= _FEWEST_WORDS and says_something(one, "")
    ]


def _chosen(quotes: Sequence[str]) -> list[str]:
    """Return the first and the last, which tell how it began and ended, and of the others the longest; in order."""
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
