"""The result of one window, with its provenance."""

from collections.abc import Sequence
from dataclasses import dataclass

from sagacity.domain.change import Candidate, ChangeAction
from sagacity.domain.cursor import Outcome, Window
from sagacity.domain.ids import RunId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind, Provenance
from sagacity.domain.trust import Trust, least_trusted, trust_of
from sagacity.learning.distil.agent_playbooks.trigger import is_news
from sagacity.learning.extractors.base import Extraction
from sagacity.learning.windows.window import Due
from sagacity.learning.writing.apply import Applied


@dataclass(frozen=True, slots=True)
class WindowResult:
    """What one learner got from its window: an extraction, or the error that prevented one."""

    due: Due
    window: Window
    outcome: Outcome
    extraction: Extraction | None = None
    error: BaseException | None = None
    passed: tuple[Window, ...] = ()
    """The windows before it, from the start of `due`, that taught nothing."""

    @property
    def has_dropped(self) -> bool:
        """Whether an entry was proposed that did not become a candidate."""
        return self.extraction is not None and bool(self.extraction.dropped)

    @property
    def turns(self) -> list[Interaction]:
        """The turns that were read, oldest first."""
        return [turn for window in (*self.passed, self.window) for turn in window.unread]


def failed(read: WindowResult, error: BaseException) -> WindowResult:
    """Return a reading as failed if it proposed something, because a later step failed."""
    if read.extraction is None or not read.extraction.candidates:
        return read
    return WindowResult(read.due, read.window, Outcome.FAILED, error=error)


def attributed(read: WindowResult, candidate: Candidate) -> Candidate:
    """
    Return a candidate with the time of its newest turn, and whether anybody other than agents and tools says it.

    A rule may rest on what the agent did; a fact about the user may not. Neither may rest only on what a tool or a web
    page says, and a rule must not rest on anything of low trust.
    """
    turns = [turn for turn in read.window.interactions if turn.interaction_id in candidate.evidence]
    origin = least_trusted((candidate.origin, *(turn.stamped_origin for turn in turns)))
    if candidate.kind is MemoryKind.USER_PLAYBOOK:
        is_unconfirmed = origin is not None and trust_of(origin) is Trust.LOW
    else:
        is_unconfirmed = not any(turn.is_user or turn.expert_content.strip() for turn in turns)
    return candidate.model_copy(
        update={
            "said_at": max((turn.occurred_at for turn in turns), default=None),
            "is_unconfirmed": is_unconfirmed,
            "origin": origin,
        }
    )


def version_of(read: WindowResult, candidate: Candidate) -> str:
    """Return the agent version of the candidate's last evidence."""
    turns = {turn.interaction_id: turn for turn in read.window.interactions}
    return next(
        (turns[number].agent_version for number in reversed(candidate.evidence) if number in turns), ""
    )


def provenance_of(read: WindowResult, run_id: RunId) -> Provenance:
    """Return the provenance of the memories of a run."""
    extraction = read.extraction
    return Provenance(
        learner=read.due.learner.name,
        method=extraction.method if extraction else "",
        prompt_version=extraction.prompt_version if extraction else "",
        model=extraction.model if extraction else "",
        run_id=run_id,
    )


def taught_playbooks(readings: Sequence[WindowResult], applied: Applied) -> list[Memory]:
    """Return the user playbooks that were added or reworded, except from requests that exclude aggregation."""
    skipping = {
        turn.request_id
        for reading in readings
        for turn in reading.window.interactions
        if turn.skip_aggregation
    }
    return [
        change.after
        for change in applied.changes
        if change.after is not None
        # For a memory that a merge added, `before` is what was proposed.
        and is_news(None if change.action is ChangeAction.ADDED else change.before, change.after)
        and change.request_id not in skipping
    ]
