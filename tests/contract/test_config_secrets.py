"""API keys in stored configurations: sealed everywhere, opened by the operator's key only."""

import json

import pytest
import sqlalchemy as sa

from sagacity.access.configuration import compare_versions, list_versions, read_version, roll_back, rotate_key
from sagacity.auth.key_ring import KeyRing
from sagacity.config.database import DatabaseConfigs
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.audit import AuditFilter
from sagacity.domain.errors import ConfigError, Conflict, Forbidden, NotFound
from sagacity.domain.ids import UserId
from sagacity.domain.principal import Principal
from sagacity.storage.schema.tables import metadata
from sagacity.storage.transaction import Storage
from support.parts import ORG, OTHER_ORG

PLANTED, OTHER = "sk-planted-7d1c", "sk-planted-99ee"
OLD, NEW = b"o" * 32, b"n" * 32


def ring(*keys: bytes):
    return lambda *, make: KeyRing(keys)


def config_with(secret: str, **fields) -> TenantConfig:
    return TenantConfig.model_validate({"api_key_config": {"anthropic": {"api_key": secret}}} | fields)


def secret_of(config: TenantConfig) -> str:
    return config.api_key_config.anthropic.api_key.get_secret_value()


async def everything(storage: Storage, *tenants) -> str:
    """Every row of every table, as text."""
    found = []
    for tenant in tenants:
        async with storage.backend.read(tenant.org_id) as connection:
            for table in metadata.sorted_tables:
                found += [str(tuple(row)) for row in (await connection.execute(sa.select(table))).all()]
    return "\n".join(found)


async def test_history_holds_secrets_sealed_and_masked(storage: Storage):
    """Versions have an author and what changed; a rollback brings a key back; no table holds one in the clear."""
    configs = DatabaseConfigs(storage, ring(OLD))
    admin = Principal(tenant=ORG, audited_as="token:1")
    await configs.set(ORG, config_with(PLANTED, batch_size=7, batch_interval=3), by="token:1")
    await configs.set(ORG, config_with(OTHER, batch_size=8, batch_interval=3, tool_can_use=[]), by="local")
    await configs.set(ORG, TenantConfig())
    assert [
        (one.version, one.author, one.fields) for one in await list_versions(configs, admin, limit=9)
    ] == [
        (3, "system", ("api_key_config", "batch_interval", "batch_size", "tool_can_use")),
        (2, "local", ("api_key_config", "batch_size", "tool_can_use")),
        (1, "token:1", ("api_key_config", "batch_interval", "batch_size")),
    ]
    assert [one.version for one in await list_versions(configs, admin, before=3, limit=1)] == [2]
    assert [(one.field, one.old, one.new) for one in await compare_versions(configs, admin, 1, 2)] == [
        ("batch_size", 7, 8),
        ("tool_can_use", None, []),
        ("api_key_config.anthropic.api_key", "********", "********"),
    ]
    assert {one.field for one in await compare_versions(configs, admin, 2, None)} == {
        "api_key_config",
        "batch_interval",
        "batch_size",
        "tool_can_use",
    }
    assert await roll_back(configs, admin, 1) == 4
    assert secret_of(await configs.get(ORG)) == PLANTED
    assert not await compare_versions(configs, admin, 1, None)
    assert "sk-planted" not in await everything(storage, ORG)
    assert "sealed:v1:" in await everything(storage, ORG)
    for number in (0, 5, 2**53):
        with pytest.raises(NotFound):
            await read_version(configs, admin, number)
    with pytest.raises(NotFound):
        await read_version(configs, Principal(tenant=OTHER_ORG), 1)
    of_user = admin.model_copy(update={"user_id": UserId("ana")})
    with pytest.raises(Forbidden):
        await list_versions(configs, of_user, limit=9)


