"""Conversations, messages and answers."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import Field, StringConstraints, model_validator

from sagacity.domain.chat import Conversation, Exchange, ExchangeStatus, Message, MessageRole
from sagacity.schemas.base import Schema, Warned, WriteBody, WritePart
from sagacity.schemas.metadata import Metadata, Object

MAX_CONTENT = 32_000
"""Maximum number of characters of a message."""
Content = Annotated[str, StringConstraints(min_length=1, max_length=MAX_CONTENT, pattern=r"\S")]
Title = Annotated[str, StringConstraints(max_length=200)]


class SendBody(WriteBody):
    """A message to the chat."""

    content: Content
    """The message."""
    conversation_id: UUID | None = None
    """The conversation to continue; null: a new one."""
    stream: bool = True
    """Whether the reply is a stream of events, or one object when the answer is complete."""
    include_memory: bool = True
    """Whether the answer may use what is remembered."""
    metadata: Metadata = {}
    """Stored with the message, and returned with it."""


class StopBody(WriteBody):
    """Which answer to stop."""

    conversation_id: UUID
    """The conversation in which it is being written."""


class RetryBody(WriteBody):
    """A request for another answer to the last message."""

    conversation_id: UUID
    """Whose last message is answered again."""
    stream: bool = True
    """Whether the reply is a stream of events, or one object when the answer is complete."""


class GivenMessage(WritePart):
    """A message of a conversation that the caller keeps."""

    role: MessageRole
    """Who wrote it."""
    content: Annotated[str, StringConstraints(max_length=MAX_CONTENT)] = ""
    """What it says."""


class CompleteBody(WriteBody):
    """A conversation of the caller's own, of which the last message is answered."""

    messages: Annotated[tuple[GivenMessage, ...], Field(min_length=1, max_length=1_000)]
    """Oldest first; the last one is the user's."""
    conversation_id: UUID | None = None
    """Where the message and its answer are stored; null: in a new conversation."""
    include_memory: bool = True
    """Whether the answer may use what is remembered."""
    max_tokens: Annotated[int, Field(ge=1, le=32_000)] = 4_096
    """Largest length of the answer."""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.7
    """The model's temperature; ignored by models without one."""

    @model_validator(mode="after")
    def _asks(self) -> Self:
        last = self.messages[-1]
        if last.role is not MessageRole.USER or not last.content.strip():
            raise ValueError("the last of messages must be the user's, with a text")
        return self


class CreateConversationBody(WriteBody):
    """A new conversation."""

    title: Title | None = None
    """Its title; null: the beginning of its first message."""
    metadata: Metadata = {}
    """Stored with the conversation."""
    initial_message: Content | None = None
    """Sent at once; the reply waits for the answer."""


class UpdateConversationBody(WriteBody):
    """Changes of a conversation; null leaves a field unchanged."""

    title: Title | None = None
    """Its title."""
    is_archived: bool | None = None
    """Whether it is archived."""
    metadata: Metadata | None = None
    """Replaces what is stored."""


class ConversationView(Warned):
    """A conversation."""

    id: str
    """Its id, which is also the `session_id` of its turns."""
    user_id: str
    """Its user."""
    title: str | None = None
    """Its title."""
    summary: str | None = None
    """What its earlier messages were about."""
    message_count: int
    """Number of messages."""
    total_tokens: int
    """Tokens of all messages."""
    is_active: bool
    """The opposite of `is_archived`."""
    is_archived: bool
    """Whether it is archived."""
    created_at: datetime
    """When it began."""
    updated_at: datetime
    """When something was last said or changed in it."""
    last_message_at: datetime | None = None
    """When something was last said in it."""
    metadata: Object
    """As sent."""


class MessageView(Schema):
    """A message."""

    id: str
    """Its id."""
    conversation_id: str
    """The conversation that it belongs to."""
    role: MessageRole
    """Who wrote it."""
    content: str
    """What it says."""
    tokens: int | None = None
    """Tokens of the content."""
    created_at: datetime
    """When it was stored."""
    metadata: Object
    """What was sent with it. The server adds `exchange_id`; and to an answer its `status`, `model` and `citations`."""


class ConversationWithMessages(ConversationView):
    """A conversation and its newest messages."""

    messages: tuple[MessageView, ...]
    """Oldest first."""


class ConversationsPage(Schema):
    """A page of conversations."""

    conversations: tuple[ConversationView, ...]
    """Most recently changed first."""
    total: int
    """Number on all pages."""
    page: int
    """Number of this page."""
    page_size: int
    """How many conversations a page holds."""
    has_more: bool
    """Whether there is another page."""
    next_cursor: str | None = None
    """Send it as `cursor` to get the next page, even if conversations change meanwhile."""


