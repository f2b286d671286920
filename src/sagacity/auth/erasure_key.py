"""The operator's secret: it hashes erased users, encrypts their data during an erasure, and signs reports."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sagacity.auth.secret_file import read_or_make_secret
from sagacity.domain.errors import ConfigError

_NONCE_BYTES = 12
_ID_DIGITS = 16


@dataclass(frozen=True, slots=True, repr=False)
class ErasureKey:
    """One secret, with a key of its own for each use."""

    secret: bytes

    @property
    def key_id(self) -> str:
        """An id by which to see whether two processes have the same key."""
        return self._key("id").hex()[:_ID_DIGITS]

    @property
    def public_key(self) -> str:
        """The Ed25519 key, in hexadecimal, by which anybody can check a signature."""
        return self._signer.public_key().public_bytes_raw().hex()

    def hash_user(self, org_id: str, user_id: str) -> str:
        """Return HMAC-SHA256 of a user's name, which nobody without the secret can guess."""
        told = f"{len(org_id)}:{org_id}{user_id}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key("user"), told, hashlib.sha256).hexdigest()

    def seal(self, text: str) -> str:
        """Return *text* encrypted (AES-256-GCM), as text."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = AESGCM(self._key("seal")).encrypt(nonce, text.encode("utf-8", "surrogatepass"), None)
        return base64.b64encode(nonce + sealed).decode()

    def open(self, sealed: str) -> str:
        """
        Decrypt a sealed text.

        Raises:
            ConfigError: another secret sealed it.
        """
        whole = base64.b64decode(sealed)
        try:
            opened = AESGCM(self._key("seal")).decrypt(whole[:_NONCE_BYTES], whole[_NONCE_BYTES:], None)
        except InvalidTag as error:
            raise ConfigError("another key sealed this: see SAGACITY_ERASURE_KEY") from error
        return opened.decode("utf-8", "surrogatepass")

    def sign(self, message: bytes) -> str:
        """Return the signature of *message*, in hexadecimal."""
        return self._signer.sign(message).hex()

    @property
    def _signer(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self._key("sign"))

    def _key(self, use: str) -> bytes:
        return hmac.new(self.secret, f"sagacity erasure {use}".encode(), hashlib.sha256).digest()


OpenKey = Callable[[], ErasureKey]


def is_signed(message: bytes, *, signature: str, public_key: str) -> bool:
    """Return whether *signature* is that of *message* by *public_key*; both in hexadecimal."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_or_make(path: Path) -> ErasureKey:
    """
    Return the key in a file that only its owner may read; create the file if it is missing.

    Raises:
        ConfigError: the file can be neither read nor created, or contains no key.
    """
    return ErasureKey(read_or_make_secret(path, use="erasures", setting="SAGACITY_ERASURE_KEY"))


def no_key() -> ErasureKey:
    """
    Stand-in for parts that erase nobody.

    Raises:
        ConfigError: always.
    """
    raise ConfigError("no key of erasures was opened")
