"""A user's conversations: list, rename and delete them, and read their messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from sagacity.domain.chat import Conversation, Exchange, Message, MessageRole
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.interaction import Interaction, is_person
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """One page of conversations, most recently changed first."""

    conversations: Sequence[Conversation]
    total: int
    has_more: bool


async def create(
    acting: Acting, user_id: UserId, *, title: str, metadata: Mapping[str, JsonValue]
) -> Conversation:
    """Create a conversation without messages."""
    async with acting.begin(user_id=user_id) as transaction:
        return await begin_conversation(acting, transaction, user_id, title=title, metadata=metadata)


async def begin_conversation(
    acting: Acting,
    transaction: Transaction,
    user_id: UserId,
    *,
    title: str,
    metadata: Mapping[str, JsonValue] | None = None,
) -> Conversation:
    """Create a conversation in an open transaction."""
    now = acting.parts.clock.now()
    conversation = Conversation(
        session_id=SessionId(acting.parts.ids.new()),
        user_id=user_id,
        title=title,
        metadata=dict(metadata or {}),
        created_at=now,
        updated_at=now,
    )
    await transaction.conversations.add(conversation)
    return conversation


async def page(
    acting: Acting,
    user_id: UserId,
    *,
    is_archived: bool,
    title: str = "",
    before: tuple[datetime, SessionId] | None = None,
    limit: int,
    offset: int = 0,
) -> ConversationPage:
    """Return one page; see `ConversationRepository.page`."""
    async with acting.read(user_id=user_id) as snapshot:
        found = await snapshot.conversations.page(
            user_id, is_archived=is_archived, title=title, before=before, limit=limit + 1, offset=offset
        )
        shown = await snapshot.conversations.with_counts(user_id, found[:limit])
        total = await snapshot.conversations.count(user_id, is_archived=is_archived, title=title)
    return ConversationPage(shown, total, has_more=len(found) > limit)


async def get(snapshot: Transaction, user_id: UserId, session_id: SessionId) -> Conversation:
    """
    Return one conversation with the counts of the messages that it shows.

    Raises:
        NotFound: the user has no such conversation.
    """
    found = await snapshot.conversations.get(user_id, session_id)
    [counted] = await snapshot.conversations.with_counts(user_id, [found])
    return counted


async def change(
    acting: Acting, user_id: UserId, session_id: SessionId, values: Mapping[str, Any]
) -> Conversation:
    """
    Rename or archive a conversation, or change its metadata.

    Raises:
        NotFound: the user has no such conversation.
    """
    async with acting.begin(user_id=user_id) as transaction:
        if values:
            await transaction.conversations.change(user_id, session_id, values)
        return await get(transaction, user_id, session_id)


async def delete(acting: Acting, user_id: UserId, session_id: SessionId) -> None:
    """
    Delete a conversation with its messages; what was learned from them stays.

    Raises:
        NotFound: the user has no such conversation.
    """
    async with acting.begin(user_id=user_id, shows_held=True) as transaction:
        await transaction.conversations.get(user_id, session_id, lock=True)  # so that no message comes now
        requests = await transaction.interactions.requests_of_session(user_id, session_id)
        await transaction.interactions.delete_requests(requests)
        await transaction.conversations.remove(user_id, session_id)


async def messages(
    snapshot: Transaction,
    user_id: UserId,
    session_id: SessionId,
    *,
    limit: int,
    offset: int = 0,
    newest: bool = True,
    with_metadata: bool = False,
) -> list[Message]:
    """
    Return messages of a conversation, oldest first, without answers that were replaced.

    Args:
        snapshot: an open transaction.
        user_id: whose.
        session_id: which.
        limit: how many at most.
        offset: how many to skip, counted from the end if *newest*, else from the beginning.
        newest: return the last messages rather than the first.
        with_metadata: also read the metadata sent with the messages.
    """
    turns = await snapshot.interactions.page_of_session(
        user_id, session_id, limit=limit, offset=offset, newest=newest
    )
    requests = list({turn.request_id for turn in turns})
    exchanges = await snapshot.exchanges.of_requests(requests)
    metadata = await snapshot.interactions.metadata_of(requests) if with_metadata else {}
    by_turn = {
        turn: exchange for exchange in exchanges for turn in (exchange.question_turn, exchange.answer_turn)
    }
    return [
        _message(turn, by_turn.get(turn.interaction_id), session_id, metadata.get(turn.request_id))
        for turn in turns
    ]


def _message(
    turn: Interaction,
    exchange: Exchange | None,
    session_id: SessionId,
    metadata: dict[str, JsonValue] | None = None,
) -> Message:
    """Return a turn as a message; a turn that was published outside the chat has no exchange."""
    is_answer = exchange is not None and exchange.answer_turn == turn.interaction_id
    tokens = None if exchange is None else exchange.answer_tokens if is_answer else exchange.question_tokens
    message_id = str(turn.interaction_id)
    if exchange is not None:
        message_id = exchange.answer_id if is_answer else exchange.message_id
    return Message(
        message_id=message_id,
        session_id=session_id,
        role=MessageRole.USER if is_person(turn.role) else MessageRole.ASSISTANT,
        content=turn.content,
        token_count=tokens,
        created_at=turn.created_at,
        metadata={} if is_answer else metadata or {},
        exchange=exchange,
    )


async def answer_of(snapshot: Transaction, exchange: Exchange) -> Message | None:
    """Return an answer as stored in the log; None if there is none or it was deleted."""
    if exchange.answer_turn is None:
        return None
    turns = await snapshot.interactions.get([exchange.answer_turn])
    return _message(turns[0], exchange, exchange.session_id) if turns else None
