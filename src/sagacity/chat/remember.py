"""Find what is remembered for a message, beyond what the conversation itself says."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from sagacity.chat.events import SourceText
from sagacity.domain.chat import AnswerSource
from sagacity.domain.citations import LETTER_OF
from sagacity.domain.context import Context, ContextBudgets, ContextItem, SectionName
from sagacity.domain.ids import InteractionId, UserId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import KINDS
from sagacity.domain.query import Filter, Query, Scored, StrategyName
from sagacity.domain.user_settings import UserSettings, zone_of
from sagacity.memories.acting import Acting
from sagacity.memories.context import ContextRequest, sourced_context
from sagacity.memories.search import Question

LIMIT = 40
"""How many memories of each kind are considered."""
TURNS = 80
"""
How many turns are considered. Forty short ones, as in chats, would fill only half of the token budget.

For 200 questions about such chats (LoCoMo), a prompt of 5,000 tokens held all evidence for 165 with 40 turns, and for
173 with 80.
"""
MOST_ASKED = 2_000
"""
How many characters of a message are searched for. The embedder reads no more (256 word pieces, some 1,000 characters),
and looking up every name in a pasted text would take as long as the rest of the search.
"""
NOT_SEARCHED = "what is remembered could not be searched"
_STRATEGIES = tuple(map(str, StrategyName))
_NAMES = frozenset(_STRATEGIES)
_PHASES = {"rank": "ranking", "entities and history": "entities", "context": "context_building"}
BUDGETS = ContextBudgets()


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory part of a prompt, and its sources."""

    context: Context
    shown: tuple[SourceText, ...]
    """The sources that the context cites, each with its whole text."""
    found: Sequence[Scored] = ()
    """The search results that the context was written from."""
    missing: str = ""
    """What could not be searched; empty if everything was."""

    @property
    def sources(self) -> tuple[AnswerSource, ...]:
        """The sources that the context cites."""
        return tuple(one.source for one in self.shown)

    @property
    def timings(self) -> dict[str, float]:
        """Milliseconds of each strategy and of the steps after them."""
        took = {
            _PHASES.get(name, f"{name}_search" if name in _NAMES else name): milliseconds
            for name, milliseconds in self.context.trace.strategies.items()
        }
        return {**took, **self.context.trace.measures.phases}


NOTHING = Remembered(Context(text="", total_tokens=0, truncated=False), ())


async def remember(
    acting: Acting,
    user_id: UserId,
    message: str,
    *,
    settings: UserSettings | None,
    shown: Collection[InteractionId],
    budgets: ContextBudgets = BUDGETS,
) -> Remembered:
    """
    Return memories that may matter to a message; none if the user has switched memory off.

    Args:
        acting: on whose behalf.
        user_id: whose memories.
        message: in the user's words; "today" is the day that the user's clock shows.
        settings: of the user; None if there are none.
        shown: turns that the prompt contains in any case.
        budgets: token budgets of what is remembered.
    """
    if settings is not None and not settings.memory.memory_enabled:
        return NOTHING
    asked = asked_in(message)
    now = acting.parts.clock.now().astimezone(zone_of(settings))
    wanted = Filter(kinds=tuple(KINDS), interactions=True, user_id=user_id)
    request = ContextRequest(
        user_id=user_id,
        question=Question(text=asked),
        asked=asked,
        query=Query(text=asked, wanted=wanted, limit=LIMIT, turn_limit=TURNS, reference_at=now),
        budgets=budgets,
        leaves_out=shown,
        takes_few_whole=True,
    )
    context, found = await sourced_context(acting, request)
    failed = sorted(_NAMES & context.trace.failed.keys())
    missing = f"{NOT_SEARCHED} by: {', '.join(failed)}" if failed else ""
    return Remembered(context, _shown(context, found), found, missing)


def asked_in(message: str) -> str:
    """Return what to search for: the whole message or, of a long one, its beginning and end, where the question is."""
    if len(message) <= MOST_ASKED:
        return message
    half = MOST_ASKED // 2
    head, tail = message[:half], message[-half:]
    return f"{head.rpartition(' ')[0] or head}\n{tail.partition(' ')[2] or tail}"


def _shown(context: Context, found: Sequence[Scored]) -> tuple[SourceText, ...]:
    text_of = {key: text for one in found for key, text in _texts(one)}
    items = (item for one in context.sections if one.name is not SectionName.ENTITIES for item in one.items)
    return tuple(SourceText(_source(item), text_of[item.citation]) for item in items)


def _texts(one: Scored) -> Iterator[tuple[str, str]]:
    """Yield the citation and text of a result, and of the turns beside it."""
    if one.memory is not None:
        yield f"{KINDS[one.memory.kind].citation}:{one.memory.memory_id}", one.memory.content
    for turn in (one.interaction, *one.neighbours):
        if turn is not None:
            yield f"{LETTER_OF[INTERACTION]}:{turn.interaction_id}", turn.text


def _source(item: ContextItem) -> AnswerSource:
    return AnswerSource(
        citation=item.citation,
        kind=item.kind,
        item_id=item.item_id,
        score=item.score,
        relevance=item.relevance,
        components=item.components,
        strategies=tuple([name for name in _STRATEGIES if name in item.components]),
        tokens=item.tokens,
    )
