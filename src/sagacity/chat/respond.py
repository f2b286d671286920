"""Answer messages: each is stored first, then answered while any number of readers follow."""

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import structlog

from sagacity.analytics.answers import record_refusal
from sagacity.chat.conversations import answer_of, begin_conversation
from sagacity.chat.events import BEGINNING, Event, Progress, events_after
from sagacity.chat.left import HOLD_SECONDS, close_left
from sagacity.chat.live import KEEP_SECONDS, LiveAnswer, LiveAnswers
from sagacity.chat.prepare import SendRequest, prepare, texts_of
from sagacity.chat.slots import Slots
from sagacity.chat.writer import (
    AnswerWriter,
    Prepared,
    UserMessage,
    deleted,
)
from sagacity.dispatch.loops import end, every
from sagacity.domain.analytics import RequestType
from sagacity.domain.chat import CHAT, Exchange, ExchangeStatus, title_of
from sagacity.domain.errors import (
    Conflict,
    NotFound,
    SagacityError,
    StorageError,
    StorageUnavailable,
)
from sagacity.domain.ids import RequestId, SessionId, UserId
from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.domain.principal import Principal
from sagacity.memories.acting import Acting, Parts
from sagacity.observability.tracing import span
from sagacity.storage.transaction import Transaction

_TURN_SECONDS = 0.1
"""How often a waiting message checks whether its conversation is free."""
_POLL_SECONDS = 0.25
"""How often an answer of another process is read."""
_LEFT_SECONDS = 20.0
"""How often to look for abandoned answers: nobody reads them, and their process has ended."""
_LEFT_AT_ONCE = 100
"""How many abandoned answers of an organisation are closed at a time; the others wait for the next look."""
GRACE_SECONDS = 5.0
"""How long a client may be away before its answer is stopped, if the settings say so."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPolicy:
    """How this process answers messages."""

    stops_when_left: bool = False
    """Whether an answer is stopped when nobody reads it any more."""
    wait_seconds: float = 30.0
    """How long a message waits until its conversation is free."""


class _BusyError(Exception):
    """Raised while another message of the conversation is being answered."""


PREPARED_AT_ONCE = 4
"""
How many messages of a process search memory at the same time; the others wait in order of arrival.

