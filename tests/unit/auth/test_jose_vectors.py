"""Signatures: every known trick of Project Wycheproof's vectors is refused, and what is good is read."""

from collections.abc import Mapping
from typing import Any

import pytest

from sagacity.auth.end_users import TokenRules, UserTokens
from sagacity.auth.signing_keys import keys_for_tokens
from sagacity.config.settings import load_settings
from sagacity.domain.errors import ConfigError, Unauthorized
from support.jose_vectors import Vector, vectors
from support.parts import StoppedClock

VECTORS = vectors()
LEAST_SECRET_BYTES = 32


def tokens_of(vector: Vector) -> UserTokens:
    if vector.secret is not None:
        return UserTokens(TokenRules(), clock=StoppedClock(), secret=vector.secret)

    async def fetch() -> Mapping[str, Any]:
        return {"keys": list(vector.keys)}

    return UserTokens(TokenRules(), clock=StoppedClock(), fetch_keys=fetch)


@pytest.mark.parametrize("vector", VECTORS, ids=[one.name for one in VECTORS])
async def test_signature_of_a_vector(vector: Vector) -> None:
    if vector.is_valid:
        assert await tokens_of(vector).payload_of(vector.token) == vector.payload
        return
    if vector.secret and len(vector.secret) < LEAST_SECRET_BYTES:
        with pytest.raises(ConfigError, match="at least 32 bytes"):
            load_settings(jwt_secret="x" * len(vector.secret))
        return
    with pytest.raises(Unauthorized):
        await tokens_of(vector).payload_of(vector.token)


def test_vectors_are_many_of_both_kinds() -> None:
    assert sum(one.is_valid for one in VECTORS) >= 10
    assert sum(not one.is_valid for one in VECTORS) >= 100


@pytest.mark.parametrize(
    "key_set", [{}, {"keys": None}, {"keys": []}, {"keys": [1, {"kty": "oct", "k": "AA"}]}]
)
def test_set_without_a_key_for_tokens_is_none(key_set: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no key for tokens"):
        keys_for_tokens(key_set)


def test_of_two_keys_with_one_name_neither_is_taken() -> None:
    """And what is for something else is passed over."""
    good = next(one.keys[0] for one in VECTORS if one.is_valid and one.keys[0]["kty"] == "RSA")
    for_encryption = {**good, "kid": "other", "use": "enc"}
    assert set(keys_for_tokens({"keys": [{**good, "kid": "a"}, for_encryption]})) == {"a"}
    twice = [{**good, "kid": "a"}, {**good, "kid": "a", "e": "AQAB"}, {**good, "kid": "b"}]
    assert set(keys_for_tokens({"keys": twice})) == {"b"}
