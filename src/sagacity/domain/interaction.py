"""The evidence: interactions, the requests that brought them, the sessions they belong to."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import InteractionId, RequestId, SessionId, UserId
from sagacity.domain.trust import OUTSIDE, TOOL_ROLES, WEB_ROLES, Origin, least_trusted

INTERACTION = "interaction"
"""The name of turns beside the kinds of memory."""
DEFAULT_AGENT_VERSION = "agent-v0"
"""The version of agents that name none."""
AGENT_ROLES = (
    frozenset({"agent", "assistant", "system", "internal", "ai", "bot", "developer", "model"})
    | TOOL_ROLES
    | WEB_ROLES
)
_SPEAKERS = AGENT_ROLES | {"user", "human"}


def is_person(role: str) -> bool:
    """Whether a person, rather than an agent or a tool, speaks under *role*."""
    return role.strip().lower() not in AGENT_ROLES


def origin_of_role(role: str) -> Origin:
    """Return the origin of a turn under *role*, unless its sender names one."""
    name = role.strip().lower()
    if name in TOOL_ROLES:
        return Origin.TOOL
    if name in WEB_ROLES:
        return Origin.WEB_PAGE
    return Origin.USER if is_person(role) else Origin.AGENT


def speaker_of(role: str) -> str:
    """Return the name in *role* ("Caroline"); empty if it only says whose turn it was."""
    name = role.strip()
    return "" if name.lower() in _SPEAKERS else name


class UserAction(StrEnum):
    """An action of the user other than writing."""

    CLICK = "click"
    SCROLL = "scroll"
    TYPE = "type"
    NONE = "none"


class ToolUse(Value):
    """A tool call that an agent made in a turn."""

    tool_name: str
    tool_data: dict[str, JsonValue] = {}


class Citation(Value):
    """A memory that an answer used."""

    entity_type: str
    entity_id: str


class NewInteraction(Value):
    """One turn or event as it was sent."""

    role: str = "User"
    content: str = ""
    shadow_content: str = ""
    expert_content: str = ""
    user_action: UserAction = UserAction.NONE
    user_action_description: str = ""
    image_url: str = ""
    image_base64: str = ""
    tools_used: tuple[ToolUse, ...] = ()
    citations: tuple[Citation, ...] = ()
    happened_at: datetime | None = None
    """By its sender's clock; None if not given."""
    origin: Origin | None = None
    """Its origin as its sender says; its role may lower its trust."""

    @property
    def stamped_origin(self) -> Origin:
        """Its effective origin: an operator's word, which only a reviewer may send, or the least trusted one."""
        by_role = origin_of_role(self.role)
        if self.origin is Origin.OPERATOR:
            return Origin.OPERATOR
        return least_trusted((self.origin, by_role)) or by_role

    @property
    def has_image(self) -> bool:
        """Whether it has an image. When many turns are read at a time, the image itself is not read."""
        return bool(self.image_url or self.image_base64)

    @property
    def text(self) -> str:
        """The texts of the turn as lines: what was said, done, and what should have been said."""
        parts = (self.content, self.user_action_description, self.expert_content)
        return "\n".join(part for part in parts if part)

    @property
    def search_text(self) -> str:
        """The text by which the turn is found, with its speaker's name first if the role is a name."""
        speaker = speaker_of(self.role)
        return f"{speaker}: {self.text}" if speaker and self.text else self.text


class NewRequest(Value):
    """One publish call as it was sent."""

    request_id: RequestId
    user_id: UserId
    session_id: SessionId | None = None
    source: str = ""
    agent_version: str = ""
    skip_aggregation: bool = False
    force_extraction: bool = False
    evaluation_only: bool = False
    """Nothing is learned from it; only its session is evaluated."""
    metadata: dict[str, JsonValue] = {}
    interactions: tuple[NewInteraction, ...]


OF_REQUEST: Final = ("source", "agent_version", "skip_aggregation", "evaluation_only")
"""The values that a turn inherits from its request."""


class Request(Value):
    """One stored publish call. `first_seq..last_seq` are its turns in its user's log."""

    request_id: RequestId
    user_id: UserId
    session_id: SessionId | None = None
    source: str = ""
    agent_version: str = ""
    skip_aggregation: bool = False
    force_extraction: bool = False
    evaluation_only: bool = False
    """Nothing is learned from it; only its session is evaluated."""
    metadata: dict[str, JsonValue] = {}
    first_seq: int
    last_seq: int
    created_at: datetime
    is_held: bool = False
    """Whether a quarantine holds its turns."""


class Interaction(NewInteraction):
    """One stored turn or event; `seq` counts a user's turns from 1 in the order of commit."""

    interaction_id: InteractionId
    seq: int
    request_id: RequestId
    user_id: UserId
    session_id: SessionId | None = None
    source: str = ""
    agent_version: str = ""
    skip_aggregation: bool = False
    evaluation_only: bool = False
    """Whether nothing is learned from it."""
    created_at: datetime
    is_held: bool = False
    """Whether a quarantine holds it."""

    @property
    def occurred_at(self) -> datetime:
        """When it happened by its sender's clock, but no later than it arrived."""
        return min(self.happened_at or self.created_at, self.created_at)

    @property
    def is_user(self) -> bool:
        """Whether a person, rather than an agent, a tool or a web page, said it."""
        return is_person(self.role) and self.origin not in OUTSIDE
