"""Prepare an answer: the conversation so far, and what is remembered."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import structlog
from pydantic import JsonValue

from sagacity.chat.conversations import messages
from sagacity.chat.events import SourceText
from sagacity.chat.history import MOST_MESSAGES, in_sight
from sagacity.chat.remember import BUDGETS, NOT_SEARCHED, NOTHING, Remembered, remember
from sagacity.chat.writer import LEARNER, Prepared, UserMessage, models_for
from sagacity.config.model_choice import Role
from sagacity.domain.chat import AnswerSource, Message
from sagacity.domain.context import ContextBudgets
from sagacity.domain.errors import ProviderError, StorageError
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.user_settings import UserSettings, zone_of
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_NOT_READ = "the conversation so far could not be read"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SendRequest:
    """A message from a user."""

    asked: UserMessage
    session_id: SessionId | None = None
    """The conversation; None begins a new one."""
    include_memory: bool = True
    metadata: Mapping[str, JsonValue] | None = None


async def prepare(acting: Acting, user_id: UserId, sent: SendRequest, request_id: str) -> Prepared:
    """Read the conversation so far, and what is remembered; if either fails, the answer does without."""
    started = time.perf_counter()
    said: Sequence[Message] = ()
    summary, unread = "", ""
    if sent.asked.history is not None:
        said = sent.asked.history
    elif sent.session_id is not None:
        try:
            so_far = partial(_so_far, user_id=user_id, session_id=sent.session_id)
            summary, said = await acting.visit(so_far, user_id=user_id)
        except StorageError as error:
            _log.warning("chat.no_history", kind=type(error).__name__)
            unread = _NOT_READ
        said = [one for one in said if one.exchange is None or one.exchange.request_id != request_id]
    timings = {"history": _milliseconds(started)}
    settings, budgets, remembered = None, BUDGETS, NOTHING
    try:
        settings = await acting.visit(lambda snapshot: snapshot.user_settings.find(user_id), user_id=user_id)
        budgets = (await acting.config()).chat_budgets.to_domain()
        if sent.include_memory:
            remembered = await _remembered(
                acting, user_id, sent.asked.content, said, settings=settings, whole=budgets
            )
    except StorageError as error:
        _log.warning("chat.no_settings", kind=type(error).__name__)
        if sent.include_memory:
            remembered = replace(NOTHING, missing=NOT_SEARCHED)
    timings |= {**remembered.timings, "preparing": _milliseconds(started)}
    note = "; ".join(filter(None, (unread, remembered.missing)))
    return Prepared(remembered, note, said, summary, zone_of(settings), budgets, timings)


async def _so_far(
    snapshot: Transaction, *, user_id: UserId, session_id: SessionId
) -> tuple[str, Sequence[Message]]:
    """Return the summary of a conversation's beginning, and its newest messages."""
    summary = (await snapshot.conversations.get(user_id, session_id)).summary
    return summary, await messages(snapshot, user_id, session_id, limit=MOST_MESSAGES)


async def _in_sight(
    acting: Acting, user_id: UserId, said: Sequence[Message], budgets: ContextBudgets
) -> tuple[Sequence[Message], ContextBudgets]:
    """Return the messages that the prompt always contains, and those left to memory: all, without a model."""
    models = await models_for(acting, user_id)
    if models.prompt_runner(Role.CHAT, LEARNER) is None:
        return (), budgets
    return in_sight(said, budgets=budgets, count=acting.parts.tokens.count)


async def _remembered(
    acting: Acting,
    user_id: UserId,
    content: str,
    said: Sequence[Message],
    *,
    settings: UserSettings | None,
    whole: ContextBudgets,
) -> Remembered:
    try:
        newest, budgets = await _in_sight(acting, user_id, said, whole)
        in_prompt = {
            turn
            for one in newest
            if one.exchange is not None
            for turn in (one.exchange.question_turn, one.exchange.answer_turn)
            if turn is not None
        }
        return await remember(acting, user_id, content, settings=settings, shown=in_prompt, budgets=budgets)
    except (StorageError, ProviderError) as error:
        _log.warning("chat.nothing_remembered", kind=type(error).__name__)
        return replace(NOTHING, missing=NOT_SEARCHED)


async def texts_of(snapshot: Transaction, sources: tuple[AnswerSource, ...]) -> tuple[SourceText, ...]:
    """Return memories and turns with their current texts, without those that were deleted."""
    numbers = {source.citation: int(source.citation.partition(":")[2]) for source in sources}
    turns = await snapshot.interactions.get(
        [numbers[source.citation] for source in sources if source.kind == "interaction"]
    )
    text_of = await snapshot.memories.contents(
        [numbers[source.citation] for source in sources if source.kind != "interaction"]
    )
    text_of |= {("interaction", int(turn.interaction_id)): turn.text for turn in turns}
    return tuple(
        SourceText(source, text_of[key])
        for source in sources
        if (key := (source.kind, numbers[source.citation])) in text_of
    )


def _milliseconds(since: float) -> float:
    return round((time.perf_counter() - since) * 1000, 3)
