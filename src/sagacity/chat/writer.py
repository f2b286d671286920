"""Write one answer, from what is remembered to the log: context → model → store."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

import structlog

from sagacity.analytics.answers import record_answer
from sagacity.chat.history import MOST_MESSAGES, window
from sagacity.chat.live import LiveAnswer
from sagacity.chat.offline import MODEL, extractive_answer
from sagacity.chat.remember import BUDGETS, NOTHING, Remembered
from sagacity.chat.sanitizer import StreamSanitizer
from sagacity.config.model_choice import Role
from sagacity.domain.analytics import RequestType
from sagacity.domain.chat import Exchange, ExchangeStatus, Message
from sagacity.domain.citations import CitationReader, used_memories
from sagacity.domain.context import ContextBudgets
from sagacity.domain.errors import Conflict, NotFound, ProviderError, SagacityError, StorageError
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Citation, NewInteraction
from sagacity.domain.tenant import DueScope
from sagacity.domain.usage import Pipeline
from sagacity.learning.prompt_runner import ModelSession
from sagacity.memories.acting import Acting
from sagacity.memories.usage import note_cited, note_context
from sagacity.providers.base import ModelCall, TokenUsage
from sagacity.storage.transaction import Transaction

LEARNER = "chat"
"""The chat's name in the ledger."""
MOST_CHARACTERS = 100_000
"""The longest answer, as long as a published text may be. Some endpoints ignore `max_tokens`."""
_PROMPT = "chat_answer"
_NO_ANSWER = "The model gave no answer. Send the message again, or ask for another answer to it."
_CAP_IS_REACHED = "The spending cap is reached"
_NOT_STORED = "The answer could not be stored. Ask for another one in a while."
_DELETED = "The conversation was deleted while it was answered."
_CRASHED = "Something went wrong on the server. Its log has the details."
_INTERRUPTED = "The server stopped before the answer was complete. Ask for another one."
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """A user's message, and how to answer it."""

    content: str
    history: Sequence[Message] | None = None
    """The conversation so far, if the caller sent it; None: as stored."""
    max_tokens: int = 4_096
    temperature: float = 0.7
    request_type: RequestType = RequestType.CHAT_STREAM
    """The request type in the record."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What an answer is made of."""

    remembered: Remembered
    note: str = ""
    """What could not be read; empty if all was."""
    said: Sequence[Message] = ()
    """The conversation so far, oldest first."""
    summary: str = ""
    """The summary of the conversation's beginning."""
    zone: tzinfo = UTC
    """The user's time zone."""
    budgets: ContextBudgets = BUDGETS
    """The token budgets of the prompt."""
    timings: dict[str, float] = field(default_factory=dict)


async def models_for(acting: Acting, user_id: UserId) -> ModelSession:
    """Return the models that may answer a user now."""
    return await acting.parts.models.of(acting.tenant, await acting.config(), user_id)


