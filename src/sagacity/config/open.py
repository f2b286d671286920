"""Open the store of configurations that the settings choose: a folder, else S3, else the database."""

from contextlib import suppress
from enum import StrEnum

from sagacity.config.base import ConfigStore
from sagacity.config.cached import TTL_SECONDS, CachedConfigs
from sagacity.config.choices import config_keys
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
    """Where configurations can be kept."""

    DATABASE = "database"
    FOLDER = "folder"
    S3 = "s3"


_DOCUMENT_SECONDS = 1.0
"""How long a document is used before it is read again. Reading it takes time, so this is below `TTL_SECONDS`."""


def open_configs(
    settings: Settings, storage: Storage, *, clock: Clock, place: ConfigPlace | None = None
) -> DatabaseConfigs | DocumentConfigs:
    """
    Return the store of configurations.

    Args:
        settings: of this process.
        storage: the database.
        clock: dates the versions.
        place: where the store is; None: where the settings keep configurations.

    Raises:
        ConfigError: the settings do not say where *place* is, or a key service does not unwrap the keys.
    """
    documents = open_place(settings, place)
    open_ring = config_keys(settings)
    if documents is None:
        return DatabaseConfigs(storage, open_ring)
    return DocumentConfigs(documents, storage, open_ring, clock)


def open_place(settings: Settings, place: ConfigPlace | None = None) -> DocumentPlace | None:
    """
    Return what reads and writes the documents in *place*; None for the database, which has no documents.

    Raises:
        ConfigError: the settings do not say where *place* is.
    """
    match place or chosen_place(settings):
        case ConfigPlace.DATABASE:
            return None
        case ConfigPlace.FOLDER if settings.config_folder is not None:
            return FolderPlace(settings.config_folder)
        case ConfigPlace.S3 if (choice := settings.config_s3) is not None:
            return S3Place(choice)
        case missing:
            names = (
                "SAGACITY_CONFIG_FOLDER" if missing is ConfigPlace.FOLDER else "CONFIG_S3_PATH and its like"
            )
            raise ConfigError(f"{names} must be set to copy configurations from or to there")


def chosen_place(settings: Settings) -> ConfigPlace:
    """Return where the settings keep configurations."""
    if settings.config_folder is not None:
        return ConfigPlace.FOLDER
    return ConfigPlace.DATABASE if settings.config_s3 is None else ConfigPlace.S3


async def check_documents(settings: Settings, configs: ConfigStore) -> None:
    """
    Read the local organisation's configuration if it is a document, so that a broken one stops the start.

    A place that cannot be reached at the moment stops nothing: calls that need it fail until it is back.

    Raises:
        ConfigError: the place refuses, the document is broken, or the key of its secrets is missing.
    """
    if chosen_place(settings) is ConfigPlace.DATABASE:
        return
    with suppress(StorageUnavailable):
        await configs.get(Tenant(org_id=LOCAL_ORG))


def open_cached(store: ConfigStore, topic: Topic, *, clock: Clock) -> CachedConfigs:
    """Return *store* behind a cache; no process uses a configuration that is more than two seconds out of date."""
    seconds = TTL_SECONDS if isinstance(store, DatabaseConfigs) else _DOCUMENT_SECONDS
    return CachedConfigs(store, topic, ttl_seconds=seconds, monotonic=clock.monotonic)


def for_tasks(store: ConfigStore, cached: CachedConfigs) -> ConfigStore:
    """
    Return the store that background tasks read.

    The database is read each time, so that a task uses every configuration that was set before it began. A folder or
    a bucket is read through the cache, because that takes longer.
    """
    return store if isinstance(store, DatabaseConfigs) else cached
