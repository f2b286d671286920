"""What a judge says of A and B becomes a verdict on the regular answer."""

import pytest

from sagacity.domain.evaluation import FailureType, RegularVsShadow
from sagacity.learning.evaluate.verdict import verdict_of, verdict_of_regular
from sagacity.learning.extractors.outputs import SessionComparison, SessionVerdict

GOOD = {"is_success": True, "is_escalated": False}
BAD = {
    "is_success": False,
    "failure_type": "wrong_answer",
    "failure_reason": "It named the wrong city.",
    "is_escalated": True,
}


def compared(a, b, better, *, clearly=False) -> SessionComparison:
    return SessionComparison.model_validate(
        {"a": a, "b": b, "better": better, "is_significantly_better": clearly, "comparison_reason": "because"}
    )


@pytest.mark.parametrize(
    ("regular_wins", "clearly", "expected"),
    [
        (True, True, RegularVsShadow.REGULAR_IS_BETTER),
        (True, False, RegularVsShadow.REGULAR_IS_SLIGHTLY_BETTER),
        (False, True, RegularVsShadow.SHADOW_IS_BETTER),
        (False, False, RegularVsShadow.SHADOW_IS_SLIGHTLY_BETTER),
        (None, True, RegularVsShadow.TIED),
        (None, False, RegularVsShadow.TIED),
    ],
)
@pytest.mark.parametrize(("regular", "shadow"), [(GOOD, BAD), (BAD, GOOD)])
def test_row_12_success_is_that_of_the_regular_answer_whichever_came_first(
    regular, shadow, regular_wins, clearly, expected
):
    """The same judgement, given under either order of the labels, is the same verdict."""
    for_a = {True: "A", False: "B", None: "tie"}[regular_wins]
    for_b = {True: "B", False: "A", None: "tie"}[regular_wins]
    as_a = verdict_of_regular(compared(regular, shadow, for_a, clearly=clearly), shadow_first=False)
    as_b = verdict_of_regular(compared(shadow, regular, for_b, clearly=clearly), shadow_first=True)
    assert (as_a.is_shadow_first, as_b.is_shadow_first) == (False, True)
    assert as_a == as_b.model_copy(update={"is_shadow_first": False})
    assert (as_a.is_success, as_a.regular_vs_shadow) == (regular["is_success"], expected)
    assert as_a.is_escalated is regular["is_escalated"]


def test_success_has_no_failure():
    """What a model noted beside a success is dropped; of a failure it is kept."""
    said = SessionVerdict.model_validate(BAD | {"is_success": True})
    assert verdict_of(said).failure_type is None
    assert verdict_of(said).failure_reason is None
    failed = verdict_of(SessionVerdict.model_validate(BAD))
    assert (failed.failure_type, failed.failure_reason) == (
        FailureType.WRONG_ANSWER,
        "It named the wrong city.",
    )


@pytest.mark.parametrize("given", ["Wrong_Answer", " wrong_answer "])
def test_failure_type_is_read_leniently(given):
    assert (
        SessionVerdict.model_validate(BAD | {"failure_type": given}).failure_type is FailureType.WRONG_ANSWER
    )


@pytest.mark.parametrize("given", ["bad mood", "", None, 7])
def test_unknown_failure_type_is_none(given):
    assert SessionVerdict.model_validate(BAD | {"failure_type": given}).failure_type is None


@pytest.mark.parametrize(
    ("given", "read"),
    [("a", "A"), (" B ", "B"), ("Version B", "B"), ("A and B", "tie"), ("both", "tie"), (None, "tie")],
)
def test_better_one_is_read_leniently(given, read):
    assert compared(GOOD, BAD, given).better == read