class AnswerWriter:
    """Writes one answer into a `LiveAnswer` and, at its end, into the log."""

    def __init__(
        self, acting: Acting, live: LiveAnswer, asked: UserMessage, *, owner: str, started: float
    ) -> None:
        """
        Prepare to write.

        Args:
            acting: on whose behalf.
            live: what readers follow.
            asked: the message.
            owner: this process's name as the holder of the exchange.
            started: when the message came in, by the performance counter.
        """
        self._acting = acting
        self._live = live
        self._asked = asked
        self._owner = owner
        self._started = started
        self._timings = dict(live.exchange.timings)
        self._usage = TokenUsage()
        self._model = ""
        self._sanitizer = StreamSanitizer()
        self._reader = CitationReader(())
        self._remembered = NOTHING
        self._budgets = BUDGETS

    async def write(self, preparing: asyncio.Task[Prepared]) -> None:
        """Write the answer. Afterwards the exchange has ended and its text is stored, whatever happened."""
        status, problem = ExchangeStatus.DONE, None
        try:
            self._live.begin()
            prepared = await preparing
            self._timings |= prepared.timings
            self._remembered, self._budgets = prepared.remembered, prepared.budgets
            self._live.memories = prepared.remembered.shown
            self._live.exchange = self._live.exchange.model_copy(
                update={"memories": prepared.remembered.sources, "memory_note": prepared.note}
            )
            self._live.change()
            self._reader = CitationReader(prepared.remembered.sources)
            self._live.cited = self._reader.cited
            await self._stream(prepared)
        except asyncio.CancelledError:
            _uncancel()
            preparing.cancel()
            status = self._live.stop_reason or ExchangeStatus.INTERRUPTED
        except SagacityError as error:
            status, problem = ExchangeStatus.FAILED, error
        except Exception as error:  # noqa: BLE001  whoever reads must learn that it has ended
            _log.exception("chat.crashed", exchange_id=self._live.exchange.exchange_id)
            status, problem = ExchangeStatus.FAILED, error
        self._live.close()
        self._live.add(self._reader.read(self._sanitizer.finish()) + self._reader.finish())
        await asyncio.shield(self._settle(status, problem))

    async def _stream(self, prepared: Prepared) -> None:
        began, left = time.perf_counter(), MOST_CHARACTERS
        async with aclosing(await self._pieces(prepared)) as pieces:
            async for piece in pieces:
                if "ttfb" not in self._timings:
                    self._timings["llm_ttfb"] = _milliseconds(began)
                    self._timings["ttfb"] = _milliseconds(self._started)
                self._live.add(self._reader.read(self._sanitizer.read(piece[:left])))
                left -= len(piece)
                if left <= 0:
                    break
        self._timings["llm_total"] = _milliseconds(began)

    async def _pieces(self, prepared: Prepared) -> AsyncGenerator[str]:
        """Yield the model's answer or, without a model, an answer that quotes the best memories."""
        models = await models_for(self._acting, self._live.exchange.user_id)
        runner = models.prompt_runner(Role.CHAT, LEARNER)
        if runner is None:
            self._model = MODEL
            why = _CAP_IS_REACHED if models.note else ""
            remembered, is_whole = prepared.remembered, not prepared.note
            is_off = remembered is NOTHING
            content, context = self._asked.content, remembered.context
            return _at_once(extractive_answer(content, context, why=why, is_whole=is_whole, is_off=is_off))
        self._model = runner.model
        context = prepared.remembered.context
        count = self._acting.parts.tokens.count
        budgets = prepared.budgets
        room = max(budgets.history_tokens, budgets.total_tokens - context.total_tokens)
        history, left_out = window(prepared.said, budget=room, count=count)
        earlier = prepared.summary if left_out or len(prepared.said) == MOST_MESSAGES else ""
        variables = {
            "today": f"{self._acting.parts.clock.now().astimezone(prepared.zone):%A, %d %B %Y, %H:%M %Z}",
            "earlier": earlier or "Nothing beyond the messages above.",
            "memories": context.text or "Nothing that bears on the message is remembered.",
            "message": self._asked.content,
        }
        return runner.stream(
            _PROMPT,
            variables,
            history=history,
            max_tokens=self._asked.max_tokens,
            temperature=self._asked.temperature,
            told=self._note_call,
        )

    async def _note_call(self, call: ModelCall) -> None:
        self._usage += call.usage

    async def _settle(self, status: ExchangeStatus, problem: Exception | None) -> None:
        """Store the answer as far as it is, tell the readers how it ended, and record it."""
        began = time.perf_counter()
        error_kind, error = _told(status, problem)
        ended = self._live.exchange.model_copy(
            update={
                "status": status,
                "answer": "",
                "model": self._model,
                "error_kind": error_kind,
                "error": error,
                "citations": tuple(self._reader.cited),
                "prompt_tokens": self._usage.prompt_tokens,
                "completion_tokens": self._usage.completion_tokens,
                "answer_tokens": self._acting.parts.tokens.count(self._live.text),
            }
        )
        stored = await self._stored(ended)
        timings = {**self._timings, "save_response": _milliseconds(began)}
        self._live.exchange = (stored or deleted(ended)).model_copy(update={"timings": timings})
        self._live.change()
        if stored is None:  # perhaps with its user, of whom no record may be left
            return
        self._note_surfaced()  # not before: the model waits for nothing that can come later
        self._acting.parts.accesses.note(self._acting.tenant, used_memories(self._live.exchange.citations))
        self._record(self._live.exchange, enqueue=self._wake())

    def _note_surfaced(self) -> None:
        """Record which memories go into the prompt, or into an answer without a model."""
        remembered, exchange = self._remembered, self._live.exchange
        if remembered.context is not NOTHING.context:
            note_context(
                self._acting,
                remembered.context,
                remembered.found,
                pipeline=Pipeline.CHAT,
                user_id=exchange.user_id,
                session_id=exchange.session_id,
            )

    def _wake(self) -> float:
        """Wake the learners; returns the milliseconds that took."""
        began = time.perf_counter()
        self._acting.parts.dispatcher.wake(
            DueScope(tenant=self._acting.tenant, user_id=self._live.exchange.user_id)
        )
        return (time.perf_counter() - began) * 1000  # some millionths of a second, which rounding would lose

    async def _stored(self, ended: Exchange) -> Exchange | None:
        """
        Store an exchange with its answer; returns None if it was deleted meanwhile.

        If it cannot be stored, it has failed and its readers are told.
        """

        async def save() -> Exchange:
            timed = ended.model_copy(update={"timings": dict(self._timings)})
            return await store_answer(self._acting, timed, self._live.text, owner=self._owner)

        try:
            return await self._acting.parts.storage.retry(save)
        except (Conflict, NotFound):
            return await self._found(ended)
        except StorageError as fault:
            _log.warning("chat.not_stored", exchange_id=ended.exchange_id, kind=type(fault).__name__)
            status, kind = ExchangeStatus.FAILED, "StorageError"
        except Exception:  # noqa: BLE001  whoever reads must learn that it has ended
            _log.exception("chat.not_stored", exchange_id=ended.exchange_id)
            status, kind = ExchangeStatus.FAILED, "InternalError"
        return ended.model_copy(update={"status": status, "error": _NOT_STORED, "error_kind": kind})

    async def _found(self, ended: Exchange) -> Exchange | None:
        """
        Return the stored state of an exchange that this process no longer holds; None if it was deleted.

        Otherwise it was stored but the reply to the commit was lost, or it was closed as interrupted.
        """
        told = {"status": ExchangeStatus.INTERRUPTED, "error": _NOT_STORED, "error_kind": "Conflict"}
        try:
            async with self._acting.read(user_id=ended.user_id) as snapshot:
                found = await snapshot.exchanges.find(ended.exchange_id, user_id=ended.user_id)
            if not found.is_running:
                return found
        except NotFound:
            return None
        except StorageError as fault:
            _log.warning("chat.not_found_again", exchange_id=ended.exchange_id, kind=type(fault).__name__)
        return ended.model_copy(update=told)

    def _record(self, ended: Exchange, *, enqueue: float) -> None:
        remembered = self._remembered
        record_answer(
            self._acting,
            ended,
            context=None if remembered is NOTHING else remembered.context,
            budget=self._budgets.total_tokens,
            milliseconds=_milliseconds(self._started),
            enqueue=enqueue,
            with_model=self._model != MODEL,
        )


