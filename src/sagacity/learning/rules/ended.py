"""Known facts that the user says no longer hold: by a denial, by the table of endings, or by correcting a value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import TimeToLive
from sagacity.domain.time.ends import SOME_DAY
from sagacity.domain.time.expressions import times_in
from sagacity.learning.deduplication.text_equivalence import read
from sagacity.learning.rules.corrections import CORRECTIONS, FORGOTTEN, MOVED, RESCHEDULED
from sagacity.learning.rules.denials import Denied, denied_in, is_limited
from sagacity.learning.rules.draft import Draft
from sagacity.learning.rules.endings import ENDINGS, LEXICONS, MARKS, EndingRow, Lexicon
from sagacity.learning.rules.folding import bare, folded, is_same, tokens, unaccented, word_set
from sagacity.learning.rules.languages.load import LANGUAGES, load_language
from sagacity.learning.rules.sentences import ENGLISH as ENGLISH_GRAMMAR
from sagacity.learning.rules.sentences import MAX_TEXT, Grammar, Sentence, Stance
from sagacity.learning.rules.wording import conjugate, finish, slug, third_person

_CONFIDENCE: Final = 0.9
_MOST_BEFORE: Final = 4
"""Most words before the name of the subject of a memory: "Has a golden retriever named Max"."""
_PARTS: Final = re.compile(r"[.!?](?=\s)|\n")
_LABEL: Final = re.compile(r"(?:health|gesundheit|sante|salud|saude|regime|situation) ?: ")
_LISTED: Final = re.compile(r",|\b(?:and|or|und|oder|et|ou|y|o|e)\b")
_OF_OTHERS: Final = frozenset("who whose that which der die das qui que works".split())
_FOLLOWS: Final = frozenset(
    "in on at with for as every each daily since from named called who that which to of by twice once when before "
    "after near because diagnosed mit bei im am seit jeden jede namens aus fur zu en de con para cada por desde que "
    "llamado llamada chez avec depuis tous toutes chaque qui pour em com todos todas chamado".split()
)
"""Words that start a detail after a thing. Any other word belongs to its name: "milk tea" is not milk."""
_BETWEEN: Final = frozenset(
    "jeden jede morgen abend tag taglich morgens abends every day daily regularly two three four five zwei drei vier "
    "deux trois quatre dos tres cuatro dois quatro".split()
)
"""Words that may stand between a verb and its object: when, and how many."""
_GIVEN_UP: Final = re.compile(
    r"(?:has )?(?:gave up|given up|cut out|came off|went off|hat (?:aufgehort|.+ aufgegeben)|a arrete|ha dejado|dejo|"
    r"parou)\b"
)
_NOT_TO_HAVE: Final = re.compile(r"health\.(?:allergy|intolerance|sensitive)")
"""Slots of what the user must not have: denials in other words."""
_POINTING: Final = frozenset(
    "it that this them everything anything all something me you das es dies alles ca cela tout eso esto todo isso isto "
    "tudo".split()
)
"""Words that do not name anything to forget."""
_COUNTED: Final = re.compile(r"owns|plan")
"""Slots that can have several values."""
_LIVES: Final = re.compile(r"\bwho lives? in (?P<where>[^.]+)")
_OF_USER: Final = (
    (re.compile(r"(?:i|we)(?:'m| am| are)\s", re.IGNORECASE), "is "),
    (re.compile(r"(?:i|we)(?:'ve| have)\s", re.IGNORECASE), "has "),
    (re.compile(r"(?:i|we)\s", re.IGNORECASE), ""),
)
_PRESENT: Final = re.compile(r"(?:eat|drink|take|use|have|smoke|tolerate)\b", re.IGNORECASE)


class KnownFact(Value):
    """A known fact about the user, which may end, or an episode, which may only be forgotten."""

    content: str
    slot: str = ""
    memory_id: MemoryId | None = None
    """None if it was learned earlier in the same window."""
    said_at: datetime | None = None
    is_episode: bool = False


class Ending(Value):
    """What a clause ends, and what to remember instead."""

    draft: Draft
    said: tuple[str, ...]
    """The folded words of the clause."""
    ended: tuple[KnownFact, ...]
    forgets: bool = False
    """Whether the user asks to forget it, so that nothing is remembered instead."""

    def is_said_by(self, content: str) -> bool:
        """Whether a fact says nothing after its verb that the clause does not say; then it is remembered instead."""
        objects = tokens(content)[1:]
        return bool(objects) and all(any(is_same(one, word) for word in self.said) for one in objects)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What clauses are read with: the language and the known facts."""

    language: str
    lexicon: Lexicon
    grammar: Grammar
    known: Sequence[KnownFact]
    """Without episodes."""
    episodes: Sequence[KnownFact] = ()


