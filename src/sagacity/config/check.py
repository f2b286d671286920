"""Whether configurations can be read and replaced where they are kept, and their secrets opened."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sagacity.config.base import ConfigStore
from sagacity.config.choices import config_key_file
from sagacity.config.document_place import DocumentPlace
from sagacity.config.s3 import S3Place
from sagacity.config.settings import Settings
from sagacity.domain.base import Value
from sagacity.domain.errors import ConfigError, StorageUnavailable
from sagacity.domain.tenant import Tenant

_OTHERS = 0o077
"""Rights of those who do not own a file."""
_PROBE = "configs/probe.json"
_NO_TAG = '"00000000000000000000000000000000"'
"""No document has it: what is written in its place is not, if the place would let us."""


class StoreFault(Value):
    """Something that is wrong with the place of configurations, and what to do about it."""

    found: str
    advice: str


def place_of(settings: Settings) -> str:
    """Return where configurations are kept, in words."""
    if settings.config_folder is not None:
        return f"folder {settings.config_folder.expanduser()}"
    if settings.config_s3 is not None:
        return f"bucket {settings.config_s3_path}"
    return "database"


async def find_fault(
    settings: Settings, configs: ConfigStore, tenants: Sequence[Tenant]
) -> StoreFault | None:
    """
    Return what is wrong first: with the place, the key, or the configuration of one of *tenants*; None if nothing is.

    Nothing is changed.
    """
    files = [config_key_file(settings)] if not settings.config_key.get_secret_value() else []
    if settings.config_folder is not None:
        folder = settings.config_folder.expanduser()
        if fault := _fault_of_folder(folder):
            return fault
        files += list(_files(folder))
    for path in files:
        if path.exists() and path.stat().st_mode & _OTHERS:
            rights = "700" if path.is_dir() else "600"
            return StoreFault(
                found=f"{path} may be read or changed by others", advice=f"chmod {rights} {path}"
            )
    if settings.config_folder is None and settings.config_s3 is not None:
        try:
            await probe(S3Place(settings.config_s3))
        except StorageUnavailable as error:
            return StoreFault(
                found=str(error), advice="start the server of S3, or correct CONFIG_S3_ENDPOINT"
            )
        except ConfigError as error:
            advice = (
                "correct CONFIG_S3_PATH and its keys, which need s3:GetObject, s3:PutObject and s3:ListBucket"
            )
            return StoreFault(found=str(error), advice=advice)
    for tenant in tenants:
        try:
            await configs.get(tenant, fresh=True)
        except (ConfigError, StorageUnavailable) as error:
            advice = "until then calls that need this configuration fail"
            return StoreFault(found=f"organisation {tenant.org_id}: {error}", advice=advice)
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


def _files(folder: Path) -> Iterator[Path]:
    """Return the folder, and the documents in it."""
    if folder.exists():
        yield folder
        yield from sorted(folder.rglob("*.json"))
