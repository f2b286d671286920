"""Check that configurations can be read and replaced where they are kept, and that their secrets can be decrypted."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sagacity.config.base import ConfigStore
from sagacity.config.choices import config_key_file
from sagacity.config.document_place import DocumentPlace
from sagacity.config.open import ConfigPlace, chosen_place, open_place
from sagacity.config.settings import Settings
from sagacity.domain.base import Value
from sagacity.domain.errors import ConfigError, StorageUnavailable
from sagacity.domain.tenant import Tenant

_OTHERS = 0o077
"""Permission bits of everyone but the owner of a file."""
_PROBE = "configs/probe.json"
_NO_TAG = '"00000000000000000000000000000000"'
"""No document has this tag, so a conditional write with it changes nothing but shows whether writing is allowed."""


class StoreFault(Value):
    """What is wrong with the place of configurations, and how to fix it."""

    found: str
    advice: str


def place_of(settings: Settings) -> str:
    """Return where configurations are kept, in words."""
    match chosen_place(settings):
        case ConfigPlace.DATABASE:
            return "database"
        case ConfigPlace.S3:
            return f"bucket {settings.config_s3_path}"
        case ConfigPlace.FOLDER:
            return f"folder {settings.config_folder}"


async def find_fault(
    settings: Settings, configs: ConfigStore, tenants: Sequence[Tenant]
) -> StoreFault | None:
    """
    Return the first fault of the key file, of the place, or of the configuration of one of *tenants*.

    Nothing is changed.
    """
    return (
        _fault_of_key(settings)
        or await _fault_of_place(settings)
        or await _fault_of_configs(configs, tenants)
    )


def _fault_of_key(settings: Settings) -> StoreFault | None:
    is_set = bool(settings.config_key.get_secret_value())
    return None if is_set else _fault_of_permissions([config_key_file(settings)])


async def _fault_of_place(settings: Settings) -> StoreFault | None:
    if (folder := settings.config_folder) is not None:
        return _fault_of_folder(folder) or _fault_of_permissions(_files(folder))
    bucket = open_place(settings)
    return None if bucket is None else await _fault_of_bucket(bucket)


async def _fault_of_configs(configs: ConfigStore, tenants: Sequence[Tenant]) -> StoreFault | None:
    for tenant in tenants:
        try:
            await configs.get(tenant, fresh=True)
        except (ConfigError, StorageUnavailable) as error:
            advice = "until then calls that need this configuration fail"
            return StoreFault(found=f"organisation {tenant.org_id}: {error}", advice=advice)
    return None


async def _fault_of_bucket(bucket: DocumentPlace) -> StoreFault | None:
    try:
        await probe(bucket)
    except StorageUnavailable as error:
        return StoreFault(found=str(error), advice="start the server of S3, or correct CONFIG_S3_ENDPOINT")
    except ConfigError as error:
        advice = (
            "correct CONFIG_S3_PATH and its keys, which need s3:GetObject, s3:PutObject and s3:ListBucket"
        )
        return StoreFault(found=str(error), advice=advice)
    return None


async def probe(place: DocumentPlace) -> None:
    """
    Make sure that documents can be read and written, without writing any.

    Raises:
        StorageUnavailable: the place cannot be reached.
        ConfigError: the place refuses.
    """
    await place.read(_PROBE)
    await place.write(_PROBE, b"{}", tag=_NO_TAG)


def _fault_of_folder(folder: Path) -> StoreFault | None:
    nearest = next((one for one in (folder, *folder.parents) if one.exists()), folder)
    if nearest.is_dir() and os.access(nearest, os.R_OK | os.W_OK | os.X_OK):
        return None
    advice = "let this user own it, or name another in SAGACITY_CONFIG_FOLDER"
    return StoreFault(found=f"{nearest} cannot be read and written", advice=advice)


def _fault_of_permissions(paths: Iterable[Path]) -> StoreFault | None:
    for path in paths:
        if path.exists() and path.stat().st_mode & _OTHERS:
            mode = "700" if path.is_dir() else "600"
            return StoreFault(found=f"{path} may be read or changed by others", advice=f"chmod {mode} {path}")
    return None


def _files(folder: Path) -> Iterator[Path]:
    """Yield the folder, and the documents in it."""
    if folder.exists():
        yield folder
        yield from sorted(folder.rglob("*.json"))
