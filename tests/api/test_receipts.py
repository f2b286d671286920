"""Receipts: what became of a publish, from stored to learned."""

import asyncio
from datetime import timedelta

import pytest

from sagacity.domain.cursor import Cursor, DeadLetter, DeadLetterStatus, Outcome
from sagacity.domain.interaction import Request
from sagacity.domain.views.receipt import LearnerProgress, LearnerState, ReceiptState, VectorProgress
from sagacity.memories.receipts import learner_progress, receipt_state
from support.api import publish, turns
from support.parts import ANNA, START, cursor_at

REQUEST = Request(request_id="r1", user_id=ANNA, first_seq=11, last_seq=15, created_at=START)


def cursor(**fields) -> dict[str, Cursor]:
    return {"one": cursor_at(**fields)}


def letter(first: int, last: int, status: DeadLetterStatus, learner: str = "one") -> DeadLetter:
    return DeadLetter(
        dead_letter_id=4,
        learner=learner,
        user_id=ANNA,
        first_seq=first,
        last_seq=last,
        attempts=5,
        error_kind="ProviderTimeout",
        error="too late",
        status=status,
        created_at=START,
        updated_at=START,
    )


def test_a_learner_that_never_ran_is_waiting():
    """No cursor: nothing was read yet."""
    assert learner_progress("one", REQUEST, {}, []) == LearnerProgress(
        learner="one", state=LearnerState.WAITING
    )


@pytest.mark.parametrize(
    ("seq", "state"), [(10, "waiting"), (14, "waiting"), (15, "learned"), (40, "learned")]
)
def test_a_learner_is_done_when_its_cursor_passed_the_request(seq, state):
    """The last turn of the request decides."""
    assert learner_progress("one", REQUEST, cursor(seq=seq, outcome=Outcome.NOTHING), []).state == state


def test_a_failed_try_tells_its_error_and_when_it_tries_again():
    """What failed is named with the next try."""
    later = START + timedelta(seconds=20)
    failed = cursor(seq=10, outcome=Outcome.FAILED, attempts=2, error="too late", next_try_at=later)
    shown = learner_progress("one", REQUEST, failed, [])
    assert (shown.state, shown.error, shown.attempts, shown.next_try_at) == ("failed", "too late", 2, later)


@pytest.mark.parametrize(
    ("first", "last", "status", "learner", "state"),
    [
        (11, 15, DeadLetterStatus.PARKED, "one", "parked"),
        (1, 11, DeadLetterStatus.PARKED, "one", "parked"),
        (15, 20, DeadLetterStatus.PARKED, "one", "parked"),
        (11, 15, DeadLetterStatus.QUEUED, "one", "waiting"),
        (11, 15, DeadLetterStatus.REPLAYED, "one", "learned"),
        (1, 10, DeadLetterStatus.PARKED, "one", "learned"),
        (16, 20, DeadLetterStatus.PARKED, "one", "learned"),
        (11, 15, DeadLetterStatus.PARKED, "other", "learned"),
    ],
)
def test_a_parked_window_counts_where_it_overlaps(first, last, status, learner, state):
    """The cursor moves past a parked window, so the letter decides."""
    shown = learner_progress("one", REQUEST, cursor(seq=15), [letter(first, last, status, learner)])
    assert shown.state == state
    assert shown.dead_letter_id == (4 if state in {"parked", "waiting"} else None)


@pytest.mark.parametrize(
    ("vector", "states", "expected"),
    [
        (VectorProgress(done=1), ["learned", "learned"], ReceiptState.LEARNED),
        (VectorProgress(done=1), ["learned", "waiting"], ReceiptState.INDEXED),
        (VectorProgress(done=1), [], ReceiptState.INDEXED),
        (VectorProgress(waiting=1), ["learned"], ReceiptState.ACCEPTED),
        (VectorProgress(waiting=1), ["parked", "learned"], ReceiptState.FAILED),
        (VectorProgress(done=1), ["failed"], ReceiptState.FAILED),
        (VectorProgress(failed=1), ["learned"], ReceiptState.FAILED),
    ],
)
def test_the_slowest_part_decides_and_a_failure_first(vector, states, expected):
    """One word for the whole."""
    learners = [LearnerProgress(learner=f"l{n}", state=state) for n, state in enumerate(states)]
    assert receipt_state(vector, learners) == expected


def test_a_replayed_window_reads_as_learned():
    """That it was once given up is no news any more."""
    replayed = [letter(11, 15, DeadLetterStatus.REPLAYED)]
    shown = learner_progress("one", REQUEST, cursor(seq=15, outcome=Outcome.PARKED), replayed)
    assert (shown.state, shown.outcome, shown.dead_letter_id) == ("learned", "learned", None)


