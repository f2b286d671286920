"""Write results as lines of text, each with its source in front; pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from sagacity.domain.caution import forbids
from sagacity.domain.chat import is_extractive
from sagacity.domain.citations import ENTITY, LETTER_OF, SAID
from sagacity.domain.context import Dropped, DropReason, KnownEntity, Said, SectionName
from sagacity.domain.courtesy import is_courtesy
from sagacity.domain.interaction import INTERACTION, Interaction, speaker_of
from sagacity.domain.kinds import KINDS, KindSpec
from sagacity.domain.memory import Memory, MemoryKind, SkillFacts, pitfall_note
from sagacity.domain.query import Scored
from sagacity.domain.trust import Origin, Trust, trust_of

_RULES = frozenset({MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK})
_KIND_OF = {spec.citation: kind for kind, spec in KINDS.items()}
MOST_CHARACTERS = 16_000
"""The most characters of a line. A longer text is a pasted document, and is cut before any other step reads it."""
NEIGHBOUR_LAG = 8
"""How many ranks a neighbour comes after the turn that was found."""
_LABEL_CHARACTERS = 40
_LABELS = 256
"""How many speakers' labels are cached; conversations have few speakers."""
_LETTERS = "".join((*_KIND_OF, *LETTER_OF.values()))
_CITATION = re.compile(
    rf"[\[［【]([^\w\[\]［］【】]{{0,9}}[{_LETTERS}][^\w\[\]［］【】]{{0,9}}[:：][^\w\[\]［］【】]{{0,9}}"
    r"\d++[^\[\]［］【】]{0,200})[\]］】]",
    re.IGNORECASE,
)
"""One or more sources in brackets, also with invisible characters in between."""
_HEADING = re.compile(r"(?:#+\s+)+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
_NOT_IN_A_LABEL = re.compile(r"[\[\]:]")


@dataclass(slots=True)
class Line:
    """A line of a context; only this file changes one."""

    section: SectionName
    citation: str
    kind: str
    item_id: str
    lead: str
    """The prefix of the text: date and speaker."""
    body: str
    score: float = 0.0
    relevance: float | None = None
    components: Mapping[str, float] = field(default_factory=dict[str, float])
    rank: int = 0
    """Its rank in its section."""
    when: datetime | None = None
    is_found: bool = True
    """Whether a search found it; False for neighbours of a result, and for history."""
    is_turn: bool = False
    is_cut: bool = False
    is_caution: bool = False
    """Whether it is a caution: it leads its section, and may take the room of others."""
    forbids: bool = False
    """Whether it is a rule that forbids something, and leads its section."""
    beside: str = ""
    """The citation of the result whose neighbour it is; without that line it is not placed."""
    sources: frozenset[str] = frozenset()
    """Citations of the turns that a memory was learned from."""

    @property
    def leads(self) -> bool:
        """Whether it comes before lines that are merely relevant."""
        return self.is_caution or self.forbids

    @property
    def text(self) -> str:
        """The rendered line."""
        return f"- [{self.citation}] {self.lead}{self.body}\n"

    def cut_at(self, size: int) -> "Line":
        """Return the line with at most *size* characters of its body, cut between words if possible."""
        return self if size >= len(self.body) else replace(self, body=clipped(self.body, size), is_cut=True)

    def dropped(self, reason: DropReason) -> Dropped:
        """Return the record of a dropped line."""
        return Dropped(kind=self.kind, item_id=self.item_id, reason=reason, score=self.score)


def found_lines(items: Sequence[Scored], *, question: str) -> tuple[list[Line], list[Dropped]]:
    """
    Return a line for each result, and the results that need none.

    Returns:
        Lines, best first, each with its rank in its section; the neighbours of a turn follow it at a distance. Results
        that are empty, repeat another or only repeat the question are dropped.
    """
    asked = plain(question)
    kept: list[Line] = []
    dropped: list[Dropped] = []
    beside: list[Line] = []
    texts: set[str] = set()
    ranks = dict.fromkeys(SectionName, 0)
    ordered = sorted(((_line(one), one) for one in items), key=_order)
    citations: set[str] = set()
    for line, one in ordered:
        said = f"{line.lead}{line.body}" if line.is_turn else line.body
        reason = _reason(line, asked=asked)
        if reason is None and (line.citation in citations or said in texts):
            reason = DropReason.DUPLICATE
        citations.add(line.citation)
        rank = ranks[line.section]
        if reason is None:
            line.rank = rank
            kept.append(line)
            texts.add(said)
            ranks[line.section] += 1
        else:
            dropped.append(line.dropped(reason))
        if reason in {None, DropReason.QUESTION}:
            needed = "" if reason else line.citation
            beside += [_beside(turn, rank + NEIGHBOUR_LAG, needed) for turn in one.neighbours]
    known: dict[str, Line] = {}
    for line in beside:
        if line.citation not in citations and line.body != asked and not _says_nothing(line):
            known.setdefault(line.citation, line)
    return kept + list(known.values()), dropped


def _order(pair: tuple[Line, Scored]) -> tuple[bool, float, str, int]:
    line, _ = pair
    return not line.leads, -line.score, line.kind, int(line.citation.partition(":")[2])


def _reason(line: Line, *, asked: str) -> DropReason | None:
    if not line.body or (line.is_turn and _says_nothing(line)):
        return DropReason.EMPTY
    if line.is_turn and line.body == asked:
        return DropReason.QUESTION
    return None


def _says_nothing(turn: Line) -> bool:
    """Whether a turn is empty, only says "Okay, thanks!", or is an answer that only quotes memory."""
    return not turn.body or is_courtesy(turn.body) or is_extractive(turn.body)


def _line(one: Scored) -> Line:
    if one.interaction is not None:
        line = _turn_line(one.interaction)
        line.score, line.relevance, line.components = one.score, one.relevance, one.components
        return line
    if one.memory is None:
        raise ValueError("a result is neither a memory nor a turn")
    memory, spec = one.memory, KINDS[one.memory.kind]
    raw = _statement(memory, spec)
    return Line(
        section=spec.section,
        citation=f"{spec.citation}:{memory.memory_id}",
        kind=str(memory.kind),
        item_id=str(spec.wire_id(memory)),
        lead=_lead_of(memory, spec),
        body=plain(raw),
        score=one.score,
        relevance=one.relevance,
        components=one.components,
        when=_date_of(memory),
        is_cut=len(raw) > MOST_CHARACTERS,
        is_caution=one.is_caution,
        forbids=memory.kind in _RULES and forbids(memory.content),
        sources=frozenset(f"{LETTER_OF[INTERACTION]}:{turn}" for turn in memory.source_interaction_ids),
    )


def read_citation(text: str) -> tuple[MemoryKind, str] | None:
    """Return the kind and number of the memory that a citation such as `p:2` or `[p:2]` names, else None."""
    letter, colon, number = text.removeprefix("[").removesuffix("]").partition(":")
    return (_KIND_OF[letter], number) if colon and letter in _KIND_OF else None


def _date_of(memory: Memory) -> datetime:
    """Return when it was said, or when it was learned if that is not known."""
    return memory.valid_from or memory.created_at


def _lead_of(memory: Memory, spec: KindSpec) -> str:
    """Return the prefix of a memory: the day of a fact, and an origin of low trust."""
    if spec.section is SectionName.PROCEDURES:
        return ""
    note = f" ({_unverified(memory.attributes.origin)})" if memory.trust is Trust.LOW else ""
    return f"{_date_of(memory):%Y-%m-%d}{note}: "


def _unverified(origin: Origin | None) -> str:
    return f"unverified, {(origin or Origin.TOOL).replace('_', ' ')}"


def _statement(memory: Memory, spec: KindSpec) -> str:
    if spec.section is not SectionName.PROCEDURES:
        return memory.content
    if memory.kind is MemoryKind.SKILL:
        return _skill_statement(memory)
    rule = " → ".join(part for part in (memory.trigger, memory.content) if part and part.strip())
    return " ".join(filter(None, (rule, pitfall_note(memory.pitfall))))


def _skill_statement(skill: Memory) -> str:
    """Return a skill's name, when to use it and how to load it, as its instructions do not fit into one line."""
    facts = skill.attributes.skill or SkillFacts()
    named = ": ".join(filter(None, (plain(facts.name or skill.name), plain(skill.trigger or ""))))
    return f"{named or 'A skill'} (load it before use: get_skills, skill_ids {skill.memory_id})"


def _turn_line(turn: Interaction) -> Line:
    """Return the line of a turn of the log: the day, who spoke, and what was said."""
    raw, when = turn.text, turn.happened_at or turn.created_at
    origin = turn.stamped_origin
    note = f" ({_unverified(origin)})" if trust_of(origin) is Trust.LOW else ""
    return Line(
        section=SectionName.EPISODES,
        citation=f"{LETTER_OF[INTERACTION]}:{turn.interaction_id}",
        kind=INTERACTION,
        item_id=str(turn.interaction_id),
        lead=f"{when:%Y-%m-%d} {_label(turn.role)}{note}: ",
        body=plain(raw),
        when=when,
        is_turn=True,
        is_cut=len(raw) > MOST_CHARACTERS,
    )


def _beside(turn: Interaction, rank: int, needed: str) -> Line:
    line = _turn_line(turn)
    line.rank, line.beside, line.is_found = rank, needed, False
    return line


def history_lines(history: Sequence[Said], *, question: str) -> list[Line]:
    """Return the conversation's lines in the order given, oldest first, without the question if it is the last turn."""
    lines = [_said_line(number, said) for number, said in enumerate(history, start=1)]
    spoken = [line for line in lines if line.body]
    if spoken and spoken[-1].body == plain(question):
        spoken.pop()
    return spoken


def _said_line(number: int, said: Said) -> Line:
    stored = said.interaction_id
    kind = SAID if stored is None else INTERACTION
    item = number if stored is None else stored
    day = "" if said.said_at is None else f"{said.said_at:%Y-%m-%d} "
    return Line(
        section=SectionName.HISTORY,
        citation=f"{LETTER_OF[kind]}:{item}",
        kind=kind,
        item_id=str(item),
        lead=f"{day}{_label(said.role)}: ",
        body=plain(said.content),
        rank=number,
        is_found=False,
        is_turn=True,
        is_cut=len(said.content) > MOST_CHARACTERS,
    )


def entity_lines(entities: Sequence[KnownEntity]) -> list[Line]:
    """Return a line for each entity with its relationships, in the order given, without repetition."""
    unique = {entity.entity_id: entity for entity in reversed(entities)}
    named = [
        entity for entity in dict.fromkeys(unique[one.entity_id] for one in entities) if plain(entity.name)
    ]
    return [
        Line(
            section=SectionName.ENTITIES,
            citation=f"{LETTER_OF[ENTITY]}:{entity.entity_id}",
            kind=ENTITY,
            item_id=str(entity.entity_id),
            lead="",
            body=_described(entity),
            rank=rank,
            is_found=False,
        )
        for rank, entity in enumerate(named)
    ]


def _described(entity: KnownEntity) -> str:
    name = f"{entity.name} ({entity.entity_type})" if entity.entity_type else entity.name
    return plain(f"{name}: {'; '.join(entity.details)}" if entity.details else name)


def plain(text: str) -> str:
    """
    Return *text* as one harmless line: it cannot look like a heading, a further line, or a source.

    White space becomes single spaces. Control characters and leading heading marks are removed. The brackets of
    anything that looks like a source become round.
    """
    read = text[:MOST_CHARACTERS]
    seen = read if read.isprintable() else _CONTROLS.sub("", read)  # the check is faster than substituting
    words = " ".join(seen.split())
    heading = _HEADING.match(words)
    line = words[heading.end() :] if heading else words
    line = _CITATION.sub(lambda source: f"({source[1].strip()})", line)
    return f"{line}…" if len(text) > MOST_CHARACTERS else line


def clipped(text: str, size: int) -> str:
    """Return at most *size* characters of *text* and an ellipsis, cut at the end of a word if one is near."""
    part = text[:size]
    head, space, tail = part.rpartition(" ")
    whole = head if space and len(tail) < _LABEL_CHARACTERS and not text[size : size + 1].isspace() else part
    return f"{whole.rstrip()}…"


@lru_cache(maxsize=_LABELS)
def _label(role: str) -> str:
    """Return the speaker, a name or a role, cleaned so that it cannot end its field or line."""
    shown = " ".join(_NOT_IN_A_LABEL.sub(" ", plain(role)).split())[:_LABEL_CHARACTERS]
    return (shown if speaker_of(shown) else shown.lower()) or "user"
