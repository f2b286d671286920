"""Every table says what an erasure does with its rows."""

from sagacity.storage.erasure.places import LAST, LINKS, PLACES, Place
from sagacity.storage.schema.tables import metadata


def test_every_table_says_what_an_erasure_does_with_its_rows() -> None:
    """A new table has to be named in `storage/erasure/places.py`, or what a user leaves in it would stay."""
    assert set(PLACES) == set(metadata.tables)


def test_rows_that_name_their_user_are_deleted_or_lose_the_name() -> None:
    """Where there is a column for the user, rows are found by it; a name that may be missing is found by a link."""
    named = {name for name, table in metadata.tables.items() if "user_id" in table.c}
    by_name = {Place.DELETED, Place.WITH_DOCUMENTS, Place.UNNAMED}
    assert {name for name, place in PLACES.items() if place in by_name} == named
    assert set(LAST) | set(LINKS) <= named


def test_what_is_found_by_a_request_or_session_is_deleted_before_these() -> None:
    """The order of the table is that of the work."""
    order = list(PLACES)
    for name, links in LINKS.items():
        assert all(order.index(name) < order.index(theirs.table.name) for _, theirs in links), name
