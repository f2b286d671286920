"""Documents in a folder of this machine that only its owner may read."""

import asyncio
import fcntl
import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sagacity.auth.secret_file import write_secret_file
from sagacity.config.document_place import Found
from sagacity.domain.errors import ConfigError


class FolderPlace:
    """One file per document. It is written to a temporary file, synced and then renamed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(self, name: str) -> Found | None:
        """
        Return a document; None if there is none.

        Raises:
            ConfigError: the file cannot be read.
        """
        return await asyncio.to_thread(self._read, name)

    async def write(self, name: str, content: bytes, *, tag: str | None) -> bool:
        """
        Replace the document with *tag* by *content*; with None, create it if there is no document.

        Raises:
            ConfigError: the folder cannot be written.
        """
        return await asyncio.to_thread(self._write, name, content, tag)

    def _read(self, name: str) -> Found | None:
        try:
            content = (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ConfigError(
                f"{name} in the folder of configurations cannot be read: {error.strerror}"
            ) from error
        return Found(content, hashlib.sha256(content).hexdigest())

    def _write(self, name: str, content: bytes, tag: str | None) -> bool:
        path = self._folder / name
        try:
            with self._locked():
                found = self._read(name)
                if (None if found is None else found.tag) != tag:
                    return False
                write_secret_file(path, content.decode())
        except OSError as error:
            raise ConfigError(
                f"{name} in the folder of configurations cannot be written: {error.strerror}"
            ) from error
        return True

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Keep other processes from writing during the block; the system releases the lock of a killed process."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        number = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(number, fcntl.LOCK_EX)
            yield
        finally:
            os.close(number)
