"""The chat: conversations, and streamed answers that draw on memory."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Depends, Header, Path, Query, Response
from sse_starlette import EventSourceResponse

from sagacity.api.dependencies import Caller, Reads, Writes
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.api.sse import event_stream
from sagacity.api.waits import waits_for_answer
from sagacity.chat import conversations
from sagacity.chat.events import BEGINNING, LAST, place_of, shown_view
from sagacity.chat.prepare import SendRequest, texts_of
from sagacity.chat.respond import Chat
from sagacity.chat.writer import UserMessage
from sagacity.domain.analytics import RequestType
from sagacity.domain.chat import Exchange, ExchangeStatus, Message
from sagacity.domain.errors import InvalidInput, ProviderError
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.principal import CallerKind
from sagacity.memories.acting import Acting
from sagacity.schemas.base import Id, Storable
from sagacity.schemas.chat import (
    AnswerReply,
    CitedPlace,
    CompleteBody,
    CompletionReply,
    ConversationsPage,
    ConversationView,
    ConversationWithMessages,
    CreateConversationBody,
    MessageView,
    RetryBody,
    SendBody,
    ShownMemory,
    StopBody,
    StopReply,
    UpdateConversationBody,
    conversation_view,
    message_view,
    usage_of,
)

LOCAL_USER = UserId("local")
"""The user of calls from this machine that name none."""
router = resource("chat", path="/chat")


@dataclass(frozen=True, slots=True)
class ChatCaller:
    """A caller on behalf of one user."""

    caller: Caller
    user_id: UserId

    @property
    def acting(self) -> Acting:
        """What the chat needs to act for a caller."""
        return self.caller.acting

    @property
    def chat(self) -> Chat:
        """What answers."""
        return self.caller.runtime.chat


UserIdQuery = Annotated[
    Id | None,
    Query(
        description="For whom the call is. Needed with an organisation's token; a user's own token says it. "
        "Calls from the server's own machine without a token may leave it out, and are then for the user `local`."
    ),
]


async def _reads(caller: Reads, user_id: UserIdQuery = None) -> ChatCaller:
    return _for_user(caller, user_id)


async def _writes(caller: Writes, user_id: UserIdQuery = None) -> ChatCaller:
    return _for_user(caller, user_id)


def _for_user(caller: Caller, user_id: str | None) -> ChatCaller:
    """
    Find the user of the call.

    Raises:
        InvalidInput: neither the token nor the call names a user.
        Forbidden: it names another user than the caller.
    """
    principal = caller.principal
    whose = principal.acting_for(None if user_id is None else UserId(user_id))
    if whose is None and principal.kind is CallerKind.LOCAL:
        whose = LOCAL_USER
    if whose is None:
        raise InvalidInput("user_id: say for which user, as in `?user_id=ana`")
    return ChatCaller(caller, whose)


ReadsForUser = Annotated[ChatCaller, Depends(_reads)]
WritesForUser = Annotated[ChatCaller, Depends(_writes)]
ConversationId = Annotated[UUID, Path(description="The conversation's id.")]
ExchangeId = Annotated[
    Storable,
    Path(max_length=64, description="The id of a message and its answer, as the stream names it."),
]
LastEventId = Annotated[
    str | None,
    Header(max_length=100, description="The last event that the client has; the stream goes on after it."),
]
Page = Annotated[
    int, Query(ge=1, le=1_000_000, description="Which page of the results to return, from 1 on.")
]
PageSize = Annotated[int, Query(ge=1, le=100, description="How many results a page holds.")]
MessageLimit = Annotated[int, Query(ge=1, le=200, description="The largest number of messages to return.")]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="How many messages to pass over.")]
_BROKEN = frozenset({ExchangeStatus.FAILED, ExchangeStatus.INTERRUPTED})
"""Exchanges without an answer, or with a partial one."""
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A stream of events: `start`, `metadata`, `memory`, `message` (as many as it takes), and one of "
        "`done` and `error`. With `stream` false, one object.",
        "content": {"text/event-stream": {}},
    }
}


_ONLY_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The stream of events, from its beginning or from the event on that the client names.",
        "content": {"text/event-stream": {}},
    },
    204: {"description": "The client has the last event."},
}


@router.post("/send", response_model=AnswerReply, responses=_STREAM, openapi_extra=sdk(generated=False))
@limited(Rate.WRITE)
@waits_for_answer
async def send(body: SendBody, for_user: WritesForUser, last_event_id: LastEventId = None) -> object:
    """
    Send a message and stream the answer.

    The message is stored before the stream begins, and refusals come as a status before it. A client that
    lost the connection repeats the call with the header `Last-Event-ID` and gets the rest of the answer. The body
    is ignored then, and no message is sent twice.
    """
    if last_event_id:
        return await _resumed(for_user, *place_of(last_event_id))
    sent = SendRequest(
        asked=UserMessage(content=body.content, request_type=_type_of(body.stream)),
        session_id=_session(body.conversation_id),
        include_memory=body.include_memory,
        metadata=body.metadata,
    )
    exchange = await for_user.chat.send(for_user.acting, for_user.user_id, sent)
    return await _answered(for_user, exchange, stream=body.stream)


@router.post("/complete", openapi_extra=sdk(positional=("messages",)))
@limited(Rate.WRITE)
@waits_for_answer
async def complete(body: CompleteBody, for_user: WritesForUser) -> CompletionReply:
    """Answer the last message of a conversation that the caller keeps; message and answer are stored in one here."""
    now, session_id = for_user.acting.parts.clock.now(), _session(body.conversation_id)
    said = [
        Message(
            message_id="",
            session_id=session_id or SessionId(""),
            role=one.role,
            content=one.content,
            created_at=now,
        )
        for one in body.messages[:-1]
    ]
    sent = SendRequest(
        asked=UserMessage(
            content=body.messages[-1].content,
            history=said,
            max_tokens=body.max_tokens,
            temperature=body.temperature,
            request_type=RequestType.CHAT_COMPLETE,
        ),
        session_id=session_id,
        include_memory=body.include_memory,
    )
    exchange = await for_user.chat.send(for_user.acting, for_user.user_id, sent)
    reply = await _whole(for_user, exchange)
    if reply.message is None or reply.status in _BROKEN:
        raise ProviderError(reply.error or "the model gave no answer")
    return CompletionReply(
        id=reply.exchange_id,
        conversation_id=reply.conversation_id,
        message=reply.message,
        usage=reply.usage,
        memory_context_used=bool(reply.memories),
        created_at=reply.message.created_at,
    )


@router.post("/conversations", status_code=201, openapi_extra=sdk(positional=("title",)))
@limited(Rate.WRITE)
@waits_for_answer
async def create_conversation(body: CreateConversationBody, for_user: WritesForUser) -> ConversationView:
    """
    Begin a conversation. With an `initial_message` the reply waits for its answer.

    Without an answer, or with a part of one only, it says why in `warnings`.
    """
    made = await conversations.create(
        for_user.acting, for_user.user_id, title=body.title or "", metadata=body.metadata
    )
    if body.initial_message is None:
        return conversation_view(made)
    asked = UserMessage(content=body.initial_message, request_type=RequestType.CHAT_COMPLETE)
    sent = SendRequest(asked=asked, session_id=made.session_id)
    reply = await _whole(for_user, await for_user.chat.send(for_user.acting, for_user.user_id, sent))
    async with for_user.acting.read(user_id=for_user.user_id) as snapshot:
        begun = conversation_view(await conversations.get(snapshot, for_user.user_id, made.session_id))
    return begun.model_copy(
        update={"warnings": (f"initial_message: {reply.error}",) if reply.error else None}
    )


@router.get("/conversations", openapi_extra=sdk(positional=()))
async def list_conversations(
    for_user: ReadsForUser,
    *,
    page: Page = 1,
    page_size: PageSize = 20,
    archived: Annotated[bool, Query(description="Whether to list the archived ones, or the others.")] = False,
    query: Annotated[
        Storable,
        Query(max_length=200, description="Only conversations with this text in their title."),
    ] = "",
    cursor: Annotated[
        Storable | None,
        Query(max_length=2_000, description="Where the page before ended; takes the place of `page`."),
    ] = None,
) -> ConversationsPage:
    """Return a page of the user's conversations, most recently changed first."""
    found = await conversations.page(
        for_user.acting,
        for_user.user_id,
        is_archived=archived,
        title=query,
        before=None if cursor is None else _read_cursor(cursor),
        limit=page_size,
        offset=0 if cursor is not None else (page - 1) * page_size,
    )
    last = found.conversations[-1] if found.has_more else None
    return ConversationsPage(
        conversations=tuple(map(conversation_view, found.conversations)),
        total=found.total,
        page=page,
        page_size=page_size,
        has_more=found.has_more,
        next_cursor=None if last is None else _cursor(last.updated_at, last.session_id),
    )


