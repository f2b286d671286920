"""Search memories and turns."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sagacity.analytics import measured
from sagacity.api.dependencies import Caller, Reads
from sagacity.api.explain import explained, remarks
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.analytics import RequestType
from sagacity.domain.ids import UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter, Found, Query, Scored, Trace
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.base import View
from sagacity.domain.views.interaction import InteractionView, interaction_view
from sagacity.domain.views.profile import profile_view
from sagacity.domain.views.skill import skill_view
from sagacity.domain.views.user_playbook import user_playbook_view
from sagacity.memories.search import (
    Question,
    joined,
    profiles_with,
    rank_again,
    rewritten,
    search_by_kind,
    search_memories,
    search_turns,
)
from sagacity.retrieval.query.rewriting import Turn
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
    RerankProfilesBody,
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchKind,
    SearchOptions,
    SearchProfilesBody,
    SearchSkillsBody,
    SearchUserPlaybooksBody,
)
from sagacity.schemas.search_query import OfMemories, kinds_of, session_of, to_query

router = resource("search")
Shown = TypeVar("Shown", bound=View)


@router.post(
    "/search_interactions",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("user_id", "query"), repeatable=True),
)
@limited(Rate.SEARCH)
async def search_interactions(body: SearchInteractionsBody, caller: Reads) -> FoundInteractions:
    """Search turns of one or several users, best first; without a query, return the newest."""
    limit = body.top_k if "top_k" in body.model_fields_set else body.most_recent_k or body.top_k
    asked = await question_of(caller, body)
    query = to_query(body, asked.text, (INTERACTION,)).model_copy(update={"limit": limit})
    found = await search_turns(caller.acting, query, among_newest=body.most_recent_k)
    trace = joined(asked.trace, found.trace)
    return FoundInteractions(
        interactions=_turns(found.items, neighbours=body.neighbours),
        msg=remarks(trace, threshold=body.threshold, is_empty=not found.items),
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
    """Search profiles of one or several users, best first; without a query, return those changed last."""
    keep = profiles_with(extractor_name=body.extractor_name, custom_feature=body.custom_feature)
    asked, found = await _search(caller, body, MemoryKind.PROFILE, keep=keep)
    return FoundProfiles(
        user_profiles=_views(profile_view, found.items),
        msg=remarks(found.trace, threshold=body.threshold, is_empty=not found.items),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, found.trace),
    )


@router.post(
    "/rerank_user_profiles",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("user_id", "query", "profile_ids"), repeatable=True),
)
@limited(Rate.SEARCH)
async def rerank_user_profiles(body: RerankProfilesBody, caller: Reads) -> FoundProfiles:
    """
    Sort given profiles of a user by how well they answer a question, best first.

    A reranker sorts them if one is configured, else a search. Ids that the user does not have,
    or that may not be returned, are left out.
    """
    wanted = Filter(kinds=(MemoryKind.PROFILE,), user_id=UserId(body.user_id))
    query = Query(text=body.query, wanted=wanted, limit=body.top_k)
    found = await rank_again(caller.acting, query, frozenset(body.profile_ids))
    return FoundProfiles(
        user_profiles=_views(profile_view, found.items),
        msg=remarks(found.trace, threshold=0.0, is_empty=not found.items),
    )


@router.post(
    "/search_user_playbooks",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("query",), repeatable=True),
)
@limited(Rate.SEARCH)
async def search_user_playbooks(body: SearchUserPlaybooksBody, caller: Reads) -> FoundUserPlaybooks:
    """Search user playbooks, best first; without a query, return those changed last. By default current ones."""
    asked, found = await _search(caller, body, MemoryKind.USER_PLAYBOOK)
    return FoundUserPlaybooks(
        user_playbooks=_views(user_playbook_view, found.items),
        msg=remarks(found.trace, threshold=body.threshold, is_empty=not found.items),
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
    Search agent playbooks, best first; without a query, return those changed last.

    By default current ones that an agent may use: approved, or written by a client and not rejected.
    """
    asked, found = await _search(caller, body, MemoryKind.AGENT_PLAYBOOK)
    return FoundAgentPlaybooks(
        agent_playbooks=_views(agent_playbook_view, found.items),
        msg=remarks(found.trace, threshold=body.threshold, is_empty=not found.items),
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
    Search skills, best first; without a query, return those changed last.

    By default current ones that an agent may use: approved, or written by a client and not rejected.
    """
    asked, found = await _search(caller, body, MemoryKind.SKILL)
    return FoundSkills(
        skills=_views(skill_view, found.items),
        msg=remarks(found.trace, threshold=body.threshold, is_empty=not found.items),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, found.trace),
    )


@router.post("/search", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
@limited(Rate.SEARCH)
async def search(body: SearchBody, caller: Reads) -> SearchPage:
    """
    Search everything that an agent may use now; each kind is sorted, best first.

    That is what is current, unexpired and not rejected. Agent playbooks and skills that were learned from users are
    returned once they are approved. Memories of users are returned for the given users only; with a user's own token,
    for that user.
    """
    if caller.principal.user_id is not None and not body.users:
        body = body.model_copy(update={"user_id": caller.principal.user_id})
    user_id = body.users[0] if len(body.users) == 1 else None
    with measured(caller.acting, RequestType.MEMORY_SEARCH, user_id=user_id) as call:
        page, call.trace = await _searched(body, caller)
        return page


async def _searched(body: SearchBody, caller: Caller) -> tuple[SearchPage, Trace]:
    asked, kinds = await question_of(caller, body), kinds_of(body)
    found, trace = await search_by_kind(
        caller.acting,
        to_query(body, asked.text, kinds),
        session_id=session_of(body),
        include_expired=body.include_expired,
        counts_withheld=body.explain,
    )
    trace = joined(asked.trace, trace)
    turns = found.get(INTERACTION, ())
    page = SearchPage(
        interactions=_turns(turns, neighbours=body.neighbours) if INTERACTION in kinds else None,
        msg=remarks(
            trace,
            threshold=body.threshold,
            is_empty=not any(found.values()),
            is_of_nobody=body.kinds is None and not body.users,
        ),
        reformulated_query=asked.rewritten,
        explanation=explained(body, asked.text, trace),
    )
    return page.model_copy(update=_lists(found, kinds)), trace


async def _search(
    caller: Caller,
    body: OfMemories,
    kind: MemoryKind,
    *,
    keep: Callable[[Memory], bool] | None = None,
) -> tuple[Question, Found]:
    """Return the query, and those results of a *kind* that *keep* accepts."""
    asked = await question_of(caller, body)
    found = await search_memories(
        caller.acting,
        to_query(body, asked.text, (kind,)),
        session_id=session_of(body),
        keep=keep,
        include_expired=body.include_expired,
        counts_withheld=body.explain,
    )
    return asked, found.model_copy(update={"trace": joined(asked.trace, found.trace)})


async def question_of(caller: Caller, body: SearchOptions) -> Question:
    """Return the question, rewritten by a model if that was requested and succeeded."""
    if not (body.enable_reformulation and body.text):
        return Question(text=body.text)
    history = [Turn(role=turn.role, content=turn.content) for turn in body.conversation_history]
    return await rewritten(caller.acting, body.text, history)


def _lists(
    found: Mapping[str, Sequence[Scored]], kinds: Sequence[SearchKind]
) -> Mapping[str, Sequence[object]]:
    """Return what was found by the list of the reply that it goes into, of the kinds that were asked for."""
    lists: dict[str, tuple[object, ...]] = {}
    for kind, spec in KINDS.items():
        if kind in kinds:
            name = spec.search_list or "memories"
            lists[name] = (*lists.get(name, ()), *_views(spec.view, found.get(kind, ())))
    return lists


def _views(view: Callable[..., Shown], items: Sequence[Scored]) -> tuple[Shown, ...]:
    return tuple(_scored(view(one.memory), one) for one in items)


def _scored(view: Shown, one: Scored) -> Shown:
    """Show how well it was found; what was listed without a question has no score."""
    if not one.components:
        return view
    return view.model_copy(
        update={"score": one.score, "relevance": one.relevance, "score_components": one.components}
    )


def _turns(items: Sequence[Scored], *, neighbours: int) -> tuple[InteractionView, ...]:
    """Show turns, with their neighbours if requested."""
    views = [_scored(interaction_view(one.interaction), one) for one in items if one.interaction is not None]
    if not neighbours:
        return tuple(views)
    beside = [tuple(map(interaction_view, one.neighbours)) for one in items if one.interaction is not None]
    return tuple(
        view.model_copy(update={"neighbours": others}) for view, others in zip(views, beside, strict=True)
    )
