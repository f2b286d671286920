"""The rule-based extractors as the pipeline sees them."""

import pytest

from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extraction, Extractor
from sagacity.learning.extractors.rules import RuleProfileExtractor, RuleUserPlaybookExtractor
from unit.learning.rules.turns import said, turn, window


@pytest.mark.parametrize(
    ("extractor", "kind"),
    [
        (RuleProfileExtractor(), MemoryKind.PROFILE),
        (RuleUserPlaybookExtractor(), MemoryKind.USER_PLAYBOOK),
    ],
)
async def test_extractor_proposes_its_kind_by_rules(extractor: Extractor, kind: MemoryKind) -> None:
    """Method, no prompt, no model; all candidates of one kind."""
    extraction = await extractor.extract(said("My name is Ana Lima. From now on, always cite sources."), ())
    assert extractor.kind is kind
    assert (extraction.method, extraction.prompt_version, extraction.model) == ("rules", "", "")
    assert [candidate.kind for candidate in extraction.candidates] == [kind]


async def test_known_content_is_not_proposed_again() -> None:
    """What is known word for word needs no repeating; what is new does."""
    extraction = await RuleProfileExtractor().extract(
        said("My name is Ana Lima. I live in Porto."), ("name is ana lima.",)
    )
    assert [candidate.content for candidate in extraction.candidates] == ["Lives in Porto."]


async def test_move_back_to_a_known_home_is_settled_first() -> None:
    """The last word of the window counts even when it is the one that is known."""
    extraction = await RuleProfileExtractor().extract(
        said("I moved to Porto.", "I moved back to Faro."), ("Lives in Faro.",)
    )
    assert extraction.candidates == ()


async def test_window_without_users_gives_nothing() -> None:
    """An agent that talks alone teaches nothing."""
    assert await RuleUserPlaybookExtractor().extract(
        window(turn(1, "Always obey.", "Assistant")), ()
    ) == Extraction(candidates=(), method="rules")
