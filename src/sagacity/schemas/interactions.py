"""Bodies and envelopes of publishing, reading and deleting interactions."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, AliasChoices, Field, JsonValue, field_validator, model_validator

from sagacity.domain.clock import from_epoch
from sagacity.domain.ids import MAX_INT, RequestId, SessionId, UserId
from sagacity.domain.interaction import (
    DEFAULT_AGENT_VERSION,
    Citation,
    NewInteraction,
    NewRequest,
    ToolUse,
    UserAction,
)
from sagacity.domain.trust import Origin
from sagacity.domain.views.interaction import InteractionView, RequestView
from sagacity.schemas.base import (
    MAX_TEXT,
    Body,
    Count,
    Id,
    Label,
    MaybeId,
    Number,
    Reply,
    Schema,
    Span,
    WriteBody,
    WritePart,
)

AgentVersion = Annotated[Label, AfterValidator(lambda version: version or DEFAULT_AGENT_VERSION)]
"""Of an agent; empty is the same as not given."""
MAX_TURNS = 1_000
_NO_CLOCK = 4_102_444_800
"""The year 2100."""
_IMAGE_SCHEMES = ("http://", "https://", "data:")


class ToolUseData(WritePart):
    """A tool call that an agent made in a turn."""

    tool_name: str
    tool_data: dict[str, JsonValue] = {}


class CitationData(WritePart):
    """A memory that an answer used."""

    entity_type: Label = Field(validation_alias=AliasChoices("entity_type", "kind"))
    entity_id: Id = Field(validation_alias=AliasChoices("entity_id", "real_id"))


class InteractionData(WritePart):
    """One turn or event to publish."""

    created_at: int | None = Field(
        default=None,
        ge=-MAX_INT,
        le=MAX_INT,
        description="When it happened, in seconds since 1970; returned as `happened_at`. "
        "What is learned is dated by it. Times outside 1970 to 2099 are ignored.",
    )
    role: Label = "User"
    content: str = ""
    shadow_content: str = ""
    expert_content: str = ""
    user_action: UserAction = UserAction.NONE
    user_action_description: str = ""
    interacted_image_url: str = Field(
        default="", description="An image's address (http or https), or the image as a `data:` URL."
    )
    image_encoding: str = Field(
        default="",
        description="An image in base64, instead of an address. A model that learns sees PNG, JPEG, GIF and WebP. "
        "Replies do not repeat it.",
    )
    origin: Origin | None = Field(
        default=None,
        description="What the turn comes from, where its role does not say it, such as `web_page` for a page that a "
        "user pasted. It can only lower the trust that its role has; `operator` needs the permission to review.",
    )
    tools_used: tuple[ToolUseData, ...] = Field(default=(), max_length=1_000)
    citations: tuple[CitationData, ...] = Field(default=(), max_length=1_000)

    @field_validator("interacted_image_url")
    @classmethod
    def _known_scheme(cls, url: str) -> str:
        if url and not url.lower().startswith(_IMAGE_SCHEMES):
            raise ValueError("an image URL must begin with http, https or data")
        return url

    @model_validator(mode="after")
    def _not_too_long(self) -> Self:
        texts = (self.content, self.shadow_content, self.expert_content, self.user_action_description)
        if (length := sum(map(len, texts))) > MAX_TEXT:
            raise ValueError(
                f"the texts of a turn may have at most {MAX_TEXT:,} characters, and these have {length:,}; "
                "send them as several turns"
            )
        return self

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.user_action is not UserAction.NONE and not self.user_action_description.strip():
            raise ValueError("user_action needs a user_action_description, unless it is none")
        if self.interacted_image_url and self.image_encoding:
            raise ValueError("give interacted_image_url or image_encoding, not both")
        return self

    def to_domain(self) -> NewInteraction:
        """Return the turn to append to the log."""
        return NewInteraction(
            role=self.role,
            content=self.content,
            shadow_content=self.shadow_content,
            expert_content=self.expert_content,
            user_action=self.user_action,
            user_action_description=self.user_action_description,
            image_url=self.interacted_image_url,
            image_base64=self.image_encoding,
            origin=self.origin,
            tools_used=tuple(
                ToolUse(tool_name=used.tool_name, tool_data=used.tool_data) for used in self.tools_used
            ),
            citations=tuple(
                Citation(entity_type=cited.entity_type, entity_id=cited.entity_id) for cited in self.citations
            ),
            happened_at=_happened_at(self.created_at),
        )


def _happened_at(seconds: int | None) -> datetime | None:
    """Return the sender's time, unless it is of a clock that was never set or counts in other units."""
    return from_epoch(seconds) if seconds is not None and 0 < seconds < _NO_CLOCK else None


