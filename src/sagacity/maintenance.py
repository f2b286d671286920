"""Commands on a whole installation: migrate, reindex, check the vector copy, back up, verify erasures."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

from sagacity.access.configuration import Rotated, rotate_key
from sagacity.access.quotas import make_organisation
from sagacity.access.token_document import NAME as TOKENS
from sagacity.accounts.totp import seal_again
from sagacity.auth.key_ring import add_key, keep_first_key
from sagacity.bootstrap import open_database, open_parts, vector_copy
from sagacity.config.choices import (
    config_key_file,
    config_keys,
    embedder_choice,
    erasure_key,
    key_service,
    postgres_options,
)
from sagacity.config.document_place import DocumentPlace
from sagacity.config.open import ConfigPlace, open_configs, open_place
from sagacity.config.settings import Settings
from sagacity.domain.audit import OPERATOR
from sagacity.domain.base import Value
from sagacity.domain.clock import SystemClock
from sagacity.domain.erasure import ErasureReport
from sagacity.domain.errors import (
    ConfigError,
    Conflict,
    IndexMismatch,
    InvalidInput,
    NotFound,
    ProviderError,
)
from sagacity.domain.ids import OrgId, TimeOrderedIds, UserId
from sagacity.domain.principal import CallerKind, Principal
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.learning.erasure.report import is_genuine
from sagacity.memories.acting import Acting
from sagacity.providers.embedders.open import open_embedder
from sagacity.storage.base import Backend
from sagacity.storage.erasure.erasures import SHORTEST_NEEDLE
from sagacity.storage.erasure.scan import scan_files, scan_tables, user_ids
from sagacity.storage.open import is_same, migrate_database, open_backend, open_file
from sagacity.storage.portable.arriving import Imported, arrive
from sagacity.storage.portable.files import Exported, write_file
from sagacity.storage.portable.staging import staged
from sagacity.storage.portable.writing import lines_of
from sagacity.storage.replica.copy import CopyReport
from sagacity.storage.transfer.copy import OnProgress

_PROGRESS_SECONDS = 0.2
Reported = TypeVar("Reported")


class Migrated(Value):
    """A database's schema before and after."""

    database: str
    """Its location."""
    schema_before: str
    """Empty if there were no tables."""
    schema_now: str

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        return self.schema_before != self.schema_now


async def migrate(settings: Settings) -> Migrated:
    """
    Migrate the database's schema to this release and create what searches need.

    Raises:
        ConfigError: the owner of a PostgreSQL database is not known or lacks the rights.
        IndexMismatch: the search index was made by another embedder; the schema is migrated nevertheless.
    """
    if not settings.is_sqlite and not settings.migration_url:
        raise ConfigError(
            "setting SAGACITY_MIGRATION_URL: name the database with the role that owns its tables"
        )
    embedder = open_embedder(embedder_choice(settings))
    options = postgres_options(settings, settings.migration_url)
    change = await migrate_database(settings.storage_url, postgres=options)
    async with open_database(settings) as storage:
        try:
            await storage.claim_index(embedder.model, embedder.dimension)
        except IndexMismatch as error:
            error.add_note(f"The schema is migrated: {change.schema_now}.")
            raise
        return Migrated(database=storage.label, schema_before=change.before, schema_now=change.schema_now)


async def reindex(settings: Settings) -> AsyncGenerator[tuple[int, int]]:
    """
    Rebuild the search index with the embedder that the settings name; run it while no server runs.

    What the same embedder made of the same text stays: after an upgrade that changes only the words, it takes seconds.

    The words are written in one transaction, then the vectors in batches: cut short there, whatever runs next, this or
    a server, goes on with what is left.

    A copy of the vectors is dropped first and filled last.

    Yields:
        (done, total) in documents, each counted once for its words, once for its vector and once for its copy.
    """
    embedder = open_embedder(embedder_choice(settings))
    await embedder.warm()
    async with open_database(settings, vector_store=True) as storage:
        copy = vector_copy(storage, TimeOrderedIds())
        if copy is not None:
            await copy.drop()
        passes, total = 2 if copy is None else 3, 0

        async def write_words(report: Callable[[tuple[int, int]], None]) -> None:
            await storage.rebuild_index(
                embedder.model, embedder.dimension, lambda done, total: report((done, total))
            )

        async for done, total in _reported(write_words):
            yield done, passes * total
        backfill = EmbeddingBackfill(storage, embedder)
        while left := await storage.unembedded_count():
            yield 2 * total - left, passes * total
            if not await backfill.round():
                raise ProviderError(
                    "the embedder gives no vectors at the moment; run `sagacity reindex` again to continue"
                )
        done = 2 * total
        yield done, passes * total
        if copy is not None:
            async for count in _reported(copy.fill):
                done += count
                yield done, passes * total


