"""Turn the body of a search into a query of the domain."""

from collections.abc import Sequence

from sagacity.domain.condition import parse_condition
from sagacity.domain.ids import RequestId, SessionId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import KINDS, TENANT_KINDS
from sagacity.domain.memory import Approval, MemoryKind
from sagacity.domain.query import Filter, Query
from sagacity.schemas.context import ContextBody
from sagacity.schemas.search import (
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchKind,
    SearchOptions,
    SearchProfilesBody,
    SearchSkillsBody,
    SearchUserPlaybooksBody,
)

Everything = SearchBody | ContextBody
OfReviewed = SearchAgentPlaybooksBody | SearchSkillsBody | Everything
OfPlaybooks = SearchUserPlaybooksBody | OfReviewed
OfMemories = SearchProfilesBody | OfPlaybooks


def to_query(body: SearchOptions, text: str, kinds: Sequence[SearchKind]) -> Query:
    """
    Return what to look for among *kinds*; options that the body leaves out keep the defaults of `Query`.

    Args:
        body: what was sent.
        text: the question, as the body has it or rewritten.
        kinds: what to search.
    """
    given = {
        "ranking": body.ranking,
        "strategies": body.strategies,
        "rerank": body.rerank,
        "reference_at": body.reference_time,
        "neighbours": body.neighbours if isinstance(body, Everything | SearchInteractionsBody) else None,
    }
    return Query(
        text=text,
        wanted=_filter(body, kinds),
        limit=body.top_k,
        mode=body.search_mode,
        threshold=body.threshold,
    ).model_copy(update={name: value for name, value in given.items() if value is not None})


def kinds_of(body: Everything) -> tuple[SearchKind, ...]:
    """Return the kinds to search, each once."""
    if body.kinds is not None:
        return tuple(dict.fromkeys(body.kinds))
    by_default = (kind for kind, spec in KINDS.items() if spec.search_list is not None)
    return tuple(kind for kind in by_default if body.users or kind in TENANT_KINDS)


def session_of(body: SearchOptions) -> SessionId | None:
    """Return the conversation in which the results are used; None if it is not known."""
    return SessionId(body.session_id) if body.session_id else None


def _filter(body: SearchOptions, kinds: Sequence[SearchKind]) -> Filter:
    users = body.users
    wanted = Filter(
        kinds=tuple(kind for kind in kinds if isinstance(kind, MemoryKind)),
        interactions=INTERACTION in kinds,
        user_id=users[0] if len(users) == 1 else None,
        user_ids=users if len(users) > 1 else (),
        tags=body.tags or (),
        metadata=None if body.metadata is None else parse_condition(body.metadata),
        start=body.start_time,
        end=body.end_time,
        event_start=body.event_start_time,
        event_end=body.event_end_time,
        as_of=body.as_of,
    )
    return wanted.model_copy(update=_of_kind(body))


def _of_kind(body: SearchOptions) -> dict[str, object]:
    """Return the parts of a filter that only some searches have."""
    parts: dict[str, object] = {}
    if isinstance(body, SearchInteractionsBody):
        parts["request_id"] = None if body.request_id is None else RequestId(body.request_id)
    if isinstance(body, SearchProfilesBody):
        made_by = body.generated_from_request_id
        parts |= {"source": body.source, "request_id": None if made_by is None else RequestId(made_by)}
    if isinstance(body, OfMemories) and body.status_filter:
        parts["statuses"] = body.status_filter
    if isinstance(body, OfPlaybooks):
        version, name = body.agent_version, body.playbook_name
        parts |= {
            "agent_versions": (body.agent_versions or ()) if version is None else (version,),
            "names": (body.playbook_names or ()) if name is None else (name,),
        }
    if isinstance(body, OfReviewed):
        parts["approvals"] = _approvals(body)
    return parts


def _approvals(body: OfReviewed) -> tuple[Approval, ...]:
    wanted = body.playbook_status_filter
    if isinstance(body, SearchSkillsBody) and body.skill_status_filter is not None:
        wanted = body.skill_status_filter
    return (wanted,) if isinstance(wanted, Approval) else wanted or ()
