"""Count the outcomes of the entries that learners proposed, by window."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from sagacity.domain.extraction import ExtractionRecord, Rejection
from sagacity.domain.memory import Status
from sagacity.learning.windows.result import WindowResult
from sagacity.learning.writing.apply import Fate, Proposal, Stored


def extraction_records(
    readings: Sequence[WindowResult],
    proposals: Sequence[Proposal],
    fates: Sequence[Fate],
    *,
    version: Status,
    at: datetime,
) -> list[ExtractionRecord]:
    """
    Count the outcomes of the entries of each reading; a reading without entries has no record.

    Args:
        readings: the readings of one step, one for each learner.
        proposals: the decisions on their candidates.
        fates: the outcome of each proposal, in the same order.
        version: the version that was written.
        at: the time.
    """
    outcomes: dict[str, Counter[Fate]] = {}
    for proposal, fate in zip(proposals, fates, strict=True):
        outcomes.setdefault(proposal.provenance.learner, Counter())[fate] += 1
    runs = {proposal.provenance.learner: proposal.provenance.run_id for proposal in proposals}
    records: list[ExtractionRecord] = []
    for reading in readings:
        extraction = reading.extraction
        if extraction is None:
            continue
        counts: Counter[Fate] = outcomes.get(reading.due.learner.name, Counter()) + Counter(
            extraction.dropped
        )
        if not counts:
            continue
        reasons = {why: counts[why] for why in Rejection if counts[why]}
        records.append(
            ExtractionRecord(
                proposed=counts.total(),
                kept=counts[Stored.KEPT] + counts[Stored.ENDED],
                merged=counts[Stored.MERGED],
                dropped=sum(reasons.values()),
                reasons=reasons,
                learner=reading.due.learner.name,
                user_id=reading.window.user_id,
                version=version,
                run_id=runs.get(reading.due.learner.name),
                first_seq=reading.window.first_seq,
                last_seq=reading.window.last_seq,
                prompt=extraction.prompt_version,
                model=extraction.model,
                created_at=at,
            )
        )
    return records
