"""Interactions: publish, read and delete them."""

from collections.abc import Sequence
from itertools import islice

from sagacity.api.dependencies import Caller, Reads, Writes
from sagacity.api.parameters import MaxRows, Waited
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.config.safe_url import check_url
from sagacity.domain.amounts import counted
from sagacity.domain.cursor import LEARN
from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import InteractionId, RequestId, SessionId, UserId
from sagacity.domain.interaction import Interaction, Request
from sagacity.domain.memory import MemoryKind
from sagacity.domain.paced import each
from sagacity.domain.query import Filter
from sagacity.domain.tenant import DueScope
from sagacity.domain.views.interaction import interaction_view, request_view
from sagacity.memories.publish import publish
from sagacity.schemas.interactions import (
    Deleted,
    DeletedMany,
    DeleteInteractionBody,
    DeleteRequestBody,
    DeleteRequestsByIdsBody,
    DeleteSessionBody,
    GetInteractionsBody,
    GetRequestsBody,
    InteractionsPage,
    PublishBody,
    PublishReply,
    RequestsPage,
    RequestWithTurns,
    SessionDeleted,
    SessionGroup,
)

router = resource("interactions")
_PLAYBOOKS = (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)


@router.post("/publish_interaction", response_model_exclude_none=True, openapi_extra=sdk(generated=False))
@limited(Rate.WRITE)
async def publish_interaction(
    body: PublishBody, caller: Writes, *, wait_for_response: Waited = False
) -> PublishReply:
    """
    Store turns. Learning continues after the reply, unless the call waits for it.

    The turns are on disk before the reply. A `request_id` makes the call safe to repeat: the same content is stored
    once, and other content under the same id is refused with 409.
    """
    _check_images(body, block_private=caller.runtime.settings.block_private_urls)
    request_id = RequestId(body.request_id or caller.runtime.ids.new())
    stored = await publish(caller.acting, body.to_domain(request_id))
    if wait_for_response:
        return await _learned(caller, stored, force=body.force_extraction)
    turns = None if body.force_extraction else len(body.interaction_data_list)
    caller.runtime.dispatcher.wake(DueScope(tenant=caller.tenant, user_id=stored.user_id), turns=turns)
    return PublishReply(request_id=stored.request_id, message="queued")


def _check_images(body: PublishBody, *, block_private: bool) -> None:
    for place, turn in enumerate(body.interaction_data_list):
        url = turn.interacted_image_url
        if url.lower().startswith("http"):
            try:
                check_url(url, block_private=block_private)
            except ValueError as error:
                raise InvalidInput(f"interaction_data_list.{place}.interacted_image_url {error}") from error


async def _learned(caller: Caller, stored: Request, *, force: bool) -> PublishReply:
    """Learn what is due now, and report the result; the publish itself has succeeded already."""
    runtime = caller.runtime
    report = await runtime.tasks.run_now(caller.tenant, stored.user_id, LEARN, force=force)
    runtime.dispatcher.wake(DueScope(tenant=caller.tenant, user_id=stored.user_id))
    return PublishReply(
        request_id=stored.request_id,
        message="stored, and learned what was due",
        warnings=(
            *(f"{learner}: {error}" for learner, error in sorted(report.failed.items())),
            *filter(None, (report.note,)),
        ),
        storage_type=runtime.storage.kind,
        storage_label=runtime.storage.label,
        profiles_added=report.added.get(MemoryKind.PROFILE, 0),
        profiles_updated=report.updated.get(MemoryKind.PROFILE, 0),
        playbooks_added=sum(report.added.get(kind, 0) for kind in _PLAYBOOKS),
        playbooks_updated=sum(report.updated.get(kind, 0) for kind in _PLAYBOOKS),
    )


