"""Configurations copied between the database, a folder and S3, with all their versions."""

from pathlib import Path

import pytest

from sagacity.bootstrap import open_database
from sagacity.config.copying import KeepsConfigs
from sagacity.config.open import ConfigPlace, open_configs
from sagacity.config.settings import Settings
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.audit import AuditFilter
from sagacity.domain.errors import ConfigError, Conflict, InvalidInput
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.maintenance import CopiedConfigs, copy_configs
from sagacity.storage.transaction import Storage
from support.parts import StoppedClock
from support.s3_server import ACCESS_KEY, BUCKET, SECRET_KEY, S3Server

TENANTS = [Tenant(org_id=OrgId(one)) for one in (LOCAL_ORG, "team", "Team \u00e9/..")]
DATABASE, FOLDER, S3 = ConfigPlace
TOKENS = "auth/organizations.json"


@pytest.fixture
def settings(tmp_path: Path, database_url: str, s3: S3Server) -> Settings:
    """Those of all three places at once."""
    return Settings(
        home=tmp_path,
        database_url=database_url,
        config_folder=tmp_path / "place",
        config_s3_path=f"s3://{BUCKET}/{tmp_path.name}",
        config_s3_region="us-east-1",
        config_s3_access_key=ACCESS_KEY,
        config_s3_secret_key=SECRET_KEY,
        config_s3_endpoint=s3.endpoint,
    )


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


def config_with(secret: str, size: int) -> TenantConfig:
    return TenantConfig.model_validate(
        {"api_key_config": {"anthropic": {"api_key": secret}}, "batch_size": size, "batch_interval": 3}
    )


async def filled(configs: KeepsConfigs, clock: StoppedClock) -> None:
    """Three versions of each organisation, by different people at different times."""
    for tenant in TENANTS:
        for number in (1, 2, 3):
            clock.advance(60)
            await configs.set(
                tenant, config_with(f"sk-{tenant.org_id}-{number}", 5 + number), by=f"token:{number}"
            )


async def test_every_version_comes_along_from_place_to_place(settings: Settings, clock: StoppedClock) -> None:
    """With its number, author, time and secrets; what is there stays, and goes on from there."""
    async with open_database(settings) as storage:
        places = {one: open_configs(settings, storage, clock=clock, place=one) for one in ConfigPlace}
        await _ensured(storage)
        await filled(places[FOLDER], clock)
        versions = {one.org_id: await places[FOLDER].versions(one, limit=9) for one in TENANTS}
        for source, target in ((FOLDER, S3), (S3, DATABASE)):
            for _ in range(2):  # done again, it finds all there
                assert await copy_configs(settings, source, target) == CopiedConfigs(
                    organisations=3, versions=9, tokens=False
                )
            for tenant in TENANTS:
                assert await places[target].versions(tenant, limit=9) == versions[tenant.org_id]
                assert (await places[target].version(tenant, 1))[1] == config_with(f"sk-{tenant.org_id}-1", 6)
                assert await places[target].get(tenant) == config_with(f"sk-{tenant.org_id}-3", 8)
        async with storage.read(TENANTS[1]) as snapshot:
            newest = await snapshot.audit.list_newest(AuditFilter(), limit=1)
        assert [(str(one.action), one.actor, one.details) for one in newest] == [
            ("config.copied", "operator", {"version": 3})
        ]
        assert await places[DATABASE].set(TENANTS[1], config_with("sk-new", 9)) == 4
        with pytest.raises(Conflict, match="'team'"):
            await copy_configs(settings, S3, DATABASE)
        with pytest.raises(Conflict, match="'team'"):
            await copy_configs(settings, DATABASE, FOLDER)
        assert await places[FOLDER].get(TENANTS[1]) == config_with("sk-team-3", 8)


async def test_a_copy_that_was_killed_is_gone_on_with(settings: Settings, clock: StoppedClock) -> None:
    """Until the present version is there, nothing is in force; the former ones are taken as they are."""
    async with open_database(settings) as storage:
        places = {one: open_configs(settings, storage, clock=clock, place=one) for one in ConfigPlace}
        await _ensured(storage)
        await filled(places[DATABASE], clock)
        await copy_configs(settings, DATABASE, FOLDER)
        present = settings.config_folder / "configs" / "team.json"
        present.unlink()  # as if it had been killed before the last one was written
        (settings.config_folder / "configs" / "team" / "00000002.json").unlink()
        assert await places[FOLDER].get(TENANTS[1]) == TenantConfig()
        await copy_configs(settings, DATABASE, FOLDER)
        assert (await places[FOLDER].version(TENANTS[1], 2))[1] == config_with("sk-team-2", 7)
        assert await places[FOLDER].get(TENANTS[1]) == config_with("sk-team-3", 8)
        broken = settings.config_folder / "configs" / "team.json"
        broken.write_text("{")
        with pytest.raises(ConfigError):
            await copy_configs(settings, FOLDER, S3)


async def test_tokens_of_a_self_host_come_along_between_documents(settings: Settings) -> None:
    """As they are; others that are there are never written over."""
    file = settings.config_folder / TOKENS
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    assert (await copy_configs(settings, FOLDER, S3)).tokens
    assert (await copy_configs(settings, FOLDER, S3)).tokens
    assert not (await copy_configs(settings, FOLDER, DATABASE)).tokens
    file.write_text("{ }")
    with pytest.raises(Conflict, match="tokens"):
        await copy_configs(settings, FOLDER, S3)


async def test_a_place_must_be_known_and_another_one(settings: Settings) -> None:
    """The settings say where it is."""
    with pytest.raises(InvalidInput):
        await copy_configs(settings, FOLDER, FOLDER)
    for place, name in ((FOLDER, "SAGACITY_CONFIG_FOLDER"), (S3, "CONFIG_S3_PATH")):
        less = settings.model_copy(update={"config_folder": None, "config_s3_path": ""})
        with pytest.raises(ConfigError, match=name):
            await copy_configs(less, DATABASE, place)


async def _ensured(storage: Storage) -> None:
    for tenant in TENANTS:
        async with storage.begin(tenant) as transaction:
            await transaction.organisation.ensure()
