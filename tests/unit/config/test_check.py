"""What the doctor finds of the place of configurations: rights, the key, and what does not read."""

import asyncio
from pathlib import Path

import pytest

from sagacity.auth.key_ring import add_key
from sagacity.bootstrap import open_database
from sagacity.cli.doctor import _configurations
from sagacity.config.open import open_configs
from sagacity.config.settings import Settings
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.clock import SystemClock
from sagacity.domain.tenant import LOCAL_ORG, Tenant

SEALED = TenantConfig.model_validate({"api_key_config": {"anthropic": {"api_key": "sk-planted"}}})


@pytest.mark.parametrize("in_folder", [True, False])
def test_the_doctor_names_what_is_wrong_with_configurations(tmp_path: Path, *, in_folder: bool) -> None:
    """Nothing while all is well; else the first thing that is wrong, and what to do. No secret is told."""
    folder = tmp_path / "configs"
    settings = Settings(home=tmp_path, config_folder=folder if in_folder else None)

    async def prepare() -> None:
        async with open_database(settings) as storage:
            await open_configs(settings, storage, clock=SystemClock()).set(Tenant(org_id=LOCAL_ORG), SEALED)

    asyncio.run(prepare())

    def found() -> tuple[bool, str]:
        check = _configurations(settings)
        assert "sk-planted" not in repr(check)
        return check.ok, f"{check.found} {check.advice}"

    assert found()[0]
    key = tmp_path / "config.key"
    key.chmod(0o644)
    assert found() == (False, f"{key} may be read or changed by others chmod 600 {key}")
    key.chmod(0o600)
    kept = key.read_text()
    key.unlink()
    assert (found()[0], "SAGACITY_CONFIG_KEY" in found()[1]) == (False, True)
    add_key(key)  # another one
    assert (found()[0], "sealed by the key" in found()[1]) == (False, True)
    key.write_text(kept)
    assert found()[0]
    if in_folder:
        [document] = folder.rglob("*.json")
        document.chmod(0o640)
        assert found() == (False, f"{document} may be read or changed by others chmod 600 {document}")
        document.chmod(0o600)
        document.write_text("{")
        assert (found()[0], "is broken" in found()[1]) == (False, True)
