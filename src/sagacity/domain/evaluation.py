"""Was a session a success, and was the answer better than its shadow."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import SessionId


class RegularVsShadow(StrEnum):
    """Which of two answers was better."""

    REGULAR_IS_BETTER = "regular_is_better"
    REGULAR_IS_SLIGHTLY_BETTER = "regular_is_slightly_better"
    SHADOW_IS_BETTER = "shadow_is_better"
    SHADOW_IS_SLIGHTLY_BETTER = "shadow_is_slightly_better"
    TIED = "tied"


class Evaluation(Value):
    """What an evaluator found of one session."""

    result_id: int
    agent_version: str
    session_id: SessionId
    is_success: bool
    failure_type: str | None = None
    failure_reason: str | None = None
    evaluation_name: str | None = None
    regular_vs_shadow: RegularVsShadow | None = None
    number_of_correction_per_session: int = 0
    user_turns_to_resolution: int | None = None
    is_escalated: bool = False
    created_at: datetime
