"""Group commit: publishes that arrive during a commit share the next one."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from sagacity.domain.errors import StorageUnavailable
from sagacity.domain.interaction import NewRequest, Request
from sagacity.domain.tenant import Tenant

MAX_REQUESTS = 64
MAX_TURNS = 512

Append = Callable[[Tenant, Sequence[NewRequest]], Awaitable[list[Request]]]


@dataclass(slots=True)
class _Waiting:
    request: NewRequest
    done: asyncio.Future[Request] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class GroupCommit:
    """
    Groups the requests of one tenant into one transaction.

    A call returns after its request is committed. A group that fails is stored one request at a time, so that a bad
    request fails alone; if the database itself fails, all fail. The writer never waits for more requests: a lone
    request is committed at once.
    """

    def __init__(self, append: Append) -> None:
        self._append = append
        self._waiting: dict[Tenant, list[_Waiting]] = defaultdict(list)
        self._writers: dict[Tenant, asyncio.Task[None]] = {}

    async def append(self, tenant: Tenant, request: NewRequest) -> Request:
        """
        Store *request*; it is durable when this returns.

        Raises:
            Conflict: a request with its id and other content is stored.
            StorageError: the request was not stored.
        """
        item = _Waiting(request)
        self._waiting[tenant].append(item)
        if tenant not in self._writers:
            self._writers[tenant] = asyncio.create_task(self._write(tenant))
        return await asyncio.shield(item.done)

    async def _write(self, tenant: Tenant) -> None:
        try:
            while group := self._next_group(tenant):
                await self._store(tenant, group)
        finally:
            del self._writers[tenant]
            for item in self._waiting.pop(tenant, []):
                item.done.cancel()

    def _next_group(self, tenant: Tenant) -> list[_Waiting]:
        queue = self._waiting[tenant]
        turns = count = 0
        while count < min(len(queue), MAX_REQUESTS) and (count == 0 or turns < MAX_TURNS):
            turns += len(queue[count].request.interactions)
            count += 1
        group, self._waiting[tenant] = queue[:count], queue[count:]
        return group

    async def _store(self, tenant: Tenant, group: list[_Waiting]) -> None:
        try:
            stored = await self._append(tenant, [item.request for item in group])
        except Exception as error:  # noqa: BLE001  any failure of one request leaves the others stored
            if len(group) == 1 or isinstance(error, StorageUnavailable):
                _fail(group, error)
                return
            for item in group:
                await self._store(tenant, [item])
        except BaseException as error:
            _fail(group, error)
            raise
        else:
            for item, request in zip(group, stored, strict=True):
                if not item.done.done():
                    item.done.set_result(request)


def _fail(group: Sequence[_Waiting], error: BaseException) -> None:
    for item in group:
        if not item.done.done():
            item.done.set_exception(error)
