"""Envelope encryption: an organisation's data key seals texts, and the operator's key wraps data keys."""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sagacity.auth.secret_file import SECRET_BYTES, make_secret_file, write_secret_file
from sagacity.domain.errors import ConfigError

SEALED = "sealed:v1:"
"""The prefix of sealed texts."""
KEY_FILE = "config.key"
SETTING = "SAGACITY_CONFIG_KEY"
WRAPPED = "kms:"
"""The prefix of keys that a key service wrapped."""
SERVICE_SETTING = "SAGACITY_CONFIG_KEY_KMS"
_NONCE_BYTES = 12
_ID_DIGITS = 16


@dataclass(frozen=True, slots=True, repr=False)
class DataKey:
    """The data key of one organisation. What it seals can be decrypted only for this organisation."""

    secret: bytes
    org_id: str

    def seal(self, text: str) -> str:
        """Return *text* encrypted (AES-256-GCM), as text."""
        return SEALED + _encrypt(self.secret, text.encode("utf-8", "surrogatepass"), self.org_id)

    def open(self, sealed: str) -> str:
        """
        Decrypt a sealed text.

        Raises:
            ConfigError: it was changed, or sealed with another key.
        """
        try:
            opened = _decrypt(self.secret, sealed.removeprefix(SEALED), self.org_id)
        except (InvalidTag, ValueError) as error:
            raise ConfigError(
                "a stored secret was changed, or another key sealed it: restore the configuration from a backup"
            ) from error
        return opened.decode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, repr=False)
class KeyRing:
    """The operator's keys: the first one wraps, each of them unwraps."""

    keys: tuple[bytes, ...]

    @property
    def first_id(self) -> str:
        """The id of the key that wraps."""
        return key_id(self.keys[0])

    def wrap(self, data_key: DataKey) -> str:
        """Return *data_key* encrypted, prefixed with the id of the wrapping key."""
        return self.seal(data_key.secret, data_key.org_id)

    def unwrap(self, wrapped: str, org_id: str) -> DataKey:
        """
        Unwrap the data key of an organisation.

        Raises:
            ConfigError: none of the keys wrapped it, or it was changed.
        """
        return DataKey(self.open(wrapped, org_id), org_id)

    def seal(self, secret: bytes, owner: str) -> str:
        """Return a short secret encrypted for its *owner*, prefixed with the id of the key."""
        return f"{self.first_id}:{_encrypt(_wrapping(self.keys[0]), secret, owner)}"

    def open(self, sealed: str, owner: str) -> bytes:
        """
        Decrypt a sealed secret.

        Raises:
            ConfigError: none of the keys sealed it, or it was changed.
        """
        name, _, text = sealed.partition(":")
        for key in self.keys:
            if key_id(key) == name:
                try:
                    return _decrypt(_wrapping(key), text, owner)
                except (InvalidTag, ValueError) as error:
                    raise ConfigError(
                        "a stored key or secret was changed since it was sealed: restore it from a backup"
                    ) from error
        raise ConfigError(
            f"stored secrets are sealed by the key {name}, which is not there: "
            f"set {SETTING} to it, or restore {KEY_FILE} in the home folder"
        )


class KeyService(Protocol):
    """Creates the operator's keys, and alone can unwrap them, so a stored key is useless without it."""

    def new_key(self) -> str:
        """
        Return a new wrapped key to store, beginning with `WRAPPED`.

        Raises:
            ConfigError: the service cannot be reached, or refuses.
        """
        ...

    def unwrap(self, stored: str) -> bytes:
        """
        Unwrap a key that `new_key` made. The service is called once for each.

        Raises:
            ConfigError: the service cannot be reached, or refuses.
        """
        ...


class OpenRing(Protocol):
    """Loads the operator's keys when they are needed."""

    def __call__(self, *, make: bool) -> KeyRing:
        """
        Return the keys; if *make*, create one if there is none.

        Raises:
            ConfigError: there is none, or it cannot be read.
        """
        ...


def no_keys(*, make: bool) -> KeyRing:  # noqa: ARG001  as of every `OpenRing`
    """
    Stand-in for parts that keep no secrets.

    Raises:
        ConfigError: always.
    """
    raise ConfigError("no key of configurations was opened")


def new_data_key(org_id: str) -> DataKey:
    """Return a new random data key."""
    return DataKey(secrets.token_bytes(SECRET_BYTES), org_id)


def key_id(key: bytes) -> str:
    """Return the id of a key, which reveals nothing of it."""
    return _derived(key, "id").hex()[:_ID_DIGITS]


def wrapped_by(wrapped: str) -> str:
    """Return the id of the key that wrapped a data key."""
    return wrapped.partition(":")[0]


