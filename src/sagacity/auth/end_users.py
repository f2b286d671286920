"""
End users' own tokens: JSON Web Tokens (RFC 7519) of whoever signs users in, verified here.

Either a secret is shared with the issuer (HS256), or its public keys are read from its key set (RFC 7517; RS256 and
ES256). Which of the two it is says the configuration, never the token.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import jwt
from jwt.types import Options

from sagacity.auth.signing_keys import KINDS, keys_for_tokens
from sagacity.domain.base import Value
from sagacity.domain.clock import Clock
from sagacity.domain.errors import Unauthorized
from sagacity.domain.ids import MAX_KEY_BYTES, UserId, byte_count

SHARED = ("HS256",)
PUBLIC = ("RS256", "ES256")
FRESH = timedelta(minutes=10)
"""
After so long the key set is read again: a key that its issuer withdrew is good for no longer, unless the set cannot be
read. Then the keys that are known go on, for `LAST_KNOWN` at the most.
"""
LAST_KNOWN = timedelta(days=1)
RETRY = timedelta(seconds=30)
"""How often at most the key set is read before it is due, because anybody can make up keys."""
FIRST_RETRY = timedelta(seconds=1)
"""After so long it is tried again when it could not be read; each further failure doubles it, up to `RETRY`."""
LONGEST_TOKEN = 8_192
_SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+")
"""Three parts in base64url, which has no padding; what was signed may be empty."""

FetchKeys = Callable[[], Awaitable[Mapping[str, Any]]]
"""Reads a JSON Web Key Set; raises OSError or ValueError on failure."""


class TokenRules(Value):
    """The requirements on users' tokens."""

    issuer: str = ""
    """Empty: any."""
    audience: str = ""
    """Empty: not checked."""
    leeway_seconds: float = 30.0
    """How much the clocks may differ."""


