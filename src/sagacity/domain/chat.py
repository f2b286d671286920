"""Conversations: a user's messages, and the answers to them."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from pydantic import JsonValue

from sagacity.domain.analytics import RequestType
from sagacity.domain.base import Value
from sagacity.domain.ids import InteractionId, MemoryId, RequestId, SessionId, UserId

CHAT = "sagacity-chat"
"""The source of requests that the chat publishes."""

EXTRACTIVE_MARKS = (
    "so this is what I remember:",
    "and I remember nothing that answers this. I keep what you tell me, and find it again.",
    "and what I remember could not be searched just now. Send the message again in a while.",
    "so I only keep what you tell me, and find it again when you ask.",
    "and memory is switched off for this answer.",
    "and nothing that I remember surely answers this. The nearest:",
    "and I cannot tell what I do not know. I keep what you tell me, and find it again.",
    "so I quote nothing. What I remember of this is archived when I learn from your message.",
    "and one sentence deletes nothing here. Say what to forget: “Forget what I said about my old job.”",
)
"""What is in every answer without a model: with something to quote, with nothing, where nobody could look, to a
message that asks nothing, where nobody was to look, with something that may not answer, to whoever asks what is not
known, and where something, or everything, is to be forgotten."""


TITLE_CHARACTERS = 50
"""Maximum length of a title taken from the first message."""


def title_of(content: str) -> str:
    """Return a title for a conversation that begins with *content*."""
    line = " ".join(content.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    whole_words = line[:TITLE_CHARACTERS].rpartition(" ")[0]
    return f"{whole_words or line[: TITLE_CHARACTERS - 1]}…"


def is_extractive(text: str) -> bool:
    """Whether an answer was given without a model, and so says nothing that is not remembered anyway."""
    return any(mark in text for mark in EXTRACTIVE_MARKS)


class Conversation(Value):
    """A conversation: a session that the chat leads."""

    session_id: SessionId
    user_id: UserId
    title: str = ""
    summary: str = ""
    is_archived: bool = False
    message_count: int = 0
    """Of its messages; as it is kept, of all that ever came, which tells whether there is something new."""
    token_count: int = 0
    """Likewise."""
    summarized_seq: int = 0
    """The last turn of the user's log that the summary covers."""
    summarized_count: int = 0
    """The number of its messages when it was summed up."""
    summarized_tokens: int = 0
    """Their number of tokens."""
    episode_id: MemoryId | None = None
    """The memory that holds its last summary."""
    metadata: dict[str, JsonValue] = {}
    created_at: datetime
    updated_at: datetime
    last_message_at: datetime | None = None


class ExchangeStatus(StrEnum):
    """The state of a user's message."""

    RUNNING = "running"
    """The answer is being written."""
    DONE = "done"
    STOPPED = "stopped"
    """The user stopped the answer."""
    ABANDONED = "abandoned"
    """Nobody was reading the answer any more, and the settings say to stop it then."""
    FAILED = "failed"
    """The model failed."""
    INTERRUPTED = "interrupted"
    """The process that wrote the answer ended."""


class AnswerSource(Value):
    """A memory or turn that was available to an answer."""

    citation: str
    """Its name in the prompt: a letter for the kind and a number, such as `p:7`."""
    kind: str
    item_id: str
    """Its id in the API: a profile's uid, the number of anything else."""
    score: float = 0.0
    relevance: float | None = None
    components: dict[str, float] = {}
    strategies: tuple[str, ...] = ()
    """The strategies that found it."""
    tokens: int = 0


class Cited(Value):
    """A place in an answer, and the memory or turn that it cites."""

    citation: str
    kind: str
    item_id: str
    offset: int
    """The number of characters of the answer before it."""


class Exchange(Value):
    """A user's message and the answer to it."""

    exchange_id: str
    """Also the id of the published request, for a first answer."""
    user_id: UserId
    session_id: SessionId
    request_id: RequestId | None = None
    answer_id: str
    """The id of the answer as a message."""
    status: ExchangeStatus
    stop_requested: bool = False
    is_replaced: bool = False
    """Whether another answer to the same message replaced it."""
    include_memory: bool = True
    """Whether the answer may use memory."""
    request_type: RequestType = RequestType.CHAT_STREAM
    """The request type in the record."""
    answer: str = ""
    """The text so far while it is being written; afterwards it is in the log."""
    model: str = ""
    error_kind: str = ""
    error: str = ""
    memories: tuple[AnswerSource, ...] = ()
    memory_note: str = ""
    """What could not be read of memory or the conversation; empty if everything was."""
    citations: tuple[Cited, ...] = ()
    timings: Mapping[str, float] = {}
    """Milliseconds of each phase."""
    question_tokens: int = 0
    answer_tokens: int = 0
    prompt_tokens: int = 0
    """Of the whole prompt, as counted by the provider."""
    completion_tokens: int = 0
    question_turn: InteractionId | None = None
    answer_turn: InteractionId | None = None
    owner: str = ""
    """The process that writes the answer."""
    held_until: datetime
    """Until when no other process may treat it as interrupted."""
    read_at: datetime | None = None
    """When a reader of another process last read it, if answers without readers are stopped."""
    created_at: datetime
    updated_at: datetime

    @property
    def message_id(self) -> str:
        """The id of the user's message, which stays the same if it is answered again."""
        return self.request_id or self.exchange_id

    @property
    def is_running(self) -> bool:
        """Whether its answer is being written."""
        return self.status is ExchangeStatus.RUNNING


class MessageRole(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class Message(Value):
    """One message of a conversation."""

    message_id: str
    session_id: SessionId
    role: MessageRole
    content: str
    token_count: int | None = None
    created_at: datetime
    metadata: dict[str, JsonValue] = {}
    """The metadata sent with it, if requested."""
    exchange: Exchange | None = None
    """The exchange to which it belongs; None if it was published into the session outside the chat."""
