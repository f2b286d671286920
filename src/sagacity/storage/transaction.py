"""Access to data: `Storage.begin` to write and `Storage.read` to read, for a tenant or on behalf of a principal."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Generic, Self, TypeVar, overload

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.backlog import Backlog
from sagacity.domain.clock import Clock
from sagacity.domain.errors import QuotaExceeded, StorageUnavailable
from sagacity.domain.ids import IdSource, UserId
from sagacity.domain.interaction import NewRequest, Request
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.access.audit import AuditRepository
from sagacity.storage.access.tokens import TokenRepository
from sagacity.storage.accounts.accounts import AccountRepository
from sagacity.storage.accounts.attempts import AttemptRepository
from sagacity.storage.accounts.invitations import InvitationRepository
from sagacity.storage.accounts.mails import AccountMailRepository
from sagacity.storage.accounts.members import MemberRepository
from sagacity.storage.accounts.sessions import AccountSessionRepository
from sagacity.storage.accounts.totp import TotpRepository
from sagacity.storage.analytics.days import AnalyticsDayRepository
from sagacity.storage.analytics.effects import EffectRepository
from sagacity.storage.analytics.reports import AnalyticsReportRepository
from sagacity.storage.analytics.requests import RequestAnalyticsRepository
from sagacity.storage.analytics.usage import UsageRepository
from sagacity.storage.base import Backend, Scope, uncounted
from sagacity.storage.erasure.derived import DerivedRepository
from sagacity.storage.erasure.erasures import ErasureRepository
from sagacity.storage.erasure.rows import ErasedRows
from sagacity.storage.evidence.conversations import ConversationRepository, ExchangeRepository
from sagacity.storage.evidence.evaluations import EvaluationRepository
from sagacity.storage.evidence.figures import FigureRepository
from sagacity.storage.evidence.interactions import InteractionRepository
from sagacity.storage.evidence.known_users import KnownUserRepository
from sagacity.storage.evidence.logs import LogRepository
from sagacity.storage.evidence.retention import RetentionRepository
from sagacity.storage.evidence.sessions import SessionRepository
from sagacity.storage.evidence.shadow import ShadowRepository
from sagacity.storage.graph.entities import EntityRepository
from sagacity.storage.graph.learned import GraphRepository
from sagacity.storage.graph.relationships import RelationshipRepository
from sagacity.storage.group_commit import GroupCommit
from sagacity.storage.lookups import Lookups
from sagacity.storage.memories.changes import ChangeRepository
from sagacity.storage.memories.clusters import ClusterRepository
from sagacity.storage.memories.duplicate_pairs import DuplicateRepository
from sagacity.storage.memories.health import HealthRepository
from sagacity.storage.memories.memories import MemoryRepository
from sagacity.storage.memories.of_user import UserMemoryRepository
from sagacity.storage.memories.review_actions import ReviewActionRepository
from sagacity.storage.memories.review_queue import ReviewQueueRepository
from sagacity.storage.memories.versions import VersionRepository
from sagacity.storage.organisations import OrganisationRepository
from sagacity.storage.portable.imports import ImportRepository
from sagacity.storage.portable.reading import PortableRepository
from sagacity.storage.quarantine.quarantines import QuarantineRepository
from sagacity.storage.quotas import COUNTED_UP, QuotaRepository, settle
from sagacity.storage.reach import pinned, reached_by, shown
from sagacity.storage.recent_calls import RecentCalls
from sagacity.storage.replica.base import VectorReplica
from sagacity.storage.replica.copied import CopyRepository
from sagacity.storage.retrying import retried
from sagacity.storage.schema.views import (
    known_organisations,
    waiting_tenants,
)
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.index_owner import claim_index, made_by, record_index
from sagacity.storage.search.rebuild import rebuild
from sagacity.storage.site import SiteRepository
from sagacity.storage.user_settings import UserSettingsRepository
from sagacity.storage.work.backlog import read_backlog
from sagacity.storage.work.cursors import CursorRepository, DeadLetterRepository, LeaseRepository
from sagacity.storage.work.distillations import DistillationRepository
from sagacity.storage.work.extractions import ExtractionRepository
from sagacity.storage.work.model_calls import ModelCallRepository
from sagacity.storage.work.operation_slots import TURNS
from sagacity.storage.work.operations import OperationRepository
from sagacity.storage.work.records import RecordRepository

_LOCAL = Tenant(org_id=LOCAL_ORG)
Result = TypeVar("Result")
Repository = TypeVar("Repository")


class _Made(Generic[Repository]):
    """A repository of a transaction, created on first use: there are fifty, and a call needs three."""

    def __init__(self, make: "Callable[[Transaction], Repository]") -> None:
        self._make = make

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, transaction: None, _: type) -> Self: ...

    @overload
    def __get__(self, transaction: "Transaction", _: type) -> Repository: ...

    def __get__(self, transaction: "Transaction | None", _: type) -> Self | Repository:
        if transaction is None:
            return self
        made = vars(transaction)[self._name] = self._make(transaction)
        return made


class Transaction:
    """A transaction on one tenant's data; everything done through it commits atomically."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    search = _Made(lambda it: SearchRepository(it.scope))
    interactions = _Made(lambda it: InteractionRepository(it.scope, it.search))
    logs = _Made(lambda it: LogRepository(it.scope))
    known_users = _Made(lambda it: KnownUserRepository(it.scope))
    graph = _Made(lambda it: GraphRepository(it.scope))
    entities = _Made(lambda it: EntityRepository(it.scope, it.graph))
    relationships = _Made(lambda it: RelationshipRepository(it.scope, it.entities))
    memories = _Made(lambda it: MemoryRepository(it.scope, it.search, it.graph))
    user_memories = _Made(lambda it: UserMemoryRepository(it.scope))
    user_settings = _Made(lambda it: UserSettingsRepository(it.scope))
    cursors = _Made(lambda it: CursorRepository(it.scope))
    leases = _Made(lambda it: LeaseRepository(it.scope))
    dead_letters = _Made(lambda it: DeadLetterRepository(it.scope))
    changes = _Made(lambda it: ChangeRepository(it.scope))
    review_queue = _Made(lambda it: ReviewQueueRepository(it.scope))
    health = _Made(lambda it: HealthRepository(it.scope))
    review_actions = _Made(lambda it: ReviewActionRepository(it.scope))
    duplicates = _Made(lambda it: DuplicateRepository(it.scope))
    evaluations = _Made(lambda it: EvaluationRepository(it.scope))
    figures = _Made(lambda it: FigureRepository(it.scope))
    shadow = _Made(lambda it: ShadowRepository(it.scope))
    sessions = _Made(lambda it: SessionRepository(it.scope))
    conversations = _Made(lambda it: ConversationRepository(it.scope))
    exchanges = _Made(lambda it: ExchangeRepository(it.scope))
    model_calls = _Made(lambda it: ModelCallRepository(it.scope))
    extractions = _Made(lambda it: ExtractionRepository(it.scope))
    request_analytics = _Made(lambda it: RequestAnalyticsRepository(it.scope))
    analytics_reports = _Made(lambda it: AnalyticsReportRepository(it.scope))
    analytics_days = _Made(lambda it: AnalyticsDayRepository(it.scope))
    usage = _Made(lambda it: UsageRepository(it.scope))
    effects = _Made(lambda it: EffectRepository(it.scope))
    organisation = _Made(lambda it: OrganisationRepository(it.scope))
    site = _Made(lambda it: SiteRepository(it.scope))
    audit = _Made(lambda it: AuditRepository(it.scope))
    quotas = _Made(lambda it: QuotaRepository(it.scope, it.audit))
    tokens = _Made(lambda it: TokenRepository(it.scope, it.audit))
    accounts = _Made(lambda it: AccountRepository(it.scope))
    account_sessions = _Made(lambda it: AccountSessionRepository(it.scope))
    account_mails = _Made(lambda it: AccountMailRepository(it.scope))
    account_totp = _Made(lambda it: TotpRepository(it.scope))
    attempts = _Made(lambda it: AttemptRepository(it.scope))
    members = _Made(lambda it: MemberRepository(it.scope, it.audit))
    invitations = _Made(lambda it: InvitationRepository(it.scope, it.audit))
    copies = _Made(lambda it: CopyRepository(it.scope))
    operations = _Made(lambda it: OperationRepository(it.scope))
    versions = _Made(lambda it: VersionRepository(it.scope, it.search, it.memories, it.leases))
    clusters = _Made(lambda it: ClusterRepository(it.scope))
    distillations = _Made(lambda it: DistillationRepository(it.scope))
    retention = _Made(lambda it: RetentionRepository(it.scope, it.search, it.memories))
    records = _Made(lambda it: RecordRepository(it.scope))
    erasures = _Made(lambda it: ErasureRepository(it.scope))
    derived = _Made(lambda it: DerivedRepository(it.scope))
    quarantines = _Made(lambda it: QuarantineRepository(it.scope, it.search, it.derived, it.dead_letters))
    erased_rows = _Made(
        lambda it: ErasedRows(
            it.scope, it.search, it.memories, it.operations, quarantines=it.quarantines, tokens=it.tokens
        )
    )
    portable = _Made(lambda it: PortableRepository(it.scope))
    imports = _Made(lambda it: ImportRepository(it.scope, it.search))


