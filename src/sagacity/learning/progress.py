"""The interface through which a distillation reports progress and can be stopped."""

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
    """The operation was cancelled; uncommitted work is not written."""


class ProgressReporter(Protocol):
    """Called before each cluster is written up, and in the transaction that writes."""

    async def check(self, transaction: Transaction) -> None:
        """
        Check that the run may continue.

        Raises:
            OperationCancelled: it may not.
        """
        ...

    async def report(self, done: int, total: int) -> None:
        """Receive the number of finished clusters."""
        ...


class NullReporter:
    """The reporter of a run that nobody requested, and so nobody stops."""

    async def check(self, transaction: Transaction) -> None:
        """Do nothing: the run may always continue."""

    async def report(self, done: int, total: int) -> None:
        """Ignore the progress."""


class OperationWatch:
    """The reporter of a run that was started as an operation, which shows its progress and can be cancelled."""

    def __init__(self, storage: Storage, tenant: Tenant, item: OperationItem) -> None:
        self._storage = storage
        self._tenant = tenant
        self._item = item
        self._told_at = -_TELL_SECONDS
        self._telling = asyncio.Lock()

    async def check(self, transaction: Transaction) -> None:
        """
        Check that the operation was not cancelled.

        Raises:
            OperationCancelled: it was cancelled.
        """
        if await transaction.operations.is_cancelled(self._item.operation_id):
            raise OperationCancelled

    async def report(self, done: int, total: int) -> None:
        """Record the progress, at the end and from time to time before."""
        async with self._telling:  # clusters are processed in parallel, but reported one by one
            if done < total and time.monotonic() - self._told_at < _TELL_SECONDS:
                return
            self._told_at = time.monotonic()
            with suppress(StorageUnavailable):  # the next report may succeed; the work must not fail for it
                async with self._storage.begin(self._tenant) as transaction:
                    await transaction.operations.report(self._item, done, total)


UNWATCHED = NullReporter()