async def test_receipt_follows_a_publish_to_what_it_taught(api):
    """From accepted to learned, without another call of the client's; the memory is named."""
    await publish(api, "I live in Lisbon.", request_id="r1", session_id="s1", force_extraction=True)
    for _ in range(200):
        receipt = (await api.get("/api/receipts/r1")).json()
        if receipt["state"] == "learned":
            break
        await asyncio.sleep(0.05)
    assert receipt["state"] == "learned"
    assert (receipt["request_id"], receipt["user_id"], receipt["session_id"]) == ("r1", "anna", "s1")
    assert receipt["interactions"] == 1
    assert receipt["indexed"] == {"keyword": True, "vector": {"done": 1, "waiting": 0, "failed": 0}}
    assert {learner["state"] for learner in receipt["learners"]} == {"learned"}
    (memory,) = receipt["memories"]
    assert (memory["kind"], memory["content"]) == ("profile", "Lives in Lisbon.")
    facts, rules = receipt["learners"]
    assert facts["entries"] == {"proposed": 1, "kept": 1, "merged": 0, "dropped": 0, "reasons": {}}
    assert "entries" not in rules
    [run] = (await api.get("/api/profile_change_log")).json()["profile_change_logs"]
    assert run["entries"] == facts["entries"]
    assert memory["profile_id"] == memory["uid"]


PROFILES = "profile:default_profile_extractor"


async def reason_of(api, *said: str, **fields) -> str | None:
    """Publish, wait until it is read, and return why no fact was noted."""
    turns = [{"content": one} for one in said]
    body = {"user_id": "anna", "force_extraction": True, "interaction_data_list": turns, **fields}
    reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body)
    receipt = (await api.get(f"/api/receipts/{reply.json()['request_id']}")).json()
    [facts] = [one for one in receipt["learners"] if one["learner"] == PROFILES]
    return facts.get("reason")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("I live in Lisbon.", None),
        ("Thanks a lot!", "greetings, thanks"),
        ("My phone number is +49 151 2345678.", "1 not noted, as contact data"),
        ("Forget what I said about bananas.", "names what was to be forgotten"),
        ("What is the tallest mountain of Portugal?", "plain statements"),
        ("wie hoch ist der höchste Berg von Portugal, und wo liegt er?", "plain statements"),
        ("ik woon in Utrecht en ik heb twee katten, maar geen hond", "not read without a model: nl"),
    ],
)
async def test_receipt_says_why_nothing_was_noted(api, said, reason):
    """No reason where something was; else the one that lets a reader do something about it."""
    found = await reason_of(api, said)
    assert found is None if reason is None else found is not None and reason in found


async def test_receipt_counts_what_was_known_already(api):
    """What is said again is proposed again, and joins what is known."""
    entries = []
    for _ in range(2):
        body = turns("I live in Lisbon.", force_extraction=True)
        reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body)
        receipt = (await api.get(f"/api/receipts/{reply.json()['request_id']}")).json()
        [facts] = [one for one in receipt["learners"] if one["learner"] == PROFILES]
        entries.append((facts["entries"]["proposed"], facts["entries"]["kept"], facts["entries"]["merged"]))
        assert [one["content"] for one in receipt["memories"]] == ["Lives in Lisbon."]
    assert entries == [(1, 1, 0), (1, 0, 1)]


async def receipt_after(api, *said: str) -> dict:
    """Publish until it is learned from, and return the receipt."""
    body = turns(*said, force_extraction=True)
    reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body)
    return (await api.get(f"/api/receipts/{reply.json()['request_id']}")).json()


def shown(receipt: dict) -> tuple[list[str], list[str], str | None, int]:
    """Return what was learned, what was archived, why no fact was noted, and how many entries were kept."""
    [facts] = [one for one in receipt["learners"] if one["learner"] == PROFILES]
    learned, archived = ([one["content"] for one in receipt[key]] for key in ("memories", "archived"))
    return learned, archived, facts.get("reason"), facts["entries"]["kept"]


@pytest.mark.both_databases
async def test_receipt_tells_what_was_archived(api):
    """What was to be forgotten, and what was replaced; a memory that is restored is not listed any more."""
    await receipt_after(api, "I am allergic to peanuts.", "I live in Lisbon.")
    forgotten = await receipt_after(api, "Forget what I said about peanuts.")
    assert shown(forgotten) == ([], ["Is allergic to peanuts."], None, 1)
    assert forgotten["archived"][0]["profile_id"] == forgotten["archived"][0]["uid"]
    moved = await receipt_after(api, "I moved to Porto.")
    assert shown(moved) == (["Lives in Porto."], ["Lives in Lisbon."], None, 1)
    again = await receipt_after(api, "Thanks!", "Forget what I said about peanuts.")
    assert (again["archived"], again["memories"]) == ([], [])
    assert again["learners"][0]["reason"] == "nothing that is remembered names what was to be forgotten"
    undone = await api.post(f"/api/memories/{moved['memories'][0]['memory_id']}/undo_merge")
    assert undone.status_code == 200, undone.text
    assert (await api.get(f"/api/receipts/{moved['request_id']}")).json()["archived"] == []


async def test_receipt_says_that_a_source_is_not_read(api):
    """An extractor that was told which sources to read leaves the others."""
    extractor = {
        "extractor_name": "default_profile_extractor",
        "extraction_definition_prompt": "facts",
        "request_sources_enabled": ["mail"],
    }
    saved = await api.post("/api/set_config", json={"profile_extractor_configs": [extractor]})
    assert saved.json()["success"]
    assert "source" in (await reason_of(api, "I live in Lisbon.", source="chat") or "")


async def test_receipt_of_an_unknown_request_is_404(api):
    """What was never published has no receipt."""
    for name in ("none", "a%20b", "%E2%82%AC"):
        assert (await api.get(f"/api/receipts/{name}")).status_code == 404
    assert (await api.get("/api/receipts/a%00b")).status_code == 422
