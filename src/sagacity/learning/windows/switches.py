"""Apply a user's settings to learning: skip windows, and drop candidates."""

from collections.abc import Sequence

from sagacity.domain.change import Occasion
from sagacity.domain.cursor import Outcome, Window
from sagacity.domain.extraction import Rejection
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.user_settings import MemorySettings, UserSettings
from sagacity.learning.windows.result import WindowResult
from sagacity.learning.windows.window import Due
from sagacity.learning.writing.apply import Applied, Proposal
from sagacity.learning.writing.limits import keep_within_limits
from sagacity.storage.transaction import Transaction

_USUAL = MemorySettings()
OVER_LIMIT = "over the limit of the user's settings"


def is_learned(settings: UserSettings | None, kind: MemoryKind) -> bool:
    """Return whether memories of *kind* are learned of a user with these settings."""
    return (settings.memory if settings else _USUAL).learns(kind)


def passed_over(due: Due, window: Window) -> WindowResult:
    """Return the result of a window that is skipped; the learner continues after it, so it is never learned."""
    return WindowResult(due, window, Outcome.GATED)


def wanted(settings: UserSettings | None, proposals: Sequence[Proposal]) -> list[bool]:
    """Return for each proposal whether it may be written; one reading can propose facts of two kinds."""
    return [is_learned(settings, one.decision.candidate.kind) for one in proposals]


def with_unwanted(applied: Applied, is_wanted: Sequence[bool]) -> None:
    """Add the outcomes of proposals that were left out to *applied*."""
    fates = iter(applied.fates)
    applied.fates = [next(fates) if one else Rejection.SWITCHED_OFF for one in is_wanted]


def notes_names(settings: UserSettings | None) -> bool:
    """Return whether entities are stored with what is learned."""
    return settings is None or settings.memory.entity_extraction


async def keep_learned_within_limits(
    transaction: Transaction, user_id: UserId, applied: Applied, *, status: Status
) -> None:
    """Archive older memories beyond the user's limit; what was just learned stays."""
    stored = [(change, change.after) for change in applied.changes if change.after is not None]
    if not stored or status is not Status.CURRENT:
        return
    last, _ = stored[-1]
    occasion = Occasion(run_id=last.run_id, actor=last.actor, reason=OVER_LIMIT, at=last.created_at)
    kinds = {after.kind for _, after in stored}
    spared = {after.memory_id for _, after in stored}
    await keep_within_limits(transaction, user_id, kinds, occasion, spared=spared)
