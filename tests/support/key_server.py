"""An issuer of users' tokens: it signs them, and serves its public keys over real HTTP."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from support.http_server import JsonHandler, served

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


class Issuer:
    """Signs tokens with its keys, by their names; what it serves is what is in `keys`."""

    def __init__(self) -> None:
        self.keys: dict[str, Key] = {"first": rsa.generate_private_key(65_537, 2_048)}
        self.raw: list[dict[str, Any]] | None = None
        """What it serves in place of its own keys, if anything."""
        self.asked = 0
        self.is_down = False
        self.url = ""

    def add(self, name: str, *, curve: bool = False) -> None:
        """Make another key."""
        self.keys[name] = (
            ec.generate_private_key(ec.SECP256R1()) if curve else rsa.generate_private_key(65_537, 2_048)
        )

    def token(self, key: str = "first", **claims: Any) -> str:
        """A token with *claims*, signed with one of the keys."""
        private = self.keys[key]
        algorithm = "ES256" if isinstance(private, ec.EllipticCurvePrivateKey) else "RS256"
        return jwt.encode(claims, private, algorithm=algorithm, headers={"kid": key})

    def served(self) -> dict[str, Any]:
        """The key set."""
        if self.raw is not None:
            return {"keys": self.raw}
        keys: list[dict[str, Any]] = []
        for name, private in self.keys.items():
            is_curve = isinstance(private, ec.EllipticCurvePrivateKey)
            algorithm = ECAlgorithm if is_curve else RSAAlgorithm
            public = json.loads(algorithm.to_jwk(private.public_key()))
            keys.append({**public, "kid": name, "use": "sig", "alg": "ES256" if is_curve else "RS256"})
        return {"keys": keys}


@contextmanager
def issuing() -> Iterator[Issuer]:
    """An issuer whose keys can be fetched at its `url`."""
    issuer = Issuer()

    class Handler(JsonHandler):
        def do_GET(self) -> None:  # noqa: N802  the name that the library calls
            issuer.asked += 1
            if issuer.is_down:
                self.answer(503, {})
            else:
                self.answer(200, issuer.served())

    with served(Handler) as address:
        issuer.url = f"{address}/keys"
        yield issuer