class Storage(Lookups):
    """
    All access to the database, behind one *backend*.

    A tenant's data is reached only through `begin`, `read`, `visit` and `visit_to_write`. `backend` is for work on the
    whole database, such as copying it; tests may replace it with one that fails or counts.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        clock: Clock,
        ids: IdSource,
        vector_store: VectorReplica | None = None,
        operation_slots: int = TURNS,
        quiet_seconds: float = 0.0,
        count_tokens: Callable[[str], int] = uncounted,
    ) -> None:
        super().__init__(backend, clock)
        self.vector_store = vector_store
        self._ids = ids
        self._operation_turns = operation_slots
        self._quiet_seconds = quiet_seconds
        self._count_tokens = count_tokens
        self._appends = GroupCommit(self._append)
        self._calls = RecentCalls()

    @property
    def kind(self) -> str:
        """The backend's short name."""
        return self.backend.name

    @property
    def label(self) -> str:
        """The location of the data, with secrets masked."""
        return self.backend.label

    @asynccontextmanager
    async def begin(
        self, whose: Tenant | Principal, *, user_id: UserId | None = None, shows_held: bool | None = None
    ) -> AsyncGenerator[Transaction]:
        """
        Open a transaction that may write: committed at the end of the block, rolled back on an exception.

        Never wait for a model or the network inside it.

        Args:
            whose: the tenant, for its own work; or the principal of a call, which then reaches only its user's rows,
                and goes before background work.
            user_id: the user to act for; a database with row-level security then changes no other user's rows.
            shows_held: as in `read`.

        Raises:
            Forbidden: *user_id* is another user than the principal's.
        """
        tenant, reached = reached_by(whose, user_id)
        is_call = self._note_call(whose)
        async with (
            self._recounting(tenant),
            self.backend.write(tenant.org_id, user_id=reached, urgent=is_call) as connection,
        ):
            with pinned(self.backend, connection, whose):
                whole = self._scope(connection, tenant, writes=True)
                async with shown(whole, whose, with_held=shows_held) as scope:
                    yield Transaction(scope)
                await settle(whole, refuses=is_call)

    @asynccontextmanager
    async def read(
        self,
        whose: Tenant | Principal,
        *,
        user_id: UserId | None = None,
        keeps_plans: bool = False,
        shows_held: bool | None = None,
    ) -> AsyncGenerator[Transaction]:
        """
        Open a read-only transaction on a snapshot. Parallel steps open one each.

        Args:
            whose: as in `begin`.
            user_id: the user to act for; a database with row-level security then shows no other user's rows.
            keeps_plans: the statements differ only in their values, and read few rows by an index.
            shows_held: whether to show what quarantines hold; None: yes for a tenant, no for a principal.

        Raises:
            Forbidden: *user_id* is another user than the principal's.
        """
        tenant, reached = reached_by(whose, user_id)
        async with self.backend.read(tenant.org_id, user_id=reached, keeps_plans=keeps_plans) as connection:
            with pinned(self.backend, connection, whose):
                async with shown(self._scope(connection, tenant), whose, with_held=shows_held) as scope:
                    yield Transaction(scope)

    async def visit(
        self,
        whose: Tenant | Principal,
        work: Callable[[Transaction], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        keeps_plans: bool = False,
    ) -> Result:
        """
        Return the result of *work* on a snapshot; faster than `read` for several statements.

        Args:
            whose: as in `begin`.
            work: may run in a thread, so it must await nothing but the transaction, and cannot use the event loop.
            user_id: as in `read`.
            keeps_plans: as in `read`.

        Raises:
            Forbidden: *user_id* is another user than the principal's.
        """
        tenant, reached = reached_by(whose, user_id)
        self._note_call(whose)

        async def visited(connection: AsyncConnection) -> Result:
            with pinned(self.backend, connection, whose):
                async with shown(self._scope(connection, tenant), whose) as scope:
                    return await work(Transaction(scope))

        return await self.backend.visit(tenant.org_id, visited, user_id=reached, keeps_plans=keeps_plans)

    async def visit_to_write(
        self,
        whose: Tenant | Principal,
        work: Callable[[Transaction], Awaitable[Result]],
        *,
        user_id: UserId | None = None,
        shows_held: bool | None = None,
    ) -> Result:
        """
        Return the result of *work* in a transaction like that of `begin`, once it is committed; faster, like `visit`.

        Args:
            whose: as in `begin`.
            work: as in `visit`; an exception rolls the transaction back.
            user_id: as in `begin`.
            shows_held: as in `read`.

        Raises:
            Forbidden: *user_id* is another user than the principal's.
        """
        tenant, reached = reached_by(whose, user_id)
        is_call = self._note_call(whose)

        async def visited(connection: AsyncConnection) -> Result:
            with pinned(self.backend, connection, whose):
                whole = self._scope(connection, tenant, writes=True)
                async with shown(whole, whose, with_held=shows_held) as scope:
                    done = await work(Transaction(scope))
                await settle(whole, refuses=is_call)
                return done

        async with self._recounting(tenant):
            return await self.backend.visit_to_write(tenant.org_id, visited, user_id=reached, urgent=is_call)

    @asynccontextmanager
    async def _recounting(self, tenant: Tenant) -> AsyncGenerator[None]:
        """
        Recount the quota that refused a transaction, because deletions do not lower counts.

        Raises:
            StorageUnavailable: the use is less than the count, so a retry may succeed.
        """
        try:
            yield
        except QuotaExceeded as error:
            name = next((one for one in COUNTED_UP if one == error.quota), None)
            if name is None:
                raise
            async with self.backend.write(tenant.org_id, urgent=True) as connection:
                whole = self._scope(connection, tenant, writes=True)
                is_less = await Transaction(whole).quotas.recount(name)
            if is_less:
                raise StorageUnavailable("the stored rows were counted again meanwhile; try again") from error
            raise

    def _scope(self, connection: AsyncConnection, tenant: Tenant, *, writes: bool = False) -> Scope:
        parts = (connection, tenant.org_id, self.backend, self._clock, self._ids)
        slots, count = self._operation_turns, self._count_tokens
        return Scope(
            *parts,
            writes=writes,
            quiet_seconds=self._quiet_seconds,
            operation_slots=slots,
            count_tokens=count,
        )

    async def append(self, whose: Tenant | Principal, request: NewRequest) -> Request:
        """
        Append one request to the log, in a transaction that other requests of the tenant may share.

        Returns:
            The stored request, which is durable; the stored one if a request with the same id and content exists.

        Raises:
            Conflict: a request with its id and other content is stored.
            Forbidden: the request belongs to a user other than the principal's.
            QuotaExceeded: the organisation's quota of users or interactions is used up.
            RateLimited: its daily quota of interactions is used up.
        """
        tenant, _ = reached_by(whose, request.user_id)
        return await self._appends.append(tenant, request)

    async def retry(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Run *work*, and retry it after conflicts with other transactions and broken connections; see `retried`."""
        return await retried(work)

    async def _append(self, tenant: Tenant, requests: Sequence[NewRequest]) -> list[Request]:
        self._calls.note()
        # If a commit succeeded without an answer, a retry does no harm: the ids are known then.
        return await self.retry(lambda: self._append_once(tenant, requests))

    async def _append_once(self, tenant: Tenant, requests: Sequence[NewRequest]) -> list[Request]:
        async def append(connection: AsyncConnection) -> list[Request]:
            scope = self._scope(connection, tenant)
            stored = await Transaction(scope).interactions.append(requests)
            await settle(scope, refuses=True)
            return stored

        async with self._recounting(tenant):
            return await self.backend.visit_to_write(tenant.org_id, append, urgent=True)

    def _note_call(self, whose: Tenant | Principal) -> bool:
        """Return whether somebody waits for this transaction; then background work gives way for a while."""
        if is_call := isinstance(whose, Principal):
            self._calls.note()
        return is_call

    async def yield_to_calls(self, worked_seconds: float) -> None:
        """Let calls that write or search go first; background work awaits this after each step; see `RecentCalls`."""
        await self._calls.give_way(worked_seconds)

    async def migrate(self) -> None:
        """
        Bring the schema up to this release.

        Raises:
            SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
        """
        await self.backend.migrate()

    async def claim_index(self, embedder: str, dimension: int) -> None:
        """
        Claim the search index for an embedder, or check that it was made by the same one.

        Raises:
            IndexMismatch: another embedder or analyzer made it.
        """
        async with self.backend.write(_LOCAL.org_id) as connection:
            await claim_index(self._scope(connection, _LOCAL, writes=True), embedder, dimension)
        await self.backend.prepare_vectors(dimension)

    async def rebuild_index(
        self, embedder: str, dimension: int, on_progress: Callable[[int, int], None]
    ) -> None:
        """
        Rebuild every search document, in one transaction.

        All documents can be found by their terms when it commits. A vector is kept if the same embedder made it from
        the same text; the others are queued for embedding. An interrupted rebuild leaves the old index unchanged.

        Args:
            embedder: the name of the new embedder.
            dimension: the dimension of its vectors.
            on_progress: called after each batch with the number of documents written and the total.
        """
        tenants = await self.organisations()
        async with self.backend.write(_LOCAL.org_id) as connection:
            scopes = [self._scope(connection, tenant, writes=True) for tenant in tenants]
            index = self._scope(connection, _LOCAL, writes=True)
            is_same = await made_by(index) == (embedder, dimension)
            await rebuild(scopes, on_progress, keeps_vectors=is_same)
            await record_index(index, embedder, dimension)

    async def unembedded_count(self) -> int:
        """Return the number of documents without vectors, over all tenants."""
        async with self.backend.read(None) as connection:
            statement = sa.select(sa.func.coalesce(sa.func.sum(waiting_tenants.c.document_count), 0))
            return int((await connection.execute(statement)).scalar_one())

    async def backlog(self) -> Backlog:
        """Return the backlog of all tenants."""
        async with self.backend.read(None) as connection:
            return await read_backlog(connection, self._clock.now())

    def forget(self) -> None:
        """Clear the caches of searches, whose documents may have been erased."""
        self.backend.vectors.forget()
        self.backend.terms.forget()

    async def check(self) -> None:
        """Answer one query, or raise StorageError."""
        async with self.backend.read(None) as connection:
            await connection.execute(sa.select(known_organisations).limit(1))

    async def close(self) -> None:
        """Close every connection."""
        await self.end_lookups()
        await self.backend.close()
        if self.vector_store is not None:
            await self.vector_store.close()
