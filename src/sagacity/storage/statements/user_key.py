"""
Whose a row is, where `user_id` is part of a key.

A key cannot hold NULL, so rows of the organisation itself have an empty text there. These two functions know, and the
policies in `postgres/row_security.py`; everything else says None.
"""

from sagacity.domain.ids import UserId


def user_key(user_id: UserId | None) -> str:
    """Return what the column holds for a user; None: for the organisation itself."""
    return "" if user_id is None else user_id


def user_of(key: str) -> UserId | None:
    """Return whose a row is by what its column holds; None: the organisation's own."""
    return UserId(key) if key else None