def read_keys(text: str, service: KeyService | None = None) -> tuple[bytes, ...]:
    """
    Parse keys in base64, or as the key service wrapped them, separated by commas.

    Raises:
        ValueError: one is not base64, or does not have 32 bytes.
        ConfigError: one cannot be unwrapped.
    """
    keys: list[bytes] = []
    for one in map(str.strip, text.split(",")):
        if one.startswith(WRAPPED):
            keys.append(_unwrapped(one, service))
            continue
        padded = one.replace("-", "+").replace("_", "/")
        try:
            key = base64.b64decode(padded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise ValueError("must be base64; several keys are separated by commas") from error
        if len(key) != SECRET_BYTES:
            raise ValueError(f"must have {SECRET_BYTES} bytes in base64, as `openssl rand -base64 32` writes")
        keys.append(key)
    return tuple(keys)


def open_key_file(path: Path, *, make: bool, service: KeyService | None = None) -> KeyRing:
    """
    Read the keys in a file, one per line, in hexadecimal or wrapped; only its owner may read the file.

    Raises:
        ConfigError: there is none and none may be created, or it cannot be read.
    """
    if not path.exists():
        if not make:
            raise ConfigError(
                f"secrets in the configuration are sealed, and there is no key: set {SETTING}, "
                f"or restore {path.name} in the home folder"
            )
        try:
            make_secret_file(path, _new_line(service) + "\n")
        except OSError as error:
            raise _unusable(path) from error
    return KeyRing(tuple(_key_in(path, line, service) for line in _lines(path)))


def add_key(path: Path, service: KeyService | None = None) -> KeyRing:
    """
    Put a new key in front of those in a file.

    Raises:
        ConfigError: the file cannot be read or written, or the key service makes none.
    """
    if path.exists():
        open_key_file(path, make=False, service=service)  # nothing is written over that does not read
        _write(path, [_new_line(service), *_lines(path)])
    return open_key_file(path, make=True, service=service)


def keep_first_key(path: Path, service: KeyService | None = None) -> KeyRing:
    """
    Remove all keys but the first from a file.

    Raises:
        ConfigError: the file cannot be read or written.
    """
    _write(path, _lines(path)[:1])
    return open_key_file(path, make=False, service=service)


def _new_line(service: KeyService | None) -> str:
    return secrets.token_hex(SECRET_BYTES) if service is None else service.new_key()


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="ascii").split()
    except (OSError, ValueError) as error:
        raise _unusable(path) from error
    if not lines:
        raise ConfigError(f"{path.name} holds no keys of configurations; restore it, or set {SETTING}")
    return lines


def _key_in(path: Path, line: str, service: KeyService | None) -> bytes:
    if line.startswith(WRAPPED):
        return _unwrapped(line, service)
    try:
        key = bytes.fromhex(line)
    except ValueError as error:
        raise _unusable(path) from error
    if len(key) != SECRET_BYTES:
        raise ConfigError(f"{path.name} holds no keys of configurations; restore it, or set {SETTING}")
    return key


def _unwrapped(stored: str, service: KeyService | None) -> bytes:
    if service is None:
        raise ConfigError(f"the key of configurations is wrapped by a key service: set {SERVICE_SETTING}")
    key = service.unwrap(stored)
    if len(key) != SECRET_BYTES:
        raise ConfigError("what the key service unwrapped is not a key of configurations")
    return key


def _unusable(path: Path) -> ConfigError:
    return ConfigError(f"the keys of configurations in {path.name} cannot be used; set {SETTING}")


def _write(path: Path, lines: Sequence[str]) -> None:
    try:
        write_secret_file(path, "\n".join(lines) + "\n")
    except OSError as error:
        raise ConfigError(f"{path.name} in the home folder cannot be written: {error.strerror}") from error


def _wrapping(key: bytes) -> bytes:
    return _derived(key, "wrap")


def _derived(key: bytes, use: str) -> bytes:
    return hmac.new(key, f"sagacity configuration {use}".encode(), hashlib.sha256).digest()


def _encrypt(key: bytes, plain: bytes, owner: str) -> str:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return base64.b64encode(nonce + AESGCM(key).encrypt(nonce, plain, _bound(owner))).decode()


def _decrypt(key: bytes, text: str, owner: str) -> bytes:
    whole = base64.b64decode(text, validate=True)
    return AESGCM(key).decrypt(whole[:_NONCE_BYTES], whole[_NONCE_BYTES:], _bound(owner))


def _bound(owner: str) -> bytes:
    return owner.encode("utf-8", "surrogatepass")
