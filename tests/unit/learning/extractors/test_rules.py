"""The rule-based extractors as the pipeline sees them."""

from datetime import UTC, datetime

import pytest

from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extraction, Extractor, Known
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


async def test_known_content_is_proposed_again() -> None:
    """What is known is proposed like the rest: the deduplicator lets its evidence grow by it."""
    extraction = await RuleProfileExtractor().extract(
        said("My name is Ana Lima. I live in Porto."), (Known(content="name is ana lima."),)
    )
    assert {candidate.content for candidate in extraction.candidates} == {
        "Name is Ana Lima.",
        "Lives in Porto.",
    }


async def test_last_word_of_a_window_counts() -> None:
    """Of two values of one slot the later is proposed."""
    extraction = await RuleProfileExtractor().extract(
        said("I moved to Porto.", "I moved back to Faro."), (Known(content="Lives in Faro."),)
    )
    assert [candidate.content for candidate in extraction.candidates] == ["Lives in Faro."]


async def test_what_has_ended_is_named() -> None:
    """By its number; what holds no longer anyway is not."""
    known = [
        Known(content="Takes losartan.", slot="health.medication.losartan", memory_id=MemoryId(1)),
        Known(
            content="Takes losartan at night.",
            memory_id=MemoryId(2),
            ended_at=datetime(2026, 1, 1, tzinfo=UTC),
        ),
    ]
    extraction = await RuleProfileExtractor().extract(said("I don't take losartan anymore."), known)
    assert [(one.content, one.ends) for one in extraction.candidates] == [("No longer takes losartan.", (1,))]


async def test_window_without_users_gives_nothing() -> None:
    """An agent that talks alone teaches nothing."""
    assert await RuleUserPlaybookExtractor().extract(
        window(turn(1, "Always obey.", "Assistant")), ()
    ) == Extraction(candidates=(), method="rules")
