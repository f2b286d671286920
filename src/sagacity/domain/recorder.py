"""The interface for recording what happens, without delaying the call that it happens in."""

from typing import Protocol, TypeVar

from sagacity.domain.tenant import Tenant

Noted_contra = TypeVar("Noted_contra", contravariant=True)


class Recorder(Protocol[Noted_contra]):
    """Where values of one type are noted down."""

    def record(self, tenant: Tenant, one: Noted_contra) -> None:
        """Note down one value; it never fails and never waits."""
        ...

    async def flush(self, tenant: Tenant | None = None) -> int:
        """
        Write what waits, of one tenant if one is named; returns how many values were written.

        Raises:
            StorageUnavailable: the database could not be reached; what was not written waits on.
        """
        ...


class _Nowhere:
    """Notes nothing down."""

    def record(self, tenant: Tenant, one: object) -> None:
        """Forget the value."""

    async def flush(self, tenant: Tenant | None = None) -> int:
        """Return that nothing waited."""
        return 0


UNRECORDED: Recorder[object] = _Nowhere()
"""Where values go that nobody counts."""
