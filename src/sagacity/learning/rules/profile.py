"""Profile candidates of a window: every table over every turn of the user, then settled."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Final

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.graph import USER, EntityMention, EntityType
from sagacity.domain.interaction import Interaction, speaker_of
from sagacity.domain.memory import MemoryKind
from sagacity.domain.time.ends import last_day
from sagacity.learning.deduplication.containment import contains
from sagacity.learning.rules.answers import Compiled, asks, compiled
from sagacity.learning.rules.answers import in_full as stated
from sagacity.learning.rules.belongings import BELONGINGS
from sagacity.learning.rules.calendar import CALENDAR
from sagacity.learning.rules.draft import Draft
from sagacity.learning.rules.education import EDUCATION
from sagacity.learning.rules.ended import Ending, KnownFact, endings, what_may_end
from sagacity.learning.rules.engine import Rule, read
from sagacity.learning.rules.events import EVENTS
from sagacity.learning.rules.family import FAMILY_FACTS
from sagacity.learning.rules.habits import HABITS
from sagacity.learning.rules.health import HEALTH
from sagacity.learning.rules.home import HOME
from sagacity.learning.rules.identity import NAMES, PERSON
from sagacity.learning.rules.languages.detect import ENGLISH, READ, language_of, own_words
from sagacity.learning.rules.languages.load import LANGUAGES, load_language
from sagacity.learning.rules.languages.read import facts_in, sentences_in
from sagacity.learning.rules.money import MONEY
from sagacity.learning.rules.plans import PLANS
from sagacity.learning.rules.prefilter import Prefilter
from sagacity.learning.rules.questions import QUESTIONS
from sagacity.learning.rules.relations import NAMED_IS, RELATIONS
from sagacity.learning.rules.remembered import remembered
from sagacity.learning.rules.sentences import ENGLISH as ENGLISH_GRAMMAR
from sagacity.learning.rules.sentences import Grammar, Sentence, split_sentences
from sagacity.learning.rules.spelling import spelled
from sagacity.learning.rules.subjects import with_subjects
from sagacity.learning.rules.tastes import SKILLS, TASTES
from sagacity.learning.rules.tools import TOOLS
from sagacity.learning.rules.wording import keywords, slug, words
from sagacity.learning.rules.work import WORK

PROFILE_RULES: Final[tuple[Rule, ...]] = (
    *NAMES, *CALENDAR, *HEALTH, *WORK, *EDUCATION, *HOME, *PERSON, *RELATIONS, *FAMILY_FACTS, *TOOLS, *TASTES, *SKILLS,
    *BELONGINGS, *HABITS, *PLANS, *MONEY, *EVENTS,
)  # fmt: skip
"""All rows; of two that match at one place the earlier wins."""
_PREFILTER: Final = Prefilter(PROFILE_RULES, lambda row: row.pattern)


def profile_candidates(window: Window, known: Sequence[KnownFact] = ()) -> tuple[Candidate, ...]:
    """Return what the unread turns of the user tell about them and end of what is *known*, oldest first, settled."""
    own = _own_names(window)
    beside = own_words(window.interactions)
    before = {
        turn.seq: asker.content
        for asker, turn in pairwise(window.interactions)
        if speaker_of(asker.role) != speaker_of(turn.role) or not asker.is_user
    }
    found: list[Candidate] = []
    for turn in window.unread:
        if not turn.is_user:
            continue
        said = in_full(turn.content, before.get(turn.seq, ""))
        speaker, language = speaker_of(turn.role), language_of(said, beside)
        told = [
            _candidate(draft if speaker in own else _of(speaker, draft), turn, language)
            for draft in facts(said, language)
        ]
        if speaker in own and what_may_end(turn.content):
            earlier = [KnownFact(content=one.content, slot=one.slot) for one in found]
            for ending in endings(spoken(turn.content, language), language, (*known, *earlier)):
                gone = {fact.content for fact in ending.ended}
                found = [one for one in found if one.content not in gone]
                told = _with_ending(told, ending, turn, language)
        found += told
    return settle(found)


def _with_ending(
    told: Sequence[Candidate], ending: Ending, turn: Interaction, language: str
) -> list[Candidate]:
    """Let what the turn tells of the ending itself end it, or add the ending."""
    ends = tuple(fact.memory_id for fact in ending.ended if fact.memory_id is not None)
    if ending.forgets:
        asked = _candidate(ending.draft, turn, language).model_copy(update={"ends": ends, "forgets": True})
        is_new = ends and not any(one.forgets and one.ends == ends for one in told)
        return [*told, asked] if is_new else [*told]
    saying = next((one for one in told if ending.is_said_by(one.content)), None)
    if saying is None:
        return [*told, _candidate(ending.draft, turn, language).model_copy(update={"ends": ends})]
    ends = tuple(dict.fromkeys((*saying.ends, *ends)))
    return [one.model_copy(update={"ends": ends}) if one is saying else one for one in told]


def _own_names(window: Window) -> frozenset[str]:
    """The names under which the user speaks: theirs by their id, or the only one that a person has here; or none."""
    names = {speaker_of(turn.role) for turn in window.interactions if turn.is_user} - {""}
    mine = {name for name in names if set(words(name)) & set(words(_ID_PARTS.sub(" ", window.user_id)))}
    return frozenset({"", *(mine or (names if len(names) == 1 else ()))})


def _of(speaker: str, draft: Draft) -> Draft:
    """What *speaker*, who is not the user, says of themself: named as theirs, and in no slot of the user's."""
    return draft.model_copy(
        update={
            "content": f"{speaker}: {draft.content}",
            "slot": f"person.{slug(speaker)}.{draft.slot}" if draft.slot else "",
            "entities": (EntityMention(name=speaker, entity_type=EntityType.PERSON), *draft.entities),
            "relationships": tuple(
                it.model_copy(update={"source": speaker}) if it.source == USER else it
                for it in draft.relationships
            ),
        }
    )