async def store_answer(
    acting: Acting, ended: Exchange, text: str, *, owner: str, expired_by: datetime | None = None
) -> Exchange:
    """
    Append an answer to the log and close its exchange, in one transaction.

    Args:
        acting: on whose behalf.
        ended: the exchange to store.
        text: of the answer; nothing is appended if it is empty.
        owner: who holds the exchange.
        expired_by: store it only if *owner*'s hold has expired by then.

    Returns:
        The exchange, with the turn of its answer.

    Raises:
        Conflict: *owner* no longer holds the exchange.
        NotFound: the message was deleted.
    """
    citations = dict.fromkeys((one.kind, one.item_id) for one in ended.citations)
    turn = NewInteraction(
        role="Assistant",
        content=text,
        citations=tuple(Citation(entity_type=kind, entity_id=item) for kind, item in citations),
    )

    async def stored(transaction: Transaction) -> Exchange:
        written, request_id = ended, ended.request_id
        if text.strip() and request_id is not None:
            [number] = await transaction.interactions.extend(request_id, [turn])
            written = ended.model_copy(update={"answer_turn": number})
            await transaction.quarantines.hold_answer(number, ended.memories)
            await transaction.exchanges.replace(request_id, ended.exchange_id)
            tokens = ended.answer_tokens
            await transaction.conversations.count_message(ended.user_id, ended.session_id, tokens)
        changed = written.model_dump(include=_WRITTEN)
        if not await transaction.exchanges.write(ended.exchange_id, owner, changed, expired_by=expired_by):
            raise Conflict("the answer was taken over")
        return written

    kept = await acting.visit_to_write(stored, user_id=ended.user_id, shows_held=True)
    note_cited(
        acting,
        [(ended.exchange_id, turn.citations)],
        pipeline=Pipeline.CHAT,
        user_id=ended.user_id,
        request_id=ended.request_id or "",
        session_id=ended.session_id,
    )
    return kept


def interrupted(exchange: Exchange, *, tokens: int) -> Exchange:
    """Return the final state of an exchange whose process ended while writing the answer."""
    return exchange.model_copy(
        update={
            "status": ExchangeStatus.INTERRUPTED,
            "answer": "",
            "answer_tokens": tokens,
            "error_kind": "Interrupted",
            "error": _INTERRUPTED,
        }
    )


def deleted(exchange: Exchange) -> Exchange:
    """Return the final state of an exchange that was deleted while its answer was written."""
    told = {"status": ExchangeStatus.INTERRUPTED, "error": _DELETED, "error_kind": "NotFound"}
    return exchange.model_copy(update=told)


_WRITTEN = {
    "status",
    "answer",
    "model",
    "error_kind",
    "error",
    "memories",
    "memory_note",
    "citations",
    "timings",
    "answer_tokens",
    "prompt_tokens",
    "completion_tokens",
    "answer_turn",
}


def _told(status: ExchangeStatus, problem: Exception | None) -> tuple[str, str]:
    """Return an error's type and message; a provider's own words stay in the log."""
    if status is ExchangeStatus.INTERRUPTED:
        return "Interrupted", _INTERRUPTED
    if problem is None:
        return "", ""
    if isinstance(problem, ProviderError):
        return type(problem).__name__, f"{_NO_ANSWER} ({problem})"
    if isinstance(problem, StorageError) or not isinstance(problem, SagacityError):
        return "InternalError", _CRASHED
    return type(problem).__name__, str(problem)


async def _at_once(text: str) -> AsyncGenerator[str]:
    yield text


def _milliseconds(since: float) -> float:
    return round((time.perf_counter() - since) * 1000, 3)


def _uncancel() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
