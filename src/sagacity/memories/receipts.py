"""The receipt of a publish, computed from documents, cursors and dead letters; it is not stored."""

from collections.abc import Mapping, Sequence

from sagacity.domain.cursor import Cursor, DeadLetter, DeadLetterStatus, Outcome, Window
from sagacity.domain.extraction import EntryCounts, Rejection
from sagacity.domain.ids import RequestId
from sagacity.domain.interaction import INTERACTION, Interaction, Request
from sagacity.domain.memory import ARCHIVED_STATUSES
from sagacity.domain.views.receipt import (
    IndexProgress,
    LearnerProgress,
    LearnerState,
    LearningStatus,
    Receipt,
    ReceiptState,
    VectorProgress,
    taught_view,
)
from sagacity.learning.rules.languages.detect import unread_language
from sagacity.learning.windows.gate import worth_reading
from sagacity.learning.windows.learners import Learner, learner_groups
from sagacity.memories.acting import Acting
from sagacity.retrieval.query.forgets import what_to_forget

_LETTERS = 10_000
NOT_KEPT = {
    Rejection.EMPTY: "without text",
    Rejection.UNSUPPORTED: "that no turn says",
    Rejection.REPEATED: "repeated",
    Rejection.OVER_LIMIT: "beyond the most that one answer may note",
    Rejection.CONTACT_DATA: "not noted, as contact data",
    Rejection.OUTDATED: "outdated by what was said later",
    Rejection.CONFIRMED: "against what a person has written",
    Rejection.DELETED: "of deleted turns",
    Rejection.SWITCHED_OFF: "of a kind that the user has switched off",
    Rejection.OVER_QUOTA: "beyond the organisation's quota of memories",
}
"""What a receipt says of entries that were dropped, by the reason."""


async def receipt_of(acting: Acting, request_id: RequestId) -> Receipt:
    """
    Return the state of one publish.

    Raises:
        NotFound: the caller can reach no such request.
    """
    config = await acting.config()
    calls = await acting.parts.models.of(acting.tenant, config)
    learners = [learner for group in learner_groups(config, calls) for learner in group.learners]
    async with acting.read() as snapshot:
        request = await snapshot.interactions.get_request(request_id)
        turns = (await snapshot.interactions.of_requests([request.request_id]))[request.request_id]
        done, failed, error = await snapshot.search.progress(
            INTERACTION, [turn.interaction_id for turn in turns]
        )
        cursors = await snapshot.cursors.of_user(request.user_id)
        letters = await snapshot.dead_letters.list_newest(user_id=request.user_id, limit=_LETTERS)
        taught = await snapshot.memories.taught_by(request.request_id)
        ended = await snapshot.memories.get_many(await snapshot.changes.archived_by(request))
        archived = [one for one in ended if one.status in ARCHIVED_STATUSES]  # and not restored since
        entries = await snapshot.extractions.of_turns(
            request.user_id, first_seq=request.first_seq, last_seq=request.last_seq
        )
    vector = VectorProgress(done=done, waiting=len(turns) - done - failed, failed=failed, error=error or None)
    changed_kinds = {memory.kind for memory in (*taught, *archived)}
    progress = [learner_progress(one.name, request, cursors, letters) for one in learners]
    for place, one in enumerate(learners):
        progress[place] = progress[place].model_copy(update={"entries": entries.get(one.name)})
        if one.kind not in changed_kinds:
            progress[place] = await explained(progress[place], one, turns)
    waits = any(step.state is LearnerState.WAITING for step in progress)
    obstacle = await acting.parts.dispatcher.obstacle() if waits else ""
    return Receipt(
        request_id=request.request_id,
        user_id=request.user_id,
        session_id=request.session_id,
        accepted_at=request.created_at,
        interactions=len(turns),
        state=receipt_state(vector, progress),
        indexed=IndexProgress(vector=vector),
        learners=tuple(progress),
        memories=tuple(map(taught_view, taught)),
        archived=tuple(map(taught_view, archived)),
        warnings=tuple(filter(None, (calls.note, obstacle))),
    )


async def learning_of(acting: Acting, request_id: RequestId) -> LearningStatus:
    """
    Return how far all learners together have come with one publish.

    Raises:
        NotFound: the caller can reach no such request.
    """
    states = {one.state for one in (await receipt_of(acting, request_id)).learners}
    if LearnerState.PARKED in states:
        return LearningStatus.FAILED
    if states <= {LearnerState.LEARNED}:
        return LearningStatus.DONE
    return LearningStatus.PENDING if states == {LearnerState.WAITING} else LearningStatus.PROCESSING