def what_may_end(text: str) -> str:
    """Return the lines and sentences of *text* that contain a word which may end something. Most texts have none."""
    return "\n".join(part.strip() for part in _PARTS.split(text[:MAX_TEXT]) if _may_end(part))


def endings(sentences: Sequence[Sentence], language: str, known: Sequence[KnownFact]) -> Iterator[Ending]:
    """
    Yield the *known* facts that the stated clauses of *sentences* end.

    - A denial ends a fact that says what it denies, with or without a detail: "I don't take losartan" ends "Takes
      losartan every morning.". A clause that says more ends nothing, such as one about others or about today.
    - A row of the table ends facts of its slots that name its thing.
    - "I said Leicester, not Leeds" replaces the last fact with the wrong value.
    - "Forget what I said about peanuts" ends all facts and episodes that name them, without replacing them.
    """
    if language not in LEXICONS or not known:
        return
    reading = _reading(language, known)
    for sentence in sentences:
        for clause in sentence.clauses if _may_end(sentence.text) else ():
            if clause.stance is Stance.STATED:
                found = (
                    read(sentence.text, clause.start, reading)
                    for read in (_forgotten, _corrected, _rescheduled, _moved, _denied, _by_row)
                )
                yield from filter(None, [next(filter(None, found), None)])


def _may_end(text: str) -> bool:
    return not _MARKS.isdisjoint(tokens(text))


def _corrected(text: str, start: int, reading: _Reading) -> Ending | None:
    """Return the last fact with the wrong value, now with the right one."""
    found = (pattern.match(text, start) for pattern in _corrections(reading.language))
    match = next(filter(None, found), None)
    if match is None:
        return None
    wrong = match["wrong"]
    whole = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])")
    meant = [fact for fact in reading.known if whole.search(fact.content)]
    if not meant:
        return None
    # Facts of the same window come after those that were known before.
    latest = max(enumerate(meant), key=lambda it: (it[1].memory_id is None, _time(it[1]), it[0]))[1]
    return _replaced("corrected", latest, wrong, match)


def without_forgotten(said: Sequence[tuple[str, Sentence]]) -> Iterator[Sentence]:
    """
    Yield the sentences but those that ask to forget something, and those that name what is to be forgotten.

    Args:
        said: the sentences of a conversation, each with the code of its language.
    """
    asked = [_asked_to_forget(sentence, language) for language, sentence in said]
    things = [(thing, language) for (language, _), thing in zip(said, asked, strict=True) if thing]
    for (_, sentence), thing in zip(said, asked, strict=True):
        words = tokens(sentence.text)
        if not thing and not any(_names(one, words, LEXICONS[language]) for one, language in things):
            yield sentence


def _asked_to_forget(sentence: Sentence, language: str) -> Sequence[str]:
    """Return the words of what a sentence asks to forget; empty if it does not ask."""
    if language not in LEXICONS or not _may_end(sentence.text):
        return ()
    starts = (clause.start for clause in sentence.clauses if clause.stance is Stance.STATED)
    found = (_thing_to_forget(sentence.text, start, _reading(language)) for start in starts)
    return next((thing for thing, _ in filter(None, found)), ())


