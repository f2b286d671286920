"""Evaluations: whether a session was a success, and whether the answer was better than its shadow."""

from datetime import datetime, timedelta
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import SessionId, UserId


class RegularVsShadow(StrEnum):
    """Which of two answers was better."""

    REGULAR_IS_BETTER = "regular_is_better"
    REGULAR_IS_SLIGHTLY_BETTER = "regular_is_slightly_better"
    SHADOW_IS_BETTER = "shadow_is_better"
    SHADOW_IS_SLIGHTLY_BETTER = "shadow_is_slightly_better"
    TIED = "tied"


class FailureType(StrEnum):
    """Why an agent did not do what it was asked."""

    MISSING_TOOL = "missing_tool"
    WRONG_TOOL = "wrong_tool"
    INSUFFICIENT_INFO_FROM_TOOL = "insufficient_info_from_tool"
    WRONG_ANSWER = "wrong_answer"


class WaitingSession(Value):
    """A session as far as it matters for when it is judged."""

    session_id: SessionId
    user_id: UserId
    message_count: int
    """The number of turns ever published, which grows with each publish: it shows whether there is something new."""
    updated_at: datetime
    evaluate_after: datetime | None = None
    """It is not judged before; None: nothing was said since it was judged."""
    evaluation_attempts: int = 0

    def due_at(self, delay: timedelta) -> datetime | None:
        """Return when it has to be judged if it stays quiet for *delay*; None: not before something is said in it."""
        return None if self.evaluate_after is None else max(self.evaluate_after, self.updated_at + delay)


class NewEvaluation(Value):
    """An evaluator's verdict on one session."""

    agent_version: str
    source: str = ""
    """Of the last request that names one."""
    session_id: SessionId
    is_success: bool
    failure_type: str | None = None
    failure_reason: str | None = None
    evaluation_name: str | None = None
    regular_vs_shadow: RegularVsShadow | None = None
    is_shadow_first: bool | None = None
    """Which version the judge was shown first, and so knew as A; None where nothing was compared."""
    is_shadow_success: bool | None = None
    """Whether the session would have been a success with the shadow's answers; None where nothing was compared."""
    comparison_reason: str = ""
    """The judge's own words, in which A is the version that was shown first."""
    number_of_correction_per_session: int = 0
    """The user's playbooks that were learned from it."""
    user_turns_to_resolution: int | None = None
    """What the user said or did until it was a success; None where it was none."""
    is_escalated: bool = False
    created_at: datetime


class Evaluation(NewEvaluation):
    """A result with its number."""

    result_id: int
