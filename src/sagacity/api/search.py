"""Finding what was said and what was learned."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from fastapi import APIRouter

from sagacity.api.dependencies import Caller, CallerDep
from sagacity.domain.ids import RequestId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.query import Filter, Found, Scored, Trace
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.interaction import interaction_view
from sagacity.domain.views.profile import profile_view
from sagacity.domain.views.user_playbook import user_playbook_view
from sagacity.retrieval.pipeline import Query
from sagacity.schemas.interactions import InteractionsPage
from sagacity.schemas.playbooks import AgentPlaybooksPage, UserPlaybooksPage
from sagacity.schemas.profiles import ProfilesPage
from sagacity.schemas.search import (
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchMemoriesBody,
    SearchPage,
    SearchProfilesBody,
    SearchUserPlaybooksBody,
)

router = APIRouter(tags=["search"])
SERVED = (Approval.APPROVED, Approval.PENDING)
"""Of memories that are reviewed; the others stay pending for ever."""
_TURNS = 10
_BEFORE_SIFTING = 1_000
"""How many results are looked through when some of them may be dropped afterwards."""

View = TypeVar("View")


@router.post("/search_interactions", response_model_exclude_none=True)
async def search_interactions(body: SearchInteractionsBody, caller: CallerDep) -> InteractionsPage:
    """Find a user's turns, best first; without a query return the newest ones."""
    limit = body.top_k or body.most_recent_k or _TURNS
    user_id = UserId(body.user_id)
    request_id = None if body.request_id is None else RequestId(body.request_id)
    newest: list[Interaction] | None = None
    if not _asks(body.query) or body.most_recent_k is not None:
        async with caller.read(user_id=user_id) as snapshot:
            newest = await snapshot.interactions.list_newest(
                user_id=user_id,
                start=body.start_time,
                end=body.end_time,
                request_id=request_id,
                limit=body.most_recent_k or limit,
            )
    if not _asks(body.query):
        turns = (newest or [])[:limit]
        return InteractionsPage(interactions=tuple(interaction_view(turn) for turn in turns))
    query = Query(
        text=body.query or "",
        wanted=Filter(
            interactions=True,
            user_id=user_id,
            request_id=request_id,
            start=body.start_time,
            end=body.end_time,
        ),
        limit=limit if newest is None else _BEFORE_SIFTING,
        mode=body.search_mode,
        threshold=body.threshold,
    )
    found = await caller.runtime.searcher.search(caller.tenant, query)
    admitted = None if newest is None else {turn.interaction_id for turn in newest}
    views = [
        interaction_view(one.interaction, score=one.score, components=one.components)
        for one in found.items
        if one.interaction is not None and (admitted is None or one.interaction.interaction_id in admitted)
    ]
    return InteractionsPage(interactions=tuple(views[:limit]), msg=told(found.trace))


@router.post("/search_profiles", response_model_exclude_none=True)
async def search_profiles(body: SearchProfilesBody, caller: CallerDep) -> ProfilesPage:
    """Find a user's profiles, best first; without a query return those changed last. By default current ones."""
    wanted = Filter(
        kinds=(MemoryKind.PROFILE,),
        user_id=UserId(body.user_id),
        statuses=body.status_filter or (Status.CURRENT,),
        source=body.source,
        request_id=None
        if body.generated_from_request_id is None
        else RequestId(body.generated_from_request_id),
        start=body.start_time,
        end=body.end_time,
        valid_at=caller.runtime.clock.now(),
    )

    def keep(memory: Memory) -> bool:
        features = memory.attributes.custom_features.values()
        names = {memory.name, *memory.attributes.extractor_names}
        return (body.extractor_name is None or body.extractor_name in names) and (
            body.custom_feature is None or any(body.custom_feature in str(value) for value in features)
        )

    sifted = body.extractor_name is not None or body.custom_feature is not None
    found = await _search(caller, body, wanted, keep=keep if sifted else None)
    return ProfilesPage(user_profiles=_views(profile_view, found.items), msg=told(found.trace))


@router.post("/search_user_playbooks", response_model_exclude_none=True)
async def search_user_playbooks(body: SearchUserPlaybooksBody, caller: CallerDep) -> UserPlaybooksPage:
    """Find user playbooks, best first; without a query return those changed last. By default current ones."""
    wanted = Filter(
        kinds=(MemoryKind.USER_PLAYBOOK,),
        user_id=None if body.user_id is None else UserId(body.user_id),
        statuses=body.status_filter or (Status.CURRENT,),
        agent_version=body.agent_version,
        name=body.playbook_name,
        start=body.start_time,
        end=body.end_time,
        valid_at=caller.runtime.clock.now(),
    )
    found = await _search(caller, body, wanted)
    return UserPlaybooksPage(user_playbooks=_views(user_playbook_view, found.items), msg=told(found.trace))