def _reading(language: str, known: Sequence[KnownFact] = ()) -> _Reading:
    grammar = load_language(language).grammar if language in LANGUAGES else ENGLISH_GRAMMAR
    facts, episodes = ([one for one in known if one.is_episode is it] for it in (False, True))
    return _Reading(language, LEXICONS[language], grammar, facts, episodes)


def _forgotten(text: str, start: int, reading: _Reading) -> Ending | None:
    """Return all known facts about what is to be forgotten, and the episodes that name it."""
    asked = _thing_to_forget(text, start, reading)
    if asked is None:
        return None
    thing, match = asked
    lexicon = reading.lexicon
    known = (*reading.known, *reading.episodes)
    ended = tuple(fact for fact in known if _names(thing, _words_of(fact, lexicon), lexicon))
    draft = Draft(rule="forgotten", content=finish(text[start : match.end()]), confidence=_CONFIDENCE)
    return Ending(draft=draft, said=tuple(tokens(match[0])), ended=ended, forgets=True) if ended else None


def _thing_to_forget(text: str, start: int, reading: _Reading) -> tuple[Sequence[str], re.Match[str]] | None:
    """Return the words of what the clause at *start* asks to forget, and the request."""
    plain = folded(text)
    found = (_clause(pattern, reading.grammar).match(plain, start) for pattern in FORGOTTEN[reading.language])
    match = next(filter(None, found), None)
    if match is None:
        return None
    lexicon = reading.lexicon
    unsaid = word_set(lexicon.subjects) | {
        verb for verb in map(folded, lexicon.verbs) if _is_copula(verb, lexicon)
    }
    thing = tuple(word for word in bare(tokens(match["thing"]), lexicon) if word not in unsaid)
    return (thing, match) if thing and _POINTING.isdisjoint(thing) else None


def _rescheduled(text: str, start: int, reading: _Reading) -> Ending | None:
    """Return the one known appointment that is moved, with its new day."""
    plain = folded(text)
    found = (
        _clause(pattern, reading.grammar).match(plain, start) for pattern in RESCHEDULED[reading.language]
    )
    match = next(filter(None, found), None)
    if match is None:
        return None
    right = text[slice(*match.span("right"))].rstrip(" .")
    thing = bare(tokens(match["thing"]), reading.lexicon)
    meant = [
        (fact, days[0])
        for fact in reading.known
        if fact.slot.startswith("plan")
        and _names(thing, _words_of(fact, reading.lexicon), reading.lexicon)
        and (days := _days(fact.content, reading.language))
    ]
    # With two of them, it is unknown which one is meant.
    if not thing or len(meant) != 1 or not _days(right, reading.language):
        return None
    fact, wrong = meant[0]
    if folded(wrong) == folded(right):
        return None
    draft = Draft(
        rule="rescheduled",
        content=fact.content.replace(wrong, right, 1),
        slot=fact.slot.replace(slug(wrong) or wrong, slug(right)),
        exclusive=True,
        time_to_live=TimeToLive.ONE_QUARTER,
        until=right,
        confidence=_CONFIDENCE,
    )
    return Ending(draft=draft, said=(*tokens(match[0]), "is"), ended=(fact,))


def _days(text: str, language: str) -> list[str]:
    """Return the expressions of time in *text*, as written."""
    named = times_in(f"on {text}" if language == "en" else text, SOME_DAY, language=language)
    return [one.text for one in named]


