"""How a receipt looks to people, and what a failure in it means."""

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from sagacity.cli.receipts import draw, wait_for, went_well
from sagacity.client import Sagacity
from sagacity.client.errors import Unreachable
from sagacity.domain.extraction import EntryCounts, Rejection
from sagacity.domain.memory import MemoryKind
from sagacity.domain.views.receipt import (
    IndexProgress,
    LearnerProgress,
    LearnerState,
    Receipt,
    ReceiptState,
    TaughtMemory,
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
    found = receipt(ReceiptState.FAILED, LearnerState.FAILED, LearnerState.LEARNED)
    later = found.learners[0].model_copy(update={"next_try_at": datetime(2026, 5, 1, 12, 0, 7, 650_241, UTC)})
    text = drawn(found.model_copy(update={"learners": (later, *found.learners[1:])}))
    assert "failed, and tried again by itself: learner 0" in text
    assert " 2026-05-01 12:00:07\n" in text
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


class Restarted:
    """Gives no reply at first, as a server that starts again."""

    def __init__(self, *, outages: int) -> None:
        self.outages = outages

    def wait_for_receipt(self, request_id: str, *, timeout_seconds: float, on_progress) -> Receipt:
        assert 0 < timeout_seconds <= 60
        if self.outages:
            self.outages -= 1
            raise Unreachable("no connection")
        found = receipt(ReceiptState.LEARNED, LearnerState.LEARNED)
        on_progress(found)
        return found


def test_a_lost_server_is_looked_for_again(capsys: pytest.CaptureFixture[str]) -> None:
    """It is said once that it is gone; the receipt is waited for to its end."""
    [found] = wait_for(Restarted(outages=2), ["r-1"], timeout_seconds=60)
    assert found.state == "learned"
    said = capsys.readouterr().err
    assert said.count("no connection; trying again for 30 s") == 1
    assert "without you" not in said


def test_who_gives_up_a_lost_server_is_told_that_nothing_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    """What was published is stored, and there is a command to look again."""
    with Sagacity("http://127.0.0.1:1", retry_seconds=0) as client, pytest.raises(Unreachable):
        wait_for(client, ["r 1"], timeout_seconds=60, patience_seconds=0.1)
    said = capsys.readouterr().err
    assert "trying again for 0.1 s" in said
    assert "what was published stays stored, and is learned from without you" in said
    assert "look again with: sagacity receipt 'r 1' --wait" in said


def test_what_became_of_proposed_entries_is_shown() -> None:
    """How many of them are memories now, and why the others are not."""
    found = receipt(ReceiptState.LEARNED, LearnerState.LEARNED)
    reasons = {Rejection.CONTACT_DATA: 2, Rejection.OUTDATED: 1}
    counts = EntryCounts(proposed=6, kept=2, merged=1, dropped=3, reasons=reasons)
    [progress] = found.learners
    learners = (progress.model_copy(update={"entries": counts}),)
    text = drawn(found.model_copy(update={"learners": learners}))
    assert "2 of 6, 1 merged, 3 dropped (2 contact data, outdated)" in text


def test_what_was_archived_is_shown_in_place_of_nothing_learned() -> None:
    """A request to forget something did something."""
    found = receipt(ReceiptState.LEARNED, LearnerState.LEARNED)
    fact = TaughtMemory(memory_id=1, uid="u", kind=MemoryKind.PROFILE, content="Is allergic to peanuts.")
    text = drawn(found.model_copy(update={"archived": (fact,)}))
    assert "nothing learned" not in text
    assert text.index("archived") < text.index("Is allergic to peanuts.")


def test_what_was_learned_comes_first_and_learners_go_by_their_kind() -> None:
    """An extractor that somebody configured keeps its name."""
    found = receipt(ReceiptState.LEARNED, LearnerState.LEARNED, LearnerState.LEARNED)
    names = ("profile:default_profile_extractor", "profile:hobbies")
    learners = tuple(
        one.model_copy(update={"learner": name}) for one, name in zip(found.learners, names, strict=True)
    )
    text = drawn(found.model_copy(update={"learners": learners}))
    assert "default_profile_extractor" not in text
    assert "profile:hobbies" in text
    assert text.index("nothing learned") < text.index("learner")
