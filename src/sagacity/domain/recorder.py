"""The interface for recording what happens, without delaying the call that it happens in."""

from typing import Protocol, TypeVar

from sagacity.domain.tenant import Tenant

Noted_contra = TypeVar("Noted_contra", contravariant=True)


class Recorder(Protocol[Noted_contra]):
    """Records values of one type."""

    def record(self, tenant: Tenant, one: Noted_contra) -> None:
        """Record a value; never fails and never waits."""
        ...

    async def flush(self, tenant: Tenant | None = None) -> int:
        """
        Write the waiting values, only those of *tenant* if it is given; returns how many were written.

        Raises:
            StorageUnavailable: the database could not be reached; values that were not written still wait.
        """
        ...


class _Nowhere:
    """Records nothing."""

    def record(self, tenant: Tenant, one: object) -> None:
        """Forget the value."""

    async def flush(self, tenant: Tenant | None = None) -> int:
        """Return that nothing waited."""
        return 0


UNRECORDED: Recorder[object] = _Nowhere()
"""A recorder that drops all values."""
