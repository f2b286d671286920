"""One OpenID Connect provider: discovery, the exchange of codes, and checking ID tokens."""

import asyncio
import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

import httpx
from pydantic import SecretStr, TypeAdapter, ValidationError

from sagacity.auth.end_users import TokenRules, UserTokens
from sagacity.domain.account import Identity
from sagacity.domain.base import Value
from sagacity.domain.clock import Clock
from sagacity.domain.errors import ProviderError, Unauthorized

WELL_KNOWN = "/.well-known/openid-configuration"
FRESH = timedelta(minutes=10)
"""How long the provider's discovery document is cached."""
SECONDS = 5.0
MOST_BYTES = 1_000_000
LEEWAY_SECONDS = 30.0
_UNREACHABLE = "the provider that people sign in with does not answer as it should; try again"
_OBJECT = TypeAdapter(dict[str, Any])


class OidcChoice(Value):
    """The provider, and this server's client registration there."""

    issuer: str
    client_id: str
    client_secret: SecretStr = SecretStr("")
    scopes: str
    redirect_uri: str


class Discovered(Value):
    """The parts of a discovery document that are used (OpenID Connect Discovery 1.0)."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class OidcProvider:
    """Calls one provider. Its discovery document and keys are cached, and read again when they are old."""

    def __init__(self, choice: OidcChoice, client: httpx.AsyncClient, clock: Clock) -> None:
        """
        Ask a provider; nothing is read yet.

        Args:
            choice: the provider, and who this server is to it.
            client: what opens connections; it follows no redirects.
            clock: tells when tokens and caches expire.
        """
        self._choice = choice
        self._client = client
        self._clock = clock
        self._found: Discovered | None = None
        self._found_at: datetime | None = None
        self._reading = asyncio.Lock()
        rules = TokenRules(issuer=choice.issuer, audience=choice.client_id, leeway_seconds=LEEWAY_SECONDS)
        self._tokens = UserTokens(rules, clock=clock, fetch_keys=self._fetch_keys)

    @property
    def issuer(self) -> str:
        """The provider's name."""
        return self._choice.issuer

    async def address_to_sign_in(self, *, state: str, nonce: str, challenge: str) -> str:
        """
        Return where to send a browser.

        Raises:
            ProviderError: the provider does not answer as it should.
        """
        try:
            endpoint = (await self._discovered()).authorization_endpoint
        except (OSError, ValueError) as error:
            raise ProviderError(_UNREACHABLE) from error
        asked = {
            "response_type": "code",
            "client_id": self._choice.client_id,
            "redirect_uri": self._choice.redirect_uri,
            "scope": self._choice.scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    async def identity_of(self, code: str, *, verifier: str, nonce: str) -> Identity:
        """
        Exchange a code that a browser brought, and return whom the provider says it is of.

        Raises:
            Unauthorized: the provider refuses the code, or its ID token is not valid, or is of another sign-in.
            ProviderError: the provider does not answer as it should.
        """
        try:
            reply = await self._exchange(code, verifier)
        except (OSError, ValueError) as error:
            raise ProviderError(_UNREACHABLE) from error
        token = reply.get("id_token")
        if not isinstance(token, str):
            raise Unauthorized("the provider did not say who signed in")
        claims = await self._tokens.claims_of(token)
        self._check(claims, nonce)
        email, name = claims.get("email"), claims.get("name")
        return Identity(
            issuer=self._choice.issuer,
            subject=claims["sub"],
            email=email if isinstance(email, str) else "",
            is_email_verified=claims.get("email_verified") is True,
            full_name=name[:100] if isinstance(name, str) and name.isprintable() else "",
        )

    def _check(self, claims: Mapping[str, Any], nonce: str) -> None:
        """
        Look at what an ID token says beside what every token does (OpenID Connect Core 1.0, 3.1.3.7).

        Raises:
            Unauthorized: it is of another sign-in, or for another client.
        """
        given, party = claims.get("nonce"), claims.get("azp")
        if not isinstance(given, str) or not hmac.compare_digest(given.encode(), nonce.encode()):
            raise Unauthorized("the provider's answer belongs to another sign-in; start again")
        audience: object = claims["aud"]
        is_for_several = isinstance(audience, list) and len(cast("list[object]", audience)) > 1
        if (party is not None or is_for_several) and party != self._choice.client_id:
            raise Unauthorized("the provider's answer is for another client")
        if "iat" not in claims:
            raise Unauthorized("the provider's answer does not say when it was made")

    async def _exchange(self, code: str, verifier: str) -> dict[str, Any]:
        """Return what the token endpoint gives for a code (RFC 6749, 4.1.3, and RFC 7636)."""
        found, choice = await self._discovered(), self._choice
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": choice.redirect_uri,
            "code_verifier": verifier,
        }
        secret = choice.client_secret.get_secret_value()
        login: httpx.BasicAuth | None = None
        if secret and "client_secret_basic" in found.token_endpoint_auth_methods_supported:
            login = httpx.BasicAuth(quote(choice.client_id, safe=""), quote(secret, safe=""))
        else:
            form |= {"client_id": choice.client_id} | ({"client_secret": secret} if secret else {})
        request = self._client.build_request("POST", found.token_endpoint, data=form)
        return await self._read(request, auth=login, refused="the provider refuses the code; start again")

    async def _fetch_keys(self) -> Mapping[str, Any]:
        return await self._read(self._client.build_request("GET", (await self._discovered()).jwks_uri))

    async def _discovered(self) -> Discovered:
        """
        Return the discovery document, of which one call at a time reads a new one; an old one goes on if it cannot.

        Raises:
            OSError: it cannot be had.
            ValueError: it is none, or is another provider's.
        """
        async with self._reading:
            now = self._clock.now()
            if self._found is None or self._found_at is None or now - self._found_at >= FRESH:
                try:
                    self._found = await self._discover()
                except (OSError, ValueError):
                    if self._found is None:
                        raise
                self._found_at = now
            return self._found

    async def _discover(self) -> Discovered:
        url = self._choice.issuer.rstrip("/") + WELL_KNOWN
        said = await self._read(self._client.build_request("GET", url))
        try:
            found = Discovered.model_validate(said, extra="ignore")
        except ValidationError as error:
            raise ValueError("the discovery document lacks something") from error
        if found.issuer != self._choice.issuer:
            raise ValueError("the discovery document is of another issuer")
        allowed = {"https", urlsplit(self._choice.issuer).scheme}
        for endpoint in (found.authorization_endpoint, found.token_endpoint, found.jwks_uri):
            if urlsplit(endpoint).scheme not in allowed or not endpoint.isprintable() or "#" in endpoint:
                raise ValueError("the discovery document names an address that is not encrypted")
        return found

    async def _read(
        self, request: httpx.Request, *, auth: httpx.BasicAuth | None = None, refused: str = ""
    ) -> dict[str, Any]:
        """
        Return a JSON object that the provider answers with.

        Raises:
            OSError: it cannot be had.
            ValueError: it is none, or too large.
            Unauthorized: the provider refuses the request, where *refused* says what that means.
        """
        content = bytearray()
        try:
            async with asyncio.timeout(SECONDS):
                reply = await self._client.send(request, auth=auth, stream=True, follow_redirects=False)
                try:
                    if refused and reply.status_code in {400, 401, 403}:
                        raise Unauthorized(refused)
                    reply.raise_for_status()
                    async for piece in reply.aiter_bytes():
                        content += piece
                        if len(content) > MOST_BYTES:
                            raise ValueError("the answer is too large")
                finally:
                    await reply.aclose()
        except httpx.HTTPError as error:
            raise OSError(f"the provider cannot be asked: {type(error).__name__}") from error
        return _OBJECT.validate_json(bytes(content))