When two hundred messages arrived together and all were prepared at once, each waited for all others at every step, and
the first answers' pieces were up to twelve seconds late while the last answers began. With four, it is half a second.
"""
PREPARING_SECONDS = 1.0
"""After this time the next message begins as well, so that a hanging remote embedder does not hold up all chats."""


class Chat:
    """The answers of this process."""

    def __init__(self, parts: Parts, policy: ChatPolicy) -> None:
        self.parts = parts
        self._policy = policy
        self._live = LiveAnswers(parts.storage, parts.clock, owner=parts.ids.new(), hold_seconds=HOLD_SECONDS)
        self._background: set[asyncio.Task[None]] = set()
        self._preparing = Slots(PREPARED_AT_ONCE, seconds=PREPARING_SECONDS)
        self._is_stopping = False

    async def start(self) -> None:
        """Start copying answers into the database."""
        self._background.add(every(KEEP_SECONDS, self._live.keep))
        self._background.add(every(_LEFT_SECONDS, self.end_left))

    def interrupt(self) -> None:
        """Stop all answers, including those not yet begun. The text so far is stored, and the readers are told."""
        self._is_stopping = True
        for live in self._live.all():
            live.stop(ExchangeStatus.INTERRUPTED)

    async def stop(self) -> None:
        """Stop all answers, storing each as far as it is."""
        self.interrupt()
        while answers := self._live.all():
            await asyncio.wait([live.task for live in answers if live.task is not None])
        await end(list(self._background))

    async def send(self, acting: Acting, user_id: UserId, sent: SendRequest) -> Exchange:
        """
        Store a message and begin to answer it.

        Returns:
            The exchange, whose message is in the log.

        Raises:
            NotFound: the user has no such conversation.
            Conflict: the conversation was not free in time, or a quarantine holds what the user says.
        """
        started = time.perf_counter()
        with _refusals(acting, user_id, sent.session_id, started, sent.asked.request_type):
            return await self._sent(acting, user_id, sent, started)

    async def _sent(self, acting: Acting, user_id: UserId, sent: SendRequest, started: float) -> Exchange:
        limit = time.monotonic() + self._policy.wait_seconds
        exchange_id = self.parts.ids.new()
        while True:
            if sent.session_id is not None:
                await self._turn(acting, user_id, sent.session_id, limit)
            preparing = asyncio.create_task(self._prepared(acting, user_id, sent, exchange_id))
            try:
                await asyncio.sleep(0)  # it takes longer than to store the message, so it begins first
                exchange = await self._store(acting, user_id, sent, exchange_id)
            except _BusyError:
                await end([preparing])
                continue
            except BaseException:
                await end([preparing])
                raise
            return self._answer(acting, exchange, sent.asked, preparing, started)

    async def retry(
        self,
        acting: Acting,
        user_id: UserId,
        session_id: SessionId,
        *,
        request_type: RequestType = RequestType.CHAT_STREAM,
    ) -> Exchange:
        """
        Answer the last message of a conversation again; the former answer stays in the log but is not shown.

        Raises:
            NotFound: the user has no such conversation, or there is no message in it.
            Conflict: the conversation was not free in time.
        """
        started = time.perf_counter()
        with _refusals(acting, user_id, session_id, started, request_type):
            return await self._answered_again(acting, user_id, session_id, started, request_type)

    async def _answered_again(
        self,
        acting: Acting,
        user_id: UserId,
        session_id: SessionId,
        started: float,
        request_type: RequestType,
    ) -> Exchange:
        limit = time.monotonic() + self._policy.wait_seconds
        while True:
            await self._turn(acting, user_id, session_id, limit)
            async with acting.begin(user_id=user_id) as transaction:
                await transaction.conversations.get(user_id, session_id, lock=True)
                if await transaction.exchanges.running(user_id, session_id) is not None:
                    continue
                last = await transaction.exchanges.last(user_id, session_id)
                question = [] if last is None else await _question(transaction, last)
                if last is None or not question:
                    raise NotFound("there is no message to answer in this conversation")
                now = self.parts.clock.now()
                exchange = Exchange(
                    exchange_id=self.parts.ids.new(),
                    user_id=user_id,
                    session_id=session_id,
                    request_id=last.request_id,
                    answer_id=self.parts.ids.new(),
                    status=ExchangeStatus.RUNNING,
                    include_memory=last.include_memory,
                    request_type=request_type,
                    question_turn=last.question_turn,
                    question_tokens=last.question_tokens,
                    owner=self._live.owner,
                    held_until=self._live.held_until(),
                    created_at=now,
                    updated_at=now,
                )
                await transaction.exchanges.add(exchange)
            asked = UserMessage(content=question[0], request_type=request_type)
            sent = SendRequest(asked=asked, session_id=session_id, include_memory=last.include_memory)
            preparing = asyncio.create_task(
                self._prepared(acting, user_id, sent, last.request_id or last.exchange_id)
            )
            return self._answer(acting, exchange, sent.asked, preparing, started)

    async def stop_answer(self, acting: Acting, user_id: UserId, session_id: SessionId) -> Exchange:
        """
        Stop the answer that is being written in a conversation, in any process.

        Raises:
            NotFound: the user has no such conversation, or nothing is being answered in it.
        """
        async with acting.begin(user_id=user_id) as transaction:
            await transaction.conversations.get(user_id, session_id)
            running = await transaction.exchanges.running(user_id, session_id)
            if running is None:
                raise NotFound("nothing is being answered in this conversation")
            await transaction.exchanges.request_stop(running.exchange_id)
        live = self._live.find(running.exchange_id)
        if live is not None:
            live.stop(ExchangeStatus.STOPPED)
        return running

    async def exchange(self, acting: Acting, user_id: UserId, exchange_id: str) -> Exchange:
        """
        Return the current state of an exchange.

        Raises:
            NotFound: the user has none of that id.
        """
        async with acting.read(user_id=user_id) as snapshot:
            found = await snapshot.exchanges.find(exchange_id, user_id=user_id)
        return await self._recovered(acting, found)

    async def follow(
        self, acting: Acting, user_id: UserId, exchange_id: str, *, after: int = BEGINNING
    ) -> AsyncGenerator[Event]:
        """
        Yield what happens to an answer after the event *after*, until it has ended.

        Raises:
            NotFound: the user has no exchange of that id.
        """
        number = after
        async with aclosing(self._progress(acting, user_id, exchange_id)) as steps:
            async for progress in steps:
                for event in events_after(number, progress):
                    yield event
                    number = event.number

    async def ended(self, acting: Acting, user_id: UserId, exchange_id: str) -> Progress:
        """
        Wait until an answer has ended, and return its last state.

        Raises:
            NotFound: the user has no exchange of that id.
        """
        async with aclosing(self._progress(acting, user_id, exchange_id)) as steps:
            async for progress in steps:
                if not progress.exchange.is_running:
                    return progress
        raise NotFound("there is no such answer")

    async def _progress(self, acting: Acting, user_id: UserId, exchange_id: str) -> AsyncGenerator[Progress]:
        live = self._live.find(exchange_id)
        is_known = live is not None and live.is_of(acting.tenant, user_id)
        if not is_known:  # else the first piece would wait for the database
            await self.exchange(acting, user_id, exchange_id)
        if live is None:
            noting = asyncio.create_task(self._note_reader(acting, user_id, exchange_id))
            try:
                async with aclosing(self._stored_progress(acting, user_id, exchange_id)) as steps:
                    async for progress in steps:
                        yield progress
            finally:
                await end([noting])
            return
        live.readers += 1
        try:
            async for progress in live.follow():
                yield progress
        finally:
            live.readers -= 1
            if self._policy.stops_when_left and not live.readers and live.exchange.is_running:
                self._spawn(self._stop_unless_read(live))

    async def _stop_unless_read(self, live: LiveAnswer) -> None:
        """Stop an answer once nobody has read it for a while, in this process or another."""
        while True:
            await asyncio.sleep(GRACE_SECONDS)
            if live.readers or not live.exchange.is_running:
                return
            since = self.parts.clock.now() - timedelta(seconds=GRACE_SECONDS)
            if live.read_at is None or live.read_at < since:
                live.stop(ExchangeStatus.ABANDONED)
                return

    async def _note_reader(self, acting: Acting, user_id: UserId, exchange_id: str) -> None:
        """Tell the process that writes an answer that it is being read here, if it would stop otherwise."""
        while self._policy.stops_when_left:
            try:
                async with acting.begin(user_id=user_id) as transaction:
                    await transaction.exchanges.note_read(exchange_id)
            except StorageError as error:
                _log.warning("chat.reader_not_noted", exchange_id=exchange_id, kind=type(error).__name__)
            await asyncio.sleep(KEEP_SECONDS)

    async def _stored_progress(
        self, acting: Acting, user_id: UserId, exchange_id: str
    ) -> AsyncGenerator[Progress]:
        """Yield the progress of an answer that another process writes or that has ended."""
        last: Progress | None = None
        while True:
            try:
                last = await self._read_progress(acting, user_id, exchange_id, last)
            except NotFound:
                if last is None:
                    raise
                last = replace(last, exchange=deleted(last.exchange))
            except StorageUnavailable as error:
                if last is None:
                    raise
                _log.warning("chat.not_followed", exchange_id=exchange_id, kind=type(error).__name__)
            yield last
            if not last.exchange.is_running:
                return
            await asyncio.sleep(_POLL_SECONDS)

    async def _read_progress(
        self, acting: Acting, user_id: UserId, exchange_id: str, last: Progress | None
    ) -> Progress:
        """Return an answer's progress from the database, given the *last* one seen."""
        shown = None if last is None else last.memories
        exchange = await self.exchange(acting, user_id, exchange_id)
        async with acting.read(user_id=user_id) as snapshot:
            ended = None if exchange.is_running else await answer_of(snapshot, exchange)
            text = exchange.answer if ended is None else ended.content
            is_known = exchange.memories or exchange.memory_note or text or not exchange.is_running
            if shown is None and is_known:
                shown = await texts_of(snapshot, exchange.memories)
        return Progress(exchange, text, shown)

    async def _turn(self, acting: Acting, user_id: UserId, session_id: SessionId, limit: float) -> None:
        """Wait until a conversation is free."""
        while True:
            async with acting.read(user_id=user_id) as snapshot:
                await snapshot.conversations.get(user_id, session_id)
                running = await snapshot.exchanges.running(user_id, session_id)
            if running is None or not (await self._recovered(acting, running)).is_running:
                return
            if time.monotonic() >= limit:
                raise Conflict(
                    "this conversation is still answering another message; send this one when that is done, or "
                    "stop it first"
                )
            await asyncio.sleep(_TURN_SECONDS)

    async def _prepared(
        self, acting: Acting, user_id: UserId, sent: SendRequest, request_id: str
    ) -> Prepared:
        """Prepare an answer when a slot is free."""
        async with self._preparing.take():
            return await prepare(acting, user_id, sent, request_id)

    async def _store(self, acting: Acting, user_id: UserId, sent: SendRequest, exchange_id: str) -> Exchange:
        """Store the message and its exchange, in one transaction."""
        content = sent.asked.content
        tokens = self.parts.tokens.count(content)

        async def stored(transaction: Transaction) -> Exchange:
            session_id = sent.session_id
            if session_id is None:
                title = title_of(content)
                session_id = (await begin_conversation(acting, transaction, user_id, title=title)).session_id
            request = NewRequest(
                request_id=RequestId(exchange_id),
                user_id=user_id,
                session_id=session_id,
                source=CHAT,
                metadata=dict(sent.metadata or {}),
                interactions=(NewInteraction(role="User", content=content),),
            )
            [kept] = await transaction.interactions.append([request])
            if kept.is_held:
                raise Conflict(
                    "messages of this user are held by a quarantine, and so would be the answer; release it first"
                )
            await transaction.conversations.count_message(user_id, session_id, tokens)
            if sent.session_id is not None:
                # The session's row is locked from here on, so nobody else begins an answer.
                if await transaction.exchanges.running(user_id, session_id) is not None:
                    raise _BusyError
                if not (await transaction.conversations.get(user_id, session_id)).title:
                    named = {"title": title_of(content)}
                    await transaction.conversations.change(user_id, session_id, named)
            turns = await transaction.interactions.of_requests([kept.request_id])
            exchange = Exchange(
                exchange_id=exchange_id,
                user_id=user_id,
                session_id=session_id,
                request_id=kept.request_id,
                answer_id=self.parts.ids.new(),
                status=ExchangeStatus.RUNNING,
                include_memory=sent.include_memory,
                request_type=sent.asked.request_type,
                question_tokens=tokens,
                question_turn=turns[kept.request_id][0].interaction_id,
                owner=self._live.owner,
                held_until=self._live.held_until(),
                created_at=kept.created_at,
                updated_at=kept.created_at,
            )
            await transaction.exchanges.add(exchange)
            return exchange

        return await acting.visit_to_write(stored, user_id=user_id, shows_held=True)

    def _answer(
        self,
        acting: Acting,
        exchange: Exchange,
        asked: UserMessage,
        preparing: asyncio.Task[Prepared],
        started: float,
    ) -> Exchange:
        """Start writing the answer."""
        exchange = exchange.model_copy(update={"timings": {"setup": _milliseconds(started)}})
        live = LiveAnswer(acting.tenant, exchange)
        writer = AnswerWriter(acting, live, asked, owner=self._live.owner, started=started)

        async def write() -> None:
            try:
                with span("chat answer"):
                    await writer.write(preparing)
            finally:
                self._live.remove(live)

        live.task = asyncio.create_task(write())
        self._live.add(live)
        if self._is_stopping:
            live.stop(ExchangeStatus.INTERRUPTED)
        return exchange

    async def _recovered(self, acting: Acting, exchange: Exchange) -> Exchange:
        """Return an exchange; if its process has ended, close it first with the answer so far."""
        is_held = exchange.held_until > self.parts.clock.now() or self._live.is_writing(exchange.exchange_id)
        return exchange if is_held or not exchange.is_running else await close_left(acting, exchange)

    async def end_left(self) -> None:
        """Close the answers of all organisations whose processes have ended, even if nobody reads them."""
        storage = self.parts.storage
        for tenant in await storage.answering_tenants():
            async with storage.read(tenant) as snapshot:
                left = await snapshot.exchanges.left(limit=_LEFT_AT_ONCE)
            acting = Acting(self.parts, Principal(tenant=tenant))
            for exchange in left:
                try:
                    await self._recovered(acting, exchange)
                except SagacityError as error:
                    _log.warning("chat.not_closed", org_id=tenant.org_id, kind=type(error).__name__)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


@contextmanager
def _refusals(
    acting: Acting,
    user_id: UserId,
    session_id: SessionId | None,
    started: float,
    request_type: RequestType = RequestType.CHAT_STREAM,
) -> Generator[None]:
    """Record a refusal that the block raises."""
    try:
        yield
    except SagacityError as error:
        record_refusal(acting, request_type, error, user_id=user_id, session_id=session_id, started=started)
        raise


async def _question(transaction: Transaction, exchange: Exchange) -> list[str]:
    if exchange.question_turn is None:
        return []
    return [turn.content for turn in await transaction.interactions.get([exchange.question_turn])]


def _milliseconds(since: float) -> float:
    return round((time.perf_counter() - since) * 1000, 3)
