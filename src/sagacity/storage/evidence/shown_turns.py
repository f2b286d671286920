"""Which turns a conversation shows, and how many: all except replaced answers."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sagacity.domain.ids import SessionId, UserId
from sagacity.storage.schema.tables import exchanges, interactions, requests
from sagacity.storage.statements.array_params import one_of


def replaced_turns(org_id: str, user_id: UserId, session_ids: Sequence[SessionId]) -> sa.Select[Any]:
    """Return a query for the turns of a user's conversations that are not shown."""
    column = exchanges.c
    return sa.select(column.answer_turn).where(
        column.org_id == org_id,
        one_of(column.session_id, session_ids),
        column.user_id == user_id,
        column.is_replaced,
        column.answer_turn.is_not(None),
    )


def counts_of(org_id: str, user_id: UserId, session_ids: Sequence[SessionId]) -> sa.Select[Any, int, int]:
    """
    Return a query for the number of `messages` that each conversation shows, and their `tokens`.

    Conversations that show none are left out. Only turns published by the chat have tokens.
    """
    turn, exchange = interactions.c, exchanges.c
    tokens = (
        # All exchanges of a question store the same tokens for it; an answer belongs to one exchange.
        sa.select(
            sa.func.max(
                sa.case(
                    (exchange.answer_turn == turn.interaction_id, exchange.answer_tokens),
                    else_=exchange.question_tokens,
                )
            )
        )
        .where(
            exchange.org_id == org_id,
            exchange.request_id == requests.c.request_id,
            sa.or_(
                exchange.answer_turn == turn.interaction_id, exchange.question_turn == turn.interaction_id
            ),
        )
        .correlate(requests, interactions)
        .scalar_subquery()
    )
    shown = (
        sa.select(requests.c.session_id, sa.func.coalesce(tokens, 0).label("tokens"))
        .join_from(
            requests,
            interactions,
            sa.and_(turn.org_id == requests.c.org_id, turn.request_id == requests.c.request_id),
        )
        .where(
            requests.c.org_id == org_id,
            requests.c.user_id == user_id,
            one_of(requests.c.session_id, session_ids),
            turn.interaction_id.not_in(replaced_turns(org_id, user_id, session_ids)),
        )
        .subquery()
    )
    return sa.select(
        shown.c.session_id,
        sa.func.count().label("messages"),
        sa.cast(sa.func.sum(shown.c.tokens), sa.BigInteger).label("tokens"),
    ).group_by(shown.c.session_id)
