"""Read turns in languages other than English: facts about the speaker, and instructions to the agent."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.graph import USER, EntityMention, EntityType, RelationshipMention
from sagacity.learning.rules.draft import Draft
from sagacity.learning.rules.languages.load import Language, Row, load_language
from sagacity.learning.rules.products import is_product
from sagacity.learning.rules.sentences import MAX_TEXT, Sentence, Stance, split_sentences
from sagacity.learning.rules.until import Reading, readings, with_end
from sagacity.learning.rules.wording import slug

_NAMES: Final[Mapping[str, EntityType]] = {
    "person": EntityType.PERSON,
    "place": EntityType.LOCATION,
    "org": EntityType.ORGANIZATION,
    "pet": EntityType.ANIMAL,
}
_PLACES: Final = frozenset({"place", "old"})
"""Groups that are places. A former home is not among `_NAMES`, which are linked to the user."""
_WORD: Final = re.compile(r"\w+")
_PARTICLES: Final = frozenset(
    "de del do da dos das la le les el los los las y e und bei am an der den die du sur en".split()
)
"""Words that stay in lower case within a name."""
_GUILLEMETS: Final = re.compile(r"\u00ab\s?|\s?\u00bb")
"""French has spaces inside quotation marks."""
_GRAMMAR: Final = frozenset({"how", "when", "day", "at", "to", "more", "verb"})
"""Groups without content of their own, in which nothing is refused."""
MAX_RULE: Final = 220


class ReadInstruction(Value):
    """An instruction, and the sentence it is from."""

    draft: Draft
    when: str
    quote: str


def facts_in(language: str, text: str) -> Iterator[Draft]:
    """Yield the facts that *text*, in *language*, states about its speaker; at one position the first row wins."""
    table = load_language(language)
    said: set[str] = set()
    for sentence in sentences_in(language, text):
        for start in _starts(sentence, Stance.STATED):
            ways = readings(sentence.text, start, table.grammar, language)
            found = next(filter(None, (_fact(table, way, language) for way in ways)), None)
            if found and found.content not in said:
                said.add(found.content)
                yield found


def _fact(table: Language, way: Reading, language: str) -> Draft | None:
    found = _first(table, table.facts, way.text, way.start)
    return with_end(found[0], way, found[2], table.grammar, language) if found else None


def instructions_in(language: str, text: str) -> Iterator[ReadInstruction]:
    """Yield the instructions to the agent in *text*; what one row has read is read by no other."""
    table = load_language(language)
    for sentence in sentences_in(language, text):
        yield from _told(table, sentence)


def _told(table: Language, sentence: Sentence) -> Iterator[ReadInstruction]:
    polite = [row for row in table.instructions if row.says.polite]
    read_to = 0
    for stance, rows in ((Stance.STATED, table.instructions), (Stance.ASKED, polite)):
        for start in _starts(sentence, stance):
            found = _first(table, rows, sentence.text, start) if start >= read_to else None
            if found:
                read_to = found[2]
                yield ReadInstruction(draft=found[0], when=found[1], quote=sentence.text)


def sentences_in(language: str, text: str) -> tuple[Sentence, ...]:
    """Return the sentences of *text*, in *language*, that are the speaker's own words."""
    composed = unicodedata.normalize("NFC", text[:MAX_TEXT])
    return split_sentences(_GUILLEMETS.sub('"', composed), load_language(language).grammar)


def _starts(sentence: Sentence, stance: Stance) -> list[int]:
    """Return where clauses of *stance* start, after any "¿" or "¡"."""
    starts = [clause.start for clause in sentence.clauses if clause.stance is stance]
    return [
        start + 1 if sentence.text[start : start + 1] in {"\u00bf", "\u00a1"} else start for start in starts
    ]


def _first(table: Language, rows: Sequence[Row], text: str, start: int) -> tuple[Draft, str, int] | None:
    """Return the result of the first row that matches, when it applies, and where the match ends."""
    for row in rows:
        for pattern in row.patterns:
            match = pattern.match(text, start)
            groups = _groups(table, row, match) if match else None
            if match and groups is not None:
                return _draft(row, groups), _sentence(_filled(row.says.when, groups), ""), match.end()
    return None


def _groups(table: Language, row: Row, match: re.Match[str]) -> dict[str, str] | None:
    """Return the phrases of *match* without asides; None if any of them is not a complete phrase."""
    groups: dict[str, str] = {}
    for name, said in match.groupdict().items():
        if not said:
            continue
        phrase = " ".join(said.split())
        phrase = phrase if name == "how" else table.tail.sub("", phrase)
        is_name = name in _NAMES
        if not is_name and match.start(name) == 0:
            phrase = phrase[:1].lower() + phrase[1:]
        if not phrase or (is_name and table.no_name.match(phrase)):
            return None
        if name in {"what", "thing"} and table.pointing.search(phrase):
            return None
        if row.refuse and name not in _GRAMMAR and row.refuse.match(phrase):
            return None
        if name in _PLACES and is_product(match.string, *match.span(name)):
            return None
        groups[name] = _capitalised(phrase) if is_name else _third(table, name, phrase)
    return groups


def _third(table: Language, group: str, phrase: str) -> str:
    """Turn *phrase* from first to third person; instructions to the agent stay as they are."""
    if group == "verb":
        return table.forms.get(phrase.casefold(), phrase)
    if group == "body":
        return phrase
    return _WORD.sub(lambda word: table.third.get(word[0].casefold(), word[0]), phrase)


def _draft(row: Row, groups: Mapping[str, str]) -> Draft:
    says = row.says
    names = {name: said for name, said in groups.items() if name in _NAMES}
    return Draft(
        rule=says.name,
        content=_sentence(_filled(says.gives, groups), "."),
        slot=_filled(says.slot, {name: slug(said) for name, said in groups.items()}),
        exclusive=says.exclusive,
        negates=says.negates,
        time_to_live=says.time_to_live,
        confidence=says.confidence,
        entities=tuple(EntityMention(name=said, entity_type=_NAMES[name]) for name, said in names.items()),
        relationships=tuple(
            RelationshipMention(source=USER, target=said, relationship_type=says.relation)
            for said in names.values()
            if says.relation
        ),
    )


def _filled(template: str, groups: Mapping[str, str]) -> str:
    """Fill *template*; groups that did not match are empty."""
    return template.format_map(defaultdict(str, groups))


def _sentence(text: str, end: str) -> str:
    body = " ".join(text.split()).replace(" ,", ",").rstrip(". ")[:MAX_RULE]
    return f"{body[:1].upper()}{body[1:]}{end}"


def _capitalised(name: str) -> str:
    """Capitalise a name that was typed in lower case; any other stays as it is."""
    if name != name.lower():
        return name
    return _WORD.sub(lambda word: word[0] if word[0] in _PARTICLES else word[0].capitalize(), name)