class UserTokens:
    """Verifies users' tokens."""

    def __init__(
        self,
        rules: TokenRules,
        *,
        clock: Clock,
        secret: str | bytes = "",
        fetch_keys: FetchKeys | None = None,
    ) -> None:
        """
        Create a verifier.

        Args:
            rules: the requirements.
            clock: tells when they expire.
            secret: shared with the issuer; empty if public keys are used.
            fetch_keys: reads the issuer's public keys; None if a secret is used.
        """
        self._rules = rules
        self._clock = clock
        self._secret = secret
        self._fetch = fetch_keys
        self._keys: dict[str, jwt.PyJWK] = {}
        self._read_at: datetime | None = None
        self._tried_at: datetime | None = None
        self._failures = 0
        """Consecutive failures."""
        self._reading = asyncio.Lock()

    async def user_of(self, token: str) -> UserId:
        """
        Return the subject of a token, after verifying its signature, times, issuer and audience.

        Raises:
            Unauthorized: it is invalid; the message says why.
        """
        return UserId((await self.claims_of(token))["sub"])

    async def claims_of(self, token: str) -> dict[str, Any]:
        """
        Return the claims of a token, after the same checks as `user_of`.

        Raises:
            Unauthorized: it is invalid; the message says why.
        """
        await self.payload_of(token)
        try:
            claims = self._claims(token)
        except jwt.ExpiredSignatureError as error:
            raise Unauthorized("the token has expired; sign in again") from error
        except jwt.PyJWTError as error:
            raise Unauthorized(f"the token is not valid: {_reason(error)}") from error
        subject = claims["sub"]
        if not subject or byte_count(subject) > MAX_KEY_BYTES or not subject.isprintable():
            raise Unauthorized("the token is not valid: its subject cannot be a user's id")
        return claims

    async def payload_of(self, token: str) -> bytes:
        """
        Return the payload after verifying only the signature.

        Raises:
            Unauthorized: it is no token, or its signature is not that of a key that is known.
        """
        if len(token) > LONGEST_TOKEN:
            raise Unauthorized("the token is too long")
        if not _SHAPE.fullmatch(token):
            raise Unauthorized("the token is not valid: it cannot be read")
        try:
            key, algorithms = await self._key_for(jwt.get_unverified_header(token))
            return jwt.PyJWS().decode(token, key, algorithms=list(algorithms))
        except jwt.PyJWTError as error:
            raise Unauthorized(f"the token is not valid: {_reason(error)}") from error

    def _claims(self, token: str) -> dict[str, Any]:
        """Return the claims of a token with a verified signature, after checking its times, issuer and audience."""
        rules = self._rules
        options = Options(
            verify_signature=False,
            require=["exp", "sub"],
            verify_sub=True,
            verify_jti=True,
            verify_iss=bool(rules.issuer),
            verify_aud=bool(rules.audience),
        )
        claims = jwt.decode(
            token, audience=rules.audience or None, issuer=rules.issuer or None, options=options
        )
        now = self._clock.now().timestamp()
        if now >= _moment(claims, "exp") + rules.leeway_seconds:
            raise jwt.ExpiredSignatureError
        for name in ("nbf", "iat"):
            if name in claims and now < _moment(claims, name) - rules.leeway_seconds:
                raise jwt.ImmatureSignatureError(f"its {name} is still to come")
        return claims

    async def _key_for(self, header: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
        """Return the key for a token's header, and the algorithms of that key."""
        algorithm = header.get("alg")
        if self._fetch is None:
            return self._secret, SHARED
        if algorithm not in PUBLIC:
            raise jwt.InvalidAlgorithmError("its algorithm is not allowed")
        name = header.get("kid")
        key = await self._known(name if isinstance(name, str) else "")
        if key.key_type != KINDS[algorithm]:
            raise jwt.InvalidAlgorithmError("its algorithm is not that of its key")
        return key, (algorithm,)

    async def _known(self, name: str) -> jwt.PyJWK:
        if not self._is_fresh() or name not in self._keys:
            async with self._reading:  # of those that wait, one reads
                if (not self._is_fresh() or name not in self._keys) and self._may_retry():
                    await self._read()
        is_known = self._read_at is not None and self._clock.now() - self._read_at < LAST_KNOWN
        if is_known and name in self._keys:
            return self._keys[name]
        if not is_known:
            raise jwt.InvalidKeyError("the keys of its issuer cannot be read now")
        raise jwt.InvalidKeyError("it was signed with a key that is not known")

    def _is_fresh(self) -> bool:
        return self._read_at is not None and self._clock.now() - self._read_at < FRESH

    def _may_retry(self) -> bool:
        pause = min(RETRY, FIRST_RETRY * 2 ** min(self._failures - 1, 5)) if self._failures else RETRY
        return self._tried_at is None or self._clock.now() - self._tried_at >= pause

    async def _read(self) -> None:
        """Read the key set; while it cannot be read, the known keys stay valid."""
        assert self._fetch is not None  # noqa: S101  without it nothing is read
        self._tried_at = self._clock.now()
        try:
            keys = keys_for_tokens(await self._fetch())
        except (OSError, ValueError):
            self._failures += 1
            return
        self._keys = keys
        self._failures = 0
        self._read_at = self._clock.now()


def looks_signed(token: str) -> bool:
    """Whether a token may be a JSON Web Token: three parts in base64url."""
    return token.count(".") == 2  # noqa: PLR2004  header, claims, signature


def _moment(claims: Mapping[str, Any], name: str) -> float:
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise jwt.DecodeError(f"its {name} is no time")
    return float(value)


def _reason(error: jwt.PyJWTError) -> str:
    """Return what is wrong with a token in our own words where PyJWT's would quote it."""
    match error:
        case jwt.InvalidSignatureError():
            return "its signature does not fit"
        case jwt.InvalidIssuerError():
            return "it is of another issuer"
        case jwt.InvalidAudienceError():
            return "it is for another audience"
        case jwt.MissingRequiredClaimError():
            return f"it lacks {error.claim}"
        case jwt.InvalidAlgorithmError() | jwt.ImmatureSignatureError() | jwt.InvalidKeyError():
            return str(error) or "its algorithm is not allowed"
        case _:
            return "it cannot be read"
