"""Build a running Sagacity from the settings: the one place where all parts are put together."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sagacity.access.open import open_token_store
from sagacity.access.quotas import make_organisation
from sagacity.access.token_store import TokenStore
from sagacity.accounts.open import Accounts, open_accounts
from sagacity.analytics.backlog import RecentBacklog
from sagacity.analytics.counted import CountedRecorder
from sagacity.analytics.emitter import Emitter
from sagacity.analytics.open import open_call_emitter, open_usage_emitter
from sagacity.auth.end_users import UserTokens
from sagacity.chat.respond import Chat, ChatPolicy
from sagacity.config.base import ConfigStore
from sagacity.config.choices import (
    embedder_choice,
    erasure_key,
    postgres_options,
    trace_choice,
    user_tokens,
)
from sagacity.config.open import check_documents, for_tasks, open_cached, open_configs
from sagacity.config.settings import Settings
from sagacity.config.site import Site
from sagacity.coordination.base import SharedState, Topic
from sagacity.coordination.open import open_shared
from sagacity.dispatch.base import Dispatcher
from sagacity.dispatch.local import LocalDispatcher
from sagacity.dispatch.loops import end, for_ever, running
from sagacity.dispatch.open import open_queue, open_wakeups
from sagacity.dispatch.open import open_worker as open_arq_worker
from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.clock import Clock, SystemClock
from sagacity.domain.ids import IdSource, OrgId, TimeOrderedIds
from sagacity.domain.recorder import UNRECORDED
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.domain.usage import UsageEvent
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.learning.erasure.news import ERASED
from sagacity.learning.models import open_models
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.tasks.open import open_task_runner
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.memories.access import Accesses
from sagacity.memories.acting import Parts
from sagacity.memories.query_rewriting import rewrite_by_model
from sagacity.observability.metrics import Metrics
from sagacity.observability.tracing import Tracer, traced
from sagacity.providers.base import Embedder, Reranker
from sagacity.providers.embedders.cached import CachedEmbedder
from sagacity.providers.embedders.open import open_embedder
from sagacity.providers.litellm_seam import close_clients
from sagacity.providers.remote_reranker import RemoteReranker
from sagacity.providers.tokens import TokenCounter
from sagacity.retrieval.pipeline import Searcher
from sagacity.retrieval.query.rewriting import QueryRewriter
from sagacity.storage.open import open_storage, open_vector_store
from sagacity.storage.replica.copy import VectorCopy
from sagacity.storage.transaction import Storage
from sagacity.storage.work.operation_slots import slots_within

if TYPE_CHECKING:
    from sagacity.dispatch.arq.queue import JobQueue
    from sagacity.dispatch.arq.worker import ArqWorker


@dataclass(frozen=True, slots=True)
class Runtime:
    """Everything that a request or a command needs."""

    settings: Settings
    clock: Clock
    ids: IdSource
    storage: Storage
    shared: SharedState
    embedder: Embedder
    searcher: Searcher
    configs: ConfigStore
    site: Site
    models: ModelGateway
    tasks: TaskRunner
    dispatcher: Dispatcher
    chat: Chat
    metrics: Metrics
    tracer: Tracer | None
    """Records spans; None if the settings name no collector."""
    backlog: RecentBacklog
    analytics: Emitter[RequestAnalytics] | None
    """Writes recorded calls; None if the settings turn that off."""
    usage: Emitter[UsageEvent] | None
    """Writes usage events; None if the settings turn that off."""
    user_tokens: UserTokens | None
    """Verifies the tokens of end users; None if the settings name no issuer."""
    accounts: Accounts
    token_store: TokenStore

    @property
    def parts(self) -> Parts:
        """The parts that actions on memories need."""
        return self.chat.parts


@dataclass(frozen=True, slots=True)
class WorkerRuntime:
    """The parts of a worker that its HTTP endpoint and its command use."""

    settings: Settings
    clock: Clock
    storage: Storage
    shared: SharedState
    embedder: Embedder
    token_store: TokenStore
    worker: "ArqWorker"
    metrics: Metrics
    tracer: Tracer | None
    """Records spans; None where the settings name no collector."""
    backlog: RecentBacklog


@asynccontextmanager
async def open_runtime(settings: Settings, *, clock: Clock) -> AsyncGenerator[Runtime]:
    """
    Open the database, warm the models and the tokenizer, and start learning; stop and close it all after the block.

    Args:
        settings: of this process.
        clock: tells when things were stored, are due and expire.

    Raises:
        ConfigError: a setting is wrong; the message names it.
        SchemaMismatch: a newer release, or another program, wrote the database.
        IndexMismatch: the search index was made by another embedder.
    """
    tokens = TokenCounter()
    async with (
        traced(trace_choice(settings)) as tracer,
        open_shared(settings.redis_url) as shared,
        _open_index(settings, shared, tokens, tokens.warm, clock=clock) as (storage, embedder),
    ):
        reranker = _reranker(settings)
        if reranker is not None:
            await reranker.warm()
        if settings.jwt_org != LOCAL_ORG:
            people = Tenant(org_id=OrgId(settings.jwt_org))
            async with storage.begin(people) as transaction:
                await make_organisation(transaction, people, settings.default_quotas)
        runtime = _build(
            settings, storage, shared, embedder, tokens, reranker=reranker, tracer=tracer, clock=clock
        )
        await check_documents(settings, runtime.configs)
        emitters = [one for one in (runtime.analytics, runtime.usage) if one is not None]
        async with (
            nullcontext() if settings.redis_url else _copying(storage, runtime.ids),  # else workers copy
            running(
                runtime.token_store,
                runtime.dispatcher,
                runtime.parts.accesses,
                *emitters,  # before the chat, which records answers until it has stopped
                runtime.chat,
                runtime.accounts,
            ),
        ):
            yield runtime


@asynccontextmanager
async def open_parts(settings: Settings, *, clock: Clock) -> AsyncGenerator[Parts]:
    """
    Open what a search needs, for a command beside running servers: it learns, records, copies and shares nothing.

    Raises:
        SchemaMismatch: a newer release, or another program, wrote the database.
        IndexMismatch: the search index was made by another embedder.
    """
    alone = settings.model_copy(update={"redis_url": ""})
    tokens = TokenCounter()
    async with (
        open_shared(alone.redis_url) as shared,
        _open_index(alone, shared, tokens, clock=clock) as (storage, embedder),
    ):
        yield _build(alone, storage, shared, embedder, tokens, reranker=None, tracer=None, clock=clock).parts


@asynccontextmanager
async def open_worker(settings: Settings) -> AsyncGenerator[WorkerRuntime]:
    """
    Open and start a worker, which does the background work of the servers; stop and close it after the block.

    Raises:
        ConfigError: a setting is wrong; the message names it.
        SchemaMismatch: a newer release, or another program, wrote the database.
        IndexMismatch: the search index was made by another embedder.
    """
    queue = _queue(settings)  # first, because it is what is most often missing
    clock, tokens = SystemClock(), TokenCounter()
    async with (
        traced(trace_choice(settings)) as tracer,
        open_shared(settings.redis_url) as shared,
        _open_index(settings, shared, tokens, tokens.warm, clock=clock) as (storage, embedder),
    ):
        background = _open_background(settings, storage, shared, embedder, clock=clock)
        await check_documents(settings, background.configs)
        _forget_erased(shared.topic, storage, embedder)
        worker = open_arq_worker(
            queue,
            storage,
            background.tasks.work,
            EmbeddingBackfill(storage, embedder).run_one,
            clock=clock,
            ids=background.ids,
            concurrency=settings.learn_concurrency,
            sweep_seconds=settings.sweep_seconds,
        )
        async with _copying(storage, background.ids), running(background.token_store, worker):
            yield WorkerRuntime(
                settings=settings,
                clock=clock,
                storage=storage,
                shared=shared,
                embedder=embedder,
                token_store=background.token_store,
                worker=worker,
                metrics=background.metrics,
                tracer=tracer,
                backlog=RecentBacklog(storage, clock),
            )


@asynccontextmanager
async def _copying(storage: Storage, ids: IdSource) -> AsyncGenerator[None]:
    """Keep the vector store a copy of the database during the block, if there is a vector store."""
    copy = vector_copy(storage, ids)
    if copy is None:
        yield
        return
    copying = asyncio.create_task(for_ever(copy.step))
    try:
        yield
    finally:
        await end([copying])


@asynccontextmanager
async def _open_index(
    settings: Settings,
    shared: SharedState,
    tokens: TokenCounter,
    *warm_too: Callable[[], Awaitable[None]],
    clock: Clock,
) -> AsyncGenerator[tuple[Storage, Embedder]]:
    """Open the database and the embedder that made its index; warm the embedder and *warm_too* at the same time."""
    async with open_database(settings, clock=clock, vector_store=True, tokens=tokens) as storage:
        embedder = open_embedder(embedder_choice(settings), shared.cache)
        await storage.claim_index(embedder.model, embedder.dimension)
        try:
            await asyncio.gather(embedder.warm(), *(warm() for warm in warm_too))
            yield storage, embedder
        finally:
            await close_clients()


@asynccontextmanager
async def open_database(
    settings: Settings,
    *,
    clock: Clock | None = None,
    vector_store: bool = False,
    tokens: TokenCounter | None = None,
) -> AsyncGenerator[Storage]:
    """
    Open only the database, for commands that need no model; create the local organisation if it is missing.

    Args:
        settings: say where the database is.
        clock: the system clock if omitted.
        vector_store: whether to open the separate vector store, if the settings name one.
        tokens: counts the tokens of memories when they are written; if omitted, one that loads its encoding then.
    """
    vectors = (
        open_vector_store(settings.vector_url, settings.vector_api_key.get_secret_value())
        if vector_store
        else None
    )
    storage = await open_storage(
        settings.storage_url,
        clock=clock or SystemClock(),
        ids=TimeOrderedIds(),
        postgres=postgres_options(settings, settings.migration_url),
        vector_store=vectors,
        operation_slots=slots_within(
            settings.tenant_concurrency if settings.redis_url else settings.learn_concurrency
        ),
        quiet_seconds=_first_quiet_seconds(settings),
        count_tokens=(tokens or TokenCounter()).count,
    )
    try:
        async with storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
            await transaction.organisation.ensure()
        yield storage
    finally:
        await storage.close()


def _first_quiet_seconds(settings: Settings) -> float:
    """
    Return how long to wait after a publish before its log is due.

    A dispatcher in this process counts the turns. Workers may miss a hint, so for them a log is due at once.
    """
    if settings.redis_url:
        return 0.0
    return min(settings.quiet_seconds, settings.evaluation_delay_seconds, settings.chat_idle_seconds)


def vector_copy(storage: Storage, ids: IdSource) -> VectorCopy | None:
    """Return the job that fills the vector store; None if there is no vector store."""
    return None if storage.vector_store is None else VectorCopy(storage, storage.vector_store, ids=ids)


def _build(
    settings: Settings,
    storage: Storage,
    shared: SharedState,
    embedder: Embedder,
    tokens: TokenCounter,
    *,
    reranker: Reranker | None,
    tracer: Tracer | None,
    clock: Clock,
) -> Runtime:
    background = _open_background(settings, storage, shared, embedder, clock=clock)
    ids, configs, site, models = background.ids, background.configs, background.site, background.models
    searcher = Searcher(
        storage,
        embedder,
        clock=clock,
        reranker=reranker,
        strategy_seconds=settings.strategy_timeout_seconds,
    )
    query_rewriter = QueryRewriter(
        rewrite_by_model(configs, models, site.is_on), limit_seconds=settings.strategy_timeout_seconds
    )
    dispatcher = _dispatcher(settings, storage, embedder, background.tasks, clock=clock)
    analytics = open_call_emitter(settings, storage, clock)
    usage = open_usage_emitter(settings, storage, clock)
    _forget_erased(shared.topic, storage, embedder)
    accounts = open_accounts(settings, storage, clock=clock, ids=ids)
    parts = Parts(
        storage=storage,
        embedder=embedder,
        searcher=searcher,
        tokens=tokens,
        models=models,
        query_rewriter=query_rewriter,
        configs=configs,
        clock=clock,
        ids=ids,
        dispatcher=dispatcher,
        analytics=CountedRecorder(background.metrics, analytics or UNRECORDED),
        usage=usage or UNRECORDED,
        accesses=Accesses(storage, clock),
        erasure_key=erasure_key(settings),
        person_of=accounts.parts.person_of,
        is_on=site.is_on,
    )
    policy = ChatPolicy(
        stops_when_left=settings.chat_on_disconnect == "cancel",
        wait_seconds=settings.chat_wait_seconds,
    )
    return Runtime(
        settings=settings,
        clock=clock,
        ids=ids,
        storage=storage,
        shared=shared,
        embedder=embedder,
        searcher=searcher,
        configs=configs,
        site=site,
        models=models,
        tasks=background.tasks,
        dispatcher=dispatcher,
        chat=Chat(parts, policy),
        metrics=background.metrics,
        tracer=tracer,
        backlog=RecentBacklog(storage, clock),
        analytics=analytics,
        usage=usage,
        user_tokens=user_tokens(settings, clock),
        accounts=accounts,
        token_store=background.token_store,
    )


@dataclass(frozen=True, slots=True)
class _Background:
    """The parts that background tasks need, in a server as in a worker."""

    ids: IdSource
    metrics: Metrics
    site: Site
    models: ModelGateway
    configs: ConfigStore
    token_store: TokenStore
    tasks: TaskRunner


def _open_background(
    settings: Settings, storage: Storage, shared: SharedState, embedder: Embedder, *, clock: Clock
) -> _Background:
    ids, metrics = TimeOrderedIds(), Metrics()
    site = Site(storage, shared.topic, monotonic=clock.monotonic)
    models = ModelGateway(
        storage,
        open_models(settings, defaults=site.models),
        clock,
        count=metrics.count_model_call,
        refresh=site.refresh,
    )
    store = open_configs(settings, storage, clock=clock)
    configs = open_cached(store, shared.topic, clock=clock)
    token_store = open_token_store(settings, storage, clock=clock, ids=ids)
    tasks = open_task_runner(
        settings,
        storage,
        embedder,
        models,
        for_tasks(store, configs),
        clock=clock,
        ids=ids,
        announce=shared.topic.publish,
        forget_tokens=token_store.forget_user,
    )
    return _Background(ids, metrics, site, models, configs, token_store, tasks)


def _forget_erased(topic: Topic, storage: Storage, embedder: Embedder) -> None:
    """Clear this process's caches whenever any process has erased a user."""

    def hear(subject: str | None) -> None:
        if subject not in {None, ERASED}:
            return
        storage.forget()
        if isinstance(embedder, CachedEmbedder):
            embedder.forget()

    topic.subscribe(hear)


def _dispatcher(
    settings: Settings, storage: Storage, embedder: Embedder, tasks: TaskRunner, *, clock: Clock
) -> Dispatcher:
    """Return the dispatcher: it does the work in this process or, if processes share Redis, wakes the workers."""
    if settings.redis_url:
        return open_wakeups(_queue(settings))
    return LocalDispatcher(
        storage,
        tasks.work,
        EmbeddingBackfill(storage, embedder).run,
        clock=clock,
        concurrency=settings.learn_concurrency,
        sweep_seconds=settings.sweep_seconds,
    )


def _queue(settings: Settings) -> "JobQueue":
    return open_queue(
        settings.redis_url,
        tenant_concurrency=settings.tenant_concurrency,
        lease_seconds=settings.lease_seconds,
    )


def _reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that the settings name, if any."""
    if not settings.reranker:
        return None
    return RemoteReranker(
        settings.reranker,
        api_key=settings.reranker_api_key if settings.reranker_api_key.get_secret_value() else None,
        api_base=settings.reranker_api_base or None,
    )
