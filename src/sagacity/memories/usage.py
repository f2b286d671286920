"""
How memories are used: searches, the memories that they surface, and those that answers cite.

All use is recorded here, below every door. Turns are evidence, not memories: they are not counted.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

import structlog

from sagacity.domain.context import Context
from sagacity.domain.errors import StorageError
from sagacity.domain.holdout import Holdout, extractor_of, name_of
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.interaction import Citation
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter, Scored
from sagacity.domain.usage import ItemUsage, Pipeline, UsageEvent, UsageEventName, uid_of
from sagacity.memories.acting import Acting
from sagacity.observability.recording import call_id, harmless

MOST_ITEMS = 10_000
"""How many memories one report lists: those surfaced most often."""
_EVENTS_A_WRITE = 1_000
_FAILED = "usage.not_recorded"
_log = structlog.get_logger(__name__)


def note_found(
    acting: Acting, wanted: Filter, found: Iterable[Scored], *, session_id: SessionId | None = None
) -> None:
    """Record an answered search: what was asked for, what is returned, and in which session, if known."""
    with harmless(_FAILED):
        users = {wanted.user_id} if wanted.user_id is not None else set(wanted.user_ids)
        user_id = users.pop() if len(users) == 1 else acting.principal.user_id
        memories = [one.memory for one in found if one.memory is not None]
        _note(acting, memories, Pipeline.SEARCH, user_id=user_id, session_id=session_id or "")


def note_lots(
    acting: Acting,
    holdout: Holdout,
    pipeline: Pipeline,
    *,
    shown: Iterable[Memory],
    held_out: Iterable[Memory],
) -> None:
    """Record which memories a session was drawn to go with and without; only the first draw of each counts."""
    with harmless(_FAILED):
        now, request_id = acting.parts.clock.now(), call_id(acting.parts.ids.new())
        lots = [(one, UsageEventName.SHOWN) for one in shown]
        lots += [(one, UsageEventName.HELD_OUT) for one in held_out]
        for memory, event_name in lots:
            name = name_of(memory)
            event = UsageEvent(
                uid=uid_of("lot", holdout.user_id, holdout.session_id, str(memory.kind), name),
                org_id=acting.tenant.org_id,
                user_id=holdout.user_id,
                request_id=request_id,
                session_id=holdout.session_id,
                pipeline=pipeline,
                entity_type=memory.kind,
                entity_id=name,
                event_name=event_name,
                holdout_share=holdout.share,
                metadata=extractor_of(memory).model_dump(),
                created_at=now,
            )
            acting.parts.usage.record(acting.tenant, event)


def note_context(
    acting: Acting,
    context: Context,
    found: Iterable[Scored],
    *,
    pipeline: Pipeline,
    user_id: UserId,
    session_id: str | None = None,
) -> None:
    """
    Record a context that is returned to a caller or sent to a model.

    Args:
        acting: on whose behalf.
        context: whose lines name their sources.
        found: what it was written from, of which it may say only a part.
        pipeline: to whom it is handed.
        user_id: for whom it is.
        session_id: in which conversation; None where that is not known.
    """
    with harmless(_FAILED):
        shown = {item.citation for section in context.sections for item in section.items}
        memories = [
            one.memory
            for one in found
            if one.memory is not None and f"{KINDS[one.memory.kind].citation}:{one.memory.memory_id}" in shown
        ]
        _note(acting, memories, pipeline, user_id=user_id, session_id=session_id or "")


def note_cited(
    acting: Acting,
    cited: Iterable[tuple[str, Sequence[Citation]]],
    *,
    pipeline: Pipeline,
    user_id: UserId,
    request_id: str,
    session_id: str | None = None,
) -> None:
    """
    Record what answers cite, each memory once per answer. Citations of anything but memories are left out.

    Args:
        acting: on whose behalf.
        cited: by the name of the answer, which is the same each time the answer is reported.
        pipeline: from where the answers come.
        user_id: to whom they were given.
        request_id: of the request that they belong to.
        session_id: in which conversation; None for none.
    """
    with harmless(_FAILED):
        now = acting.parts.clock.now()
        for answer, citations in cited:
            for kind, item in dict.fromkeys((one.entity_type, one.entity_id) for one in citations):
                if kind not in _KINDS:
                    continue
                event = UsageEvent(
                    uid=uid_of(UsageEventName.CITATION, answer, kind, item),
                    org_id=acting.tenant.org_id,
                    user_id=user_id,
                    request_id=request_id,
                    session_id=session_id or "",
                    pipeline=pipeline,
                    entity_type=MemoryKind(kind),
                    entity_id=item,
                    event_name=UsageEventName.CITATION,
                    created_at=now,
                )
                acting.parts.usage.record(acting.tenant, event)


async def injection_stats(acting: Acting, *, days: int) -> list[tuple[ItemUsage, str | None]]:
    """
    Return how often memories were surfaced in the last *days* times 24 hours, most often first, each with its text.

    Events that wait in this process are written first, so that they are counted. A caller who acts for one user gets
    what was surfaced for that user.
    """
    try:
        await acting.parts.usage.flush(acting.tenant)
    except StorageError as error:
        _log.warning("usage.not_flushed", kind=type(error).__name__)
    since = acting.parts.clock.now() - timedelta(days=days)
    user_id = acting.principal.user_id
    async with acting.read(user_id=user_id) as snapshot:
        found = await snapshot.usage.injected(since, user_id=user_id, limit=MOST_ITEMS)
        names = [(one.entity_type, one.entity_id) for one in found]
        texts = await snapshot.effects.contents(names, user_id=user_id)
    return [(one, texts.get(name)) for one, name in zip(found, names, strict=True)]


async def forget_usage(acting: Acting, user_id: UserId) -> int:
    """
    Delete the usage events of a user in batches, and return how many there were.

    Raises:
        StorageUnavailable: what waits to be written could not be reached, and would be there afterwards.
    """
    await acting.parts.usage.flush(acting.tenant)
    deleted = 0
    while True:
        async with acting.begin(user_id=user_id) as transaction:
            count = await transaction.usage.forget_user(user_id, limit=_EVENTS_A_WRITE)
        deleted += count
        if count < _EVENTS_A_WRITE:
            return deleted


def _note(
    acting: Acting,
    memories: Sequence[Memory],
    pipeline: Pipeline,
    *,
    user_id: UserId | None,
    session_id: str = "",
) -> None:
    """Record one search, and each memory that it surfaced."""
    parts, tenant = acting.parts, acting.tenant
    search = UsageEvent(
        uid=(uid := parts.ids.new()),
        org_id=tenant.org_id,
        user_id=user_id,
        request_id=call_id(uid),
        session_id=session_id,
        pipeline=pipeline,
        event_name=UsageEventName.APPLIED,
        count_value=len(memories),
        created_at=parts.clock.now(),
    )
    parts.usage.record(tenant, search)
    for memory in memories:
        changes = {
            "uid": parts.ids.new(),
            "user_id": memory.user_id or user_id,
            "entity_type": memory.kind,
            "entity_id": name_of(memory),
            "event_name": UsageEventName.INJECTION,
            "count_value": 1,
            "prompt_tokens": memory.token_count or parts.tokens.count(memory.content),
        }
        parts.usage.record(tenant, search.model_copy(update=changes))


_KINDS = frozenset(map(str, MemoryKind))
