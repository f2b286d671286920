"""The table of kinds is whole: what reads it finds a row for each, and no two that exclude each other."""

from sagacity.domain.citations import LETTER_OF
from sagacity.domain.context import ContextBudgets
from sagacity.domain.kinds import KINDS, REVIEWED_KINDS, TENANT_KINDS, USER_KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.table import EXTRACTORS
from sagacity.schemas.found import SearchPage


def test_every_kind_has_a_row():
    assert list(KINDS) == list(MemoryKind)


def test_a_source_in_a_context_begins_with_a_letter_of_its_own():
    """So that what a model cites leads back to one memory, turn or name."""
    letters = [*(spec.citation for spec in KINDS.values()), *LETTER_OF.values()]
    assert len(set(letters)) == len(letters)
    assert all(len(letter) == 1 for letter in letters)


def test_every_kind_has_room_in_a_context():
    assert all(ContextBudgets().of(spec.section) > 0 for spec in KINDS.values())


def test_what_is_found_goes_into_a_list_of_the_reply():
    """Each list holds one kind; the kinds without a list share `memories`."""
    lists = [spec.search_list for spec in KINDS.values() if spec.search_list is not None]
    assert len(set(lists)) == len(lists)
    assert {*lists, "memories"} < SearchPage.model_fields.keys()
    assert "memories" not in lists


def test_whose_a_kind_is_says_what_else_holds_for_it():
    """A log teaches what is one user's; a person approves only what serves all users."""
    assert EXTRACTORS.keys() <= USER_KINDS
    assert REVIEWED_KINDS <= TENANT_KINDS
