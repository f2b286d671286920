"""The interface of a separate vector store that is kept as a copy of the database's vectors."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from sagacity.domain.ids import OrgId
from sagacity.storage.replica.copied import Copied


class VectorReplica(Protocol):
    """
    Collections of vectors by document number, on a server of their own.

    All calls raise `VectorStoreError` when it does not answer, or not as it should.
    """

    async def generation(self, collection: str) -> str | None:
        """Return what the collection was called when it was made ready; None if it is not there or not ready."""
        ...

    async def create(self, collection: str, dimension: int) -> None:
        """Make the collection with its indexes, unless it is there."""
        ...

    async def make_ready(self, collection: str, dimension: int, generation: str) -> None:
        """Write the marker: from now on searches are answered."""
        ...

    async def put(self, collection: str, org_id: OrgId, documents: Sequence[Copied]) -> None:
        """Write documents in place of those of the same numbers."""
        ...

    async def remove(self, collection: str, document_ids: Iterable[int]) -> None:
        """Remove documents by their numbers."""
        ...

    async def remove_organisation(self, collection: str, org_id: str) -> None:
        """Remove all that belongs to an organisation."""
        ...

    async def numbers(self, collection: str, scope_id: int) -> set[int]:
        """Return the numbers of all documents of a scope that are there."""
        ...

    async def organisations(self, collection: str) -> set[str]:
        """Return whose documents there are."""
        ...

    async def scopes(self, collection: str) -> set[int]:
        """Return the numbers of all scopes of which there are documents."""
        ...

    async def document_count(self, collection: str) -> int:
        """Return how many documents there are."""
        ...

    async def dimension(self, collection: str) -> int:
        """Return how many numbers a vector of the collection has."""
        ...

    async def drop(self, collection: str) -> None:
        """Remove the collection, if it is there."""
        ...

    async def check(self) -> None:
        """Answer one question, or raise."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
