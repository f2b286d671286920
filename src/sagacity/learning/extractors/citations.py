"""Find the turns that support a model's entry: cited turns if they say it, else the turn that does."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from sagacity.domain.cursor import Window
from sagacity.domain.graph import USER
from sagacity.domain.ids import InteractionId
from sagacity.domain.interaction import Interaction
from sagacity.domain.trust import Trust, trust_of
from sagacity.learning.languages import FOREIGN, is_english, is_foreign
from sagacity.learning.windows.render import DEFAULT_LIMITS, shorten, tool_texts
from sagacity.storage.search.keywords import first_person_share, terms_of

_SHORT_REPLY_WORDS = 3
"""A turn with at most this many meaningful words ("Yes, since last year") also says what it replies to."""
_ENOUGH_SHARED = 2
"""This many shared words, or half of the entry's, are enough for an uncited turn to support an entry."""
_A_SENTENCE = 3
"""The fewest words of an entry that is compared with the instructions; fewer may occur there by chance."""

_MOST = 2 / 3
"""The share of a text's statements that must rest on its sources; a manual also greets, and says what is usual."""
_STATEMENT_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MARK = re.compile(r"^\s*(?:#.*|(?:\d+[.)]|[-*•])\s+)")

_WEAK = frozenset(
    terms_of(
        " ".join(FOREIGN)
        + " die hat bin con par per user like love want need prefer live work use go get make"
        + " i'm i've i'd i'll it's that's you're can't don't"
    )
)
"""Words so common in entries that they tie none of them to a turn."""
_THANKS = frozenset(terms_of("thanks thank great nice cool good perfect wow"))
"""Words of a reply that confirm nothing."""

_DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b(?:19|20)\d{2}\b")
"""Dates, which a model computes from words such as "next week", so that no turn contains them."""
_NAME = re.compile(r"(?<=\s)[A-Z][\w'-]+|\d+")
_SENT = frozenset({"input", "inputs", "arguments", "args", "parameters", "params"})
"""Keys for the input in a tool call's data; everything else in it may be the result."""
_CALENDAR = frozenset(
    terms_of(
        """January February March April May June July August September October November December Monday Tuesday
        Wednesday Thursday Friday Saturday Sunday English"""
    )
)


