"""Seal the secrets of an organisation's configuration before it is stored."""

from sagacity.auth.key_ring import SEALED, DataKey, OpenRing, new_data_key, wrapped_by
from sagacity.config.tenant_config import TenantConfig, dump_sealed, has_secrets, load_config
from sagacity.domain.errors import ConfigError, Conflict
from sagacity.domain.ids import OrgId


class Seal:
    """What seals and opens the secrets of one organisation. The operator's keys are opened once there is a secret."""

    def __init__(self, open_ring: OpenRing, org_id: OrgId, wrapped: str) -> None:
        """
        Say whose secrets they are.

        Args:
            open_ring: opens the operator's keys.
            org_id: the organisation.
            wrapped: its data key as it is stored; empty while there is none.
        """
        self._open_ring = open_ring
        self._org_id = org_id
        self._data_key: DataKey | None = None
        self.wrapped = wrapped
        """The data key as it has to be stored."""

    def dump(self, config: TenantConfig) -> str:
        """
        Write *config* as JSON for storage. Afterwards `wrapped` is to be stored with it.

        Raises:
            ConfigError: it holds a secret, and the key is not there.
        """
        if has_secrets(config):
            self._key(make=True)  # what is raised while Pydantic writes would be another error
        return dump_sealed(config, self._seal)

    def load(self, text: str) -> TenantConfig:
        """
        Read what was stored.

        Raises:
            ConfigError: it is no configuration, or holds a secret whose key is not there.
        """
        return load_config(text, self._open)

    def check(self) -> None:
        """
        Open the data key, if there is one.

        Raises:
            ConfigError: the key that wrapped it is not there.
        """
        if self.wrapped:
            self._key(make=False)

    def wrap_again(self) -> bool:
        """
        Have the first key wrap the data key; False if it does already, or there is none.

        Raises:
            ConfigError: the key that wrapped it is not there.
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
        Let go of the data key that cannot be opened; returns what was stored, and the same without its API keys.

        Raises:
            Conflict: all secrets open.
            ConfigError: it is no configuration.
            StorageUnavailable: the key service does not answer: nobody knows whether they open.
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
        """Return a secret; one that somebody wrote by hand is there as it is, until it is stored again."""
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
