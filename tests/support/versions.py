"""Versions of a few users' memories, and their state in tables and in the search index."""

import sqlalchemy as sa

from sagacity.domain.memory import ArchivedBy, Attributes, Memory, MemoryKind, Status
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, cursor_at, new_memory

PROFILE, PLAYBOOK = MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK
CURRENT, PENDING, ARCHIVED = Status.CURRENT, Status.PENDING, Status.ARCHIVED
PROFILES = VersionFilter(kind=PROFILE)


async def add(
    storage: Storage,
    content: str,
    status: Status = CURRENT,
    *,
    kind: MemoryKind = PROFILE,
    user_id: str | None = ANNA,
    name: str = "",
    **fields,
) -> Memory:
    """Store one memory of a version, as the extractor *name* learns it."""
    new = new_memory(
        content,
        kind=kind,
        user_id=user_id,
        status=status,
        name=name if kind is PLAYBOOK else "",
        attributes=Attributes(extractor_names=(name,) if name else ()),
        **fields,
    )
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new])
    return memory


async def upgrade(storage: Storage, wanted: VersionFilter = PROFILES, **options) -> Upgraded:
    async with storage.begin(ORG) as tx:
        return await tx.versions.upgrade(wanted, **options)


async def downgrade(storage: Storage, wanted: VersionFilter = PROFILES) -> Downgraded:
    async with storage.begin(ORG) as tx:
        return await tx.versions.downgrade(wanted)


async def put_away(
    storage: Storage, memory: Memory, by: ArchivedBy, *, successor: Memory | None = None
) -> None:
    """Archive a memory as superseded by a learner, or as a person would."""
    async with storage.begin(ORG) as tx:
        found = await tx.memories.get(memory.memory_id)
        update = {
            "status": ARCHIVED,
            "archived_by": by,
            "superseded_by": None if successor is None else successor.memory_id,
        }
        await tx.memories.save([found.model_copy(update=update)])


async def read_to(
    storage: Storage, seq: int, status: Status = CURRENT, *, learner: str = "profile:one", user_id: str = ANNA
) -> None:
    """Set how far a learner has read a user's log for one version."""
    async with storage.begin(ORG) as tx:
        await tx.cursors.save(cursor_at(seq, learner=learner, user_id=user_id, version=status))


async def cursors_of(storage: Storage, user_id: str = ANNA) -> dict[str, int]:
    """Return the position of each cursor of a user, by learner, with the prefix `VERSION/` if it is not CURRENT's."""
    async with storage.read(ORG) as snapshot:
        return {
            name if version is CURRENT else f"{version}/{name}": one.seq
            for version in Status
            for name, one in (await snapshot.cursors.of_user(user_id, version)).items()
        }


async def statuses(storage: Storage, kind: MemoryKind = PROFILE) -> dict[str, Status]:
    """Return the status of every memory by its content, after checking that its document has the same."""
    async with storage.read(ORG) as snapshot:
        found = await snapshot.memories.list_newest(kind, limit=999)
    async with storage.backend.read(ORG.org_id) as connection:
        column = search_documents.c
        rows = await connection.execute(
            sa.select(column.owner_id, column.status, column.archived_at).where(
                column.org_id == ORG.org_id, column.kind == str(kind)
            )
        )
        documents = {row.owner_id: (row.status, row.archived_at) for row in rows}
    since = {one.memory_id: one.archived_at or one.updated_at for one in found if one.status is ARCHIVED}
    assert documents == {one.memory_id: (str(one.status), since.get(one.memory_id)) for one in found}
    return {one.content: one.status for one in found}