class Citations:
    """The turns of one window, and the words of each, which are computed once and only if needed."""

    def __init__(self, window: Window, instructions: str = "") -> None:
        """
        Prepare *window* to check a model's entries.

        Args:
            window: the turns that the model was shown.
            instructions: the model's instructions; an entry that repeats them is dropped, unless a turn says it.
        """
        self._window = window
        self._instructions = _plain(instructions)
        self._turns = dict(enumerate(window.interactions, start=1))
        self._unread = range(len(window.context) + 1, len(self._turns) + 1)
        self._words_of: Callable[[int], frozenset[str]] = lru_cache(maxsize=None)(self._read)

    def behind(
        self, cited: Iterable[int], text: str, *, is_inferred: bool = False, is_order: bool = False
    ) -> tuple[InteractionId, ...]:
        """
        Return the turns that support an entry, oldest first; empty if none does.

        These are the unread turns that are cited and say it: they contain a name, a number or another word of the
        entry, or reply briefly to a turn that does. Cited turns that may say it in other words are added: in another
        language, or the user about themself. If no cited turn has such a word, the result is the unread turn that
        shares most words with the entry, if any; a tool's words do not count as what the user may have meant.

        Args:
            cited: numbers of turns as `render_window` counts them; other numbers are ignored.
            text: all texts of the entry.
            is_inferred: whether the entry may name things that no turn names.
            is_order: whether the entry tells the agent what to do. An uncited turn in which only a tool says so does
                not support an order. A turn of low trust that may have said it is added, whatever is cited.
        """
        numbers = sorted({*cited} & {*self._unread})
        asked = _carrying(text)
        found = self._found(numbers, asked, text, is_inferred=is_inferred, is_order=is_order)
        return self._ids(sorted({*found, *self._suspects(found, asked)}) if found and is_order else found)

    def _found(
        self, numbers: Sequence[int], asked: frozenset[str], text: str, *, is_inferred: bool, is_order: bool
    ) -> Sequence[int]:
        """Return the turns that support an entry, by its citations and by its words."""
        said = {number for number in numbers if self._says(number, asked)}
        if not said:
            best = self._best(asked, among_users=any(self._turns[number].is_user for number in numbers))
            if best is not None:
                return [best]
            told = self._told_by_a_tool(asked)
            if told is not None:
                return [] if is_order else [told]
        return [
            number
            for number in numbers
            if number in said or self._may_say(self._turns[number], text, is_inferred=is_inferred)
        ]

    def _suspects(self, found: Sequence[int], asked: frozenset[str]) -> list[int]:
        """
        Return the turns of low trust, including context, that an order more likely comes from than from *found*.

        A page can talk a model into citing the user for what the page says. So the user must have said at least as many
        words of the order as the page, and anyone else more of them; otherwise the order counts as the page's.
        """
        low = [number for number, turn in self._turns.items() if _is_low(turn)]
        trusted = [number for number in found if number not in low]
        by_users = self._share(asked, [number for number in trusted if self._turns[number].is_user])
        by_anyone = self._share(asked, trusted)
        shares = {number: self._share(asked, [number]) for number in low}
        enough = _enough(asked)
        suspects = [
            number
            for number, share in shares.items()
            if share >= enough and share > by_users and share >= by_anyone
        ]
        if not suspects and low and by_anyone < enough:
            suspects = [max(low, key=lambda number: (shares[number], number))]
        return suspects

    def _share(self, asked: frozenset[str], numbers: Iterable[int]) -> int:
        """Return how many of the words *asked* some turns contain."""
        return len(asked & frozenset[str]().union(*map(self._words_of, numbers)))

    def is_of_a_tool(self, order: str, behind: Iterable[InteractionId]) -> bool:
        """
        Whether a tool's results contain more of an order than the user's words, and as much as all supporting turns.

        Tools that an agent's turn used are not separate turns, and share its origin: an order by a page in their
        results would be trusted like the agent.

        Args:
            order: what the agent is to do.
            behind: the turns that support it.
        """
        asked, behind = _carrying(order), frozenset(behind)
        told = max((len(asked & words) for words in self._result_words), default=0)
        if told < _enough(asked):
            return False
        found = [turn for turn in self._turns.values() if turn.interaction_id in behind]
        by_users = asked & _words_in(part for turn in found if turn.is_user for part in _own_words(turn))
        by_anyone = asked & _words_in(part for turn in found for part in _own_words(turn))
        return told > len(by_users) and told >= len(by_anyone)

    def mentions(self, name: str, beside: str) -> bool:
        """Whether a turn or the text *beside* contains *name*; True if that cannot be determined."""
        words = frozenset(terms_of(name)) - {USER}
        return (
            not words
            or not words.isdisjoint(self._all_words | frozenset(terms_of(beside)))
            or not self._is_english
        )

    def _ids(self, numbers: Iterable[int]) -> tuple[InteractionId, ...]:
        return tuple(self._turns[number].interaction_id for number in numbers)

    def _says(self, number: int, asked: frozenset[str]) -> bool:
        turn = self._turns[number]
        if self._window.image and turn is self._window.pictured:
            return True  # an image has no words
        words = self._words_of(number)
        if turn.is_user and number > 1 and len(words) <= _SHORT_REPLY_WORDS and not words <= _THANKS:
            words |= self._words_of(number - 1)
        return not asked.isdisjoint(words)

    def _best(self, asked: frozenset[str], *, among_users: bool) -> int | None:
        """Return the unread turn that shares most words; ties go to the user's, then to the newest."""
        shared = Counter(number for word in asked for number in self._places.get(word, ()))
        enough = _enough(asked)
        ranked = (
            (count, self._turns[number].is_user, number)
            for number, count in shared.items()
            if count >= enough and (self._turns[number].is_user or not among_users)
        )
        return max(ranked, default=(0, False, None))[2]

    def _told_by_a_tool(self, asked: frozenset[str]) -> int | None:
        """Return the newest unread turn whose tools contain the words *asked*, if any."""
        told = (
            number
            for number, words in reversed(self._tool_words.items())
            if len(words & asked) >= _enough(asked)
        )
        return next(told, None)

    def _may_say(self, turn: Interaction, text: str, *, is_inferred: bool) -> bool:
        """Whether a turn that shares no word with an entry may still mean it."""
        if not is_inferred and self._is_told(text):
            return False
        if not (is_english(text) and self._is_english) or is_foreign(turn.text):
            return True
        is_of_themself = turn.is_user and bool(first_person_share(turn.text))
        return is_of_themself and (is_inferred or _names(text) <= self._spoken_words)

    def _is_told(self, text: str) -> bool:
        """Whether the instructions contain an entry word for word."""
        lines = (_plain(line).removeprefix("user ") for line in text.splitlines())
        return any(line in self._instructions for line in lines if len(line.split()) >= _A_SENTENCE)

    @cached_property
    def _is_english(self) -> bool:
        return any(is_english(turn.text) for turn in self._window.unread)

    def _read(self, number: int) -> frozenset[str]:
        return _carrying(_shown(self._turns[number]))

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The numbers of the unread turns that contain each word."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number in self._unread:
            for word in self._words_of(number):
                places[word].append(number)
        return dict(places)

    @cached_property
    def _tool_words(self) -> dict[int, frozenset[str]]:
        """The words of the tools of each unread turn that used some, by number."""
        told = {number: "\n".join(_tools(self._turns[number])) for number in self._unread}
        return {number: _carrying(text) for number, text in told.items() if text}

    @cached_property
    def _result_words(self) -> list[frozenset[str]]:
        """The words of tools' results in each turn that used some, including context."""
        return [_words_in(_results(turn)) for turn in self._turns.values() if turn.tools_used]

    @cached_property
    def _spoken_words(self) -> frozenset[str]:
        """The words of all turns except those of tools."""
        limit = DEFAULT_LIMITS.turn_chars
        return frozenset(
            word for turn in self._turns.values() for word in terms_of(shorten(turn.text, limit))
        )

    @cached_property
    def _all_words(self) -> frozenset[str]:
        return frozenset(word for turn in self._turns.values() for word in terms_of(_shown(turn)))