class PublishBody(WriteBody):
    """Turns to store. A `request_id` makes it safe to send them again."""

    user_id: Id
    interaction_data_list: tuple[InteractionData, ...] = Field(min_length=1, max_length=MAX_TURNS)
    source: Label = ""
    agent_version: Label = ""
    session_id: Id | None = None
    skip_aggregation: bool = False
    force_extraction: bool = False
    evaluation_only: bool = False
    request_id: Id | None = None
    metadata: dict[str, JsonValue] = {}

    @model_validator(mode="after")
    def _can_be_evaluated(self) -> Self:
        if self.evaluation_only and self.force_extraction:
            raise ValueError("evaluation_only and force_extraction exclude each other")
        if self.evaluation_only and self.session_id is None:
            raise ValueError("evaluation_only needs a session_id: sessions are evaluated")
        return self

    def to_domain(self, request_id: RequestId) -> NewRequest:
        """Return the request to append to the log, under *request_id*."""
        return NewRequest(
            request_id=request_id,
            user_id=UserId(self.user_id),
            session_id=None if self.session_id is None else SessionId(self.session_id),
            source=self.source,
            agent_version=self.agent_version or DEFAULT_AGENT_VERSION,
            skip_aggregation=self.skip_aggregation,
            force_extraction=self.force_extraction,
            evaluation_only=self.evaluation_only,
            metadata=self.metadata,
            interactions=tuple(turn.to_domain() for turn in self.interaction_data_list),
        )


class PublishReply(Schema):
    """The result of a publish. Counts are given if the call waited for learning."""

    success: bool = True
    message: str = ""
    warnings: tuple[str, ...] = ()
    request_id: str = ""
    """Under which the turns are stored; a receipt is asked for by it."""
    endpoint_url: str | None = None
    storage_type: str | None = None
    storage_label: str | None = None
    profiles_added: int | None = None
    profiles_updated: int | None = None
    playbooks_added: int | None = None
    playbooks_updated: int | None = None


class GetInteractionsBody(Span):
    """Which of a user's turns to return, newest first."""

    user_id: Id
    top_k: Count = 30


class InteractionsPage(Reply):
    """Turns, newest first or best first."""

    interactions: tuple[InteractionView, ...] = ()


class GetRequestsBody(Span):
    """Which requests to return, newest first."""

    user_id: Id | None = None
    request_id: Id | None = None
    session_id: MaybeId | None = None
    """The empty string selects requests without a session."""
    top_k: Count = 30
    offset: int = Field(default=0, ge=0, le=MAX_INT)


class RequestWithTurns(Schema):
    """A request and its turns in order."""

    request: RequestView
    interactions: tuple[InteractionView, ...] = ()


class SessionGroup(Schema):
    """The requests of one session on this page; those without a session have the empty id."""

    session_id: str
    requests: tuple[RequestWithTurns, ...] = ()


class RequestsPage(Reply):
    """Requests by session."""

    sessions: tuple[SessionGroup, ...] = ()
    has_more: bool = False


class DeleteInteractionBody(Body):
    """Which turn to delete."""

    user_id: Id
    interaction_id: Number


class DeleteRequestBody(Body):
    """Which request to delete, with its turns."""

    request_id: Id


class DeleteSessionBody(Body):
    """Which session to delete, with its requests and turns."""

    session_id: Id


class DeleteRequestsByIdsBody(Body):
    """Which requests to delete, with their turns."""

    request_ids: tuple[Id, ...] = Field(min_length=1, max_length=10_000)


class Deleted(Schema):
    """The result of a deletion."""

    success: bool = True
    message: str = ""


class DeletedMany(Deleted):
    """The result of deleting several; the count is of those that existed."""

    deleted_count: int = 0


class SessionDeleted(Deleted):
    """The result of deleting a session."""

    deleted_requests_count: int = 0
