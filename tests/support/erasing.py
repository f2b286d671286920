"""Erasures of users, asked for and done when a test says so."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from sagacity.auth.erasure_key import ErasureKey
from sagacity.domain.account import Person
from sagacity.domain.erasure import Erasure
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.operation import Operation
from sagacity.domain.tenant import DueScope
from sagacity.learning.erasure.task import Erase
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.memories.acting import Acting
from sagacity.memories.erasure import erase_user, erasure_of
from sagacity.storage.transaction import Storage
from support.acting import for_everyone, parts_of
from support.learning import WordEmbedder, task_parts
from support.parts import ORG
from support.planted import person_of_word

KEY = ErasureKey(b"k" * 32)
WHO, WORD, OTHERS = "zqx-person@example.com", "zqxword", "othersword"


class Erasing:
    """What asks for erasures, and does them."""

    def __init__(
        self, storage: Storage, embedder: Any, clock: Any, ids: Any, *, batch: int = 500, **parts: Any
    ) -> None:
        self.storage = storage
        self.clock = clock
        self.told: list[str] = []
        self.then: Callable[[], Awaitable[object]] | None = None
        """What happens once the user is gone, before the tables are searched."""

        async def person_of(user_id: UserId) -> Person | None:
            return person_of_word(WORD, ORG.org_id) if user_id == WHO else None

        self.acting: Acting = for_everyone(
            replace(parts_of(storage, embedder, clock, ids), erasure_key=lambda: KEY, person_of=person_of)
        )

        async def announce(subject: str) -> None:
            self.told.append(subject)
            if self.then is not None:
                await self.then()

        of_tasks = task_parts(storage, WordEmbedder(), clock, ids, cleanup_batch=batch)
        of_tasks = replace(of_tasks, erasure_key=lambda: KEY, announce=announce, **parts)
        self._runner = TaskRunner(of_tasks, [Erase(of_tasks)])

    async def ask(self, user_id: str = WHO) -> Operation:
        return await erase_user(self.acting, user_id, wait_seconds=0)

    async def work(self) -> None:
        await self._runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))

    async def erase(self, user_id: str = WHO) -> Erasure:
        operation = await self.ask(user_id)
        await self.work()
        return await self.look(operation)

    async def look(self, operation: Operation) -> Erasure:
        return await erasure_of(self.acting, operation.operation_id)
