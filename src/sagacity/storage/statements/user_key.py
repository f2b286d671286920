"""
Convert user ids for tables in which `user_id` is part of a key.

A key cannot hold NULL, so rows of the organisation itself have an empty text there. Only these two functions and the
policies in `postgres/row_security.py` know that; everything else uses None.
"""

from sagacity.domain.ids import UserId


def user_key(user_id: UserId | None) -> str:
    """Return the column's value for a user or, with None, for the organisation itself."""
    return "" if user_id is None else user_id


def user_of(key: str) -> UserId | None:
    """Return the user for a column's value; None for the organisation itself."""
    return UserId(key) if key else None