async def test_another_key_wraps_and_the_old_one_is_not_needed_any_more(storage: Storage):
    """An interrupted run is gone on with; former versions open, too. What cannot be opened is named, and kept."""
    tenants = (ORG, OTHER_ORG)
    for tenant in tenants:
        await DatabaseConfigs(storage, ring(OLD)).set(tenant, config_with(PLANTED))
    both, alone = DatabaseConfigs(storage, ring(NEW, OLD)), DatabaseConfigs(storage, ring(NEW))
    with pytest.raises(ConfigError, match="set SAGACITY_CONFIG_KEY"):
        await alone.get(ORG)
    with pytest.raises(ConfigError, match="set SAGACITY_CONFIG_KEY"):
        await alone.set(ORG, config_with(OTHER))
    failed = await rotate_key(alone, tenants, by="operator")
    assert (failed.wrapped, len(failed.failed)) == (0, 2)
    assert (await rotate_key(both, tenants[:1], by="operator")).wrapped == 1
    done = await rotate_key(both, tenants, by="operator")
    assert (done.wrapped, done.kept, done.failed) == (1, 1, ())
    for tenant in tenants:
        assert secret_of(await alone.get(tenant)) == PLANTED
        assert secret_of((await alone.version(tenant, 1))[1]) == PLANTED
        async with storage.read(tenant) as snapshot:
            (last,) = await snapshot.audit.list_newest(AuditFilter(), limit=1)
        assert (last.action, last.actor) == ("config.key_rotated", "operator")


async def test_what_nobody_can_open_is_given_up_on_demand(storage: Storage):
    """The rest stays; keys that open stay, too. Afterwards the configuration is read and changed as any other."""
    await DatabaseConfigs(storage, ring(OLD)).set(ORG, config_with(PLANTED, batch_size=9, batch_interval=3))
    for opens in (DatabaseConfigs(storage, ring(OLD)), DatabaseConfigs(storage, ring(NEW, OLD))):
        with pytest.raises(Conflict, match="all of them can be read"):
            await opens.forget_secrets(ORG, by="operator")
    with pytest.raises(Conflict):
        await DatabaseConfigs(storage, ring(NEW)).forget_secrets(OTHER_ORG, by="operator")
    lost = DatabaseConfigs(storage, ring(NEW))
    await lost.forget_secrets(ORG, by="operator")
    assert await lost.get(ORG) == TenantConfig(batch_size=9, batch_interval=3)
    async with storage.read(ORG) as snapshot:
        (last,) = await snapshot.audit.list_newest(AuditFilter(), limit=1)
    assert (last.action, last.actor, last.details) == (
        "config.changed",
        "operator",
        {"fields": ("api_key_config",)},
    )
    with pytest.raises(ConfigError, match="restore the configuration from a backup"):
        await lost.version(ORG, 1)
    await lost.set(ORG, config_with(OTHER))
    assert secret_of(await lost.get(ORG)) == OTHER
    with pytest.raises(ConfigError):
        await lost.version(ORG, 1)


async def test_what_was_written_by_hand_is_read_and_sealed_by_the_next_change(storage: Storage):
    """No key is opened while there is no secret; what a caller sends as sealed is an ordinary secret."""
    configs = DatabaseConfigs(storage)
    await configs.set(ORG, TenantConfig(batch_size=9, agent_context_prompt="sealed:v1:not"))
    assert (await configs.get(ORG)).agent_context_prompt == "sealed:v1:not"
    text = json.dumps({"api_key_config": {"anthropic": {"api_key": PLANTED}}})
    async with storage.begin(ORG) as tx:
        await tx.organisation.set_config(text)
    assert secret_of(await configs.get(ORG)) == PLANTED
    with pytest.raises(ConfigError, match="no key"):
        await configs.set(ORG, config_with(PLANTED))
    sealing = DatabaseConfigs(storage, ring(NEW))
    await sealing.set(ORG, config_with("sealed:v1:mine"))
    assert secret_of(await sealing.get(ORG)) == "sealed:v1:mine"
    async with storage.begin(ORG) as tx:
        await tx.organisation.set_config('{"api_key_config": {"anthropic": {"api_key": "sealed:v1:AAAA"}}}')
    with pytest.raises(ConfigError, match="its key is not stored with it"):
        await sealing.get(ORG)
