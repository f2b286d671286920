"""How a receipt looks to people, and what a failure in it means."""

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from sagacity.cli.receipts import draw, went_well
from sagacity.schemas.receipts import (
    IndexProgress,
    LearnerProgress,
    LearnerState,
    Receipt,
    ReceiptState,
)


def receipt(state: ReceiptState, *learners: LearnerState) -> Receipt:
    return Receipt(
        request_id="r-1",
        user_id="ana b",
        accepted_at=datetime(2026, 5, 1, tzinfo=UTC),
        interactions=1,
        state=state,
        indexed=IndexProgress(),
        learners=tuple(
            LearnerProgress(learner=f"learner {number}", state=one) for number, one in enumerate(learners)
        ),
    )


def drawn(found: Receipt) -> str:
    console = Console(file=io.StringIO(), width=200, highlight=False)
    draw(found)(console)
    return console.file.getvalue()


def test_what_was_given_up_says_so_and_where_to_look() -> None:
    """It is not learned yet, it never will be by itself; the command can be pasted into a shell."""
    found = receipt(ReceiptState.FAILED, LearnerState.PARKED, LearnerState.PARKED)
    text = drawn(found)
    assert not went_well(found)
    assert "given up: learner 0, learner 1" in text
    assert "sagacity dead-letters list --user-id 'ana b'" in text
    assert "nothing learned yet" not in text
    assert "nothing learned" in text


def test_what_failed_is_tried_again() -> None:
    """A failure is no end."""
    text = drawn(receipt(ReceiptState.FAILED, LearnerState.FAILED, LearnerState.LEARNED))
    assert "failed, and tried again by itself: learner 0" in text
    assert "nothing learned yet" in text
    assert "given up" not in text


@pytest.mark.parametrize("state", [ReceiptState.LEARNED, ReceiptState.INDEXED])
def test_a_good_receipt_has_no_columns_for_errors(state: ReceiptState) -> None:
    """What is empty everywhere is not shown."""
    found = receipt(state, LearnerState.LEARNED)
    text = drawn(found)
    assert went_well(found)
    assert "error" not in text
    assert "next try" not in text