_IRONY: Final = re.compile(
    r"^(?:oh|ah|wow|well|yay)?,?\s?(?:great|wonderful|fantastic|perfect|joy|lovely|awesome|nice|brilliant|"
    r"just great),?\s(?:another|more|yet another|just what)\b|"
    r"\boh (?:joy|the joy)\b|\byeah,? right\b|\bjust (?-i:LOVE|ADORE)\b|\b(?:just|sure|really|absolutely|"
    r"so) (?:do )?love (?:mondays|it when|when|being told|paying|"
    r"waiting|getting (?:woken|yelled|ignored)|doing taxes|taxes|traffic|meetings)\b|\blucky me\b|\bsaid no "
    r"one\b|\bjust what i (?:always )?(?:needed|wanted)\b|"
    r"\s/s(?:\s|$)|\s(?:not|\(not\)|lol not)!?$|\U0001f644|\U0001f643",
    re.IGNORECASE,
)
"""What is said in the opposite sense."""
_COMPLAINT: Final = re.compile(
    r"\b(?:another|yet another|more) (?:delay|strike|outage|cancellation|breakdown|update|price hike|hour)s?\b|"
    r"\b(?:delay(?:ed|s)?|cancel(?:l?ed|s|ling)|stuck|stranded|overbooked|outage|crashe[sd]|on hold|late again|"
    r"down again|"
    r"broken again|broke again|thanks for nothing|lost my (?:luggage|bags?|order|parcel|package)|never (?:arrived|"
    r"showed up)|"
    r"refus(?:es|ed|ing) (?:to|my)|what a joke|ugh|sigh|typical)\b",
    re.IGNORECASE,
)
_GUSHING: Final = re.compile(
    r"\b(?:i|we) (?:just|really|so|sure|do|absolutely|simply|truly) (?:do )?(?:love|adore)\s(?-i:(?:the )?[A-Z])",
    re.IGNORECASE,
)
"""Praise of somebody by name: beside a complaint it is sarcasm."""
_FORGETTING: Final = re.compile(
    r"\W*(?:please,? |just )*forget (?:about )?(?:my|our|that|what)\b", re.IGNORECASE
)
"""What mentions something so that it is forgotten, see `ended.py`."""
_ID_PARTS = re.compile(r"[\W_\d]+")
_BEINGS = frozenset({EntityType.PERSON, EntityType.ANIMAL})


