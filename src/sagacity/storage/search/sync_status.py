"""Update the status of many memories' search documents; texts, terms and vectors stay."""

import sqlalchemy as sa

from sagacity.domain.memory import MemoryKind, Status
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import memories, search_documents, search_scopes
from sagacity.storage.statements.array_params import found_by


async def refresh_status(scope: Scope, kind: MemoryKind, moved: sa.Select[tuple[int]]) -> None:
    """
    Let documents say what their memories say: the status, since when they are archived, until when they hold.

    Their scopes get a new revision and they with them, so that copies of them notice. Nothing was removed and no vector
    changed, so what was kept of the others stays good.

    Args:
        scope: the open transaction.
        kind: of all the memories.
        moved: selects their numbers.
    """
    document, memory, of_user = search_documents.c, memories.c, search_scopes.c
    mine = await _with_new_revision(scope, str(kind), moved)
    # What is archived is found among the archived, also when it stopped holding.
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
    Let documents say whether quarantines hold what they represent, as `refresh_status` does with statuses.

    Args:
        scope: the open transaction.
        kind: of all the memories; or turns.
        moved: selects their numbers.
        is_held: what is true of all of them from now on.
    """
    document, of_user = search_documents.c, search_scopes.c
    mine = await _with_new_revision(scope, kind, moved)
    await scope.run(
        sa.update(search_documents)
        .where(mine, of_user.scope_id == document.scope_id)
        .values(is_held=is_held, revision=of_user.revision)
    )


async def _with_new_revision(scope: Scope, kind: str, moved: sa.Select[tuple[int]]) -> sa.ColumnElement[bool]:
    """Give the scopes of documents a new revision, and return the condition of being one of these documents."""
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