@router.post("/search_agent_playbooks", response_model_exclude_none=True)
async def search_agent_playbooks(body: SearchAgentPlaybooksBody, caller: CallerDep) -> AgentPlaybooksPage:
    """Find agent playbooks, best first; without a query return those changed last. By default current ones."""
    wanted = Filter(
        kinds=(MemoryKind.AGENT_PLAYBOOK,),
        statuses=body.status_filter or (Status.CURRENT,),
        approvals=() if body.playbook_status_filter is None else (body.playbook_status_filter,),
        agent_version=body.agent_version,
        name=body.playbook_name,
        start=body.start_time,
        end=body.end_time,
        valid_at=caller.runtime.clock.now(),
    )
    found = await _search(caller, body, wanted)
    return AgentPlaybooksPage(agent_playbooks=_views(agent_playbook_view, found.items), msg=told(found.trace))


@router.post("/search", response_model_exclude_none=True)
async def search(body: SearchBody, caller: CallerDep) -> SearchPage:
    """
    Ask everything that may be served now, each kind best first.

    That is what is current, unexpired and not rejected. An agent playbook that was learned from users waits for its
    approval. Profiles and user playbooks are found for the user named, and for no other.
    """
    kinds = (MemoryKind.AGENT_PLAYBOOK,)
    if body.user_id is not None:
        kinds = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK)
    wanted = Filter(
        kinds=kinds,
        user_id=None if body.user_id is None else UserId(body.user_id),
        approvals=SERVED,
        agent_version=body.agent_version,
        name=body.playbook_name,
        valid_at=caller.runtime.clock.now(),
    )
    query = Query(
        text=body.query, wanted=wanted, limit=body.top_k, mode=body.search_mode, threshold=body.threshold
    )
    found = await caller.runtime.searcher.search_kinds(caller.tenant, query)

    def items(kind: MemoryKind) -> Sequence[Scored]:
        return found[kind].items if kind in found else ()

    shared = [one for one in items(MemoryKind.AGENT_PLAYBOOK) if one.memory and is_shared(one.memory)]
    return SearchPage(
        profiles=_views(profile_view, items(MemoryKind.PROFILE)),
        user_playbooks=_views(user_playbook_view, items(MemoryKind.USER_PLAYBOOK)),
        agent_playbooks=_views(agent_playbook_view, shared),
        msg=told(found[MemoryKind.AGENT_PLAYBOOK].trace),
    )


def is_shared(playbook: Memory) -> bool:
    """Whether an agent playbook may reach every user: approved, or written by a client rather than learned."""
    if playbook.approval is Approval.REJECTED:
        return False
    return playbook.approval is Approval.APPROVED or playbook.provenance.method == "direct"


async def _search(
    caller: Caller, body: SearchMemoriesBody, wanted: Filter, *, keep: Callable[[Memory], bool] | None = None
) -> Found:
    """Answer a query, or list what changed last where there is none; *keep* sifts what was found."""
    limit = body.top_k if keep is None else _BEFORE_SIFTING
    if _asks(body.query):
        query = Query(
            text=body.query or "", wanted=wanted, limit=limit, mode=body.search_mode, threshold=body.threshold
        )
        found = await caller.runtime.searcher.search(caller.tenant, query)
    else:
        found = Found(
            items=tuple(Scored(memory=one, score=0.0) for one in await _newest(caller, wanted, limit))
        )
    items = [one for one in found.items if one.memory is not None and (keep is None or keep(one.memory))]
    return Found(items=tuple(items[: body.top_k]), trace=found.trace)


async def _newest(caller: Caller, wanted: Filter, limit: int) -> list[Memory]:
    async with caller.read(user_id=wanted.user_id) as snapshot:
        return await snapshot.memories.list_newest(
            wanted.kinds[0],
            user_id=wanted.user_id,
            statuses=wanted.statuses,
            approvals=wanted.approvals,
            name=wanted.name,
            agent_version=wanted.agent_version,
            source=wanted.source,
            request_id=None if wanted.request_id is None else RequestId(wanted.request_id),
            start=wanted.start,
            end=wanted.end,
            valid_at=wanted.valid_at,
            limit=limit,
        )


def _asks(query: str | None) -> bool:
    return query is not None and bool(query.strip())


def _views(view: Callable[..., View], items: Sequence[Scored]) -> tuple[View, ...]:
    return tuple(
        view(one.memory)
        if not one.components
        else view(one.memory, score=one.score, components=one.components)
        for one in items
    )


def told(trace: Trace) -> str | None:
    """Return what a reader should know of how the answer came about; None if all went well."""
    if not trace.failed:
        return None
    return "; ".join(f"search by {name} failed: {why}" for name, why in sorted(trace.failed.items()))