@router.get("/conversations/{conversation_id}", openapi_extra=sdk())
async def get_conversation(
    conversation_id: ConversationId, for_user: ReadsForUser, *, limit: MessageLimit = 50, offset: Offset = 0
) -> ConversationWithMessages:
    """Return a conversation with its newest messages, oldest first; `offset` goes back from the newest."""
    session_id = SessionId(str(conversation_id))
    async with for_user.acting.read(user_id=for_user.user_id) as snapshot:
        found = await conversations.get(snapshot, for_user.user_id, session_id)
        said = await conversations.messages(
            snapshot, for_user.user_id, session_id, limit=limit, offset=offset, with_metadata=True
        )
    return ConversationWithMessages(**dict(conversation_view(found)), messages=tuple(map(message_view, said)))


@router.patch("/conversations/{conversation_id}", openapi_extra=sdk())
async def update_conversation(
    conversation_id: ConversationId, body: UpdateConversationBody, for_user: WritesForUser
) -> ConversationView:
    """Rename or archive a conversation, or replace its metadata."""
    return await _changed(
        for_user, conversation_id, body.model_dump(exclude_none=True, exclude=set(body.model_extra or ()))
    )


@router.delete("/conversations/{conversation_id}", status_code=204, openapi_extra=sdk(generated=False))
async def delete_conversation(conversation_id: ConversationId, for_user: WritesForUser) -> Response:
    """Delete a conversation with its messages. What was learned from them stays."""
    await conversations.delete(for_user.acting, for_user.user_id, SessionId(str(conversation_id)))
    return Response(status_code=204)


