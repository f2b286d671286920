"""What is remembered of a message, beside what the conversation itself says."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sagacity.domain.chat import Use
from sagacity.domain.context import Context, ContextBudgets, SectionName
from sagacity.domain.ids import InteractionId, UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.query import Filter, Query, StrategyName
from sagacity.memories.acting import Acting
from sagacity.memories.context import ContextRequest, context_for
from sagacity.memories.search import Question

LIMIT = 10
"""Of each kind: as `POST /api/context` takes it."""
_NAMES = frozenset(map(str, StrategyName))
_PHASES = {"rank": "ranking", "entities and history": "entities", "context": "context_building"}


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a prompt is given, and what it was made of."""

    context: Context
    uses: tuple[Use, ...]

    @property
    def timings(self) -> dict[str, float]:
        """Milliseconds of each strategy and of what came after them."""
        return {
            _PHASES.get(name, f"{name}_search" if name in _NAMES else name): milliseconds
            for name, milliseconds in self.context.trace.strategies.items()
        }


NOTHING = Remembered(Context(text="", total_tokens=0, truncated=False), ())


async def remember(
    acting: Acting, user_id: UserId, message: str, *, shown: Collection[InteractionId]
) -> Remembered:
    """
    Return what is remembered that may bear on a message.

    Args:
        acting: on whose behalf.
        user_id: whose memories.
        message: in the user's words.
        shown: turns that the prompt has anyway.
    """
    wanted = Filter(kinds=tuple(KINDS), interactions=True, user_id=user_id)
    request = ContextRequest(
        user_id=user_id,
        question=Question(text=message),
        asked=message,
        query=Query(text=message, wanted=wanted, limit=LIMIT),
        budgets=ContextBudgets(),
        leaves_out=shown,
        takes_few_whole=True,
    )
    context = await context_for(acting, request)
    return Remembered(context, _uses(context))


def _uses(context: Context) -> tuple[Use, ...]:
    items: Sequence[Use] = [
        Use(
            citation=item.citation,
            kind=item.kind,
            item_id=item.item_id,
            score=item.score,
            relevance=item.relevance,
            components=item.components,
            strategies=tuple(name for name in map(str, StrategyName) if name in item.components),
            tokens=item.tokens,
        )
        for section in context.sections
        if section.name is not SectionName.ENTITIES
        for item in section.items
    ]
    return tuple(items)