async def _reported(
    work: Callable[[Callable[[Reported], None]], Coroutine[object, object, None]],
) -> AsyncGenerator[Reported]:
    """Yield what *work* reports while it runs."""
    reports: asyncio.Queue[Reported] = asyncio.Queue()
    working = asyncio.create_task(work(reports.put_nowait))
    while not (working.done() and reports.empty()):
        with suppress(TimeoutError):
            async with asyncio.timeout(_PROGRESS_SECONDS):
                report = await reports.get()
            yield report
    await working


async def compare_vector_copy(settings: Settings) -> CopyReport | None:
    """
    Compare the copy of the vectors with the database; None if there is no copy yet.

    Raises:
        VectorStoreError: the vector store does not answer.
    """
    async with open_database(settings, vector_store=True) as storage:
        copy = vector_copy(storage, TimeOrderedIds())
        return None if copy is None else await copy.compare()


class ErasureCheck(Value):
    """The result of verifying a report."""

    is_genuine: bool
    """Whether the report is unchanged and signed with this installation's key."""
    found: tuple[str, ...] = ()
    """Tables and files that still contain something of the user."""
    mentions: tuple[str, ...] = ()
    """Tables in which rows of others contain the user's id."""
    is_user_back: bool = False
    """Whether the user was stored again since; then rows of that id belong to a new user."""

    @property
    def holds(self) -> bool:
        """Whether the report may be relied on."""
        return self.is_genuine and not self.found


async def verify_erasure(settings: Settings, report: ErasureReport, user_id: UserId | None) -> ErasureCheck:
    """
    Verify the signature of a report, and search the database again.

    Args:
        settings: where the database and the key are.
        report: of the erasure.
        user_id: the erased user; if given, texts and files are searched too.

    Raises:
        InvalidInput: the report is about another user.
        ConfigError: the key can be neither read nor made.
    """
    key = erasure_key(settings)()
    if user_id is not None and key.hash_user(report.org_id, user_id) != report.user_hash:
        raise InvalidInput("the report is about another user, or was made with another key")
    if not is_genuine(report) or report.public_key != key.public_key:
        return ErasureCheck(is_genuine=False)
    org_id = OrgId(report.org_id)
    async with open_whole(settings, settings.storage_url, as_found=True) as backend:
        there = await user_ids(backend, org_id)
        whom = user_id or next((one for one in there if key.hash_user(org_id, one) == report.user_hash), None)
        needles = [] if whom is None or len(whom) < SHORTEST_NEEDLE else [whom]
        found = await scan_tables(backend, org_id, needles, user_id=whom)
        dirty: list[str] = []
        if backend.file is not None:
            left = [one for one in needles if one not in found.explained]
            _, dirty = await asyncio.to_thread(scan_files, backend.file, left)
    is_back = "users" in found.rows
    rows = () if is_back else found.rows
    return ErasureCheck(
        is_genuine=True,
        found=(*rows, *dirty),
        mentions=tuple(name for name in found.mentions if name not in found.rows),
        is_user_back=is_back,
    )


async def rotate_config_key(settings: Settings, *, is_new: bool, drops_old: bool) -> Rotated:
    """
    Rewrap all data keys of configurations, and reencrypt all secrets of authenticator apps, with the first key.

    Servers may run meanwhile.

    Args:
        settings: where the configurations and the keys are.
        is_new: a new key is made in the home folder first; servers read that file again each time.
        drops_old: if all data keys could be wrapped, the other keys are removed from the home folder.

    Raises:
        ConfigError: the keys can be neither read nor written.
    """
    path = config_key_file(settings)
    if is_new:
        add_key(path, key_service(settings))
    async with open_database(settings) as storage:
        tenants = await storage.organisations()
        done = await rotate_key(open_configs(settings, storage, clock=SystemClock()), tenants, by=OPERATOR)
        apps, failed = await seal_again(storage, tenants, config_keys(settings))
    done = done.model_copy(update={"apps": apps, "failed": (*done.failed, *failed)})
    if drops_old and not done.failed:
        keep_first_key(path, key_service(settings))
    return done


async def forget_config_secrets(settings: Settings, org_id: OrgId) -> None:
    """
    Remove an organisation's API keys from its configuration because their encryption key is lost.

    Raises:
        NotFound: there is no such organisation.
        Conflict: they can be decrypted, or there are none.
        ConfigError: what is stored does not parse.
        StorageUnavailable: the database, or the key service, cannot be reached.
    """
    tenant = Tenant(org_id=org_id)
    async with open_database(settings) as storage:
        if tenant not in await storage.organisations():
            raise NotFound(f"there is no organisation {org_id!r}")
        await open_configs(settings, storage, clock=SystemClock()).forget_secrets(tenant, by=OPERATOR)


class CopiedConfigs(Value):
    """The result of copying configurations."""

    organisations: int
    """Number of organisations whose configuration is in the other place now."""
    versions: int
    """Number of their versions, including the current ones."""
    tokens: bool
    """Whether the document of API tokens was copied, too."""