def is_said_in(text: str, sources: Sequence[str], shown: Sequence[str] = ()) -> bool:
    """
    Whether what a model made of *sources* rests on them.

    It does if at least two thirds of its sentences and lines share words with the sources: two, or half of their own. A
    number of two digits or more must be in a source. Where words do not tell, because the text or a source is in
    another language than English, the answer is yes.

    Args:
        text: what the model wrote; headings and the marks of lists do not count.
        sources: what it was made of.
        shown: other texts that the model may use words and numbers of.
    """
    if _is_beyond_words(text, sources):
        return True
    known = _words_in((*sources, *shown))
    statements = [_carrying(_MARK.sub("", part)) for part in _STATEMENT_END.split(text)]
    whole = frozenset[str]().union(*statements)
    if any(word.isdigit() and len(word) > 1 for word in whole - known):
        return False
    told = [one for one in statements if len(one) > 1] or [whole]
    said = sum(len(one & known) >= _enough(one) for one in told)
    return any(told) and said >= _MOST * len(told)


def speaks_of(part: str, sources: Sequence[str]) -> bool:
    """Whether a short part of what a model made of *sources* shares a word with them, or words cannot tell."""
    return _is_beyond_words(part, sources) or not _carrying(part).isdisjoint(_words_in(sources))


def _is_beyond_words(text: str, sources: Iterable[str]) -> bool:
    return is_foreign(text) or any(map(is_foreign, sources))


def _is_low(turn: Interaction) -> bool:
    return trust_of(turn.stamped_origin) is Trust.LOW


def _shown(turn: Interaction) -> str:
    """Return the text of a turn that a model sees."""
    return "\n".join((shorten(turn.text, DEFAULT_LIMITS.turn_chars), *_tools(turn)))


def _tools(turn: Interaction) -> Iterator[str]:
    """Yield the text that a model sees of each tool that a turn used."""
    for name, sent in tool_texts(turn):
        yield f"{name} {shorten(sent, DEFAULT_LIMITS.tool_chars)}"


def _own_words(turn: Interaction) -> Iterator[str]:
    """Yield a turn's own text, with the names and inputs of the tools that it used."""
    yield shorten(turn.text, DEFAULT_LIMITS.turn_chars)
    for tool in turn.tools_used:
        sent = {name: value for name, value in tool.tool_data.items() if name in _SENT}
        yield f"{tool.tool_name} {shorten(json.dumps(sent, ensure_ascii=False), DEFAULT_LIMITS.tool_chars)}"


def _results(turn: Interaction) -> Iterator[str]:
    """Yield what the tools of a turn returned."""
    for tool in turn.tools_used:
        returned = {name: value for name, value in tool.tool_data.items() if name not in _SENT}
        yield shorten(json.dumps(returned, ensure_ascii=False), DEFAULT_LIMITS.tool_chars)


def _words_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in terms_of(text))


def _enough(asked: frozenset[str]) -> int:
    return min(_ENOUGH_SHARED, (len(asked) + 1) // 2)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!\"'")


def _carrying(text: str) -> frozenset[str]:
    """Return the meaningful words of a text; if it has only weak ones, those."""
    words = frozenset(terms_of(text))
    return words - _WEAK or words


def _names(text: str) -> frozenset[str]:
    """Return the names and numbers of an English text, except dates."""
    return frozenset(terms_of(" ".join(_NAME.findall(_DATE.sub(" ", text))))) - _CALENDAR