def _names(thing: Sequence[str], words: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether *words* contain all of *thing*, whose verbs may be in the first person."""
    third = {folded(first): folded(other) for first, other in lexicon.verbs.items()}

    def forms(word: str) -> set[str]:
        regular = {
            word.removesuffix(first) + other for first, other in lexicon.regular if word.endswith(first)
        }
        return {word, third.get(word, word), *regular}

    return all(any(is_same(form, word) for form in forms(one) for word in words) for one in thing)


def _is_copula(verb: str, lexicon: Lexicon) -> bool:
    """Whether a verb in the first person is "to be" or "to have"."""
    return folded(lexicon.verbs.get(verb, "")) in word_set(lexicon.unsaid)


def _moved(text: str, start: int, reading: _Reading) -> Ending | None:
    """Return the fact where a known person lives, with the new place."""
    match = re.compile(MOVED.get(reading.language, "(?!)"), re.IGNORECASE).match(text, start)
    if match is None:
        return None
    meant = [
        (fact, lives["where"])
        for fact in reading.known
        if (lives := _LIVES.search(fact.content))
        and any(is_same(folded(match["who"]), word) for word in tokens(fact.content[: lives.start()]))
    ]
    # With two sisters, it is unknown which one is meant.
    [(fact, where)] = meant if len(meant) == 1 else [(None, "")]
    return _replaced("moved", fact, where, match) if fact and where != match["right"] else None


def _replaced(rule: str, fact: KnownFact, wrong: str, match: re.Match[str]) -> Ending:
    """Return *fact* with the wrong value replaced by what *match* found to be right."""
    whole = re.compile(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])")
    draft = Draft(
        rule=rule,
        content=whole.sub(match["right"], fact.content),
        slot=fact.slot.replace(slug(wrong) or wrong, slug(match["right"])),
        exclusive=bool(fact.slot),
        confidence=_CONFIDENCE,
    )
    return Ending(draft=draft, said=tuple(tokens(match[0])), ended=(fact,))


def _time(fact: KnownFact) -> float:
    return fact.said_at.timestamp() if fact.said_at else 0.0


@cache
def _corrections(language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in CORRECTIONS[language])


def _denied(text: str, start: int, reading: _Reading) -> Ending | None:
    """Return the facts that the clause at *start* denies."""
    asides = word_set(reading.lexicon.asides)
    connectors = reading.grammar.connector.finditer(text, start)
    following = next((it for it in connectors if folded(it[0]).strip() not in asides), None)
    clause = text[start : following.start() if following else len(text)]
    denied = denied_in(clause, reading.language)
    if denied is None or (following and is_limited(denied, following, reading.language)):
        return None
    ended = tuple(fact for fact in reading.known if _is_denied(denied, fact, reading.lexicon))
    said = (*tokens(clause), *denied.words, "not")
    return _ending("denied", denied.content, said, ended)


def _is_denied(denied: Denied, fact: KnownFact, lexicon: Lexicon) -> bool:
    """Whether *fact* says what is denied, with or without a detail."""
    words = _words_of(fact, lexicon)
    places = _places(denied.words, words)
    if not places or _is_denial(fact, lexicon) or _is_over(fact):
        return False
    last = max(places)
    if any(at not in places and words[at] not in _BETWEEN for at in range(last)):
        return False
    if last == len(words) - 1:
        return True
    return not denied.is_whole and _is_detail(words[last + 1]) and not _LISTED.search(folded(fact.content))


def _by_row(text: str, start: int, reading: _Reading) -> Ending | None:
    """Return what the clause at *start* ends according to the table."""
    plain = folded(text)
    for row in ENDINGS:
        for pattern in row.says.get(reading.language, ()):
            match = _clause(pattern, reading.grammar).match(plain, start)
            ended = tuple(_named(row, match, reading)) if match else ()
            thing = text[slice(*match.span("thing"))] if match else ""
            is_unclear = len(ended) > 1 and _COUNTED.match(ended[0].slot) and not re.search(r"[A-Z\d]", thing)
            if match and ended and not is_unclear:
                name = thing.title() if row.is_of_one and thing.islower() else thing
                gives = row.gives.get(reading.language, "").format(thing=name)
                content = finish(gives) if gives else _of_user(text[start : match.end()])
                return _ending(row.name, content, tokens(match[0]), ended)
    return None


@cache
def _clause(pattern: str, grammar: Grammar) -> re.Pattern[str]:
    """Compile a pattern for folded text so that it only matches up to the end of a clause."""
    end = rf"(?=[\s.!\u2026)]*$|{grammar.connector.pattern}|[.,;:!])"
    return re.compile(unaccented(pattern) + end, re.IGNORECASE)


def _named(row: EndingRow, match: re.Match[str], reading: _Reading) -> Iterator[KnownFact]:
    """Yield the known facts of the row's slots that are about its thing."""
    lexicon = reading.lexicon
    thing = bare(tokens(match["thing"]), lexicon)
    who = match.groupdict().get("who")
    for fact in reading.known:
        words = _words_of(fact, lexicon)
        places = _places(thing, words)
        if not places or not re.match(row.ends, fact.slot) or not _is_of_kind(row, fact, lexicon):
            continue
        first, last = min(places), max(places)
        is_about = first <= _MOST_BEFORE and _OF_OTHERS.isdisjoint(words[:first])
        if (row.is_of_one and not is_about) or (who and not any(is_same(who, word) for word in words)):
            continue
        is_all = last == len(words) - 1 or _is_detail(words[last + 1])
        if is_all and not _is_listed(fact, words, first, last):
            yield fact


def _is_of_kind(row: EndingRow, fact: KnownFact, lexicon: Lexicon) -> bool:
    """Whether *fact* is a denial if the row takes a denial back, and otherwise not a denial."""
    is_denial = _is_denial(fact, lexicon)
    if not row.is_back:
        return not is_denial and not _is_over(fact)
    return is_denial or bool(_NOT_TO_HAVE.match(fact.slot) or _GIVEN_UP.match(folded(fact.content)))


def _is_listed(fact: KnownFact, words: Sequence[str], first: int, last: int) -> bool:
    """Whether the thing is listed with something else, which does not end with it."""
    beside = (*words[max(first - 1, 0) : first], *words[last + 1 : last + 2])
    comma = rf"{re.escape(words[last])}\w*,|, (?:\w+ )?{re.escape(words[first])}"
    return any(map(_LISTED.fullmatch, beside)) or re.search(comma, folded(fact.content)) is not None


def _is_denial(fact: KnownFact, lexicon: Lexicon) -> bool:
    return read(fact.content).denials > 0 or not word_set(lexicon.denials).isdisjoint(tokens(fact.content))


def _is_over(fact: KnownFact) -> bool:
    """Whether *fact* itself reports an ending."""
    return not _ENDED.isdisjoint(tokens(fact.content))


def _words_of(fact: KnownFact, lexicon: Lexicon) -> tuple[str, ...]:
    return bare(tokens(_LABEL.sub("", folded(fact.content), count=1)), lexicon)


def _places(said: Sequence[str], words: Sequence[str]) -> frozenset[int]:
    """Return the positions in *words* of all words that are *said*; empty if any is missing."""
    places: list[int] = []
    for one in said:
        place = next((at for at, word in enumerate(words) if at not in places and is_same(one, word)), None)
        if place is None:
            return frozenset()
        places.append(place)
    return frozenset(places)


def _is_detail(word: str) -> bool:
    return word in _FOLLOWS or word[0].isdigit()


def _ending(rule: str, content: str, said: Sequence[str], ended: Sequence[KnownFact]) -> Ending | None:
    if not ended:
        return None
    draft = Draft(rule=rule, content=content, slot=ended[0].slot, negates=True, confidence=_CONFIDENCE)
    return Ending(draft=draft, said=tuple(said), ended=tuple(ended))


def _of_user(clause: str) -> str:
    """Turn a clause of the user into a statement about them: "I came off metformin" becomes "Came off metformin."."""
    for subject, verb in _OF_USER:
        if match := subject.match(clause):
            body = clause[match.end() :]
            return finish(
                third_person(verb + (conjugate(body) if not verb and _PRESENT.match(body) else body))
            )
    return finish(third_person(clause))


_ENDED: Final = word_set(MARKS) - word_set(
    "back off left let got come came dit said given put gone away over weg ido fue passou embora"
)
_MARKS: Final = word_set(MARKS) | frozenset(
    word for lexicon in LEXICONS.values() for word in folded(lexicon.denials).replace("_", " ").split()
)