@router.get("/conversations/{conversation_id}/messages", openapi_extra=sdk(generated=False))
async def list_messages(
    conversation_id: ConversationId,
    for_user: ReadsForUser,
    *,
    limit: MessageLimit = 50,
    offset: Offset = 0,
    order: Annotated[
        Literal["asc", "desc"], Query(description="`asc`: from the oldest on; `desc`: from the newest back.")
    ] = "asc",
) -> tuple[MessageView, ...]:
    """Return messages of a conversation."""
    session_id, newest = SessionId(str(conversation_id)), order == "desc"
    async with for_user.acting.read(user_id=for_user.user_id) as snapshot:
        await snapshot.conversations.get(for_user.user_id, session_id)
        said = await conversations.messages(
            snapshot,
            for_user.user_id,
            session_id,
            limit=limit,
            offset=offset,
            newest=newest,
            with_metadata=True,
        )
    return tuple(message_view(one) for one in (reversed(said) if newest else said))


@router.post("/conversations/{conversation_id}/archive", openapi_extra=sdk())
async def archive_conversation(conversation_id: ConversationId, for_user: WritesForUser) -> ConversationView:
    """Archive a conversation."""
    return await _changed(for_user, conversation_id, {"is_archived": True})


@router.post("/conversations/{conversation_id}/unarchive", openapi_extra=sdk())
async def unarchive_conversation(
    conversation_id: ConversationId, for_user: WritesForUser
) -> ConversationView:
    """Bring an archived conversation back."""
    return await _changed(for_user, conversation_id, {"is_archived": False})


@router.post("/stop", openapi_extra=sdk(positional=("conversation_id",)))
async def stop_answer(body: StopBody, for_user: WritesForUser) -> StopReply:
    """Stop the answer that is being written in a conversation; the part so far is stored."""
    session_id = SessionId(str(body.conversation_id))
    stopped = await for_user.chat.stop_answer(for_user.acting, for_user.user_id, session_id)
    return StopReply(exchange_id=stopped.exchange_id)


@router.post("/retry", response_model=AnswerReply, responses=_STREAM, openapi_extra=sdk(generated=False))
@limited(Rate.WRITE)
@waits_for_answer
async def retry_answer(body: RetryBody, for_user: WritesForUser, last_event_id: LastEventId = None) -> object:
    """
    Answer the last message of a conversation again; the new answer replaces the former one.

    A client that lost the connection repeats the call with the header `Last-Event-ID` and gets the rest.
    """
    if last_event_id:
        return await _resumed(for_user, *place_of(last_event_id))
    session_id = SessionId(str(body.conversation_id))
    exchange = await for_user.chat.retry(
        for_user.acting, for_user.user_id, session_id, request_type=_type_of(body.stream)
    )
    return await _answered(for_user, exchange, stream=body.stream)


@router.get("/exchanges/{exchange_id}", openapi_extra=sdk())
async def get_exchange(exchange_id: ExchangeId, for_user: ReadsForUser) -> AnswerReply:
    """Return an answer with the memories that were available to it, those that it cites, and its cost."""
    exchange = await for_user.chat.exchange(for_user.acting, for_user.user_id, exchange_id)
    return await _reply(for_user, exchange)


