"""Settings become the store of configurations: a folder, else S3, else the database."""

from contextlib import suppress
from enum import StrEnum

from sagacity.config.base import ConfigStore
from sagacity.config.cached import TTL_SECONDS, CachedConfigs
from sagacity.config.choices import config_keys
from sagacity.config.copying import KeepsConfigs
from sagacity.config.database import DatabaseConfigs
from sagacity.config.document_place import DocumentPlace
from sagacity.config.documents import DocumentConfigs
from sagacity.config.folder import FolderPlace
from sagacity.config.s3 import S3Place
from sagacity.config.settings import Settings
from sagacity.coordination.base import Topic
from sagacity.domain.clock import Clock
from sagacity.domain.errors import ConfigError, StorageUnavailable
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.transaction import Storage


class ConfigPlace(StrEnum):
    """Where configurations can be."""

    DATABASE = "database"
    FOLDER = "folder"
    S3 = "s3"


_DOCUMENT_SECONDS = 1.0
"""How long a document is used without another look at it; looking takes a while, too."""


def open_configs(settings: Settings, storage: Storage, *, clock: Clock) -> ConfigStore:
    """Return the store that the settings choose."""
    open_ring = config_keys(settings)
    place = open_place(settings)
    if place is None:
        return DatabaseConfigs(storage, open_ring)
    return DocumentConfigs(place, storage, open_ring, clock)


def open_configs_in(
    settings: Settings, storage: Storage, where: ConfigPlace, *, clock: Clock
) -> KeepsConfigs:
    """
    Return the store in one place, whether the settings choose it or not.

    Raises:
        ConfigError: they do not say where it is.
    """
    open_ring = config_keys(settings)
    place = open_place_in(settings, where)
    return (
        DatabaseConfigs(storage, open_ring)
        if place is None
        else DocumentConfigs(place, storage, open_ring, clock)
    )


def open_place_in(settings: Settings, where: ConfigPlace) -> DocumentPlace | None:
    """
    Return where documents of a place are kept; None of the database.

    Raises:
        ConfigError: the settings do not say where it is.
    """
    match where:
        case ConfigPlace.DATABASE:
            return None
        case ConfigPlace.FOLDER if settings.config_folder is not None:
            return FolderPlace(settings.config_folder.expanduser())
        case ConfigPlace.S3 if (choice := settings.config_s3) is not None:
            return S3Place(choice)
        case _:
            names = "SAGACITY_CONFIG_FOLDER" if where is ConfigPlace.FOLDER else "CONFIG_S3_PATH and its like"
            raise ConfigError(f"{names} must be set to copy configurations from or to there")


def open_place(settings: Settings) -> DocumentPlace | None:
    """Return where documents are kept; None: nowhere but in the database."""
    if settings.config_folder is not None:
        return FolderPlace(settings.config_folder.expanduser())
    choice = settings.config_s3
    return None if choice is None else S3Place(choice)


async def check_documents(settings: Settings, configs: ConfigStore) -> None:
    """
    Read the local organisation's configuration, where documents hold it: what is wrong there is told at the start.

    A place that cannot be reached for the moment holds up nothing; what needs it fails until it is back.

    Raises:
        ConfigError: the place refuses, the document is broken, or the key of its secrets is not there.
    """
    if settings.config_folder is None and settings.config_s3 is None:
        return
    with suppress(StorageUnavailable):
        await configs.get(Tenant(org_id=LOCAL_ORG))


def open_cached(store: ConfigStore, topic: Topic, *, clock: Clock) -> CachedConfigs:
    """Return *store* behind a cache, of which no process serves anything that is older than two seconds."""
    seconds = TTL_SECONDS if isinstance(store, DatabaseConfigs) else _DOCUMENT_SECONDS
    return CachedConfigs(store, topic, ttl_seconds=seconds, monotonic=clock.monotonic)


def for_tasks(store: ConfigStore, cached: CachedConfigs) -> ConfigStore:
    """
    Return what background tasks read.

    From the database it is the newest, so that a configuration that was set before a task began holds for it. What
    is far away is not asked at each look.
    """
    return store if isinstance(store, DatabaseConfigs) else cached
