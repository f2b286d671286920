"""Skills put together for a test: user playbooks of known clusters, a generator by rules or on a scripted model."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count

from pydantic import SecretStr

from sagacity.config.extractor_config import (
    PlaybookAggregatorConfig,
    SkillGeneratorConfig,
    ToolDescription,
    UserPlaybookExtractorConfig,
)
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.clock import Clock
from sagacity.domain.cluster import PlaybookCluster, SkillsMade
from sagacity.domain.cursor import Lease
from sagacity.domain.ids import IdSource
from sagacity.domain.memory import Memory, MemoryKind, SkillFacts, Status
from sagacity.domain.tenant import Tenant
from sagacity.learning.distil.pipeline import Distiller
from sagacity.learning.distil.skills.plan import LEARNER
from sagacity.learning.distil.skills.spec import SKILLS
from sagacity.learning.prompt_runner import ModelGateway, Models
from sagacity.providers.base import Embedder
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder
from support.parts import ORG, new_memory
from support.scripted_llm import ScriptedLLM

NAME, VERSION = "corrections", "agent-v0"
REFUND, TRAVEL = "customer wants a refund for an order", "traveller books a train ticket abroad"
ACTS = ("look up the order first", "ask for the receipt first", "name the days it takes")
AUTOMATIC = {"enabled": True, "auto_generate_on_aggregation": True}
SKILL = {
    "reason": "All are about refunds.",
    "worth_writing": True,
    "name": "process-refunds",
    "description": "Handles refunds. Use when a customer wants money back.",
    "instructions": "# Refunds\n\n1. Look up the order.",
    "allowed_tools": ["orders.find"],
}
TRAINS = SKILL | {
    "name": "book-trains",
    "description": "Books a train ticket abroad for a traveller.",
    "instructions": "# Trains\n\n1. Compare two fares.\n2. Mention the seat.",
}
_uids = count(1)


class OneConfig:
    """The same configuration for every tenant."""

    def __init__(self, *, tools: Sequence[str] = (), **options) -> None:
        extractor = UserPlaybookExtractorConfig(
            extractor_name=NAME,
            extraction_definition_prompt="how to act",
            aggregation_config=PlaybookAggregatorConfig(clustering_similarity=0.6),
            skill_generator_config=SkillGeneratorConfig(
                **(AUTOMATIC | {"min_feedback_per_cluster": 3} | options)
            ),
        )
        self.config = TenantConfig(
            user_playbook_extractor_configs=(extractor,),
            tool_can_use=tuple(ToolDescription(tool_name=name, tool_description=name) for name in tools),
        )

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        return self.config

    async def set(self, tenant: Tenant, config: TenantConfig) -> None:
        self.config = config


def no_model(config, role) -> None:
    return None


def scripted(server: ScriptedLLM) -> Models:
    choice = ModelChoice(model="openai/scripted", api_base=server.base_url, api_key=SecretStr("k"))
    llm = open_llm(choice, attempts=1)
    return lambda config, role: llm


def generator(
    storage: Storage,
    clock: Clock,
    ids: IdSource,
    *,
    models: Models = no_model,
    configs: OneConfig | None = None,
    embedder: Embedder | None = None,
) -> Distiller:
    access = ModelGateway(storage, models, clock)
    given = (storage, embedder or WordEmbedder(), configs or OneConfig(), access)
    return Distiller(SKILLS, *given, clock=clock, ids=ids)


@asynccontextmanager
async def lease(storage: Storage, tenant: Tenant = ORG) -> AsyncIterator[Lease]:
    async with storage.begin(tenant) as tx:
        held = await tx.leases.claim("distil", "test", 600)
    assert held is not None
    yield held
    async with storage.begin(tenant) as tx:
        await tx.leases.finish(held)


async def generate(
    storage: Storage, made_by: Distiller, *, rerun: bool = False, tenant: Tenant = ORG
) -> SkillsMade:
    async with lease(storage, tenant) as held:
        made = await made_by.run(tenant, NAME, VERSION, requested=rerun, lease=held)
    assert isinstance(made, SkillsMade)
    return made


async def teach(
    storage: Storage, trigger: str, *contents: str, tenant: Tenant = ORG, user: str = "u", **fields
) -> list[Memory]:
    """Store a user playbook for each of *contents*, all for the same occasion, with their vectors."""
    new = [
        new_memory(
            content,
            kind=MemoryKind.USER_PLAYBOOK,
            user_id=f"{user}{place}",
            uid=f"book-{next(_uids)}",
            name=fields.get("name", NAME),
            agent_version=fields.get("agent_version", VERSION),
            trigger=trigger,
            **{key: value for key, value in fields.items() if key not in {"name", "agent_version"}},
        )
        for place, content in enumerate(contents)
    ]
    vectors = await WordEmbedder().embed([memory.search_text for memory in new])
    async with storage.begin(tenant) as tx:
        return await tx.memories.add(
            new, vectors={memory.uid: row for memory, row in zip(new, vectors, strict=True)}
        )


async def skills(
    storage: Storage, *, statuses: Sequence[Status] = (Status.CURRENT,), tenant: Tenant = ORG
) -> list[Memory]:
    """All skills, oldest first."""
    async with storage.read(tenant) as snapshot:
        found = await snapshot.memories.list_newest(MemoryKind.SKILL, statuses=statuses, limit=100)
    return sorted(found, key=lambda skill: skill.memory_id)


async def clusters_of(storage: Storage, tenant: Tenant = ORG) -> list[PlaybookCluster]:
    async with storage.read(tenant) as snapshot:
        return await snapshot.clusters.of(LEARNER, NAME, VERSION)


def facts(skill: Memory) -> SkillFacts:
    assert skill.attributes.skill is not None
    return skill.attributes.skill


async def change(storage: Storage, skill: Memory, tenant: Tenant = ORG, **fields) -> Memory:
    """Write *fields* of a skill, as a person does."""
    async with storage.begin(tenant) as tx:
        [found] = await tx.memories.get_many([skill.memory_id])
        changed = found.model_copy(update=fields)
        await tx.memories.save([changed])
    return changed
