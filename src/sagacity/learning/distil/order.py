"""The order in which playbooks were taught."""

from collections.abc import Iterable

from sagacity.domain.memory import Memory


def newest_first(playbooks: Iterable[Memory]) -> list[Memory]:
    """Return playbooks by when they were last said, newest first; those written by hand by when they changed."""
    return sorted(
        playbooks,
        key=lambda book: (book.attributes.said_at or book.updated_at, book.memory_id),
        reverse=True,
    )
