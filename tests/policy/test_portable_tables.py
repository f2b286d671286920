"""Every table says whether a file of exported data holds its rows."""

from sagacity.storage.erasure.places import PLACES, Place
from sagacity.storage.portable.carried import CARRIED, Carried
from sagacity.storage.postgres.row_security import RULES, Rule
from sagacity.storage.schema.tables import metadata


def test_every_table_says_what_an_export_does_with_its_rows() -> None:
    """A new table has to be named in `storage/portable/carried.py`, or its rows would be lost by a move."""
    assert set(CARRIED) == set(metadata.tables)


def test_what_is_a_users_is_exported_unless_it_is_a_secret_or_how_work_stands() -> None:
    """Whatever an erasure deletes of a user, an export holds, or it says why not."""
    deleted = {
        name
        for name, place in PLACES.items()
        if place in {Place.DELETED, Place.WITH_DOCUMENTS, Place.WITH_OTHERS}
    }
    mine = {name for name, one in CARRIED.items() if one is Carried.USER}
    assert mine <= deleted
    others = {CARRIED[name] for name in deleted - mine}
    assert others == {Carried.MADE_AGAIN, Carried.SECRET, Carried.LOCAL}


def test_no_table_that_is_closed_to_users_is_in_a_file() -> None:
    """Tokens, keys and the state of workers are no user's business, and of no other installation's."""
    closed = {name for name, rule in RULES.items() if rule is Rule.CLOSED}
    assert {CARRIED[name] for name in closed} == {Carried.SECRET, Carried.LOCAL}
