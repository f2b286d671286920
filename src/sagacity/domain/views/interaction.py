"""The wire shapes of a turn and of the request that brought it."""

from sagacity.domain.clock import to_epoch
from sagacity.domain.interaction import Citation, Interaction, Request, ToolUse, UserAction
from sagacity.domain.trust import Origin, Trust, trust_of
from sagacity.domain.views.base import View


class CitationView(View):
    """A memory that an answer used."""

    entity_type: str
    entity_id: str
    kind: str
    """The same as `entity_type`, for other clients; so is `real_id`."""
    real_id: str


class InteractionView(View):
    """One turn or event; inline images are not returned."""

    interaction_id: int = 0
    user_id: str
    request_id: str
    created_at: int
    """When it arrived."""
    happened_at: int | None = None
    """When it happened, by its sender's clock; the same as `created_at` where the sender did not say."""
    role: str = "User"
    content: str = ""
    user_action: UserAction = UserAction.NONE
    user_action_description: str = ""
    interacted_image_url: str = ""
    shadow_content: str = ""
    expert_content: str = ""
    origin: Origin | None = None
    trust: Trust | None = None
    is_held: bool | None = None
    tools_used: tuple[ToolUse, ...] = ()
    session_id: str | None = None
    citations: tuple[CitationView, ...] = ()
    score: float | None = None
    relevance: float | None = None
    score_components: dict[str, float] | None = None
    neighbours: "tuple[InteractionView, ...] | None" = None
    """Turns of the same session before and after it, where they were asked for."""


class RequestView(View):
    """One publish call."""

    request_id: str
    user_id: str
    created_at: int
    source: str = ""
    agent_version: str = ""
    session_id: str | None = None


def citation_view(cited: Citation) -> CitationView:
    """Show the memories and turns that an answer used."""
    kind, uid = cited.entity_type, cited.entity_id
    return CitationView(entity_type=kind, entity_id=uid, kind=kind, real_id=uid)


def interaction_view(turn: Interaction) -> InteractionView:
    """Show a turn."""
    return InteractionView(
        interaction_id=turn.interaction_id,
        user_id=turn.user_id,
        request_id=turn.request_id,
        created_at=to_epoch(turn.created_at),
        happened_at=to_epoch(turn.happened_at or turn.created_at),
        role=turn.role,
        content=turn.content,
        user_action=turn.user_action,
        user_action_description=turn.user_action_description,
        interacted_image_url=turn.image_url,
        shadow_content=turn.shadow_content,
        expert_content=turn.expert_content,
        tools_used=turn.tools_used,
        session_id=turn.session_id,
        origin=turn.stamped_origin,
        trust=trust_of(turn.stamped_origin),
        is_held=turn.is_held or None,
        citations=tuple(map(citation_view, turn.citations)),
    )


def request_view(request: Request) -> RequestView:
    """Show a request."""
    return RequestView(
        request_id=request.request_id,
        user_id=request.user_id,
        created_at=to_epoch(request.created_at),
        source=request.source,
        agent_version=request.agent_version,
        session_id=request.session_id,
    )
