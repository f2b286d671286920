"""Read an issuer's key set (RFC 7517) into keys that verify tokens; pure."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

KINDS = {"RS256": "RSA", "ES256": "EC"}
"""Algorithms of tokens, and the type of key that each takes."""
LEAST_RSA_BITS = 2_048
"""RFC 7518, 3.3."""


def keys_for_tokens(key_set: Mapping[str, Any]) -> dict[str, jwt.PyJWK]:
    """
    Return the keys that verify tokens, by name; keys for other uses and weak ones are left out.

    Of two keys with the same name neither is used, because it is unknown which one is meant.

    Raises:
        ValueError: it is no key set, or has no such key.
    """
    listed = key_set.get("keys")
    every = cast("list[object]", listed) if isinstance(listed, list) else []
    given = [cast("Mapping[str, Any]", one) for one in every if isinstance(one, Mapping)]
    names = Counter(_name(one) for one in given)
    found = {_name(one): key for one in given if names[_name(one)] == 1 and (key := _key(one)) is not None}
    if not found:
        raise ValueError("it has no key for tokens")
    return found


def _name(given: Mapping[str, Any]) -> str:
    return str(given.get("kid") or "")


def _key(given: Mapping[str, Any]) -> jwt.PyJWK | None:
    algorithm = next((name for name, kind in KINDS.items() if kind == given.get("kty")), None)
    if algorithm is None or given.get("alg", algorithm) != algorithm or given.get("use", "sig") != "sig":
        return None
    if "verify" not in given.get("key_ops", ["verify"]):
        return None
    try:
        key = jwt.PyJWK.from_dict(dict(given), algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):  # a number or a point that is none
        return None
    return key if _is_strong(key.key) else None


def _is_strong(key: object) -> bool:
    if isinstance(key, RSAPublicKey):
        return key.key_size >= LEAST_RSA_BITS
    return isinstance(key, EllipticCurvePublicKey) and isinstance(key.curve, SECP256R1)
