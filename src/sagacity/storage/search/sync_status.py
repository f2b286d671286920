"""Update the status of many search documents; their texts, terms and vectors stay."""

import sqlalchemy as sa

from sagacity.domain.memory import MemoryKind, Status
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import memories, search_documents, search_scopes
from sagacity.storage.statements.array_params import found_by


async def refresh_status(scope: Scope, kind: MemoryKind, moved: sa.Select[tuple[int]]) -> None:
    """
    Copy from memories to their documents: the status, since when they are archived, and when they expire.

    The documents and their scopes get a new revision, so that caches and copies read them again. Nothing is removed and
    no vector changes, so what is cached of other documents stays valid.

    Args:
        scope: the open transaction.
        kind: of all the memories.
        moved: selects their numbers.
    """
    document, memory, of_user = search_documents.c, memories.c, search_scopes.c
    mine = await _with_new_revision(scope, str(kind), moved)
    # An archived memory is found among the archived ones even after it ceased to be valid.
    stops_first = sa.and_(
        memory.status == str(Status.CURRENT),
        memory.valid_to.is_not(None),
        sa.or_(memory.expires_at.is_(None), memory.valid_to < memory.expires_at),
    )
    await scope.run(
        sa.update(search_documents)
        .where(mine, memory.memory_id == document.owner_id, of_user.scope_id == document.scope_id)
        .values(
            status=memory.status,
            archived_at=memory.archived_at,
            expires_at=sa.case((stops_first, memory.valid_to), else_=memory.expires_at),
            revision=of_user.revision,
        )
    )


async def mark_held(scope: Scope, kind: str, moved: sa.Select[tuple[int]], *, is_held: bool) -> None:
    """
    Set on documents whether a quarantine holds what they represent, as `refresh_status` does for statuses.

    Args:
        scope: the open transaction.
        kind: of all the memories, or that of turns.
        moved: selects their numbers.
        is_held: whether a quarantine holds them from now on.
    """
    document, of_user = search_documents.c, search_scopes.c
    mine = await _with_new_revision(scope, kind, moved)
    await scope.run(
        sa.update(search_documents)
        .where(mine, of_user.scope_id == document.scope_id)
        .values(is_held=is_held, revision=of_user.revision)
    )


async def _with_new_revision(scope: Scope, kind: str, moved: sa.Select[tuple[int]]) -> sa.ColumnElement[bool]:
    """Give the scopes of documents a new revision, and return the condition that selects these documents."""
    document, of_user = search_documents.c, search_scopes.c
    owned = found_by(document.owner_id, moved.scalar_subquery())
    mine = sa.and_(document.org_id == scope.org_id, document.kind == kind, owned)
    reached = sa.and_(
        of_user.org_id == scope.org_id,
        of_user.kind == kind,
        found_by(of_user.scope_id, sa.select(document.scope_id).where(mine).distinct().scalar_subquery()),
    )
    in_order = sa.select(of_user.scope_id).where(reached).order_by(of_user.kind, of_user.user_id)
    await scope.all(scope.locked(in_order))
    await scope.run(sa.update(search_scopes).where(reached).values(revision=of_user.revision + 1))
    return mine
