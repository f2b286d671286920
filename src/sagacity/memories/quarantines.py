"""Quarantines: start, release and read them, for those who may review."""

from sagacity.domain.audit import AuditAction, NewAuditEntry
from sagacity.domain.principal import Permission
from sagacity.domain.quarantine import Held, Quarantine, QuarantineTarget
from sagacity.memories.acting import Acting


async def quarantine(acting: Acting, target: QuarantineTarget, value: str, *, reason: str) -> Quarantine:
    """
    Take everything from one source, request, user or learner out of service at once, with all that was derived from it.

    What is derived from it later is held too, until the quarantine is released.

    Raises:
        Forbidden: the caller may not review, or acts for one user.
        Conflict: it is held already.
        NotFound: there is no such request.
    """
    _require(acting)

    async def begin() -> Quarantine:
        async with acting.begin(shows_held=True) as transaction:
            begun = await transaction.quarantines.begin(
                target, value, reason=reason, actor=acting.principal.actor
            )
            await transaction.audit.add(_entry(acting, AuditAction.QUARANTINE_PLACED, begun))
            return begun

    return await acting.parts.storage.retry(begin)


async def release(acting: Acting, quarantine_id: str, *, reason: str) -> Quarantine:
    """
    Serve the held data again exactly as before, unless another quarantine holds it; a second release changes nothing.

    Raises:
        Forbidden: the caller may not review, or acts for one user.
        NotFound: there is no such quarantine.
    """
    _require(acting)

    async def end() -> Quarantine:
        async with acting.begin(shows_held=True) as transaction:
            await transaction.audit.lock()
            was = await transaction.quarantines.get(quarantine_id)
            released = await transaction.quarantines.release(
                quarantine_id, reason=reason, actor=acting.principal.actor
            )
            if was.released_at is None:
                await transaction.audit.add(_entry(acting, AuditAction.QUARANTINE_RELEASED, released))
            return released

    released = await acting.parts.storage.retry(end)
    acting.parts.dispatcher.poll_now()
    return released


async def list_quarantines(acting: Acting, *, is_standing: bool | None, limit: int) -> list[Quarantine]:
    """
    Return quarantines, newest first: those in force, those that were released, or all.

    Raises:
        Forbidden: the caller may not review, or acts for one user.
    """
    async with acting.read_held() as snapshot:
        return await snapshot.quarantines.list_newest(is_standing=is_standing, limit=limit)


async def quarantine_of(acting: Acting, quarantine_id: str) -> Quarantine:
    """
    Return one quarantine.

    Raises:
        Forbidden: the caller may not review, or acts for one user.
        NotFound: there is no such quarantine.
    """
    async with acting.read_held() as snapshot:
        return await snapshot.quarantines.get(quarantine_id)


async def held_by(acting: Acting, quarantine_id: str, *, limit: int, offset: int) -> Held:
    """
    Return a page of what a quarantine holds, for a review; nothing after its release.

    Raises:
        Forbidden: the caller may not review, or acts for one user.
        NotFound: there is no such quarantine.
    """
    async with acting.read_held() as snapshot:
        one = await snapshot.quarantines.get(quarantine_id)
        return await snapshot.quarantines.held_by(one, limit=limit, offset=offset)


def _entry(acting: Acting, action: AuditAction, one: Quarantine) -> NewAuditEntry:
    """Return the entry for the audit log: the kind of quarantine, without the names of what it holds."""
    return NewAuditEntry(
        action=action,
        actor=acting.principal.audited_as,
        target=one.quarantine_id,
        details={"of": str(one.target)},
    )


def _require(acting: Acting) -> None:
    acting.principal.require(Permission.REVIEW)
    acting.require_whole_tenant()