@router.get(
    "/exchanges/{exchange_id}/events",
    response_class=EventSourceResponse,
    responses=_ONLY_STREAM,
    openapi_extra=sdk(generated=False),
)
async def follow_exchange(
    exchange_id: ExchangeId, for_user: ReadsForUser, last_event_id: LastEventId = None
) -> Response:
    """
    Stream an answer from its beginning, or after the event in the header `Last-Event-ID`.

    After the last event the status is 204, which tells a browser not to reconnect.
    """
    number = BEGINNING
    if last_event_id:
        named, number = place_of(last_event_id)
        if named != exchange_id:
            raise InvalidInput("Last-Event-ID: an event of another answer")
    if number >= LAST:
        await for_user.chat.exchange(for_user.acting, for_user.user_id, exchange_id)
        return Response(status_code=204)
    return await _resumed(for_user, exchange_id, number)


def _type_of(stream: bool) -> RequestType:  # noqa: FBT001  one field of the body
    return RequestType.CHAT_STREAM if stream else RequestType.CHAT_COMPLETE


async def _answered(for_user: ChatCaller, exchange: Exchange, *, stream: bool) -> object:
    if stream:
        return _stream(for_user, exchange.exchange_id)
    reply = await _whole(for_user, exchange)
    if reply.message is None and reply.status is ExchangeStatus.FAILED:
        raise ProviderError(reply.error or "the model gave no answer")
    return reply


async def _resumed(for_user: ChatCaller, exchange_id: str, number: int) -> EventSourceResponse:
    """Stream the rest; whether the answer exists is checked before the stream begins."""
    await for_user.chat.exchange(for_user.acting, for_user.user_id, exchange_id)
    return _stream(for_user, exchange_id, after=number)


def _stream(for_user: ChatCaller, exchange_id: str, *, after: int = BEGINNING) -> EventSourceResponse:
    events = for_user.chat.follow(for_user.acting, for_user.user_id, exchange_id, after=after)
    keep_alive_seconds = for_user.caller.runtime.settings.chat_keep_alive_seconds
    return event_stream(events, keep_alive_seconds=keep_alive_seconds, interrupt=for_user.chat.interrupt)


async def _whole(for_user: ChatCaller, exchange: Exchange) -> AnswerReply:
    """Wait for the end of an answer, and return it."""
    ended = await for_user.chat.ended(for_user.acting, for_user.user_id, exchange.exchange_id)
    return await _reply(for_user, ended.exchange)


async def _reply(for_user: ChatCaller, exchange: Exchange) -> AnswerReply:
    async with for_user.acting.read(user_id=for_user.user_id) as snapshot:
        answer = await conversations.answer_of(snapshot, exchange)
        shown = await texts_of(snapshot, exchange.memories)
    return AnswerReply(
        exchange_id=exchange.exchange_id,
        conversation_id=exchange.session_id,
        message_id=exchange.message_id,
        message=None if answer is None else message_view(answer),
        status=exchange.status,
        error=exchange.error or None,
        model=exchange.model,
        memories=tuple(ShownMemory.model_validate(shown_view(one)) for one in shown),
        citations=tuple(
            CitedPlace(citation=one.citation, kind=one.kind, id=one.item_id, offset=one.offset)
            for one in exchange.citations
        ),
        usage=usage_of(exchange),
        ttfb_ms=exchange.timings.get("ttfb"),
        timings=dict(exchange.timings),
    )


async def _changed(
    for_user: ChatCaller, conversation_id: UUID, values: dict[str, object]
) -> ConversationView:
    session_id = SessionId(str(conversation_id))
    return conversation_view(
        await conversations.change(for_user.acting, for_user.user_id, session_id, values)
    )


def _session(conversation_id: UUID | None) -> SessionId | None:
    return None if conversation_id is None else SessionId(str(conversation_id))


def _cursor(at: datetime, session_id: str) -> str:
    return f"{at.isoformat().replace('+00:00', 'Z')}.{session_id}"


def _read_cursor(cursor: str) -> tuple[datetime, SessionId]:
    """
    Parse a page token.

    Raises:
        InvalidInput: it was not issued by this API.
    """
    at, _, session_id = cursor.rpartition(".")
    try:
        read = datetime.fromisoformat(at)
        return read.astimezone(UTC), SessionId(str(UUID(session_id)))
    except (ValueError, OverflowError) as error:
        raise InvalidInput("cursor: take it from `next_cursor` of the page before") from error
