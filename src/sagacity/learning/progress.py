"""The interface by which distilling reports progress and can be stopped."""

import asyncio
import time
from contextlib import suppress
from typing import Protocol

from sagacity.domain.errors import StorageUnavailable
from sagacity.domain.operation import OperationItem
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage, Transaction

_TELL_SECONDS = 0.5


class OperationCancelled(Exception):
    """The operation was cancelled; what was not committed yet is not written."""


class ProgressReporter(Protocol):
    """Called before each cluster is written up, and in the transaction that writes."""

    async def check(self, transaction: Transaction) -> None:
        """
        Make sure that the run may go on.

        Raises:
            OperationCancelled: it may not.
        """
        ...

    async def report(self, done: int, total: int) -> None:
        """Receive the number of finished clusters."""
        ...


class NullReporter:
    """The watch of a run that nobody requested, so nobody stops it."""

    async def check(self, transaction: Transaction) -> None:
        """Let it go on."""

    async def report(self, done: int, total: int) -> None:
        """Ignore the progress."""


class OperationWatch:
    """Somebody started it as an operation: there they read how far it is, and cancel it."""

    def __init__(self, storage: Storage, tenant: Tenant, item: OperationItem) -> None:
        self._storage = storage
        self._tenant = tenant
        self._item = item
        self._told_at = -_TELL_SECONDS
        self._telling = asyncio.Lock()

    async def check(self, transaction: Transaction) -> None:
        """
        Make sure that it was not cancelled.

        Raises:
            OperationCancelled: it was.
        """
        if await transaction.operations.is_cancelled(self._item.operation_id):
            raise OperationCancelled

    async def report(self, done: int, total: int) -> None:
        """Record the progress: at the end, and now and then before."""
        async with self._telling:  # clusters are done side by side, and are told of in turn
            if done < total and time.monotonic() - self._told_at < _TELL_SECONDS:
                return
            self._told_at = time.monotonic()
            with suppress(StorageUnavailable):  # the next time; the work is worth more than the news of it
                async with self._storage.begin(self._tenant) as transaction:
                    await transaction.operations.report(self._item, done, total)


UNWATCHED = NullReporter()
