# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Memories that a person should look at, and what was done with them."""

from collections.abc import Sequence

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.client.words.memory import MemoryKindWord
from sagacity.client.words.review_queue import ReviewSignalWord, ReviewStepWord
from sagacity.schemas.memory_health import MemoryHealth
from sagacity.schemas.review_queue import (
    GetMemoryReviewActionsBody,
    GetMemoryReviewBody,
    MemoryReviewActionsPage,
    MemoryReviewPage,
    ReviewedMemory,
    ReviewMemoryBody,
    UndoMemoryReviewBody,
)


def get_memory_review(
    connection: Connection,
    *,
    user_id: str | None = None,
    days_back: int | None = None,
    signal_filter: Sequence[ReviewSignalWord] | None = None,
    include_all_users: bool | None = None,
    kinds: Sequence[MemoryKindWord] | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> MemoryReviewPage:
    """
    Return memories that a person should review, the highest score first. None is archived by itself.

    A memory is a candidate if it is `stale`, a `duplicate`, `supersedeable`, surfaced often and rarely cited
    (`high_cost_low_cite`), or if sessions that are shown it go better or worse than those that are drawn to go
    without (`helps`, `harms`). Archived memories are left out, and those that were kept until later.

    Args:
        connection: to the server.
        user_id: required unless the token is a user's own, or `include_all_users` is true, beside which it is
            refused.
        days_back: over how many days uses are counted, and after how many days without a change a memory is
            stale; by default 30.
        signal_filter: only memories with one of these signals. Null: with any; an empty list: none.
        include_all_users: memories of all users, and of the organisation. Needs the permission to review.
        kinds: which kinds of memory. Those that serve all users need `include_all_users`; by default
            ['user_playbook'].
        limit: how many candidates at most; by default 100.
        offset: how many candidates to skip; by default 0.
    """
    body = checked(
        GetMemoryReviewBody,
        {
            "user_id": user_id,
            "days_back": days_back,
            "signal_filter": signal_filter,
            "include_all_users": include_all_users,
            "kinds": kinds,
            "limit": limit,
            "offset": offset,
        },
    )
    return connection.send("POST", "/api/get_memory_review", MemoryReviewPage, body=body, repeatable=True)


def review_memory(
    connection: Connection,
    entity_id: str | int,
    action: ReviewStepWord,
    *,
    entity_type: MemoryKindWord | None = None,
    other_id: str | int | None = None,
    other_type: MemoryKindWord | None = None,
    content: str | None = None,
    keep_days: int | None = None,
    reason: str | None = None,
) -> ReviewedMemory:
    """
    Keep, archive, supersede or merge a memory. Who did it and when is recorded, and it can be undone.

    The reply is 409 if the memory is not current, or if the other one is not in force.

    Args:
        connection: to the server.
        entity_id: a memory's id as the queue names it, its uid, or its number.
        action: `keep` leaves it out of the queue for `keep_days`; `archive` archives it; `supersede` archives it
            in favour of `other_id`; `merge` also lets that rest on the turns of both, and say `content` if that
            is given.
        entity_type: the kind of memory; by default user_playbook.
        other_id: for `supersede` and `merge`: the memory that replaces it.
        other_type: null: the same as `entity_type`.
        content: for `merge`: the new text of the other memory. Null: unchanged.
        keep_days: for `keep`: for how many days; by default 90.
        reason: why; it goes into the memory's history.
    """
    body = checked(
        ReviewMemoryBody,
        {
            "entity_id": entity_id,
            "action": action,
            "entity_type": entity_type,
            "other_id": other_id,
            "other_type": other_type,
            "content": content,
            "keep_days": keep_days,
            "reason": reason,
        },
    )
    return connection.send("POST", "/api/review_memory", ReviewedMemory, body=body)


def undo_memory_review(
    connection: Connection,
    *,
    action_id: int | None = None,
    entity_id: str | int | None = None,
    entity_type: MemoryKindWord | None = None,
) -> ReviewedMemory:
    """
    Undo one review action: the memory is current and may be in the queue again.

    The memory that it was merged into gets its former text back, unless it was changed since. The reply is 409 if
    the action was undone already, or the memory was changed since.

    Args:
        connection: to the server.
        action_id: the action's number.
        entity_id: the memory whose last action to undo, instead of an action's number.
        entity_type: the kind of memory; by default user_playbook.
    """
    body = checked(
        UndoMemoryReviewBody, {"action_id": action_id, "entity_id": entity_id, "entity_type": entity_type}
    )
    return connection.send("POST", "/api/undo_memory_review", ReviewedMemory, body=body)


def get_memory_review_actions(
    connection: Connection,
    *,
    user_id: str | None = None,
    include_all_users: bool | None = None,
    before: int | None = None,
    limit: int | None = None,
) -> MemoryReviewActionsPage:
    """
    Return what people decided in the review, newest first: who, when, and whether it was undone.

    Args:
        connection: to the server.
        user_id: required unless the token is a user's own, or `include_all_users` is true, beside which it is
            refused.
        include_all_users: actions on all users' memories, and on the organisation's. Needs the permission to
            review.
        before: only actions before this number, the last one of the previous page.
        limit: how many actions at most; by default 100.
    """
    body = checked(
        GetMemoryReviewActionsBody,
        {"user_id": user_id, "include_all_users": include_all_users, "before": before, "limit": limit},
    )
    return connection.send(
        "POST", "/api/get_memory_review_actions", MemoryReviewActionsPage, body=body, repeatable=True
    )


def get_memory_health(
    connection: Connection,
    *,
    user_id: str | None = None,
    include_all_users: bool = False,
    days_back: int = 30,
) -> MemoryHealth:
    """
    Return a health score from 0 to 100, with the count and examples of each problem, and what to do next.

    Problems are `junk`, `duplicate`, `contradiction`, `stale` and `orphaned`. Only memories in force are checked.
    Nothing is changed.

    Args:
        connection: to the server.
        user_id: needed unless the token is a user's own, or `include_all_users` is true. Not both.
        include_all_users: memories of all users, and of the organisation. Needs the permission to review.
        days_back: for how many days a stale memory was not surfaced or changed.
    """
    params = {"user_id": user_id, "include_all_users": include_all_users, "days_back": days_back}
    return connection.get("/api/memory_health", MemoryHealth, params=params)
