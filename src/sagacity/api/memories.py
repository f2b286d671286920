"""A user's memories of the four types: add, list, search, edit, delete."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path, Query, Response

from sagacity.analytics.calls import measured
from sagacity.api.chat import Page, PageSize, ReadsForUser, WritesForUser
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.analytics import RequestType
from sagacity.domain.errors import InvalidInput, NotConfirmed
from sagacity.domain.ids import MAX_INT
from sagacity.domain.memory import MemoryKind
from sagacity.domain.user_memory import KIND_OF, TYPE_OF, TYPED_KINDS, MemoryType
from sagacity.memories.find_of_user import MemoryQuery, find_of_user
from sagacity.memories.of_user import (
    add_for_user,
    counts_of_user,
    delete_all_of_user,
    delete_of_user,
    edit_of_user,
    look_at,
    memory_of_user,
    page_of_user,
)
from sagacity.schemas.base import Id, Storable
from sagacity.schemas.chat_memories import (
    ChatMemoryView,
    CreatedMemories,
    CreateMemoriesBody,
    CreateMemoryBody,
    FailedMemory,
    FindMemoriesBody,
    FoundMemories,
    MemoriesPage,
    MemoryStats,
    UpdateMemoryBody,
    foreign,
    found_view,
    memory_view_of,
)
from sagacity.storage.memories.of_user import Place

router = resource("memories", path="/memories")
MemoryName = Annotated[
    Id,
    Path(description="The memory's id, or its number as a chat's sources name it."),
]
OfType = Annotated[MemoryType | None, Query(description="Only memories of this type. Default: all types.")]
Cursor = Annotated[
    Storable | None,
    Query(max_length=2_000, description="Where the page before ended; takes the place of `page`."),
]
_ERRORS_TOLD = 20


@router.post("", status_code=201, openapi_extra=sdk(positional=("memory_type", "content")))
@limited(Rate.WRITE)
async def add_memory(body: CreateMemoryBody, for_user: WritesForUser) -> ChatMemoryView:
    """Store a memory of a user. It can be found by words and by meaning at once."""
    [stored] = await add_for_user(for_user.acting, for_user.user_id, [body.to_draft()])
    return memory_view_of(stored)


@router.post("/bulk", status_code=201, openapi_extra=sdk(positional=("memories",)))
@limited(Rate.WRITE)
async def add_memories(body: CreateMemoriesBody, for_user: WritesForUser) -> CreatedMemories:
    """
    Store several memories of a user; invalid ones are left out and named.

    The reply is 422 if all are invalid, and nothing is stored.
    """
    drafts, refused = body.sorted_out()
    if not drafts:
        told = "; ".join(f"{place}: {error}" for place, error in refused[:_ERRORS_TOLD])
        raise InvalidInput(f"none of the memories can be stored: {told}")
    stored = await add_for_user(for_user.acting, for_user.user_id, [draft for _, draft in drafts])
    return CreatedMemories(
        created=len(stored),
        failed=len(refused),
        errors=tuple(FailedMemory(index=place, error=error) for place, error in refused),
        memory_ids=tuple(memory.uid for memory in stored),
    )


@router.get("", openapi_extra=sdk(positional=()))
async def list_memories(
    for_user: ReadsForUser,
    *,
    memory_type: OfType = None,
    page: Page = 1,
    page_size: PageSize = 20,
    cursor: Cursor = None,
) -> MemoriesPage:
    """Return a page of the user's memories, newest first."""
    return await _page(for_user, memory_type, page, page_size, cursor)


@router.post("/search", openapi_extra=sdk(positional=("query",), repeatable=True))
@limited(Rate.SEARCH)
async def search_memories(body: FindMemoriesBody, for_user: ReadsForUser) -> FoundMemories:
    """
    Search the user's memories by words and by meaning, with each result's scores.

    Returned memories count as used, which raises their `frequency_score`.
    """
    wish = MemoryQuery(
        text=body.query,
        kinds=_kinds(*body.memory_types),
        limit=body.limit,
        least_score=body.min_score,
        by_meaning=body.include_vector_search,
        by_words=body.include_keyword_search,
        start=body.date_from,
        end=body.date_to,
    )
    with measured(for_user.acting, RequestType.MEMORY_SEARCH, user_id=for_user.user_id) as call:
        found = await find_of_user(for_user.acting, for_user.user_id, wish)
        call.trace = found.trace
    return FoundMemories(
        results=tuple(found_view(*one) for one in found.results),
        total=found.total,
        query=body.query,
        search_time_ms=found.milliseconds,
    )


