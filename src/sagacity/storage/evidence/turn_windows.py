"""Turns by their numbers, with their neighbours in their sessions."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.interaction import OF_REQUEST
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import interactions, requests
from sagacity.storage.statements.array_params import among
from sagacity.storage.statements.planner_hints import unindexed

REACH = 50
"""How many log numbers are searched to either side, because turns of other sessions may lie between."""
happened_at = sa.func.coalesce(
    interactions.c.happened_at, interactions.c.created_at, type_=interactions.c.created_at.type
)
"""When a turn happened or, if that is not known, arrived."""
_IMAGES = (interactions.c.image_url, interactions.c.image_base64)


def is_there(column: sa.Column[str]) -> sa.Label[str]:
    """Read only the first character of an image: it may have megabytes, and many turns are read at a time."""
    return sa.func.substr(column, 1, 1).label(column.name)


def _with_request(*images: sa.ColumnElement[str]) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(
        *(column for column in interactions.c if column not in set(_IMAGES)),
        *images,
        *(requests.c[name] for name in OF_REQUEST),
    ).join_from(
        interactions,
        requests,
        sa.and_(
            requests.c.org_id == interactions.c.org_id, requests.c.request_id == interactions.c.request_id
        ),
    )


with_request = _with_request(interactions.c.image_url, is_there(interactions.c.image_base64))
"""Turns with columns of their requests; of an inline image, only whether there is one."""
without_images = _with_request(*map(is_there, _IMAGES))
"""The same, but also of an image's address only whether there is one: a `data:` URL may hold a whole image."""


@cache
def numbered() -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for turns with given numbers, in log order."""
    column = interactions.c
    return with_request.where(
        among(column.interaction_id, "ids"), column.org_id.concat("") == sa.bindparam("org_id")
    ).order_by(column.user_id, column.seq)


async def rows_beside(scope: Scope, ids: Sequence[int], count: int) -> Sequence[Any]:
    """
    Return the neighbours of the turns *ids*, as rows of `with_request` in log order.

    Each turn gets up to *count* turns before and after it in its session or, without a session, in its request. A row
    names that turn in `beside_id`; a neighbour of several turns has a row for each.
    """
    return await scope.all(_beside(), {"org_id": scope.org_id, "ids": list(ids), "most": count})


@cache
def _beside() -> sa.Select[*tuple[Any, ...]]:
    turn, near = interactions.alias("turn"), interactions.alias("near")
    is_of_the_same = sa.case(
        (turn.c.session_id.is_(None), near.c.request_id == turn.c.request_id),
        else_=near.c.session_id == turn.c.session_id,
    )
    rank = sa.func.row_number().over(
        partition_by=(turn.c.interaction_id, near.c.seq > turn.c.seq),
        order_by=sa.func.abs(near.c.seq - turn.c.seq),
    )
    nearest = (
        sa.select(turn.c.interaction_id.label("beside_id"), near.c.interaction_id, rank.label("rank"))
        .join_from(
            turn,
            near,
            sa.and_(
                near.c.org_id == turn.c.org_id,
                near.c.user_id == turn.c.user_id,
                near.c.seq.between(turn.c.seq - REACH, turn.c.seq + REACH),
                near.c.seq != turn.c.seq,
                is_of_the_same,
            ),
        )
        .where(among(turn.c.interaction_id, "ids"), turn.c.org_id.concat("") == sa.bindparam("org_id"))
        .subquery()
    )
    return (
        with_request.add_columns(nearest.c.beside_id)
        .join(nearest, nearest.c.interaction_id == interactions.c.interaction_id)
        .where(nearest.c.rank <= sa.bindparam("most", type_=sa.Integer))
        .order_by(interactions.c.user_id, interactions.c.seq)
    )


@cache
def log_of(*, is_before: bool) -> sa.Select[*tuple[Any, ...]]:
    """Return the statement for a user's log after a turn, oldest first; or up to and including it, newest first."""
    column = interactions.c
    mine = without_images.where(
        column.org_id == sa.bindparam("org_id"), column.user_id == sa.bindparam("user_id")
    )
    seq = sa.bindparam("seq", type_=column.seq.type)
    part = mine.where(column.seq <= seq if is_before else column.seq > seq)
    return part.order_by(column.seq.desc() if is_before else column.seq).limit(sa.bindparam("limit"))


@cache
def of_requests() -> sa.Select[*tuple[Any, ...]]:
    """Return the statement for the turns of some requests, in log order."""
    column = interactions.c
    return with_request.where(
        column.org_id == sa.bindparam("org_id"), among(column.request_id, "request_ids")
    ).order_by(unindexed(column.user_id), column.seq)