async def copy_configs(settings: Settings, source: ConfigPlace, target: ConfigPlace) -> CopiedConfigs:
    """
    Copy the configurations of all organisations with their versions; the source stays unchanged.

    Between a folder and S3 the document of API tokens is copied, too. Run again, it copies the rest.

    Raises:
        InvalidInput: both are the same.
        ConfigError: the settings do not say where one of them is, or its content is broken.
        Conflict: the other place has another configuration, or other tokens.
        StorageUnavailable: a place cannot be reached.
    """
    if source is target:
        raise InvalidInput("the two places must differ")
    organisations = versions = 0
    clock = SystemClock()
    async with open_database(settings) as storage:
        old = open_configs(settings, storage, clock=clock, place=source)
        new = open_configs(settings, storage, clock=clock, place=target)
        org_ids = {tenant.org_id for tenant in await storage.organisations()} | {LOCAL_ORG}
        for tenant in (Tenant(org_id=org_id) for org_id in sorted(org_ids)):
            if (kept := await old.kept(tenant)) is not None:
                await new.keep(tenant, kept, by=OPERATOR)
                organisations, versions = organisations + 1, versions + len(kept.versions)
    tokens = await _copy_tokens(open_place(settings, source), open_place(settings, target))
    return CopiedConfigs(organisations=organisations, versions=versions, tokens=tokens)


async def _copy_tokens(source: DocumentPlace | None, target: DocumentPlace | None) -> bool:
    found = None if source is None or target is None else await source.read(TOKENS)
    if found is None or target is None:
        return False
    if not await target.write(TOKENS, found.content, tag=None):
        there = await target.read(TOKENS)
        if there is None or there.content != found.content:
            raise Conflict("the place to copy to has other API tokens already: nothing was overwritten")
    return True


@asynccontextmanager
async def open_whole(settings: Settings, url: str, *, as_found: bool = False) -> AsyncGenerator[Backend]:
    """
    Open the database at *url* by itself, for commands that work on all of it.

    Args:
        settings: how PostgreSQL is reached; the owner counts only for the database that it is the owner of.
        url: any database, configured or not.
        as_found: neither create nor migrate it.
    """
    owner = settings.migration_url
    options = postgres_options(settings, owner if owner and is_same(owner, url) else "")
    backend = await open_backend(url, postgres=options, as_found=as_found)
    try:
        yield backend
    finally:
        await backend.close()


@asynccontextmanager
async def open_acting(settings: Settings, tenant: Tenant) -> AsyncGenerator[Acting]:
    """
    Open what a search on behalf of an organisation needs, beside running servers.

    Raises:
        NotFound: there is no such organisation.
        IndexMismatch: the search index was made by another embedder.
    """
    async with open_parts(settings, clock=SystemClock()) as parts:
        if tenant not in await parts.storage.organisations():
            raise NotFound(f"there is no organisation {tenant.org_id!r}")
        yield Acting(parts, Principal(tenant=tenant, kind=CallerKind.LOCAL))


async def export_file(
    settings: Settings,
    tenant: Tenant,
    user_id: UserId | None,
    path: Path,
    on_progress: OnProgress,
    *,
    replace: bool = False,
) -> Exported:
    """
    Write a user, or with None a whole organisation, into a file; servers may run.

    Raises:
        NotFound: nothing is stored of the user, or of the organisation.
        Conflict: the user is being erased.
        InvalidInput: the file exists already, or its folder does not.
    """
    async with open_database(settings) as storage:
        if user_id is None and tenant not in await storage.organisations():
            raise NotFound(f"there is no organisation {tenant.org_id!r}")
        async with storage.read(tenant) as transaction:
            lines = lines_of(transaction.portable, tenant.org_id, user_id, now=SystemClock().now())
            return await write_file(lines, path, on_progress, replace=replace)


async def import_file(
    settings: Settings, tenant: Tenant, path: Path, on_progress: OnProgress, *, preview: bool = False
) -> Imported:
    """
    Read a file that `export_file` wrote into an organisation, or what is left of it; servers may run.

    With *preview* it is only checked.

    Raises:
        InvalidInput: the file is not whole, or not valid; nothing was changed.
        Conflict: the organisation has other data of the same user or organisation; nothing was changed.
    """
    async with staged(path, tenant.org_id, open_file, on_progress) as found:
        if preview:
            return Imported(rows=dict(found.rows))
        async with open_database(settings) as storage:
            async with storage.begin(tenant) as transaction:
                await make_organisation(transaction, tenant, settings.default_quotas)
                is_fresh = not (await transaction.portable.made_by())[1]
            if is_fresh:
                embedder = open_embedder(embedder_choice(settings))
                await storage.claim_index(embedder.model, embedder.dimension)
            return await arrive(storage, tenant, found, on_progress)
