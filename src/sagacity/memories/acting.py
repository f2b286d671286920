"""A principal together with everything that an action on memories needs."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TypeVar

from sagacity.auth.erasure_key import OpenKey, no_key
from sagacity.config.base import ConfigStore
from sagacity.config.site import IsOn, always_on
from sagacity.config.tenant_config import TenantConfig
from sagacity.dispatch.base import Dispatcher
from sagacity.domain.account import Person
from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.clock import Clock
from sagacity.domain.errors import Forbidden
from sagacity.domain.ids import IdSource, UserId
from sagacity.domain.kinds import TENANT_KINDS
from sagacity.domain.memory import MemoryKind, NewMemory
from sagacity.domain.principal import Permission, Principal
from sagacity.domain.recorder import UNRECORDED, Recorder
from sagacity.domain.tenant import Tenant
from sagacity.domain.usage import UsageEvent
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.memories.access import Accesses
from sagacity.providers.base import Embedder
from sagacity.providers.tokens import TokenCounter
from sagacity.retrieval.pipeline import Searcher
from sagacity.retrieval.query.rewriting import QueryRewriter
from sagacity.storage.transaction import Storage, Transaction

Result = TypeVar("Result")


async def nobody(_user_id: UserId) -> Person | None:
    """Return None: no user has an account."""
    return None


@dataclass(frozen=True, slots=True)
class Parts:
    """What actions on memories need; one per process."""

    storage: Storage
    embedder: Embedder
    searcher: Searcher
    tokens: TokenCounter
    models: ModelGateway
    query_rewriter: QueryRewriter
    configs: ConfigStore
    clock: Clock
    ids: IdSource
    dispatcher: Dispatcher
    accesses: Accesses
    analytics: Recorder[RequestAnalytics] = UNRECORDED
    usage: Recorder[UsageEvent] = UNRECORDED
    erasure_key: OpenKey = no_key
    person_of: Callable[[UserId], Awaitable[Person | None]] = nobody
    """Returns a user's account identity, if people have accounts."""
    is_on: IsOn = always_on
    """Returns whether an organisation has a feature."""


@dataclass(frozen=True, slots=True)
class Acting:
    """A principal with the parts for acting; every entry passes one down."""

    parts: Parts
    principal: Principal

    @property
    def tenant(self) -> Tenant:
        """The organisation of the data."""
        return self.principal.tenant

    def read(self, *, user_id: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open the principal's data to read, only one user's if *user_id* is given; see `Storage.read`."""
        return self.parts.storage.read(self.principal, user_id=_user(user_id))

    def read_held(self) -> AbstractAsyncContextManager[Transaction]:
        """
        Open the organisation's data to read, with what quarantines hold.

        Raises:
            Forbidden: the principal may not review, or acts for one user.
        """
        self.principal.require(Permission.REVIEW)
        self.require_whole_tenant()
        return self.parts.storage.read(self.principal, shows_held=True)

    async def visit(
        self, work: Callable[[Transaction], Awaitable[Result]], *, user_id: str | None = None
    ) -> Result:
        """Return the result of *work* on a snapshot of the principal's data; see `Storage.visit`."""
        return await self.parts.storage.visit(self.principal, work, user_id=_user(user_id))

    async def visit_to_write(
        self,
        work: Callable[[Transaction], Awaitable[Result]],
        *,
        user_id: str | None = None,
        shows_held: bool = False,
    ) -> Result:
        """Return the result of *work* in a transaction, once it is committed; see `Storage.visit_to_write`."""
        return await self.parts.storage.visit_to_write(
            self.principal, work, user_id=_user(user_id), shows_held=shows_held
        )

    def begin(
        self, *, user_id: str | None = None, shows_held: bool = False
    ) -> AbstractAsyncContextManager[Transaction]:
        """
        Open the principal's data to write, only one user's if *user_id* is given; see `Storage.begin`.

        Args:
            user_id: whose.
            shows_held: whether what quarantines hold is reached, too: by what takes a whole away or moves it. What is
                named one by one is not found while it is held.
        """
        return self.parts.storage.begin(self.principal, user_id=_user(user_id), shows_held=shows_held)

    def begin_to_erase(self, *, user_id: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open the principal's data to delete turns; one who may see what quarantines hold deletes that as well."""
        reviews = Permission.REVIEW in self.principal.permissions and self.principal.user_id is None
        return self.begin(user_id=user_id, shows_held=reviews)

    def require_to_write(self, memories: Sequence[NewMemory]) -> None:
        """
        Make sure that the principal may add or put *memories*.

        Raises:
            Forbidden: it may not write one of their kinds, or one is of another user than the principal's.
        """
        for memory in memories:
            self.require_to_write_kind(memory.kind)
            self.principal.acting_for(memory.user_id)

    def require_to_write_kind(self, kind: MemoryKind) -> None:
        """
        Make sure that the principal may write memories of a kind: only reviewers may write what serves all users.

        Raises:
            Forbidden: the caller may not.
        """
        self.principal.require(Permission.REVIEW if kind in TENANT_KINDS else Permission.WRITE)

    def require_whole_tenant(self) -> None:
        """
        Make sure that the principal acts for the whole organisation.

        Raises:
            Forbidden: it acts for one user.
        """
        if self.principal.user_id is not None:
            raise Forbidden("this call is for the whole organisation, but this caller acts for one user")

    async def config(self) -> TenantConfig:
        """Return the tenant's configuration."""
        return await self.parts.configs.get(self.tenant)


def _user(user_id: str | None) -> UserId | None:
    return None if user_id is None else UserId(user_id)
