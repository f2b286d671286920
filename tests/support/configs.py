"""Configurations as the database keeps them, with a key that seals their secrets."""

from sagacity.auth.key_ring import KeyRing
from sagacity.config.database import DatabaseConfigs
from sagacity.storage.transaction import Storage


def kept_configs(storage: Storage) -> DatabaseConfigs:
    """The configurations of a database; every one that is opened in a test opens the secrets of the others."""
    return DatabaseConfigs(storage, lambda *, make: KeyRing((b"t" * 32,)))