def learner_progress(
    learner: str, request: Request, cursors: Mapping[str, Cursor], letters: Sequence[DeadLetter]
) -> LearnerProgress:
    """
    Return how far *learner* has come with *request*.

    Args:
        learner: its name.
        request: the turns `first_seq..last_seq` of its user's log.
        cursors: how far each learner read that log, by its name.
        letters: the windows of that log that were given up, newest first.
    """
    cursor = cursors.get(learner)
    parked = [
        letter
        for letter in letters
        if letter.learner == learner
        and letter.first_seq <= request.last_seq
        and letter.last_seq >= request.first_seq
        and letter.status is not DeadLetterStatus.REPLAYED
    ]
    if parked:
        letter = parked[0]
        waits = letter.status is DeadLetterStatus.QUEUED
        return LearnerProgress(
            learner=learner,
            state=LearnerState.WAITING if waits else LearnerState.PARKED,
            outcome=None if cursor is None else cursor.outcome,
            error=letter.error,
            attempts=letter.attempts,
            dead_letter_id=letter.dead_letter_id,
        )
    if cursor is None:
        return LearnerProgress(learner=learner, state=LearnerState.WAITING)
    if cursor.seq >= request.last_seq:
        # What was parked and is no longer was replayed since, and learned.
        outcome = Outcome.LEARNED if cursor.outcome is Outcome.PARKED else cursor.outcome
        return LearnerProgress(learner=learner, state=LearnerState.LEARNED, outcome=outcome)
    failed = cursor.attempts > 0 and bool(cursor.error)
    return LearnerProgress(
        learner=learner,
        state=LearnerState.FAILED if failed else LearnerState.WAITING,
        outcome=cursor.outcome if failed else None,
        error=cursor.error if failed else None,
        attempts=cursor.attempts,
        next_try_at=cursor.next_try_at if failed else None,
    )


async def explained(
    progress: LearnerProgress, learner: Learner, turns: Sequence[Interaction]
) -> LearnerProgress:
    """Add the reason to the progress of a learner that has read *turns* and learned nothing from them."""
    if progress.state is not LearnerState.LEARNED:
        return progress
    read = tuple(turn for turn in turns if learner.reads(turn))
    if not read:
        sent = all(turn.evaluation_only for turn in turns)
        reason = "sent for evaluation alone" if sent else "it reads no requests from this source"
    else:
        window = Window(user_id=read[0].user_id, first_seq=read[0].seq, last_seq=read[-1].seq, unread=read)
        reason = _nothing_new(progress.entries) or await _reason(progress.outcome, learner, window)
    return progress.model_copy(update={"reason": reason})


def _nothing_new(entries: EntryCounts | None) -> str:
    """Return why every proposal was dropped; empty if some were kept, or none was made."""
    if entries is None or entries.kept:
        return ""
    known = (f"{entries.merged} known already",) if entries.merged else ()
    dropped = (f"{count} {NOT_KEPT[why]}" for why, count in entries.reasons.items())
    return f"nothing new was found: {', '.join((*known, *dropped))}"


async def _reason(outcome: Outcome | None, learner: Learner, window: Window) -> str:
    if not worth_reading(window):
        return "the turns hold no words of a person but greetings, thanks and acknowledgements"
    if learner.asks_a_model:
        gated = "a model found the turns not worth reading"
        unknown = "the model found nothing in these turns that is worth noting and was not known"
        return gated if outcome is Outcome.GATED else unknown
    # Rules read again what they read, in a moment.
    if (await learner.extractor.extract(window, ())).candidates:
        return "what these turns say was known already, or is not kept, such as contact data"
    if any(turn.is_user and what_to_forget(turn.content) for turn in window.unread):
        return "nothing that is remembered names what was to be forgotten"
    if code := unread_language(window):
        return f"these turns seem to be in a language that is not read without a model: {code}"
    return "without a model only plain statements and instructions are recognised, and these turns have none"


def receipt_state(vector: VectorProgress, learners: Sequence[LearnerProgress]) -> ReceiptState:
    """Return a publish's overall state: a failure anywhere comes first, then the slowest part."""
    states = {learner.state for learner in learners}
    if vector.failed or states & {LearnerState.FAILED, LearnerState.PARKED}:
        return ReceiptState.FAILED
    if vector.waiting:
        return ReceiptState.ACCEPTED
    return ReceiptState.LEARNED if states == {LearnerState.LEARNED} else ReceiptState.INDEXED
