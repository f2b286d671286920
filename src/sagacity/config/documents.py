"""The store of configurations as documents: one per organisation, with its former versions beside it."""

import asyncio
import hashlib
import json
import re
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from pydantic import JsonValue, ValidationError

from sagacity.auth.key_ring import OpenRing
from sagacity.config.base import Edit
from sagacity.config.copying import KeptConfig, KeptVersion, is_taken
from sagacity.config.differences import changed_fields
from sagacity.config.document_place import DocumentPlace, Found
from sagacity.config.sealing import Seal
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.audit import SYSTEM, AuditAction, NewAuditEntry
from sagacity.domain.base import Value
from sagacity.domain.clock import Clock
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.errors import ConfigError, Conflict, NotFound
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage

_ATTEMPTS = 20
_AT_A_TIME = 8
"""How many versions are read in parallel."""
_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")


class ConfigDocument(Value):
    """A configuration with its description, as stored."""

    org_id: str
    version: int
    at: datetime
    author: str
    fields: tuple[str, ...] = ()
    data_key: str = ""
    """The wrapped data key that seals secrets. Only the current version has it."""
    written: str = ""
    """Distinguishes this write from an equal one by another writer at the same moment."""
    config: dict[str, JsonValue]


class DocumentConfigs:
    """
    The store of configurations in documents outside the database.

    The current version is replaced only if it is still the one that was read, so no writer overwrites another's change.
    Before that, it is copied to the former versions.
    """

    def __init__(self, place: DocumentPlace, storage: Storage, open_ring: OpenRing, clock: Clock) -> None:
        """
        Create the store; nothing is read yet.

        Args:
            place: where the documents are.
            storage: for the audit log and due work.
            open_ring: loads the operator's keys.
            clock: dates the versions.
        """
        self._place = place
        self._storage = storage
        self._open_ring = open_ring
        self._clock = clock

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Raises:
            ConfigError: it does not parse, or its secrets cannot be decrypted. It is never silently reset.
            StorageUnavailable: the place cannot be reached.
        """
        found = await self._find(tenant)
        return TenantConfig() if found is None else self._seal(tenant, found[0]).load(_text(found[0]))

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> int:
        """
        Replace the tenant's configuration; returns the number of the new version.

        The audit log records afterwards that *by* changed it, and which fields.

        Raises:
            ConfigError: the document is invalid, or the key that seals secrets is missing.
            Conflict: others keep changing it.
            StorageUnavailable: the place, or the database, cannot be reached.
        """
        new = await self._write(tenant, lambda seal, old: (_before(seal, old), config), by=by)
        return new.version

    async def change(self, tenant: Tenant, edit: Edit, *, by: str = SYSTEM) -> TenantConfig:
        """
        Apply *edit* to the tenant's configuration atomically.

        Raises:
            ConfigError: it does not parse, or its secrets cannot be decrypted. It stays unchanged.
            Conflict: others keep changing it.
            StorageUnavailable: the place, or the database, cannot be reached.
        """

        def edited(seal: Seal, old: ConfigDocument | None) -> tuple[TenantConfig, TenantConfig]:
            before = TenantConfig() if old is None else seal.load(_text(old))
            return before, edit(before)

        new = await self._write(tenant, edited, by=by)
        return self._seal(tenant, new).load(_text(new))

    async def _write(self, tenant: Tenant, edited: "_Edited", *, by: str) -> ConfigDocument:
        now = self._clock.now()

        def changed(old: ConfigDocument | None) -> ConfigDocument:
            seal = self._seal(tenant, old)
            before, config = edited(seal, old)
            fields = changed_fields(before, config)
            text = seal.dump(config)
            return ConfigDocument(
                org_id=tenant.org_id,
                version=1 if old is None else old.version + 1,
                at=now,
                author=by,
                fields=fields,
                data_key=seal.wrapped,
                written=secrets.token_hex(8),
                config=json.loads(text),
            )

        new = await self._replace(tenant, changed)
        async with self._storage.begin(tenant) as transaction:
            await transaction.cursors.ensure_due(ORGANISATION)
            if new.fields:
                await transaction.audit.add(
                    NewAuditEntry(
                        action=AuditAction.CONFIG_CHANGED,
                        actor=by,
                        details={"fields": new.fields, "version": new.version},
                    )
                )
        return new

    async def wrap_again(self, tenant: Tenant, *, by: str) -> bool:
        """
        Wrap the tenant's data key with the operator's first key; False if it is already, or there is none.

        Raises:
            ConfigError: the data key cannot be decrypted.
            Conflict: others keep changing the configuration.
            StorageUnavailable: the place, or the database, cannot be reached.
        """
        for _ in range(_ATTEMPTS):
            found = await self._find(tenant)
            seal = self._seal(tenant, None if found is None else found[0])
            if found is None or not seal.wrap_again():
                return False
            wrapped = found[0].model_copy(update={"data_key": seal.wrapped})
            if await self._place.write(_name(tenant), _content(wrapped), tag=found[1].tag):
                async with self._storage.begin(tenant) as transaction:
                    await transaction.audit.add(
                        NewAuditEntry(action=AuditAction.CONFIG_KEY_ROTATED, actor=by)
                    )
                return True
        raise _busy()

    async def forget_secrets(self, tenant: Tenant, *, by: str) -> None:
        """
        Remove the tenant's API keys because their encryption key is lost. Former versions keep theirs.

        Raises:
            Conflict: they can be decrypted, or there are none.
            ConfigError: what is stored does not parse.
            StorageUnavailable: the key service does not answer, so it is unknown whether they can be decrypted.
        """

        def edited(seal: Seal, old: ConfigDocument | None) -> tuple[TenantConfig, TenantConfig]:
            return seal.forget("{}" if old is None else _text(old))

        await self._write(tenant, edited, by=by)

    async def versions(self, tenant: Tenant, *, before: int | None = None, limit: int) -> list[ConfigVersion]:
        """Return the tenant's versions without their content, newest first; *before*: only smaller numbers."""
        found = await self._find(tenant)
        if found is None:
            return []
        present, numbers = found[0], range(found[0].version, 0, -1)
        wanted = [number for number in numbers if before is None or number < before][:limit]
        gate = asyncio.Semaphore(_AT_A_TIME)

        async def read(number: int) -> ConfigDocument | None:
            async with gate:
                return present if number == present.version else await self._former(tenant, number)

        documents = await asyncio.gather(*map(read, wanted))
        return [_version(one) for one in documents if one is not None]

    async def version(self, tenant: Tenant, number: int) -> tuple[ConfigVersion, TenantConfig]:
        """
        Return one version.

        Raises:
            NotFound: there is no version of this number.
            ConfigError: it does not parse, or its secrets cannot be decrypted.
            StorageUnavailable: the place cannot be reached.
        """
        found = await self._find(tenant)
        if found is not None and 0 < number <= found[0].version:
            present = found[0]
            one = present if number == present.version else await self._former(tenant, number)
            if one is not None:
                return _version(one), self._seal(tenant, present).load(_text(one))
        raise NotFound(f"the configuration has no version {number}")

    async def kept(self, tenant: Tenant) -> KeptConfig | None:
        """
        Return an organisation's configuration with all versions; None if none was ever set.

        Raises:
            ConfigError: a document is broken.
            StorageUnavailable: the place cannot be reached.
        """
        found = await self._find(tenant)
        if found is None:
            return None
        present = found[0]
        former = [await self._former(tenant, number) for number in range(1, present.version)]
        documents = [*(one for one in former if one is not None), present]
        return KeptConfig(
            data_key=present.data_key,
            versions=tuple(KeptVersion(known=_version(one), config=_text(one)) for one in documents),
        )

    async def keep(self, tenant: Tenant, kept: KeptConfig, *, by: str) -> None:
        """
        Store what another place had, if nothing is here yet: the current version last, so that a crash changes nothing.

        Raises:
            Conflict: something else is here.
            StorageUnavailable: the place, or the database, cannot be reached.
        """
        *former, present = (_document_of(tenant, one) for one in kept.versions)
        for one in former:
            await self._put(tenant, _former_name(tenant, one.version), one)
        await self._put(tenant, _name(tenant), present.model_copy(update={"data_key": kept.data_key}))
        async with self._storage.begin(tenant) as transaction:
            await transaction.organisation.ensure()
            details = {"version": present.version}
            await transaction.audit.add(
                NewAuditEntry(action=AuditAction.CONFIG_COPIED, actor=by, details={**details})
            )

    async def _put(self, tenant: Tenant, name: str, document: ConfigDocument) -> None:
        """Create a document; an equal one that exists already is left alone."""
        if await self._place.write(name, _content(document), tag=None):
            return
        found = await self._place.read(name)
        if found is None or _same(_document(tenant, found.content, name)) != _same(document):
            raise is_taken(tenant)

    async def _replace(self, tenant: Tenant, change: "_Change") -> ConfigDocument:
        """Replace the current document by what *change* returns; retries if another writer came first."""
        written: tuple[ConfigDocument, bytes] | None = None
        for _ in range(_ATTEMPTS):
            found = await self._find(tenant)
            if written is not None and found is not None and found[1].content == written[1]:
                return written[0]  # a reply was lost: it had been done
            old, tag = (None, None) if found is None else (found[0], found[1].tag)
            if old is not None:
                former = old.model_copy(update={"data_key": ""})
                await self._place.write(_former_name(tenant, old.version), _content(former), tag=None)
            new = change(old)
            written = new, _content(new)
            if await self._place.write(_name(tenant), written[1], tag=tag):
                return new
        raise _busy()

    async def _find(self, tenant: Tenant) -> tuple[ConfigDocument, Found] | None:
        found = await self._place.read(_name(tenant))
        return None if found is None else (_document(tenant, found.content, _name(tenant)), found)

    async def _former(self, tenant: Tenant, number: int) -> ConfigDocument | None:
        name = _former_name(tenant, number)
        found = await self._place.read(name)
        return None if found is None else _document(tenant, found.content, name)

    def _seal(self, tenant: Tenant, document: ConfigDocument | None) -> Seal:
        return Seal(self._open_ring, tenant.org_id, "" if document is None else document.data_key)


