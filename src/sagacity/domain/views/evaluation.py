"""The wire shape of an evaluation result."""

from sagacity.domain.clock import to_epoch
from sagacity.domain.evaluation import Evaluation, RegularVsShadow
from sagacity.domain.views.base import View


class EvaluationView(View):
    """An evaluator's verdict on one session."""

    result_id: int = 0
    agent_version: str
    session_id: str
    is_success: bool
    failure_type: str | None = None
    failure_reason: str | None = None
    evaluation_name: str | None = None
    created_at: int
    regular_vs_shadow: RegularVsShadow | None = None
    number_of_correction_per_session: int = 0
    user_turns_to_resolution: int | None = None
    is_escalated: bool = False


def evaluation_view(result: Evaluation) -> EvaluationView:
    """Show an evaluation result."""
    return EvaluationView.model_validate(
        result.model_dump(exclude={"created_at"}) | {"created_at": to_epoch(result.created_at)}
    )
