"""Aggregation put together for a test: real storage, a quick embedder, a scripted model or rules."""

import json
import re
from collections.abc import Sequence

from pydantic import SecretStr

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import ChangeLog
from sagacity.domain.cluster import Aggregated, PlaybookCluster
from sagacity.domain.cursor import Lease
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.learning.distil.agent_playbooks.spec import AGENT_PLAYBOOKS
from sagacity.learning.distil.agent_playbooks.trigger import LEARNER
from sagacity.learning.distil.pipeline import Distiller
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.providers.base import Embedder
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm
from sagacity.storage.transaction import Storage
from support.configs import kept_configs
from support.learning import WordEmbedder
from support.parts import ANNA, ORG, new_memory
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, as_json

NAME, VERSION = "default_playbook_extractor", "agent-v0"
PNPM = ("use pnpm for packages", "use pnpm for packages here", "use pnpm for all packages")
UNITS = ("write metric units always", "write metric units", "always write metric units please")
RULE, SHARED = MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK


class Aggregating:
    """One tenant's aggregation, with methods to teach, change and inspect playbooks."""

    def __init__(
        self,
        storage: Storage,
        clock,
        ids,
        *,
        model: ScriptedLLM | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.storage = storage
        self.clock = clock
        self.ids = ids
        self.embedder = embedder or WordEmbedder()
        self.configs = kept_configs(storage)
        self._llm = None
        self.use(model)

    def use(self, model: ScriptedLLM | None) -> None:
        """Make *model* write from now on, or rules if it is None."""
        self._llm = None
        if model is not None:
            choice = ModelChoice(model="openai/scripted", api_base=model.base_url, api_key=SecretStr("key"))
            self._llm = open_llm(choice, attempts=1)

    @property
    def aggregator(self) -> Distiller:
        access = ModelGateway(self.storage, lambda config, role: self._llm, self.clock)
        parts = (self.storage, self.embedder, self.configs, access)
        return Distiller(AGENT_PLAYBOOKS, *parts, clock=self.clock, ids=self.ids)

    async def lease(self) -> Lease:
        async with self.storage.begin(ORG) as transaction:
            lease = await transaction.leases.claim("distil", "worker", 600)
        assert lease is not None
        return lease

    async def run(self, *, full: bool = False, name: str = NAME, version: str = VERSION) -> Aggregated:
        self.clock.advance(60)
        lease = await self.lease()
        done = await self.aggregator.run(ORG, name, version, requested=full, lease=lease)
        assert isinstance(done, Aggregated)
        return done

    async def teach(
        self,
        *contents: str,
        user_id: str = "",
        name: str = NAME,
        version: str = VERSION,
        **fields,
    ) -> list[Memory]:
        """Store user playbooks as a learner would: all of one user, or each of another."""
        said = [(content, user_id or f"{ANNA}{place}") for place, content in enumerate(contents)]
        return await self.teach_each(said, name, version, **fields)

    async def teach_each(
        self, said: Sequence[tuple[str, str | None]], name: str = NAME, version: str = VERSION, **fields
    ) -> list[Memory]:
        """Store what users taught, each with the user."""
        new = [
            new_memory(content, kind=RULE, user_id=user_id, name=name, agent_version=version, **fields)
            for content, user_id in said
        ]
        async with self.storage.begin(ORG) as transaction:
            return await transaction.memories.add(new)

    async def shared(
        self, *, statuses: Sequence[Status] = (Status.CURRENT,), approvals: Sequence[Approval] = ()
    ) -> list[Memory]:
        """The playbooks for all, oldest first."""
        async with self.storage.read(ORG) as snapshot:
            wanted = Filter(kinds=(SHARED,), statuses=tuple(statuses), approvals=tuple(approvals))
            found = await snapshot.memories.list_wanted(wanted, 1_000)
        return sorted(found, key=lambda one: one.memory_id)

    async def clusters(self) -> list[PlaybookCluster]:
        async with self.storage.read(ORG) as snapshot:
            return await snapshot.clusters.of(LEARNER, NAME, VERSION)

    async def logs(self) -> list[ChangeLog]:
        async with self.storage.read(ORG) as snapshot:
            return await snapshot.changes.list_runs(SHARED, limit=100)

    async def change(self, memory: Memory, **fields) -> Memory:
        """Change a memory as a person would through the API."""
        async with self.storage.begin(ORG) as transaction:
            before = await transaction.memories.get(memory.memory_id)
            after = before.model_copy(update=fields | {"updated_at": self.clock.advance(1)})
            await transaction.memories.save([after])
        return after

    async def forget(self, *memories: Memory) -> None:
        """Supersede memories."""
        async with self.storage.begin(ORG) as transaction:
            for memory in memories:
                await transaction.memories.save([memory.model_copy(update={"status": Status.ARCHIVED})])

    async def choose(self, **options) -> None:
        """Configure the aggregation."""
        extractor = {
            "extractor_name": NAME,
            "extraction_definition_prompt": "how to act",
            "aggregation_config": options or None,
        }
        await self.configs.set(
            ORG, TenantConfig.model_validate({"user_playbook_extractor_configs": [extractor]})
        )

    async def last_read(self) -> int:
        async with self.storage.read(ORG) as snapshot:
            return (await snapshot.distillations.get(LEARNER, NAME, VERSION)).last_read


def playbook(content: str, trigger: str = "in that case", **fields) -> Answer:
    """A model's answer: this playbook."""
    return as_json(
        {"playbook": {"rationale": "all say so", "trigger": trigger, "content": content, **fields}}
    )


NOTHING = as_json({"playbook": None})
"""A model's answer: a playbook in force says it all."""


def rules_in(request: ChatRequest) -> list[str]:
    """Return the texts of the users' rules that a model was shown."""
    return re.findall(r"\[#\d+ do\] (.*)", _fenced(request, "rules"))


def in_force_in(request: ChatRequest) -> list[str]:
    """Return the texts of the playbooks in force that a model was shown."""
    return re.findall(r"\[#\d+ do\] (.*)", _fenced(request, "in_force"))


def _fenced(request: ChatRequest, name: str) -> str:
    found = re.search(rf"<<<{name} (\w+)>>>\n(.*?)\n<<<end {name} \1>>>", request.prompt, re.DOTALL)
    assert found is not None, json.dumps(request.prompt)
    return found[2]


def in_own_words(request: ChatRequest) -> Answer:
    """Answer each cluster with a playbook that says what its first rule says, and how many there were."""
    rules = rules_in(request)
    return playbook(f"{rules[0].rstrip('.')} ({len(rules)})")