class Usage(Schema):
    """Tokens that the model read and wrote."""

    prompt_tokens: int = 0
    """How much the model read."""
    completion_tokens: int = 0
    """How much the model wrote."""
    total_tokens: int = 0
    """Both together."""
    completion_time_ms: float = 0.0
    """How long the model took."""


class ShownMemory(Schema):
    """A memory or turn that was available to an answer."""

    citation: str
    """Its source in the prompt, such as `p:7`."""
    kind: str
    """A kind of memory, or `interaction`."""
    id: str
    """Its id in the routes of its kind."""
    content: str
    """What it says."""
    score: float
    """Orders the results."""
    relevance: float | None = None
    """Probability that it answers the message, from 0 to 1."""
    components: dict[str, float] = {}
    """The parts of the score."""
    strategies: tuple[str, ...] = ()
    """The strategies that found it."""
    tokens: int = 0
    """Number of tokens in the prompt."""


class CitedPlace(Schema):
    """A place in an answer, and what it cites."""

    citation: str
    """The source, as `memories` name it."""
    kind: str
    """A kind of memory, or `interaction`."""
    id: str
    """Its id in the routes of its kind."""
    offset: int
    """The number of characters of the answer before it."""


class AnswerReply(Warned):
    """An answer with all its details."""

    exchange_id: str
    """The id of the message and its answer together."""
    conversation_id: str
    """Where the message and its answer are stored."""
    message_id: str
    """The id of the user's message."""
    message: MessageView | None = None
    """The answer; null if there is none."""
    status: ExchangeStatus
    """Its status."""
    error: str | None = None
    """Why there is no complete answer."""
    model: str
    """The model; `extractive` if none was used."""
    memories: tuple[ShownMemory, ...]
    """What was available to the answer."""
    citations: tuple[CitedPlace, ...]
    """What it cites."""
    usage: Usage
    """What it cost."""
    ttfb_ms: float | None = None
    """Milliseconds from the message to the first piece of the answer."""
    timings: dict[str, float]
    """Milliseconds of each phase."""


class CompletionReply(Warned):
    """The answer to a conversation of the caller's own."""

    id: str
    """The id of the message and its answer together."""
    conversation_id: str
    """Where both are stored."""
    message: MessageView
    """The answer."""
    usage: Usage
    """What it cost."""
    memory_context_used: bool
    """Whether anything was remembered that could help."""
    created_at: datetime
    """When the answer was stored."""


class StopReply(Warned):
    """An answer that was asked to stop."""

    exchange_id: str
    """The id of the message and its answer together."""
    status: Literal["stopping"] = "stopping"
    """The answer so far is stored within two seconds."""


def conversation_view(conversation: Conversation) -> ConversationView:
    """Return a conversation as the API shows it."""
    return ConversationView(
        id=conversation.session_id,
        user_id=conversation.user_id,
        title=conversation.title or None,
        summary=conversation.summary or None,
        message_count=conversation.message_count,
        total_tokens=conversation.token_count,
        is_active=not conversation.is_archived,
        is_archived=conversation.is_archived,
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
        last_message_at=conversation.last_message_at,
        metadata=conversation.metadata,
    )


def message_view(message: Message) -> MessageView:
    """Return a message as the API shows it."""
    metadata: Object = {**message.metadata}
    exchange = message.exchange
    if exchange is not None:
        metadata["exchange_id"] = exchange.exchange_id
        if message.message_id == exchange.answer_id:
            metadata |= {
                "status": str(exchange.status),
                "model": exchange.model,
                "memory_count": len(exchange.memories),
                "citations": [
                    {"citation": one.citation, "kind": one.kind, "id": one.item_id, "offset": one.offset}
                    for one in exchange.citations
                ],
            }
    return MessageView(
        id=message.message_id,
        conversation_id=message.session_id,
        role=message.role,
        content=message.content,
        tokens=message.token_count,
        created_at=message.created_at,
        metadata=metadata,
    )


def usage_of(exchange: Exchange) -> Usage:
    """Return what an answer cost."""
    return Usage(
        prompt_tokens=exchange.prompt_tokens,
        completion_tokens=exchange.completion_tokens,
        total_tokens=exchange.prompt_tokens + exchange.completion_tokens,
        completion_time_ms=exchange.timings.get("llm_total", 0.0),
    )