@router.get("/stats", openapi_extra=sdk(positional=()))
async def get_memory_stats(for_user: ReadsForUser) -> MemoryStats:
    """Return statistics of the user's memories."""
    counts = await counts_of_user(for_user.acting, for_user.user_id)
    by_type = {f"{one}_memories": counts.by_kind.get(kind, 0) for one, kind in KIND_OF.items()}
    return MemoryStats(
        user_id=for_user.user_id,
        total_memories=sum(counts.by_kind.values()),
        total_entities=counts.entities,
        total_relations=counts.relationships,
        average_reliability=counts.average_confidence,
        oldest_memory=counts.oldest,
        newest_memory=counts.newest,
        **by_type,
    )


@router.get("/type/{memory_type}", openapi_extra=sdk())
async def list_memories_of_type(
    memory_type: Annotated[MemoryType, Path(description="Which type.")],
    for_user: ReadsForUser,
    *,
    page: Page = 1,
    page_size: PageSize = 20,
    cursor: Cursor = None,
) -> MemoriesPage:
    """Return a page of the user's memories of one type, newest first."""
    return await _page(for_user, memory_type, page, page_size, cursor)


@router.get("/{memory_id}", openapi_extra=sdk())
async def get_memory(memory_id: MemoryName, for_user: ReadsForUser) -> ChatMemoryView:
    """Return one of the user's memories in force."""
    return memory_view_of(await memory_of_user(for_user.acting, for_user.user_id, memory_id))


@router.patch("/{memory_id}", openapi_extra=sdk())
@limited(Rate.WRITE)
async def update_memory(
    memory_id: MemoryName, body: UpdateMemoryBody, for_user: WritesForUser
) -> ChatMemoryView:
    """Change a memory of the user; fields that are not given stay as they are."""
    edit = body.to_edit()
    changed = await edit_of_user(for_user.acting, for_user.user_id, memory_id, edit)
    return memory_view_of(changed, warnings=foreign(edit.parts, TYPE_OF[changed.kind]))


@router.delete("/{memory_id}", status_code=204, openapi_extra=sdk(generated=False))
async def delete_memory(memory_id: MemoryName, for_user: WritesForUser) -> Response:
    """Delete a memory of the user with its history."""
    await delete_of_user(for_user.acting, for_user.user_id, memory_id)
    return Response(status_code=204)


@router.delete("", status_code=204, openapi_extra=sdk(generated=False))
async def delete_memories(
    for_user: WritesForUser,
    *,
    memory_type: OfType = None,
    confirm: Annotated[bool, Query(description="Must be true; otherwise nothing is deleted.")] = False,
) -> Response:
    """Delete all memories of the user, or all of one type, with their history, current or not."""
    if not confirm:
        raise NotConfirmed("confirm: send `confirm=true` to delete all these memories")
    await delete_all_of_user(for_user.acting, for_user.user_id, _kinds(*filter(None, [memory_type])))
    return Response(status_code=204)


@router.post("/{memory_id}/access", openapi_extra=sdk())
@limited(Rate.WRITE)
async def note_memory_access(memory_id: MemoryName, for_user: WritesForUser) -> ChatMemoryView:
    """Count that a memory of the user was used, and return it."""
    return memory_view_of(await look_at(for_user.acting, for_user.user_id, memory_id))


async def _page(
    for_user: ReadsForUser, memory_type: MemoryType | None, page: int, page_size: int, cursor: str | None
) -> MemoriesPage:
    found = await page_of_user(
        for_user.acting,
        for_user.user_id,
        _kinds(*filter(None, [memory_type])),
        before=None if cursor is None else _read_cursor(cursor),
        limit=page_size,
        offset=0 if cursor is not None else (page - 1) * page_size,
    )
    last = found.memories[-1] if found.has_more else None
    return MemoriesPage(
        memories=tuple(map(memory_view_of, found.memories)),
        total=found.total,
        page=page,
        page_size=page_size,
        has_more=found.has_more,
        next_cursor=None if last is None else _cursor(last.created_at, last.memory_id),
    )


def _kinds(*types: MemoryType) -> tuple[MemoryKind, ...]:
    """Return the kinds of *types*; without types, all kinds that have one."""
    return tuple(KIND_OF[one] for one in dict.fromkeys(types)) or TYPED_KINDS


def _cursor(at: datetime, memory_id: int) -> str:
    return f"{at.isoformat().replace('+00:00', 'Z')}.{memory_id}"


def _read_cursor(cursor: str) -> Place:
    """
    Parse a page token.

    Raises:
        InvalidInput: it was not issued by this API.
    """
    at, _, number = cursor.rpartition(".")
    try:
        return Place(datetime.fromisoformat(at).astimezone(UTC), max(0, min(int(number), MAX_INT)))
    except (ValueError, OverflowError) as error:
        raise InvalidInput("cursor: take it from `next_cursor` of the page before") from error
