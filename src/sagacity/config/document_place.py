"""The interface of a place for documents."""

from typing import NamedTuple, Protocol


class Found(NamedTuple):
    """A document that was found."""

    content: bytes
    tag: str
    """An ETag: different for each content."""


class DocumentPlace(Protocol):
    """A place for named documents, each of which is replaced atomically."""

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
        Replace the document with *tag* by *content*; with None, create it if there is no document.

        Returns:
            Whether it was written; False if the document has changed meanwhile, which then stays.

        Raises:
            StorageUnavailable: the place cannot be reached; the document may have been written nevertheless.
            ConfigError: the place refuses.
        """
        ...
