"""A sign-in at the provider, from the redirect until the browser comes back (OpenID Connect Core 1.0, 3.1)."""

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urljoin, urlsplit

from sagacity.accounts.oidc.linking import account_of_identity
from sagacity.accounts.oidc.provider import OidcProvider
from sagacity.accounts.organisations import where_to_act
from sagacity.accounts.parts import AccountParts
from sagacity.accounts.sign_in import SignedIn, open_session, refresh
from sagacity.auth.account_tokens import TokenUse
from sagacity.domain.account import Account
from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput, NotFound, Unauthorized

GOOD_FOR = timedelta(minutes=10)
"""How long a person may stay at the provider."""
CODE_GOOD_FOR = timedelta(minutes=2)
"""How long the code that is exchanged for the first tokens is valid."""
LONGEST_RETURN = 1_000
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
"""SHA-256 in base64url (RFC 7636, 4.2)."""
SIGNED_IN = "signed-in"
"""The page to which browsers return by default."""
_START_AGAIN = "this sign-in was not begun in this browser, or is too old; start again"


@dataclass(frozen=True, slots=True)
class OidcSignIn:
    """The parts of signing in at a provider."""

    parts: AccountParts
    provider: OidcProvider
    pages: str
    """Address of the web pages of accounts; empty for none."""


class Begun(Value):
    """A sign-in that has begun: where to send the browser, and the cookie for it to keep meanwhile."""

    address: str
    kept: str


class CameBack(Value):
    """The parameters with which the provider sends a browser back."""

    kept: str
    state: str
    code: str
    issuer: str = ""
    """The issuer, if the provider sends it (RFC 9207)."""
    error: str = ""


class Finished(Value):
    """A person who signed in, and the page to return to; empty if there is none."""

    account: Account
    return_to: str
    challenge: str
    """The hash of the verifier of the page that began the sign-in."""


def require_oidc(oidc: OidcSignIn | None) -> OidcSignIn:
    """
    Return the parts of signing in at a provider.

    Raises:
        NotFound: the settings name no provider.
    """
    if oidc is None:
        raise NotFound("this server has no provider to sign in with: set SAGACITY_OIDC_ISSUER")
    return oidc


async def begin(
    oidc: OidcSignIn, *, return_to: str = "", invitation_code: str = "", challenge: str = ""
) -> Begun:
    """
    Begin a sign-in. Its state is kept only by the browser, signed.

    Args:
        oidc: the parts of signing in at a provider.
        return_to: the page to return to; empty for the default.
        invitation_code: as for signing up.
        challenge: the hash of the verifier that the page keeps; empty for none.

    Raises:
        InvalidInput: the page is not one of this server's pages, or the challenge is no hash.
        ProviderError: the provider does not answer as it should.
    """
    page = checked_page(oidc.pages, return_to)
    if challenge and not _CHALLENGE.fullmatch(challenge):
        raise InvalidInput("code_challenge: must be SHA-256 of the page's verifier, in base64url")
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    address = await oidc.provider.address_to_sign_in(
        state=state, nonce=nonce, challenge=challenge_of(verifier)
    )
    kept = {
        "sub": state,
        "nonce": nonce,
        "verifier": verifier,
        "page": page,
        "invitation": invitation_code,
        "challenge": challenge,
    }
    until = oidc.parts.clock.now() + GOOD_FOR
    return Begun(address=address, kept=oidc.parts.tokens.sign(TokenUse.SIGN_IN, kept, expires_at=until))


async def finish(oidc: OidcSignIn, back: CameBack) -> Finished:
    """
    Finish a sign-in with the browser's parameters, and return the person.

    Raises:
        Unauthorized: it is not of a sign-in of this browser, or the provider does not say who it is.
        Forbidden: who it is may not sign in here.
        ProviderError: the provider does not answer as it should.
    """
    try:
        kept = await oidc.parts.tokens.claims_of(TokenUse.SIGN_IN, back.kept)
    except Unauthorized as error:
        raise Unauthorized(_START_AGAIN) from error
    if not hmac.compare_digest(back.state.encode(), str(kept["sub"]).encode()):
        raise Unauthorized(_START_AGAIN)
    if back.issuer and back.issuer != oidc.provider.issuer:
        raise Unauthorized("the answer came from another provider; start again")
    if back.error or not back.code:
        raise Unauthorized("the provider did not let you sign in; start again")
    identity = await oidc.provider.identity_of(
        back.code, verifier=str(kept["verifier"]), nonce=str(kept["nonce"])
    )
    account = await account_of_identity(oidc.parts, identity, invitation_code=str(kept["invitation"]))
    return Finished(account=account, return_to=str(kept["page"]), challenge=str(kept["challenge"]))


async def code_for(parts: AccountParts, account: Account, *, challenge: str = "") -> str:
    """
    Begin a session of somebody who signed in, and return the code that is exchanged for its first tokens, once.

    A second exchange ends the session, as that of a refresh token does; without any it ends within minutes. With a
    challenge only the page that began has what else the exchange needs (RFC 7636): a page that is handed the code of
    somebody else's sign-in cannot be made to sign in with it.

    Raises:
        Forbidden: the account is not a member of any organisation.
    """
    org_id = await where_to_act(parts, account, None)
    said, expires_at = await open_session(parts, account, org_id, lasts=CODE_GOOD_FOR)
    claims = {"sub": said.user_id, "sid": said.session_id, "jti": said.token_id, "challenge": challenge}
    return parts.tokens.sign(TokenUse.CODE, claims, expires_at=expires_at)


async def exchange_code(parts: AccountParts, code: str, *, verifier: str = "") -> SignedIn:
    """
    Exchange a code for the first tokens of its session.

    Raises:
        Unauthorized: it is not valid, was used, or is of a sign-in that another page began.
    """
    claims = await parts.tokens.claims_of(TokenUse.CODE, code)
    hashed = challenge_of(verifier) if verifier else ""
    if not hmac.compare_digest(hashed, str(claims["challenge"])):
        raise Unauthorized("the code belongs to a sign-in that this page did not begin; start again")
    return await refresh(parts, code, use=TokenUse.CODE)


def challenge_of(verifier: str) -> str:
    """Return the hash of a verifier (RFC 7636, 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def checked_page(pages: str, wanted: str) -> str:
    """
    Return the page to return to, on the origin of the account pages; empty if there are none.

    Args:
        pages: address of the pages of accounts.
        wanted: a path such as `/inbox`, or a whole address; empty: the usual page.

    Raises:
        InvalidInput: it is elsewhere.
    """
    if not pages:
        if wanted:
            raise InvalidInput(
                "return_to: this server knows no web pages: set SAGACITY_ACCOUNT_PAGES to their address"
            )
        return ""
    if not wanted:
        return f"{pages.rstrip('/')}/{SIGNED_IN}"
    wrong = InvalidInput("return_to: not a page on the origin of SAGACITY_ACCOUNT_PAGES")
    if (
        len(wanted) > LONGEST_RETURN
        or not wanted.isascii()
        or not wanted.isprintable()
        or set(wanted) & set("\\# ")
    ):
        raise wrong
    try:
        page, own = urlsplit(urljoin(f"{pages.rstrip('/')}/", wanted)), urlsplit(pages)
    except ValueError as error:
        raise wrong from error
    if (page.scheme, page.netloc) != (own.scheme, own.netloc):
        raise wrong
    return page.geturl()
