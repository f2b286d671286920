"""The interface of a place for documents."""

from typing import NamedTuple, Protocol


class Found(NamedTuple):
    """A document that is there."""

    content: bytes
    tag: str
    """Another one for each content."""


class DocumentPlace(Protocol):
    """Where documents are kept by name, each replaced as a whole or not at all."""

    async def read(self, name: str) -> Found | None:
        """
        Return a document; None if there is none.

        Raises:
            StorageUnavailable: the place cannot be reached.
            ConfigError: the place refuses, or the document cannot be decrypted.
        """
        ...

    async def write(self, name: str, content: bytes, *, tag: str | None) -> bool:
        """
        Put *content* in place of the document with *tag*; None: where there is no document.

        Returns:
            Whether it was done; False if something else is there by now, which stays.

        Raises:
            StorageUnavailable: the place cannot be reached; it may have been done all the same.
            ConfigError: the place refuses.
        """
        ...
