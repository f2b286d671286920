"""Conversations and exchanges, as rows."""

from datetime import timedelta

from sagacity.domain.chat import AnswerSource, Cited, Conversation, Exchange, ExchangeStatus
from sagacity.domain.ids import SessionId, UserId
from sagacity.storage.transaction import Transaction
from support.parts import ANNA, START


def exchange(word: str, *, user_id: UserId = ANNA, session_id: str = "", **fields) -> Exchange:
    """One whose answer is being written, in the conversation of that word unless another is named."""
    return Exchange(
        exchange_id=f"{word} exchange",
        user_id=user_id,
        session_id=SessionId(session_id or f"{word} talk"),
        answer_id=f"{word} answer",
        status=ExchangeStatus.RUNNING,
        answer=f"{word} so far",
        owner=word,
        memories=(AnswerSource(citation="p:1", kind="profile", item_id=word, score=0.1 + 0.2),),
        citations=(Cited(citation="p:1", kind="profile", item_id=word, offset=3),),
        timings={"setup": 1.25},
        held_until=START + timedelta(days=3_650),
        created_at=START,
        updated_at=START,
        **fields,
    )


async def converse(tx: Transaction, word: str, *, user_id: UserId = ANNA, session_id: str = "") -> Exchange:
    """Begin a conversation with an exchange."""
    running = exchange(word, user_id=user_id, session_id=session_id)
    await tx.conversations.add(
        Conversation(
            session_id=running.session_id,
            user_id=user_id,
            title=f"{word} title",
            metadata={"ü": [word]},
            created_at=START,
            updated_at=START,
        )
    )
    await tx.exchanges.add(running)
    return running
