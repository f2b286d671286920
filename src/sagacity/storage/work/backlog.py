"""Count the waiting work of all organisations; each query reads only an index of waiting rows."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.backlog import Backlog
from sagacity.storage.schema.views import due_users, lagging_cursors, parked_windows, waiting_tenants


async def read_backlog(connection: AsyncConnection, now: datetime) -> Backlog:
    """Return the work that waits at *now*."""
    due = due_users.c.due_at
    waiting = sa.select(sa.func.count(), sa.func.min(due)).where(due <= now)
    count, oldest = (await connection.execute(waiting)).one()
    unembedded = sa.select(sa.func.coalesce(sa.func.sum(waiting_tenants.c.document_count), 0))
    return Backlog(
        due_count=count,
        oldest_due_at=oldest,
        cursors_behind=(await connection.execute(sa.select(lagging_cursors.c.cursor_count))).scalar_one(),
        unembedded_count=int((await connection.execute(unembedded)).scalar_one()),
        parked_count=(await connection.execute(sa.select(parked_windows.c.letter_count))).scalar_one(),
    )
