"""Finding what was said and what was learned."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from fastapi import APIRouter

from sagacity.api.dependencies import Caller, Reads
from sagacity.api.explain import explained, told
from sagacity.api.rates import Rate, limited
from sagacity.api.route import Route
from sagacity.api.sdk import sdk
from sagacity.api.served import BEFORE_SIFTING, Asked, asked_of, fuller, held_back, joined, served
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter, Found, Scored
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.interaction import InteractionView, interaction_view
from sagacity.domain.views.memory import memory_view
from sagacity.domain.views.profile import profile_view
from sagacity.domain.views.skill import skill_view
from sagacity.domain.views.user_playbook import user_playbook_view
from sagacity.schemas.found import (
    FoundAgentPlaybooks,
    FoundInteractions,
    FoundProfiles,
    FoundSkills,
    FoundUserPlaybooks,
    SearchPage,
)
from sagacity.schemas.search import (
    INTERACTION,
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchMemoriesBody,
    SearchProfilesBody,
    SearchSkillsBody,
    SearchUserPlaybooksBody,
)

router = APIRouter(tags=["search"], route_class=Route)
WITHOUT_A_LIST = (MemoryKind.SEMANTIC, MemoryKind.EPISODIC)
"""Kinds that the contract has no list of their own for."""
View = TypeVar("View")


@router.post(
    "/search_interactions",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("user_id", "query"), repeatable=True),
)
@limited(Rate.SEARCH)
async def search_interactions(body: SearchInteractionsBody, caller: Reads) -> FoundInteractions:
    """Find turns of a user, or of several, best first; without a query return the newest ones."""
    limit = body.top_k if "top_k" in body.model_fields_set else body.most_recent_k or body.top_k
    wanted = body.to_filter(caller.runtime.clock.now())
    asked = await asked_of(caller, body)
    if not body.asks:
        newest = await _newest_turns(caller, wanted, body.most_recent_k or limit)
        found = Found(items=tuple(Scored(interaction=turn, score=0.0) for turn in newest[:limit]))
    elif body.most_recent_k is None:
        query = body.to_query(asked.text, wanted, limit=limit)
        found = await caller.runtime.searcher.search(caller.principal, query)
    else:
        newest = await _newest_turns(caller, wanted, body.most_recent_k)
        since = min((turn.created_at for turn in newest), default=None)
        among = wanted.model_copy(update={"start": since or wanted.start})
        query = body.to_query(asked.text, among, limit=BEFORE_SIFTING)
        found = _among(await caller.runtime.searcher.search(caller.principal, query), newest, limit)
    items = await caller.runtime.searcher.with_neighbours(
        caller.principal, wanted, found.items, body.neighbours
    )
    trace = joined(asked.trace, found.trace)
    return FoundInteractions(
        interactions=_turns(items, neighbours=body.neighbours),
        msg=told(trace),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, trace),
    )


@router.post(
    "/search_profiles",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("user_id", "query"), repeatable=True),
)
@limited(Rate.SEARCH)
async def search_profiles(body: SearchProfilesBody, caller: Reads) -> FoundProfiles:
    """Find profiles of a user, or of several; without a query return those changed last. By default current ones."""

    def keep(memory: Memory) -> bool:
        features = memory.attributes.custom_features.values()
        names = {memory.name, *memory.attributes.extractor_names}
        return (body.extractor_name is None or body.extractor_name in names) and (
            body.custom_feature is None or any(body.custom_feature in str(value) for value in features)
        )

    sifted = body.extractor_name is not None or body.custom_feature is not None
    wanted = body.to_filter(caller.runtime.clock.now())
    asked, found = await _search(caller, body, wanted, keep=keep if sifted else None, why="other_attributes")
    return FoundProfiles(
        user_profiles=_views(profile_view, found.items),
        msg=told(found.trace),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, found.trace),
    )


@router.post(
    "/search_user_playbooks",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("query",), repeatable=True),
)
@limited(Rate.SEARCH)
async def search_user_playbooks(body: SearchUserPlaybooksBody, caller: Reads) -> FoundUserPlaybooks:
    """Find user playbooks, best first; without a query return those changed last. By default current ones."""
    wanted = body.to_filter(caller.runtime.clock.now())
    asked, found = await _search(caller, body, wanted)
    return FoundUserPlaybooks(
        user_playbooks=_views(user_playbook_view, found.items),
        msg=told(found.trace),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, found.trace),
    )


@router.post(
    "/search_agent_playbooks",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("query",), repeatable=True),
)
@limited(Rate.SEARCH)
async def search_agent_playbooks(body: SearchAgentPlaybooksBody, caller: Reads) -> FoundAgentPlaybooks:
    """
    Find agent playbooks, best first; without a query return those changed last.

    By default current ones that may be served: approved, or written by a client and not rejected.
    """
    wanted = body.to_filter(caller.runtime.clock.now())
    asked, found = await _search(caller, body, wanted, keep=body.serves, why=held_back(body))
    return FoundAgentPlaybooks(
        agent_playbooks=_views(agent_playbook_view, found.items),
        msg=told(found.trace),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, found.trace),
    )


@router.post(
    "/search_skills",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("query",), repeatable=True),
)
@limited(Rate.SEARCH)
async def search_skills(body: SearchSkillsBody, caller: Reads) -> FoundSkills:
    """
    Find skills, best first; without a query return those changed last.

    By default current ones that may be served: approved, or written by a client and not rejected.
    """
    wanted = body.to_filter(caller.runtime.clock.now())
    asked, found = await _search(caller, body, wanted, keep=body.serves, why=held_back(body))
    return FoundSkills(
        skills=_views(skill_view, found.items),
        msg=told(found.trace),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, found.trace),
    )


@router.post("/search", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
@limited(Rate.SEARCH)
async def search(body: SearchBody, caller: Reads) -> SearchPage:
    """
    Ask everything that may be served now, each kind best first.

    That is what is current, unexpired and not rejected. An agent playbook or a skill that was learned from users waits
    for its approval. What belongs to users is found for those named, and for no other.
    """
    asked = await asked_of(caller, body)
    found, trace, dropped = await served(caller, body, asked.text)
    trace = joined(asked.trace, trace)

    def items(kind: str) -> Sequence[Scored]:
        return found.get(kind, ())

    kinds = body.wanted_kinds
    return SearchPage(
        profiles=_views(profile_view, items(MemoryKind.PROFILE)),
        user_playbooks=_views(user_playbook_view, items(MemoryKind.USER_PLAYBOOK)),
        agent_playbooks=_views(agent_playbook_view, items(MemoryKind.AGENT_PLAYBOOK)),
        skills=_views(skill_view, items(MemoryKind.SKILL)),
        interactions=_turns(items(INTERACTION), neighbours=body.neighbours) if INTERACTION in kinds else None,
        memories=tuple(view for kind in WITHOUT_A_LIST for view in _views(memory_view, items(kind)))
        if set(kinds) & set(WITHOUT_A_LIST)
        else None,
        msg=told(trace),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, trace, dropped),
    )


async def _search(
    caller: Caller,
    body: SearchMemoriesBody,
    wanted: Filter,
    *,
    keep: Callable[[Memory], bool] | None = None,
    why: str = "",
) -> tuple[Asked, Found]:
    """
    Answer a query, or list what changed last where there is none.

    Args:
        caller: who asks.
        body: what is asked.
        wanted: what may be found.
        keep: sifts what was found; where it leaves too little, more is looked through.
        why: what the trace says of the rest.
    """
    asked = await asked_of(caller, body)
    found = await _found(caller, body, asked.text, wanted, body.top_k)
    if keep is None:
        return asked, found.model_copy(update={"trace": joined(asked.trace, found.trace)})

    def serves(one: Scored) -> bool:
        return one.memory is not None and keep(one.memory)

    looked, trace = found.items, joined(asked.trace, found.trace)
    if len(looked) == body.top_k and not all(map(serves, looked)):
        deeper = await _found(caller, body, asked.text, wanted, BEFORE_SIFTING)
        looked, trace = fuller(looked, deeper.items, serves), trace.with_failures(deeper.trace)
    items = tuple(filter(serves, looked))
    trace = trace.left_out(**{why: len(looked) - len(items)})
    return asked, Found(items=items[: body.top_k], trace=trace)


async def _found(caller: Caller, body: SearchMemoriesBody, text: str, wanted: Filter, limit: int) -> Found:
    if body.asks:
        query = body.to_query(text, wanted, limit=limit)
        return await caller.runtime.searcher.search(caller.principal, query)
    newest = await _newest(caller, wanted, limit)
    return Found(items=tuple(Scored(memory=one, score=0.0) for one in newest))


def _among(found: Found, turns: Sequence[Interaction], limit: int) -> Found:
    """Return of *found* only what is among *turns*."""
    admitted = {turn.interaction_id for turn in turns}
    items = [one for one in found.items if one.interaction and one.interaction.interaction_id in admitted]
    return Found(items=tuple(items[:limit]), trace=found.trace)


async def _newest(caller: Caller, wanted: Filter, limit: int) -> list[Memory]:
    async with caller.read(user_id=wanted.user_id) as snapshot:
        newest = await snapshot.memories.list_wanted(wanted, limit)
        return newest if wanted.as_of is None else await snapshot.changes.as_they_were(newest, wanted.as_of)


async def _newest_turns(caller: Caller, wanted: Filter, limit: int) -> list[Interaction]:
    async with caller.read(user_id=wanted.user_id) as snapshot:
        return await snapshot.interactions.list_wanted(wanted, limit)


def _views(view: Callable[..., View], items: Sequence[Scored]) -> tuple[View, ...]:
    return tuple(
        view(one.memory)
        if not one.components
        else view(one.memory, score=one.score, components=one.components)
        for one in items
    )


def _turns(items: Sequence[Scored], *, neighbours: int) -> tuple[InteractionView, ...]:
    """Show turns; with those beside them where they were asked for."""
    views = [
        interaction_view(one.interaction)
        if not one.components
        else interaction_view(one.interaction, score=one.score, components=one.components)
        for one in items
        if one.interaction is not None
    ]
    if not neighbours:
        return tuple(views)
    beside = [tuple(map(interaction_view, one.neighbours)) for one in items if one.interaction is not None]
    return tuple(
        view.model_copy(update={"neighbours": others}) for view, others in zip(views, beside, strict=True)
    )
