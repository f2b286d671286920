"""The parts that commands on memories need, without a server or a model."""

from collections.abc import Mapping

from sagacity.dispatch.local import LocalDispatcher
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.memories.access import Accesses
from sagacity.memories.acting import Acting, Parts
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.tokens import TokenCounter
from sagacity.retrieval.pipeline import Searcher
from sagacity.retrieval.query.rewriting import QueryRewriter
from sagacity.storage.transaction import Storage
from support.configs import kept_configs
from support.parts import ORG


def parts_of(storage: Storage, embedder: MiniLM, clock: Clock, ids: IdSource) -> Parts:
    """Parts over *storage*; nothing is learned or indexed in the background."""

    async def nothing_is_learned(_scope: DueScope) -> None: ...

    async def nothing_is_indexed() -> None: ...

    async def no_model(_tenant: Tenant, _values: Mapping[str, str]) -> None: ...

    return Parts(
        storage=storage,
        embedder=embedder,
        searcher=Searcher(storage, embedder, clock=clock),
        tokens=TokenCounter(),
        models=ModelGateway(storage, lambda _config, _role: None, clock),
        query_rewriter=QueryRewriter(no_model),
        configs=kept_configs(storage),
        clock=clock,
        ids=ids,
        dispatcher=LocalDispatcher(
            storage,
            nothing_is_learned,
            nothing_is_indexed,
            clock=clock,
            concurrency=1,
            sweep_seconds=60,
        ),
        accesses=Accesses(storage, clock),
    )


def for_everyone(parts: Parts) -> Acting:
    """Act for the whole organisation, with every permission."""
    return Acting(parts, Principal(tenant=ORG))
