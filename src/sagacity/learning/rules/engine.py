"""The engine: tries a table of named patterns at every clause that the speaker states as true."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sagacity.domain.graph import USER, EntityMention, EntityType, RelationshipMention
from sagacity.domain.memory import TimeToLive
from sagacity.learning.rules.draft import Draft
from sagacity.learning.rules.fragments import DANGLING
from sagacity.learning.rules.products import is_product
from sagacity.learning.rules.sentences import ENGLISH, Sentence, Stance
from sagacity.learning.rules.until import Reading, readings, with_end
from sagacity.learning.rules.wording import conjugate, conjugate_next, finish, slug, third_person, trim

_ENTITY_GROUPS: Mapping[str, EntityType] = {
    "person": EntityType.PERSON,
    "place": EntityType.LOCATION,
    "org": EntityType.ORGANIZATION,
    "pet": EntityType.ANIMAL,
    "pets": EntityType.ANIMAL,
    "people": EntityType.PERSON,
    "product": EntityType.PRODUCT,
}
_LISTED = re.compile(r"(?:\s\(\d{1,2}\))?(?:,?\s(?:and|&)\s|,\s|$)")
"""What separates names in a list, with their ages: "Minka, Pepper (3) and Tom"."""
_DANGLING = re.compile(DANGLING, re.IGNORECASE)
_CUT = re.compile(
    r"\b(?:(?:small|larg|bigg|short|long|quick|fast|cheap|warm|light|dark|strong)er|simple|clear|safe|quick|"
    r"fast|short|long|small|big|"
    r"large|warm|cozy|cosy|plain|light|dark|easy|cheap|"
    r"natural|"
    r"healthy|modern|minimal|quiet|calm|strong|soft|dry|fresh|spicy|sweet|local|lightweight|high-quality|"
    r"\w{3,}(?:ful|ive|able|ible|ous|less|[- ](?:friendly|based|free)))$",
    re.IGNORECASE,
)
"""Adjectives. If a phrase ends with one and a comma follows, its noun is missing."""
_ALONE = re.compile(
    r"(?:simple|clear|short|long|quick|fast|small|big|large|more|less|better|simpler|shorter|cheap|cheaper|"
    r"easy|"
    r"easier|"
    r"together|.*\stogether|being|having|doing|going|getting|using|making|trying|trying out)$",
    re.IGNORECASE,
)
"""Words that are not a complete phrase: "Prefers simple."."""
_PARTED = (
    r"lost|gave away|gave up|given away|rehomed|put down|broke up with|broken up with|split(?: up)? with|"
    r"divorced(?: from)?|separated from|ended things with|used to(?: have| own)?|"
    r"(?:no longer|not|don't|didn't|doesn't)(?: have| own| with)"
)
_BEING_GONE = re.compile(rf"\b(?:{_PARTED})\s$", re.IGNORECASE)
_THING_GONE = re.compile(
    rf"\b(?:{_PARTED}|(?:sold|gave|given|threw|thrown|got rid of|get rid of|traded|donated|scrapped|returned|crashed|"
    r"totall?ed|cancell?ed|missed|moved out of)(?: away| out| back| in)?|(?:i|we)(?: still| really| do)? miss|had|"
    r"without|used to (?:live in|rent|drive)|(?:no longer|not|don't|didn't|doesn't)(?: drive| live in| rent)?)\s$",
    re.IGNORECASE,
)
"""What comes before something that the user no longer has: "I sold my Trek bike"."""
_GONE_CHARACTERS = 40
_BEINGS = frozenset({"person", "people", "pet", "pets"})
_PLACES = frozenset({"place", "town", "city", "left"})
"""Groups that are places: where one lives, moves to or comes from."""
_GRAMMAR = frozenset({"verb", "how", "often", "did", "when", "less"})
"""Groups without content of their own, in which nothing is refused."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """
    One pattern and what it means.

    *content* and *slot* are templates with the pattern's named groups. A group `verb` is conjugated. `person`, `place`,
    `org`, `pet` and `product` are names, `people` and `pets` lists of names: they are kept as written, go into the
    graph, and are linked to the user by *relation*, or by *relationships*. All other groups are turned into the third
    person. A pattern is compiled on first use, as compiling all of them takes a fifth of the start-up time.
    """

    name: str
    pattern: str
    content: str
    slot: str
    exclusive: bool
    negates: bool
    time_to_live: TimeToLive
    confidence: float
    relation: str
    relationships: tuple[tuple[str, str, str], ...]
    """Relationships between names, instead of *relation*: group or `user`, type, group."""
    refused: str
    """Phrases with which no group may start."""
    anywhere: bool
    """Whether it may match anywhere in the clause, and not only at its start."""
    presupposed: bool
    """Whether a question presupposes it: "Is this good for my dog Rex?"."""
    example: tuple[str, str]
    """A sentence, and the resulting content."""
    counter: str
    """A similar sentence that must not match."""

    @cached_property
    def says(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.pattern, re.IGNORECASE)

    @cached_property
    def refuse(self) -> re.Pattern[str] | None:
        """The compiled phrases, if there are any."""
        return re.compile(self.refused, re.IGNORECASE) if self.refused else None


def rule(
    name: str,
    says: str,
    content: str,
    *,
    example: tuple[str, str],
    counter: str,
    slot: str = "",
    exclusive: bool = False,
    negates: bool = False,
    time_to_live: TimeToLive = TimeToLive.INFINITY,
    confidence: float = 0.85,
    relation: str = "",
    relationships: tuple[tuple[str, str, str], ...] = (),
    refuse: str = "",
    anywhere: bool = False,
    presupposed: bool = False,
) -> Rule:
    """Return one row of a table; see `Rule`."""
    return Rule(
        name=name,
        pattern=says,
        content=content,
        slot=slot,
        exclusive=exclusive,
        negates=negates,
        time_to_live=time_to_live,
        confidence=confidence,
        relation=relation,
        relationships=relationships,
        refused=refuse,
        anywhere=anywhere or presupposed,
        presupposed=presupposed,
        example=example,
        counter=counter,
    )


def read(sentence: Sentence, rules: Sequence[Rule]) -> tuple[Draft, ...]:
    """
    Apply *rules* to the stated clauses. If several match at one position, the first wins.

    A result is left out if another one says the same and more.
    """
    found: list[Draft] = []
    stated = [clause.start for clause in sentence.clauses if clause.stance is Stance.STATED]
    openings = [row for row in rules if not row.anywhere]
    for start in stated:
        ways = readings(sentence.text, start, ENGLISH, "en")
        found.extend(filter(None, [next(filter(None, (_first(openings, way) for way in ways)), None)]))
    for row in rules:
        if row.anywhere:
            found.extend(_scan(sentence, row))
    return tuple(draft for draft in found if not any(_says_more(other, draft) for other in found))


def _first(rows: Sequence[Rule], way: Reading) -> Draft | None:
    """Return the result of the first of *rows* that matches one reading of a clause."""
    for row in rows:
        match = row.says.match(way.text, way.start)
        draft = _draft(row, match) if match else None
        if match and draft:
            return with_end(draft, way, match.end(), ENGLISH, "en")
    return None


def _says_more(other: Draft, draft: Draft) -> bool:
    """Whether *other* continues where *draft* ends: "Has a brother named Tom who lives in Oslo."."""
    return other.content.startswith(draft.content.rstrip(".") + " ")


def _scan(sentence: Sentence, row: Rule) -> Iterator[Draft]:
    """Yield the matches of *row* anywhere in the stated clauses of *sentence*."""
    for match in row.says.finditer(sentence.text):
        before = [clause for clause in sentence.clauses if clause.start <= match.start()]
        if sentence.text.count('"', 0, match.start()) % 2:
            continue
        if row.presupposed and _is_gone(match):
            continue
        stance = before[-1].stance if before else None
        if stance is Stance.STATED or (row.presupposed and stance is Stance.ASKED):
            draft = _draft(row, match)
            if draft:
                yield draft


def _is_gone(match: re.Match[str]) -> bool:
    """Whether the text says that what *match* found is gone."""
    is_being = any(said and name in _BEINGS for name, said in match.groupdict().items())
    gone = _BEING_GONE if is_being else _THING_GONE
    return gone.search(match.string, max(match.start() - _GONE_CHARACTERS, 0), match.start()) is not None


def _draft(row: Rule, match: re.Match[str]) -> Draft | None:
    groups = {name: trim(said) for name, said in match.groupdict().items() if said}
    if any(not said or _DANGLING.search(said) for said in groups.values()):
        return None
    if any(name not in _GRAMMAR and _is_incomplete(match, name, said) for name, said in groups.items()):
        return None
    if row.refuse and any(row.refuse.match(said) for name, said in groups.items() if name not in _GRAMMAR):
        return None
    if any(is_product(match.string, *match.span(name)) for name in _PLACES & groups.keys()):
        return None
    names = {
        name: [*filter(None, _LISTED.split(said))] if name in {"pets", "people"} else [said]
        for name, said in groups.items()
        if name in _ENTITY_GROUPS
    }
    wording = {name: _wording(name, said) for name, said in groups.items()}
    if "verb" in groups and "what" in groups:
        wording["what"] = conjugate_next(wording["what"])
    missing = {name: "" for name in match.re.groupindex if name not in groups}
    slots = {name: slug(said) for name, said in groups.items()}
    return Draft(
        rule=row.name,
        content=finish(row.content.format(**wording, **missing)),
        slot=row.slot.format(**slots, **missing),
        exclusive=row.exclusive,
        negates=row.negates,
        time_to_live=row.time_to_live,
        confidence=row.confidence,
        entities=tuple(
            EntityMention(name=said, entity_type=_ENTITY_GROUPS[name])
            for name, listed in names.items()
            for said in listed
        ),
        relationships=_relationships(row, names, {**slots, **missing}),
    )


def _is_incomplete(match: re.Match[str], group: str, said: str) -> bool:
    """Whether the phrase lost its noun to a comma, or is not complete."""
    if group in _ENTITY_GROUPS:
        return False
    cut = match.string[match.end(group) :].lstrip().startswith(",") and _CUT.search(said)
    return bool(cut or _ALONE.match(said))


def _relationships(
    row: Rule, names: Mapping[str, Sequence[str]], slots: Mapping[str, str]
) -> tuple[RelationshipMention, ...]:
    """Return the relationships of the user to each name by the row's relation, or those that the row lists."""
    known = {USER: (USER,), **names}
    said = row.relationships or tuple((USER, row.relation, name) for name in names)
    return tuple(
        RelationshipMention(source=one, target=other, relationship_type=word.format(**slots))
        for source, word, target in said
        if word and source in known and target in known
        for one in known[source]
        for other in known[target]
    )


def _wording(group: str, said: str) -> str:
    if group == "verb":
        return third_person(conjugate(said))
    return said if group in _ENTITY_GROUPS else third_person(said)
