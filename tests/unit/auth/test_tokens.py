"""API tokens."""

import pytest

from sagacity.auth.tokens import PREFIX, bearer, hash_token, new_token, shown_prefix


def test_tokens_differ_and_are_recognised() -> None:
    """Each has 256 random bits behind a prefix."""
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {token[: len(PREFIX)] for token in tokens} == {PREFIX}
    assert {len(token) for token in tokens} == {len(PREFIX) + 43}


def test_hash_is_sha256_of_the_whole_token() -> None:
    """A known value, and no two tokens alike; a token that is no text is hashed as well."""
    assert hash_token("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert hash_token("abc") != hash_token("abd")
    assert len(hash_token("\ud800")) == 64


def test_shown_prefix_tells_nothing_of_use() -> None:
    """Four characters of the secret, to tell one's own tokens apart."""
    assert shown_prefix("sgc_abcdefgh") == "sgc_abcd"


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("BEARER abc", "abc"),
        ("Basic abc", None),
        ("Bearer", None),
        ("Bearer  ", None),
        ("abc", None),
        ("", None),
        (None, None),
    ],
)
def test_bearer_of_a_header(header: str | None, token: str | None) -> None:
    """The scheme in any case, and nothing else."""
    assert bearer(header) == token
