"""The review queue for a principal: the memories to review, and the actions taken on them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sagacity.domain.effect_evidence import Weighed
from sagacity.domain.effects import EffectFinding, Tally
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.kinds import KINDS, TENANT_KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.principal import Permission
from sagacity.domain.review_queue import ReviewAction, ReviewCandidate, ReviewQuery, ReviewSignal
from sagacity.memories.acting import Acting
from sagacity.memories.effects import described, found_effects

_ALL = "all users are `include_all_users`, or `--all-users`"
_SIGNALS = {EffectFinding.HARMS: ReviewSignal.HARMS, EffectFinding.HELPS: ReviewSignal.HELPS}


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """A part of the review queue, the highest score first."""

    candidates: Sequence[ReviewCandidate]
    has_more: bool
    is_comparing: bool
    """Whether memories are still being compared in the background, so that duplicates may be missing."""


async def review_queue(acting: Acting, wanted: ReviewQuery, *, limit: int, offset: int = 0) -> ReviewPage:
    """
    Return memories that a person should review; nothing is changed.

    Memories not yet compared for duplicates are then compared in the background.
    """
    effects = await found_effects(acting, wanted.kinds)
    by_signal = {
        signal: {(tally.kind, tally.entity_id) for tally, told in effects if told.finding is finding}
        for finding, signal in _SIGNALS.items()
    }
    async with acting.read(user_id=wanted.user_id) as snapshot:
        found = await snapshot.review_queue.page(wanted, effects=by_signal, limit=limit + 1, offset=offset)
        waits = bool(await snapshot.duplicates.uncompared(user_id=wanted.user_id))
        due_at = (await snapshot.cursors.log_head(ORGANISATION)).due_at
    is_comparing = waits and (wanted.signals is None or ReviewSignal.DUPLICATE in wanted.signals)
    if is_comparing and (due_at is None or due_at > acting.parts.clock.now()):
        await acting.parts.storage.retry(lambda: _compare_now(acting))
    candidates = await _with_effects(acting, found[:limit], effects)
    return ReviewPage(candidates, has_more=len(found) > limit, is_comparing=is_comparing)


async def review_log(
    acting: Acting, user_id: UserId | None, *, before: int | None = None, limit: int
) -> list[ReviewAction]:
    """Return the actions that people took on reviewed memories, newest first; see `whose_reviews`."""
    async with acting.read(user_id=user_id) as snapshot:
        return await snapshot.review_actions.list_newest(user_id=user_id, before=before, limit=limit)


def whose_reviews(
    acting: Acting, user_id: str | None, *, include_all_users: bool, kinds: Collection[MemoryKind] = ()
) -> UserId | None:
    """
    Return whose memories are reviewed; None: those of all users.

    Raises:
        InvalidInput: it names no user, or one and all users, or kinds that belong to none.
        Forbidden: another user's, or all users', and the caller may not.
    """
    if include_all_users:
        acting.require_whole_tenant()
        acting.principal.require(Permission.REVIEW)
        if user_id is not None:
            raise InvalidInput(f"user_id: name a user, or ask for all users, not both; {_ALL}")
        return None
    user = acting.principal.acting_for(None if user_id is None else UserId(user_id))
    if user is None:
        raise InvalidInput(f"user_id: name a user, or ask for all users; {_ALL}")
    if shared := TENANT_KINDS.intersection(kinds):
        raise InvalidInput(f"kinds: {min(shared)} serves all users: ask for those; {_ALL}")
    return user


async def _with_effects(
    acting: Acting, candidates: Sequence[ReviewCandidate], effects: Sequence[tuple[Tally, Weighed]]
) -> Sequence[ReviewCandidate]:
    """Return candidates; those that help or harm have the report's numbers."""
    names = {_name_of(one) for one in candidates}
    told = [one for one in effects if (one[0].kind, one[0].entity_id) in names]
    if not told:
        return candidates
    known = await described(acting, told)
    return [one.model_copy(update={"effect": known.get(_name_of(one))}) for one in candidates]


def _name_of(one: ReviewCandidate) -> tuple[MemoryKind, str]:
    return one.kind, one.uid if KINDS[one.kind].is_known_by_uid else str(one.memory_id)


async def _compare_now(acting: Acting) -> None:
    async with acting.begin() as transaction:
        await transaction.cursors.ensure_due(ORGANISATION, acting.parts.clock.now())
    acting.parts.dispatcher.poll_now()