@router.post("/get_interactions", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_interactions(body: GetInteractionsBody, caller: Reads) -> InteractionsPage:
    """Return a user's turns, newest first."""
    async with caller.read(user_id=body.user_id) as snapshot:
        wanted = Filter(
            interactions=True, user_id=UserId(body.user_id), start=body.start_time, end=body.end_time
        )
        turns = await snapshot.interactions.list_wanted(wanted, body.top_k)
    return await _page(turns)


@router.get(
    "/get_all_interactions", response_model_exclude_none=True, openapi_extra=sdk(positional=("limit",))
)
async def get_all_interactions(caller: Reads, limit: MaxRows = 100) -> InteractionsPage:
    """Return the turns of all users, newest first."""
    async with caller.read() as snapshot:
        turns = await snapshot.interactions.list_wanted(Filter(interactions=True), limit)
    return await _page(turns)


async def _page(turns: Sequence[Interaction]) -> InteractionsPage:
    return InteractionsPage(
        interactions=tuple(await each(interaction_view, turns)), msg=counted(len(turns), "interaction")
    )


@router.post("/get_requests", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
async def get_requests(body: GetRequestsBody, caller: Reads) -> RequestsPage:
    """Return a page of requests with their turns, newest first, grouped by session."""
    async with caller.read(user_id=body.user_id) as snapshot:
        found = await snapshot.interactions.list_requests(
            user_id=None if body.user_id is None else UserId(body.user_id),
            request_id=None if body.request_id is None else RequestId(body.request_id),
            session_id=None if body.session_id is None else SessionId(body.session_id),
            start=body.start_time,
            end=body.end_time,
            limit=body.top_k + 1,
            offset=body.offset,
        )
        requests = found[: body.top_k]
        turns = await snapshot.interactions.of_requests([request.request_id for request in requests])
    views = iter(
        await each(interaction_view, [turn for request in requests for turn in turns[request.request_id]])
    )

    def shown(request: Request) -> RequestWithTurns:
        own = tuple(islice(views, len(turns[request.request_id])))
        return RequestWithTurns(request=request_view(request), interactions=own)

    sessions: dict[str, list[RequestWithTurns]] = {}
    for one in await each(shown, requests):
        sessions.setdefault(one.request.session_id or "", []).append(one)
    return RequestsPage(
        sessions=tuple(
            SessionGroup(session_id=name, requests=tuple(group)) for name, group in sessions.items()
        ),
        has_more=len(found) > body.top_k,
        msg=counted(len(requests), "request"),
    )


@router.delete("/delete_interaction")
async def delete_interaction(body: DeleteInteractionBody, caller: Writes) -> Deleted:
    """Delete one turn of one user."""
    async with caller.acting.begin_to_erase(user_id=body.user_id) as transaction:
        await transaction.interactions.delete(UserId(body.user_id), InteractionId(body.interaction_id))
    return Deleted(message=f"deleted interaction {body.interaction_id}")


@router.delete("/delete_request")
async def delete_request(body: DeleteRequestBody, caller: Writes) -> Deleted:
    """Delete one request with its turns."""
    async with caller.acting.begin_to_erase() as transaction:
        if not await transaction.interactions.delete_requests([RequestId(body.request_id)]):
            raise NotFound(f"no request {body.request_id!r}")
    return Deleted(message=f"deleted request {body.request_id}")


@router.delete("/delete_session")
async def delete_session(body: DeleteSessionBody, caller: Writes) -> SessionDeleted:
    """Delete one session with its requests and turns."""
    async with caller.acting.begin_to_erase() as transaction:
        count = await transaction.interactions.delete_session(SessionId(body.session_id))
    if not count:
        raise NotFound(f"no session {body.session_id!r}")
    return SessionDeleted(message=f"deleted session {body.session_id}", deleted_requests_count=count)


@router.delete("/delete_requests_by_ids")
async def delete_requests_by_ids(body: DeleteRequestsByIdsBody, caller: Writes) -> DeletedMany:
    """Delete several requests with their turns; unknown ids are ignored."""
    async with caller.acting.begin_to_erase() as transaction:
        count = await transaction.interactions.delete_requests([RequestId(one) for one in body.request_ids])
    return DeletedMany(message=f"deleted {counted(count, 'request')}", deleted_count=count)


@router.delete("/delete_all_interactions")
async def delete_all_interactions(caller: Writes) -> DeletedMany:
    """Delete all turns of all users; what was learned from them stays."""
    async with caller.acting.begin_to_erase() as transaction:
        count = await transaction.interactions.delete_all()
    return DeletedMany(message=f"deleted {counted(count, 'interaction')}", deleted_count=count)
