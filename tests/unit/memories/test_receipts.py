"""Receipts have words for whatever happened to what a model proposed."""

from sagacity.domain.extraction import Rejection
from sagacity.memories.receipts import NOT_KEPT


def test_every_reason_is_told() -> None:
    """A reason without words would fail the whole receipt."""
    assert set(NOT_KEPT) == set(Rejection)
