"""What is published becomes what the log takes."""

from datetime import UTC, datetime

import pytest

from sagacity.domain.ids import RequestId
from sagacity.domain.interaction import is_person, speaker_of
from sagacity.domain.trust import Origin
from sagacity.schemas.interactions import PublishBody
from sagacity.storage.evidence.digest import digest_of


def published(**turn: object) -> PublishBody:
    return PublishBody.model_validate(
        {"user_id": "anna", "interaction_data_list": [{"content": "tea"} | turn]}
    )


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (1_684_576_800, datetime(2023, 5, 20, 10, 0, tzinfo=UTC)),
        (4_102_444_799, datetime(2099, 12, 31, 23, 59, 59, tzinfo=UTC)),
        (None, None),
        (0, None),
        (-5, None),
        (4_102_444_800, None),
        (1_684_576_800_000, None),
        (2**63 - 1, None),
    ],
)
def test_created_at_says_when_it_happened(seconds: int | None, expected: datetime | None) -> None:
    """The sender's clock counts, unless it was never set or counts in other units."""
    [turn] = published(created_at=seconds).to_domain(RequestId("r")).interactions
    assert turn.happened_at == expected


def test_digest_leaves_out_when_it_happened() -> None:
    """Clients that send again stamp anew; any other change is another request."""
    first, again, other = (
        digest_of(published(created_at=at, content=content).to_domain(RequestId("r")))
        for at, content in ((1_684_576_800, "tea"), (1_684_576_900, "tea"), (1_684_576_800, "milk"))
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("role", "speaker", "text"),
    [
        ("Caroline", "Caroline", "Caroline: tea"),
        (" Dr. Ito ", "Dr. Ito", "Dr. Ito: tea"),
        ("User", "", "tea"),
        ("assistant", "", "tea"),
        ("SYSTEM", "", "tea"),
        ("", "", "tea"),
    ],
)
def test_name_of_a_speaker_is_part_of_the_text(role: str, speaker: str, text: str) -> None:
    """A role that is a name is found by; one that only says whose turn it was is not."""
    [turn] = published(role=role).to_domain(RequestId("r")).interactions
    assert (speaker_of(turn.role), turn.search_text) == (speaker, text)


@pytest.mark.parametrize("role", ["ai", "Bot", "model", "developer", "Assistant", "system"])
def test_what_frameworks_call_their_agent_is_no_user(role: str) -> None:
    """LangChain says "ai", Gemini "model": what they make up is not what a user said."""
    [turn] = published(role=role).to_domain(RequestId("r")).interactions
    assert (turn.stamped_origin, is_person(role)) == (Origin.AGENT, False)


def test_turn_without_text_has_none_for_its_speaker() -> None:
    """A name alone says nothing that could be found."""
    [turn] = published(role="Caroline", content="").to_domain(RequestId("r")).interactions
    assert turn.search_text == ""
