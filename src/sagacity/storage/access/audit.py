"""The audit log: append-only rows, each with the hash of the row before it."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.audit import GENESIS, AuditEntry, AuditFilter, NewAuditEntry, hash_of
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import audit_log, organisations

_column = audit_log.c


class AuditRepository:
    """A tenant's audit log. The database itself refuses to change or delete a row."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, new: NewAuditEntry) -> AuditEntry:
        """Append a row; it commits together with the change that it records."""
        await self.lock()
        previous = await self._last()
        seq, at = (1, GENESIS) if previous is None else (previous.seq + 1, previous.hash)
        now = self._scope.clock.now()
        entry = AuditEntry(
            **new.model_dump(), seq=seq, at=now, hash=hash_of(at, self._scope.org_id, new, seq=seq, at=now)
        )
        row = entry.model_dump() | {"org_id": self._scope.org_id, "action": str(entry.action)}
        await self._scope.run(audit_log.insert(), row)
        return entry

    async def lock(self) -> None:
        """Keep others from adding rows until the transaction ends: two rows after the same one would fork the chain."""
        mine = sa.select(organisations.c.org_id).where(organisations.c.org_id == self._scope.org_id)
        await self._scope.all(mine.with_for_update(key_share=True))

    async def list_newest(
        self, wanted: AuditFilter, *, before: int | None = None, limit: int
    ) -> list[AuditEntry]:
        """Return rows, newest first; *before*: only those with a smaller number."""
        older = () if before is None else (_column.seq < before,)
        statement = sa.select(audit_log).where(*self._among(wanted), *older)
        return await self._read(statement.order_by(_column.seq.desc()).limit(limit))

    async def list_oldest(self, wanted: AuditFilter, *, after: int, limit: int) -> list[AuditEntry]:
        """Return rows with a larger number than *after*, oldest first."""
        statement = sa.select(audit_log).where(*self._among(wanted), _column.seq > after)
        return await self._read(statement.order_by(_column.seq).limit(limit))

    async def _last(self) -> AuditEntry | None:
        found = await self.list_newest(AuditFilter(), limit=1)
        return found[0] if found else None

    async def _read(self, statement: sa.Select[Any]) -> list[AuditEntry]:
        rows = await self._scope.all(statement)
        return [AuditEntry.model_validate(row._mapping, extra="ignore") for row in rows]

    def _among(self, wanted: AuditFilter) -> list[sa.ColumnElement[bool]]:
        conditions = [_column.org_id == self._scope.org_id]
        for name in ("action", "actor", "target"):
            value: object = getattr(wanted, name)
            if value is not None:
                conditions.append(_column[name] == str(value))
        for moment, is_in in ((wanted.start, _from), (wanted.end, _before)):
            if moment is not None:
                conditions.append(is_in(moment))
        return conditions


def _from(moment: datetime) -> sa.ColumnElement[bool]:
    return _column.at >= moment


def _before(moment: datetime) -> sa.ColumnElement[bool]:
    return _column.at < moment