_Edited = Callable[[Seal, ConfigDocument | None], tuple[TenantConfig, TenantConfig]]
"""Returns the current document and its replacement."""


class _Change(Protocol):
    def __call__(self, old: ConfigDocument | None) -> ConfigDocument: ...


def _before(seal: Seal, old: ConfigDocument | None) -> TenantConfig:
    """Return the configuration to replace; the defaults if someone edited it by hand into something unreadable."""
    if old is None:
        return TenantConfig()
    seal.check()
    try:
        return seal.load(_text(old))
    except ConfigError:
        return TenantConfig()


def _busy() -> Conflict:
    return Conflict(
        "the configuration was changed by others at the same time, again and again: send it again"
    )


def _document(tenant: Tenant, content: bytes, name: str) -> ConfigDocument:
    try:
        document = ConfigDocument.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise ConfigError(
            f"the stored configuration {name} is broken ({where}: {first['msg']}): correct it, or restore it "
            "from its versions"
        ) from error
    if document.org_id != tenant.org_id:
        raise ConfigError(f"the stored configuration {name} is another organisation's: restore it")
    return document


def _document_of(tenant: Tenant, version: KeptVersion) -> ConfigDocument:
    known = version.known
    return ConfigDocument(
        org_id=tenant.org_id,
        version=known.version,
        at=known.at,
        author=known.author,
        fields=known.fields,
        config=json.loads(version.config),
    )


def _same(document: ConfigDocument) -> ConfigDocument:
    """Return a document without the field that only identifies its writer."""
    return document.model_copy(update={"written": ""})


def _content(document: ConfigDocument) -> bytes:
    return (document.model_dump_json(indent=2) + "\n").encode()


def _text(document: ConfigDocument) -> str:
    return json.dumps(document.config)


def _version(document: ConfigDocument) -> ConfigVersion:
    return ConfigVersion(
        version=document.version, at=document.at, author=document.author, fields=document.fields
    )


def _folder(tenant: Tenant) -> str:
    """Return the organisation's part of a name: readable if it is safe in a path on any file system."""
    org_id = tenant.org_id
    if _PLAIN_NAME.fullmatch(org_id):
        return org_id
    return "~" + hashlib.sha256(org_id.encode("utf-8", "surrogatepass")).hexdigest()


def _name(tenant: Tenant) -> str:
    return f"configs/{_folder(tenant)}.json"


def _former_name(tenant: Tenant, version: int) -> str:
    return f"configs/{_folder(tenant)}/{version:08}.json"