def in_full(text: str, question: str) -> str:
    """Return *text* with the statement that it makes if it answers *question* in half a sentence."""
    if not asks(question):
        return text
    likely = language_of(question, text)
    for language in READ if likely == ENGLISH else (likely,) if likely in READ else ():
        grammar, answers = _answers(language)
        if (said := stated(answers, question, text, grammar)) != text:
            return said
    return text


@cache
def _answers(language: str) -> tuple[Grammar, Compiled]:
    if language == ENGLISH:
        return ENGLISH_GRAMMAR, compiled(QUESTIONS, partial(re.compile, flags=re.IGNORECASE))
    table = load_language(language)
    return table.grammar, table.answers


def facts(text: str, language: str = ENGLISH) -> Iterator[Draft]:
    """Yield what one turn, in *language*, states about its speaker, and about those whom it introduces by name."""
    if language in LANGUAGES:
        yield from facts_in(language, text)
    if language == ENGLISH:
        yield from _facts_in_english(text)


def spoken(text: str, language: str) -> tuple[Sentence, ...]:
    """Return the sentences of *text*, in *language*, that its speaker means; none in a language that is not read."""
    if language in LANGUAGES:
        return sentences_in(language, text)
    if language != ENGLISH:
        return ()
    sentences = split_sentences(with_subjects(spelled(text)))
    is_complaint = _COMPLAINT.search(text) is not None
    return tuple(
        sentence
        for sentence in sentences
        if not _IRONY.search(sentence.text) and not (is_complaint and _GUSHING.search(sentence.text))
    )


def _facts_in_english(text: str) -> Iterator[Draft]:
    sentences = spoken(text, ENGLISH)
    named: set[str] = set()
    told: set[str] = set()
    for sentence in sentences:
        if _FORGETTING.match(sentence.text):
            continue
        found = read(sentence, _PREFILTER.rows_for(sentence.text))
        for draft in found or filter(None, [remembered(sentence, is_all=len(sentences) == 1)]):
            named |= {it.name for it in draft.entities if it.entity_type in _BEINGS}
            if draft.content not in told:
                told.add(draft.content)
                yield draft
    for sentence in sentences if named else ():
        for draft in read(sentence, (NAMED_IS,)):
            if draft.entities[0].name in named:
                yield draft


def settle(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Keep the last word: later values of an exclusive slot, and negations, remove what they contradict."""
    kept: list[Candidate] = []
    for candidate in candidates:
        same = next((old for old in kept if _key(old) == _key(candidate)), None)
        if same:
            evidence = tuple(dict.fromkeys((*same.evidence, *candidate.evidence)))
            candidate = candidate.model_copy(update={"evidence": evidence})  # noqa: PLW2901 - the joined one takes its place
        kept = [old for old in kept if old is not same and not _contradicts(candidate, old)]
        kept.append(candidate)
    return tuple(kept)


def _key(candidate: Candidate) -> tuple[str, str]:
    return (candidate.trigger or "").casefold(), candidate.content.casefold()


def _contradicts(later: Candidate, earlier: Candidate) -> bool:
    if not later.slot or later.slot != earlier.slot:
        return False
    if later.exclusive and earlier.exclusive:
        return not (contains(earlier.content, later.content) or contains(later.content, earlier.content))
    return later.negates and bool(set(words(later.content)) & set(words(earlier.content)))


def _candidate(draft: Draft, turn: Interaction, language: str) -> Candidate:
    return Candidate(
        kind=MemoryKind.PROFILE,
        content=draft.content,
        time_to_live=draft.time_to_live,
        valid_until=last_day(draft.until, turn.occurred_at, language) if draft.until else None,
        slot=draft.slot,
        exclusive=draft.exclusive,
        negates=draft.negates,
        keywords=keywords(draft.content),
        confidence=draft.confidence,
        evidence=(turn.interaction_id,),
        entities=draft.entities,
        relationships=draft.relationships,
    )
