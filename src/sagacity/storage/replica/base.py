"""The interface of a separate vector store that is kept as a copy of the database's vectors."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from sagacity.domain.ids import OrgId
from sagacity.storage.replica.copied import Copied


class VectorReplica(Protocol):
    """
    Collections of vectors by document number, on a separate server.

    All calls raise `VectorStoreError` if there is no answer or an unexpected one.
    """

    async def generation(self, collection: str) -> str | None:
        """Return the generation that the collection got when it was made ready; None if it is missing or not ready."""
        ...

    async def create(self, collection: str, dimension: int) -> None:
        """Create the collection with its indexes, unless it exists."""
        ...

    async def make_ready(self, collection: str, dimension: int, generation: str) -> None:
        """Mark the collection as ready; from now on searches are answered."""
        ...

    async def put(self, collection: str, org_id: OrgId, documents: Sequence[Copied]) -> None:
        """Write documents, replacing those with the same numbers."""
        ...

    async def remove(self, collection: str, document_ids: Iterable[int]) -> None:
        """Remove documents by their numbers."""
        ...

    async def remove_organisation(self, collection: str, org_id: str) -> None:
        """Remove all documents of an organisation."""
        ...

    async def numbers(self, collection: str, scope_id: int) -> set[int]:
        """Return the numbers of all documents of a scope in the collection."""
        ...

    async def organisations(self, collection: str) -> set[str]:
        """Return the organisations that have documents in the collection."""
        ...

    async def scopes(self, collection: str) -> set[int]:
        """Return the numbers of all scopes that have documents in the collection."""
        ...

    async def document_count(self, collection: str) -> int:
        """Return how many documents the collection has."""
        ...

    async def dimension(self, collection: str) -> int:
        """Return the dimension of the collection's vectors."""
        ...

    async def drop(self, collection: str) -> None:
        """Remove the collection, if it exists."""
        ...

    async def check(self) -> None:
        """Make one call; raises if it fails."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
