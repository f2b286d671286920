"""Tokens of accounts: created here, and verified like those of other issuers."""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

import jwt

from sagacity.auth.end_users import LONGEST_TOKEN, SHARED, TokenRules, UserTokens, looks_signed
from sagacity.domain.base import Value
from sagacity.domain.clock import Clock
from sagacity.domain.errors import Unauthorized
from sagacity.domain.ids import UserId

ISSUER = "urn:sagacity:accounts"


class TokenUse(StrEnum):
    """The use of a token; a token is never valid for another use."""

    ACCESS = "access"
    """Sent with calls."""
    REFRESH = "refresh"
    """Exchanged once for new tokens."""
    CODE = "code"
    """Exchanged, once and within minutes, for the first tokens."""
    CHALLENGE = "challenge"
    """Exchanged, once and within minutes and with a code of an authenticator app, for the first tokens."""
    COOKIE = "cookie"
    """Kept by a browser, and sent with its calls."""
    SIGN_IN = "sign-in"
    """Kept by a browser while its owner is at a provider to sign in."""


class SessionToken(Value):
    """The claims of a token."""

    user_id: UserId
    session_id: str
    token_id: str = ""


class AccountTokens:
    """Creates and verifies tokens of accounts, signed with a secret that all processes share."""

    def __init__(self, open_secret: Callable[[], bytes], clock: Clock) -> None:
        """
        Make and verify tokens.

        Args:
            open_secret: loads the secret when it is first needed.
            clock: tells when they expire.
        """
        self._open_secret = open_secret
        self._clock = clock

    def issue(self, use: TokenUse, said: SessionToken, *, expires_at: datetime) -> str:
        """Return a signed token that names its user and its session."""
        claims = {"sub": said.user_id, "sid": said.session_id, "jti": said.token_id}
        return self.sign(use, claims, expires_at=expires_at)

    def sign(self, use: TokenUse, claims: Mapping[str, object], *, expires_at: datetime) -> str:
        """Return a signed token that says *claims*, the subject among them."""
        stated = {
            "iss": ISSUER,
            "aud": str(use),
            "iat": int(self._clock.now().timestamp()),
            "exp": int(expires_at.timestamp()),
        }
        return jwt.encode({**claims, **stated}, self._key("tokens"), algorithm=SHARED[0])

    async def claims_of(self, use: TokenUse, token: str) -> dict[str, Any]:
        """
        Return all claims of a token, after verifying its signature, use and time.

        Raises:
            Unauthorized: it is invalid.
        """
        return await self._verifiers[use].claims_of(token)

    async def read(self, use: TokenUse, token: str) -> SessionToken:
        """
        Return the session claims of a token, after verifying its signature, use and time.

        Raises:
            Unauthorized: it is invalid.
        """
        claims = await self.claims_of(use, token)
        session_id = claims.get("sid")
        if not isinstance(session_id, str):
            raise Unauthorized("the token is not valid: it names no session")
        return SessionToken(
            user_id=UserId(claims["sub"]), session_id=session_id, token_id=claims.get("jti", "")
        )

    def digest(self, text: str) -> str:
        """Return HMAC-SHA256 of a text, which nobody without the secret can guess."""
        return hmac.new(self._key("subjects"), text.encode(), hashlib.sha256).hexdigest()

    @cached_property
    def _secret(self) -> bytes:
        return self._open_secret()

    @cached_property
    def _verifiers(self) -> dict[TokenUse, UserTokens]:
        return {
            use: UserTokens(
                TokenRules(issuer=ISSUER, audience=str(use), leeway_seconds=0),
                clock=self._clock,
                secret=self._key("tokens"),
            )
            for use in TokenUse
        }

    def _key(self, use: str) -> bytes:
        return hmac.new(self._secret, f"sagacity accounts {use}".encode(), hashlib.sha256).digest()


def is_of_accounts(token: str) -> bool:
    """Return whether a token names accounts as its issuer, without verifying it."""
    if not looks_signed(token) or len(token) > LONGEST_TOKEN:
        return False
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError:
        return False
    return claims.get("iss") == ISSUER
