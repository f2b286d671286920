"""The outcomes of the entries that learners proposed, counted by window."""

from collections.abc import Collection, Sequence
from functools import reduce

import sqlalchemy as sa

from sagacity.domain.extraction import EntryCounts, ExtractionRecord
from sagacity.domain.ids import RunId, UserId
from sagacity.domain.memory import Status
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import extractions
from sagacity.storage.statements.array_params import among


class ExtractionRepository:
    """A tenant's counts of proposed entries. Rows are added and never changed, and contain no words of users."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, records: Sequence[ExtractionRecord]) -> None:
        """Record the outcomes of the entries of some windows."""
        if records:
            rows = [one.model_dump(mode="python") | {"org_id": self._scope.org_id} for one in records]
            await self._scope.run(extractions.insert(), rows)

    async def of_turns(self, user_id: UserId, *, first_seq: int, last_seq: int) -> dict[str, EntryCounts]:
        """Return, by learner, the sums for the current version over the windows with turns `first_seq..last_seq`."""
        column = extractions.c
        rows = await self._scope.all(
            sa.select(extractions).where(
                column.org_id == self._scope.org_id,
                column.user_id == user_id,
                column.last_seq >= first_seq,
                column.first_seq <= last_seq,
                column.version == str(Status.CURRENT),
            )
        )
        sums: dict[str, EntryCounts] = {}
        for row in rows:
            counts = EntryCounts.model_validate(row._mapping, extra="ignore")
            sums[row.learner] = sums.get(row.learner, EntryCounts()) + counts
        return sums

    async def of_runs(self, runs: Collection[RunId]) -> dict[RunId, EntryCounts]:
        """Return the counts of proposed entries and their outcomes for each of *runs*."""
        if not runs:
            return {}
        column = extractions.c
        wanted = among(column.run_id, "runs")
        rows = await self._scope.all(
            sa.select(extractions).where(column.org_id == self._scope.org_id, wanted), {"runs": sorted(runs)}
        )
        found: dict[RunId, list[EntryCounts]] = {}
        for row in rows:
            counts = EntryCounts.model_validate(row._mapping, extra="ignore")
            found.setdefault(RunId(row.run_id), []).append(counts)
        return {run_id: reduce(EntryCounts.__add__, counts) for run_id, counts in found.items()}
