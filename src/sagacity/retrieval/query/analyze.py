"""Analyse a question by rules, without models or I/O, in well under a millisecond."""

from collections.abc import Sequence
from datetime import datetime

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.time.expressions import time_reference
from sagacity.retrieval.query.intents import confidence_of, intent_of, is_memoryless, kinds_for, speaker_of
from sagacity.retrieval.query.names import names_in
from sagacity.retrieval.query.words import keywords_of, negated_in, phrases_of, topics_of

READ_CHARACTERS = 4_000
"""Characters that are analysed. Questions are shorter; text pasted after one is still searched by its words."""


def analyze(text: str, *, now: datetime, names: Sequence[str] = ()) -> QueryAnalysis:
    """
    Analyse a question.

    Args:
        text: in any language; times, intents and negation are recognised in English and some German.
        now: what "today" refers to, with a time zone.
        names: names of the user's graph that the text contains, as the graph spells them; see `names.name_candidates`.

    Raises:
        ValueError: *now* has no time zone.
    """
    if now.tzinfo is None:
        raise ValueError(f"the reference date has no time zone: {now}")
    read = text[:READ_CHARACTERS].strip()
    lower = read.lower().replace("’", "'")
    intent = intent_of(lower)
    keywords, phrases = keywords_of(read), phrases_of(read)
    time = time_reference(read, now)
    entities = names_in(read, names)
    memoryless = is_memoryless(lower, names=entities, has_time=time is not None, intent=intent)
    return QueryAnalysis(
        original_query=text,
        reference_at=now,
        intent=intent,
        confidence=confidence_of(intent, keyword_count=len(keywords), word_count=len(read.split())),
        keywords=keywords,
        phrases=phrases,
        topics=topics_of(read, phrases),
        entities_mentioned=entities,
        time_reference=time,
        negated=negated_in(read),
        speaker=speaker_of(lower),
        requires_memory=not memoryless,
        memory_types_needed=kinds_for(intent, lower),
    )
