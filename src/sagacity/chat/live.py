"""The answers that this process is writing: their text so far, their readers, and their copies in the database."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import structlog

from sagacity.chat.events import Progress, SourceText
from sagacity.domain.chat import AnswerSource, Cited, Exchange, ExchangeStatus
from sagacity.domain.clock import Clock
from sagacity.domain.errors import StorageError
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage

KEEP_SECONDS = 1.0
"""Interval of copies: what a killed process loses of an answer. One transaction copies a tenant's answers."""
_log = structlog.get_logger(__name__)


class LiveAnswer:
    """One answer while it is written: its writer changes it, and any number of readers follow it."""

    def __init__(self, tenant: Tenant, exchange: Exchange) -> None:
        self.tenant = tenant
        self.exchange = exchange
        self.text = ""
        self.memories: tuple[SourceText, ...] | None = None
        self.cited: Sequence[Cited] = ()
        """What the text cites so far."""
        self.kept: Sequence[AnswerSource] = ()
        """The sources in its copy in the database."""
        self.stop_reason: ExchangeStatus | None = None
        """Why it must stop early; None while it may go on."""
        self.readers = 0
        self.read_at: datetime | None = None
        """When a reader of another process last read it."""
        self.task: asyncio.Task[None] | None = None
        self._can_stop = False
        self._changed = asyncio.Event()

    def is_of(self, tenant: Tenant, user_id: UserId) -> bool:
        """Whether it answers this user of this organisation."""
        return self.tenant == tenant and self.exchange.user_id == user_id

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(self.exchange, self.text, self.memories)

    @property
    def copy(self) -> Mapping[str, Any]:
        """What its copy in the database lacks; the sources are written only once."""
        values: dict[str, Any] = {"answer": self.text, "citations": self.cited}
        if self.kept is not self.exchange.memories:
            values |= {"memories": self.exchange.memories, "memory_note": self.exchange.memory_note}
        return values

    def change(self) -> None:
        """Wake all readers."""
        self._changed.set()
        self._changed = asyncio.Event()

    def add(self, text: str) -> None:
        """Append to the text."""
        if text:
            self.text += text
            self.change()

    def begin(self) -> None:
        """
        Mark its writer as running, which can be stopped from now on.

        Raises:
            CancelledError: it was stopped before it began.
        """
        if self.stop_reason is not None:
            raise asyncio.CancelledError
        self._can_stop = True

    def close(self) -> None:
        """Mark it as being stored; it can no longer be stopped."""
        self._can_stop = False

    def stop(self, reason: ExchangeStatus) -> None:
        """Stop it: the model's call is cancelled, and the answer so far is stored."""
        if self.stop_reason is None and self.exchange.is_running:
            self.stop_reason = reason
            # A task that is cancelled before its first step never runs, so nothing would be stored.
            if self.task is not None and self._can_stop:
                self.task.cancel()

    async def follow(self) -> AsyncGenerator[Progress]:
        """Yield its progress, now and after each change, until it has ended."""
        while True:
            changed, progress = self._changed, self.progress
            yield progress
            if not progress.exchange.is_running:
                return
            await changed.wait()


class LiveAnswers:
    """All answers that this process is writing."""

    def __init__(self, storage: Storage, clock: Clock, *, owner: str, hold_seconds: float) -> None:
        self._storage = storage
        self._clock = clock
        self.owner = owner
        self._hold = timedelta(seconds=hold_seconds)
        self._live: dict[str, LiveAnswer] = {}

    def find(self, exchange_id: str) -> LiveAnswer | None:
        """Return the answer of an exchange, if it is written here."""
        return self._live.get(exchange_id)

    def is_writing(self, exchange_id: str) -> bool:
        """Whether the answer of an exchange is being written here."""
        live = self.find(exchange_id)
        return live is not None and live.exchange.is_running

    def held_until(self) -> datetime:
        """Return until when this process holds an answer that it copies now."""
        return self._clock.now() + self._hold

    def all(self) -> list[LiveAnswer]:
        """Return all answers."""
        return list(self._live.values())

    def add(self, live: LiveAnswer) -> None:
        """Keep the answer's copy in the database up to date, until it is removed."""
        self._live[live.exchange.exchange_id] = live

    def remove(self, live: LiveAnswer) -> None:
        """Stop copying it; from now on the database has it."""
        self._live.pop(live.exchange.exchange_id, None)

    async def keep(self) -> None:
        """Copy every answer into the database once, and see whether somebody wants to stop one."""
        by_tenant: dict[Tenant, list[LiveAnswer]] = {}
        for live in self._live.values():
            if live.exchange.is_running:
                by_tenant.setdefault(live.tenant, []).append(live)
        for tenant, answers in by_tenant.items():
            try:
                await self._keep(tenant, answers)
            except StorageError as error:
                _log.warning("chat.keep_failed", org_id=tenant.org_id, kind=type(error).__name__)
            except Exception:  # noqa: BLE001  one tenant's failure must not make the others' answers count as interrupted
                _log.exception("chat.keep_crashed", org_id=tenant.org_id)

    async def _keep(self, tenant: Tenant, answers: list[LiveAnswer]) -> None:
        kept: list[tuple[LiveAnswer, Sequence[AnswerSource], Exchange | None]] = []
        async with self._storage.begin(tenant) as transaction:
            for live in answers:
                if not live.exchange.is_running:  # it ended while this waited for the database
                    continue
                memories = live.exchange.memories
                found = await transaction.exchanges.keep(
                    live.exchange.exchange_id, self.owner, live.copy, self.held_until()
                )
                kept.append((live, memories, found))
        for live, memories, found in kept:
            live.kept = memories
            if found is None:
                live.stop(ExchangeStatus.INTERRUPTED)
                continue
            live.read_at = found.read_at
            if found.stop_requested:
                live.stop(ExchangeStatus.STOPPED)
