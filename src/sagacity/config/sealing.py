"""Seal the secrets of an organisation's configuration before it is stored."""

from sagacity.auth.key_ring import SEALED, DataKey, OpenRing, new_data_key, wrapped_by
from sagacity.config.tenant_config import TenantConfig, dump_sealed, has_secrets, load_config
from sagacity.domain.errors import ConfigError, Conflict
from sagacity.domain.ids import OrgId


class Seal:
    """Seals and opens the secrets of one organisation. The operator's keys are loaded when there is a secret."""

    def __init__(self, open_ring: OpenRing, org_id: OrgId, wrapped: str) -> None:
        """
        Create the seal of an organisation.

        Args:
            open_ring: loads the operator's keys.
            org_id: the organisation.
            wrapped: its stored data key; empty while there is none.
        """
        self._open_ring = open_ring
        self._org_id = org_id
        self._data_key: DataKey | None = None
        self.wrapped = wrapped
        """The data key in the form to store."""

    def dump(self, config: TenantConfig) -> str:
        """
        Write *config* as JSON for storage. Afterwards, store `wrapped` with it.

        Raises:
            ConfigError: it contains a secret, and the key is missing.
        """
        if has_secrets(config):
            self._key(make=True)  # what is raised while Pydantic writes would be another error
        return dump_sealed(config, self._seal)

    def load(self, text: str) -> TenantConfig:
        """
        Read what was stored.

        Raises:
            ConfigError: it is no configuration, or contains a secret whose key is missing.
        """
        return load_config(text, self._open)

    def check(self) -> None:
        """
        Open the data key, if there is one.

        Raises:
            ConfigError: the key that wrapped it is missing.
        """
        if self.wrapped:
            self._key(make=False)

    def wrap_again(self) -> bool:
        """
        Wrap the data key with the first key; False if it is already, or there is none.

        Raises:
            ConfigError: the key that wrapped it is missing.
        """
        if not self.wrapped:
            return False
        ring = self._open_ring(make=False)
        data_key = ring.unwrap(self.wrapped, self._org_id)
        if wrapped_by(self.wrapped) == ring.first_id:
            return False
        self.wrapped = ring.wrap(data_key)
        return True

    def forget(self, text: str) -> tuple[TenantConfig, TenantConfig]:
        """
        Drop the data key that cannot be decrypted; returns the stored configuration, and the same without API keys.

        Raises:
            Conflict: all secrets can be decrypted.
            ConfigError: it is no configuration.
            StorageUnavailable: the key service does not answer, so it is unknown whether they can be decrypted.
        """
        try:
            self.check()
            self.load(text)
        except ConfigError:
            stored = load_config(text, lambda sealed: sealed)
            self.wrapped, self._data_key = "", None
            return stored, stored.model_copy(update={"api_key_config": None})
        raise Conflict("no API key of the configuration is lost: all of them can be read")

    def _seal(self, secret: str) -> str:
        return self._key(make=True).seal(secret)

    def _open(self, stored: str) -> str:
        """Return a secret; one that somebody wrote by hand is in the clear until it is stored again."""
        return self._key(make=False).open(stored) if stored.startswith(SEALED) else stored

    def _key(self, *, make: bool) -> DataKey:
        if self._data_key is None:
            if self.wrapped:
                self._data_key = self._open_ring(make=False).unwrap(self.wrapped, self._org_id)
            elif make:
                self._data_key = new_data_key(self._org_id)
                self.wrapped = self._open_ring(make=True).wrap(self._data_key)
            else:
                raise ConfigError(
                    "a stored secret is sealed, and its key is not stored with it: restore the configuration "
                    "from a backup"
                )
        return self._data_key
