"""The order in which playbooks were taught."""

from collections.abc import Iterable

from sagacity.domain.memory import Memory


def newest_first(playbooks: Iterable[Memory]) -> list[Memory]:
    """Return playbooks by when they were last said, the newest first; one that nobody said by when it changed."""
    return sorted(
        playbooks,
        key=lambda book: (book.attributes.said_at or book.updated_at, book.memory_id),
        reverse=True,
    )
