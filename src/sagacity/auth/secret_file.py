"""A secret in a file of its own that only its owner may read."""

import os
import secrets
from pathlib import Path

from sagacity.domain.errors import ConfigError

SECRET_BYTES = 32
_PERMISSIONS = 0o600


def read_or_make_secret(path: Path, *, use: str, setting: str) -> bytes:
    """
    Return the secret in a file that only its owner may read; create the file if it is missing.

    Args:
        path: the file.
        use: what the key is for, such as `erasures`, for messages.
        setting: the setting that can hold the key instead.

    Raises:
        ConfigError: the file can be neither read nor created, or contains no key.
    """
    try:
        if not path.exists():
            make_secret_file(path, secrets.token_hex(SECRET_BYTES))
        text = path.read_text(encoding="ascii").strip()
        secret = bytes.fromhex(text)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the key of {use} in {path.name} cannot be used; set {setting}") from error
    if len(secret) != SECRET_BYTES:
        raise ConfigError(f"{path.name} holds no key of {use}; restore it, or set {setting}")
    return secret


def write_secret_file(path: Path, text: str) -> None:
    """
    Replace a file that only its owner may read, atomically: readers find the old text or the new one.

    Raises:
        OSError: it cannot be written; the old text stays.
    """
    draft = _draft(path, text)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def make_secret_file(path: Path, text: str) -> None:
    """
    Create a file atomically; if two processes do so at once, one wins, and nobody reads half of it.

    Raises:
        OSError: it cannot be written.
    """
    draft = _draft(path, text)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)


def _draft(path: Path, text: str) -> Path:
    """Return a file beside *path* with the text in it, on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PERMISSIONS)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return draft
