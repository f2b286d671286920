"""No secret gets into a memory, and nothing else is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.memory import BlockingIssue, BlockingIssueKind
from sagacity.learning.writing.secrets import redacted, without_secrets
from support.windows import candidate

TOKEN = "ghp_" + "a1B2" * 9
KEY = "sk-proj-" + "abcDEF123456" * 3
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "User pays with card 4111 1111 1111 1111, until 12/27.",
            "User pays with card [removed], until 12/27.",
        ),
        ("Card 5500-0000-0000-0004", "Card [removed]"),
        ("Card 378282246310005.", "Card [removed]."),
        ("The password is hunter2.", "The password is [removed]."),
        ("the password hunter2 opens it", "the password [removed] opens it"),
        ("User's password for the wiki is: correct-horse", "User's password for the wiki is: [removed]"),
        ("Passwort: geheim!", "Passwort: [removed]!"),
        ("Mon mot de passe est soleil42", "Mon mot de passe est [removed]"),
        (f"Uses the token {TOKEN} for CI", "Uses the token [removed] for CI"),
        (f"api key = {KEY}", "api key = [removed]"),
        (f"Sends {JWT}.", "Sends [removed]."),
        ("AKIAIOSFODNN7EXAMPLE is theirs", "[removed] is theirs"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc", "[removed]"),
    ],
)
def test_secrets_are_removed(text, left):
    assert redacted(text) == left
    assert redacted(left) == left


@pytest.mark.parametrize(
    "text",
    [
        "Order 4111 1111 1111 1112 has arrived.",
        "Tracking number 9400110200881234567890",
        "Phone +49 170 1234567, IBAN DE89 3704 0044 0532 0130 00",
        "User keeps passwords in 1Password.",
        "The password is stored in a vault.",
        "User resets the password every month.",
        "The API key is required for each call.",
        "User works on sk-learn pipelines.",
        "Born 1980-01-02, ISBN 978-3-16-148410-0",
        "",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redacted(text) == text


def test_every_part_of_a_candidate_is_looked_at():
    secret = f"of {TOKEN}"
    one = without_secrets(
        candidate(
            f"Has a token {secret}",
            trigger=secret,
            pitfall=secret,
            rationale=secret,
            blocking_issue=BlockingIssue(kind=BlockingIssueKind.MISSING_TOOL, details=secret),
            custom_features={"card": 4111111111111111, "deep": [{"x": secret}], "n": 7},
            keywords=("token", TOKEN),
            entities=(EntityMention(name="GitHub"), EntityMention(name=TOKEN)),
            relationships=(
                RelationshipMention(source="user", target="GitHub", relationship_type="uses"),
                RelationshipMention(source="user", target=TOKEN, relationship_type="owns"),
            ),
        )
    )
    assert TOKEN not in one.model_dump_json()
    assert "4111" not in one.model_dump_json()
    assert one.content == "Has a token of [removed]"
    assert one.custom_features["n"] == 7
    assert [it.name for it in one.entities] == ["GitHub"]
    assert [it.target for it in one.relationships] == ["GitHub"]
    assert one.keywords == ("token",)


@given(st.text(alphabet="password is:=4 1-\n.aeyJsk_", max_size=300))
def test_any_text_is_read_and_twice_is_once(text):
    once = redacted(text)
    assert redacted(once) == once
