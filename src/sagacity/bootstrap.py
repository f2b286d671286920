"""Settings become a running Sagacity: the one place where everything is put together."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from pydantic import SecretStr

from sagacity.config.base import ConfigStore
from sagacity.config.database import DatabaseConfigs
from sagacity.config.model_choice import Role, choose_model
from sagacity.config.settings import Settings, provider_keys
from sagacity.config.tenant_config import TenantConfig
from sagacity.dispatch.local import LocalDispatcher
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock, SystemClock
from sagacity.domain.errors import ProviderError, ProviderRefused
from sagacity.domain.ids import IdSource, TimeOrderedIds
from sagacity.domain.tenant import LOCAL_ORG, DueScope, Tenant
from sagacity.learning.index import Indexer
from sagacity.learning.learners import Models
from sagacity.learning.pipeline import Learning, LearningPolicy
from sagacity.providers.base import LLM, Embedder
from sagacity.providers.choice import ModelChoice
from sagacity.providers.open_embedder import EmbedderChoice, open_embedder
from sagacity.providers.open_llm import open_llm
from sagacity.providers.refusing import RefusingLLM
from sagacity.retrieval.pipeline import Searcher
from sagacity.storage.open import open_storage
from sagacity.storage.transaction import Storage

_PROGRESS_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Runtime:
    """Everything that a request or a command needs."""

    settings: Settings
    clock: Clock
    ids: IdSource
    storage: Storage
    embedder: Embedder
    searcher: Searcher
    configs: ConfigStore
    learning: Learning
    dispatcher: LocalDispatcher


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncGenerator[Runtime]:
    """
    Open the database, warm the embedder, start learning; undo it all at the end of the block.

    Raises:
        ConfigError: a setting is wrong; the message names it.
        SchemaMismatch: a newer release, or another program, wrote the database.
        IndexMismatch: the search index was made by another embedder.
    """
    embedder = open_embedder(embedder_choice(settings))
    async with open_database(settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        await embedder.warm()
        runtime = _build(settings, storage, embedder)
        await runtime.dispatcher.start()
        try:
            yield runtime
        finally:
            await runtime.dispatcher.stop()


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[Storage]:
    """Open only the database, for commands that need no model; the local organisation is there afterwards."""
    storage = await open_storage(settings.storage_url, clock=SystemClock(), ids=TimeOrderedIds())
    try:
        async with storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
            await transaction.organisation.ensure()
        yield storage
    finally:
        await storage.close()


async def reindex(settings: Settings) -> AsyncGenerator[tuple[int, int]]:
    """
    Make the search index anew with the embedder that the settings name; run it while no server runs.

    The words are written in one transaction, then the vectors in batches: cut short there, whatever runs next, this or
    a server, goes on with what is left.

    Yields:
        (done, total) in documents, each counted once for its words and once for its vector.
    """
    embedder = open_embedder(embedder_choice(settings))
    await embedder.warm()
    async with open_database(settings) as storage:
        progress: asyncio.Queue[tuple[int, int]] = asyncio.Queue()
        words = asyncio.create_task(
            storage.rebuild_index(
                embedder.model,
                embedder.dimension,
                lambda done, total: progress.put_nowait((done, 2 * total)),
            )
        )
        while not (words.done() and progress.empty()):
            with suppress(TimeoutError):
                async with asyncio.timeout(_PROGRESS_SECONDS):
                    step = await progress.get()
                yield step
        await words
        total = await storage.unembedded_count()
        indexer = Indexer(storage, embedder)
        while left := await storage.unembedded_count():
            yield 2 * total - left, 2 * total
            if not await indexer.round():
                raise ProviderError(
                    "the embedder gives no vectors now; run `sagacity reindex` again to go on"
                )
        yield 2 * total, 2 * total


def _build(settings: Settings, storage: Storage, embedder: Embedder) -> Runtime:
    clock, ids = SystemClock(), TimeOrderedIds()
    configs = DatabaseConfigs(storage)
    policy = LearningPolicy(
        retry=RetryPolicy(attempts=settings.learn_attempts, base_seconds=settings.retry_base_seconds),
        quiet_seconds=settings.quiet_seconds,
        lease_seconds=settings.lease_seconds,
    )
    learning = Learning(storage, embedder, configs, models_of(settings), policy, clock=clock, ids=ids)

    async def learn(scope: DueScope) -> object:
        return await learning.run(scope.tenant, scope.user_id)

    dispatcher = LocalDispatcher(
        storage,
        learn,
        Indexer(storage, embedder).run,
        clock=clock,
        concurrency=settings.learn_concurrency,
        sweep_seconds=settings.sweep_seconds,
    )
    return Runtime(
        settings=settings,
        clock=clock,
        ids=ids,
        storage=storage,
        embedder=embedder,
        searcher=Searcher(storage, embedder),
        configs=configs,
        learning=learning,
        dispatcher=dispatcher,
    )


def models_of(settings: Settings, environment: Mapping[str, SecretStr] | None = None) -> Models:
    """Return what opens a tenant's model in a role; equal choices share one client."""
    keys = provider_keys() if environment is None else environment
    opened: dict[ModelChoice, LLM] = {}

    def models(config: TenantConfig, role: Role) -> LLM | None:
        try:
            choice = choose_model(config, role, keys)
        except ProviderRefused as reason:
            return RefusingLLM(reason)
        if choice is None:
            return None
        if choice not in opened:
            opened[choice] = open_llm(
                choice, timeout_seconds=settings.model_timeout_seconds, attempts=settings.model_attempts
            )
        return opened[choice]

    return models


def embedder_choice(settings: Settings) -> EmbedderChoice:
    """Return the embedder that the settings name."""
    return EmbedderChoice(
        name=settings.embedder,
        api_key=settings.embedder_api_key if settings.embedder_api_key.get_secret_value() else None,
        api_base=settings.embedder_api_base or None,
        dimension=settings.embedder_dimension or None,
        cache_entries=settings.embedding_cache_entries,
    )
