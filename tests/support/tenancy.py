"""A tenant's own work put together for a test, with what may happen at its moments."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

from sagacity.domain.cursor import Lease
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.operation import Operation, OperationName, OperationParameters
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.learning.distil.agent_playbooks.spec import AGENT_PLAYBOOKS
from sagacity.learning.distil.organisation import Distil
from sagacity.learning.distil.pipeline import Distiller
from sagacity.learning.distil.spec import Result
from sagacity.learning.progress import UNWATCHED, ProgressReporter
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.retention import Retain
from sagacity.learning.tasks.base import TaskReport
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.providers.base import Vectors
from support.aggregation import NAME, VERSION, Aggregating
from support.learning import WordEmbedder, due_at, task_parts
from support.parts import ORG


class Meddling(Distiller):
    """Distils, after something that happens at that moment."""

    before: Callable[[], Awaitable[object]] | None = None

    async def run(
        self,
        tenant: Tenant,
        name: str,
        agent_version: str,
        *,
        requested: bool,
        lease: Lease,
        watch: ProgressReporter = UNWATCHED,
    ) -> Result:
        if self.before is not None:
            await self.before()
        return await super().run(tenant, name, agent_version, requested=requested, lease=lease, watch=watch)


class MeddlingEmbedder(WordEmbedder):
    """Embeds, after something that happens at that moment: what is embedded was read, and not yet written."""

    before: Callable[[], Awaitable[object]] | None = None

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        if self.before is not None:
            await self.before()
        return await super().embed(texts, background=background)


class Tenancy(Aggregating):
    """The whole of a tenant's own work."""

    def __init__(self, storage, clock, ids, **parts) -> None:
        super().__init__(storage, clock, ids, embedder=MeddlingEmbedder(), **parts)
        access = ModelGateway(storage, lambda config, role: self._llm, clock)
        given = (storage, self.embedder, self.configs, access)
        self.meddling = Meddling(AGENT_PLAYBOOKS, *given, clock=clock, ids=ids)
        parts = replace(
            task_parts(storage, self.embedder, clock, ids, models=lambda config, role: self._llm),
            configs=self.configs,
            models=access,
        )
        self._runner = TaskRunner(parts, [Distil(parts, aggregation=self.meddling), Retain(parts)])

    async def run(self) -> TaskReport:
        """Do what is due of the organisation itself."""
        return await self._runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))

    async def start(self, name=OperationName.PLAYBOOK_AGGREGATION) -> Operation:
        asked = OperationParameters(extractor_names=(NAME,), agent_version=VERSION)
        async with self.storage.begin(ORG) as transaction:
            return await transaction.operations.start(name, asked)

    async def state(self, operation: Operation) -> Operation:
        async with self.storage.read(ORG) as snapshot:
            return await snapshot.operations.get(operation.operation_id)

    async def note(self) -> None:
        """Let it be looked at, as the learner does that wrote playbooks."""
        async with self.storage.begin(ORG) as transaction:
            await transaction.cursors.ensure_due(ORGANISATION)

    async def due_at(self) -> datetime | None:
        return await due_at(self.storage, ORGANISATION)
