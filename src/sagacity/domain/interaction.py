"""The evidence: interactions, the requests that brought them, the sessions they belong to."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import InteractionId, RequestId, SessionId, UserId
from sagacity.domain.trust import OUTSIDE, TOOL_ROLES, WEB_ROLES, Origin, least_trusted

INTERACTION = "interaction"
"""What a turn is called where kinds of memories are listed beside it."""
DEFAULT_AGENT_VERSION = "agent-v0"
"""Of an agent that names no version."""
AGENT_ROLES = frozenset({"agent", "assistant", "system", "internal"}) | TOOL_ROLES | WEB_ROLES
_SPEAKERS = AGENT_ROLES | {"user", "human", "ai", "bot", "developer", "function", "model"}


def is_person(role: str) -> bool:
    """Whether a person, rather than an agent or a tool, speaks under *role*."""
    return role.strip().lower() not in AGENT_ROLES


def origin_of_role(role: str) -> Origin:
    """Return what a turn under *role* comes from, where its sender says no more."""
    name = role.strip().lower()
    if name in TOOL_ROLES:
        return Origin.TOOL
    if name in WEB_ROLES:
        return Origin.WEB_PAGE
    return Origin.USER if is_person(role) else Origin.AGENT


def speaker_of(role: str) -> str:
    """Return the name that *role* gives ("Caroline"); empty where it says only whose turn it was."""
    name = role.strip()
    return "" if name.lower() in _SPEAKERS else name


class UserAction(StrEnum):
    """What a user did besides writing."""

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
    """One turn or event as it was sent in."""

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
    """By its sender's clock; None where the sender did not say."""
    origin: Origin | None = None
    """What it comes from, as its sender says; its role may say that it is trusted less."""

    @property
    def stamped_origin(self) -> Origin:
        """What it counts as: an operator's word, which only a reviewer may send, or what is trusted least."""
        by_role = origin_of_role(self.role)
        if self.origin is Origin.OPERATOR:
            return Origin.OPERATOR
        return least_trusted((self.origin, by_role)) or by_role

    @property
    def has_image(self) -> bool:
        """Whether an image came with it. Where many turns are read at a time, that is all that is read of it."""
        return bool(self.image_url or self.image_base64)

    @property
    def text(self) -> str:
        """What was said and done, and what should have been said, in lines."""
        parts = (self.content, self.user_action_description, self.expert_content)
        return "\n".join(part for part in parts if part)

    @property
    def search_text(self) -> str:
        """The text by which the turn is found: after its speaker's name where the role is one."""
        speaker = speaker_of(self.role)
        return f"{speaker}: {self.text}" if speaker and self.text else self.text


class NewRequest(Value):
    """One publish call as it was sent in."""

    request_id: RequestId
    user_id: UserId
    session_id: SessionId | None = None
    source: str = ""
    agent_version: str = ""
    skip_aggregation: bool = False
    force_extraction: bool = False
    evaluation_only: bool = False
    """Nothing is learned from it; its session is judged."""
    metadata: dict[str, JsonValue] = {}
    interactions: tuple[NewInteraction, ...]


OF_REQUEST: Final = ("source", "agent_version", "skip_aggregation", "evaluation_only")
"""What a turn has from the request that it came with."""


class Request(Value):
    """One publish call as it is kept. `first_seq..last_seq` are its turns in its user's log."""

    request_id: RequestId
    user_id: UserId
    session_id: SessionId | None = None
    source: str = ""
    agent_version: str = ""
    skip_aggregation: bool = False
    force_extraction: bool = False
    evaluation_only: bool = False
    """Nothing is learned from it; its session is judged."""
    metadata: dict[str, JsonValue] = {}
    first_seq: int
    last_seq: int
    created_at: datetime
    is_held: bool = False
    """Whether a quarantine keeps its turns from being served."""


class Interaction(NewInteraction):
    """One turn or event as it is kept; `seq` counts a user's turns from 1 in the order of commit."""

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
    """Whether a quarantine keeps it from being served."""

    @property
    def occurred_at(self) -> datetime:
        """When it happened: as its sender says, but no later than it came in, as no clock says what is to come."""
        return min(self.happened_at or self.created_at, self.created_at)

    @property
    def is_user(self) -> bool:
        """Whether a person, rather than an agent, a tool or a web page, said it."""
        return is_person(self.role) and self.origin not in OUTSIDE
