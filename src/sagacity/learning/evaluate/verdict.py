"""Turn a judge's answer into a verdict, given which transcript was the shadow's; pure."""

from sagacity.domain.base import Value
from sagacity.domain.evaluation import FailureType, RegularVsShadow
from sagacity.learning.extractors.outputs import SessionComparison, SessionVerdict


class Verdict(Value):
    """How one session went."""

    is_success: bool
    failure_type: FailureType | None = None
    failure_reason: str | None = None
    is_escalated: bool = False
    regular_vs_shadow: RegularVsShadow | None = None
    """None if there was no shadow, or no comparison."""
    is_shadow_first: bool | None = None
    is_shadow_success: bool | None = None
    comparison_reason: str = ""


def verdict_of(said: SessionVerdict) -> Verdict:
    """Turn a model's answer about one transcript into a verdict; a success has no failure."""
    failed = not said.is_success
    return Verdict(
        is_success=said.is_success,
        failure_type=said.failure_type if failed else None,
        failure_reason=(said.failure_reason or None) if failed else None,
        is_escalated=said.is_escalated,
    )


def verdict_of_regular(said: SessionComparison, *, shadow_first: bool) -> Verdict:
    """
    Turn a model's answer about two transcripts into the verdict on the regular one.

    Args:
        said: the answer, in which A is the transcript that was shown first.
        shadow_first: whether A was the shadow's.
    """
    regular, shadow = (said.b, said.a) if shadow_first else (said.a, said.b)
    label = "B" if shadow_first else "A"
    is_regular = None if said.better == "tie" else said.better == label
    return verdict_of(regular).model_copy(
        update={
            "regular_vs_shadow": _compared(said, is_regular=is_regular),
            "is_shadow_first": shadow_first,
            "is_shadow_success": shadow.is_success,
            "comparison_reason": said.comparison_reason,
        }
    )


def _compared(said: SessionComparison, *, is_regular: bool | None) -> RegularVsShadow:
    match is_regular, said.is_significantly_better:
        case None, _:
            return RegularVsShadow.TIED
        case True, clearly:
            return (
                RegularVsShadow.REGULAR_IS_BETTER if clearly else RegularVsShadow.REGULAR_IS_SLIGHTLY_BETTER
            )
        case False, clearly:
            return RegularVsShadow.SHADOW_IS_BETTER if clearly else RegularVsShadow.SHADOW_IS_SLIGHTLY_BETTER
