"""An OpenID Connect provider: discovery, keys, codes for people who signed in, and tokens for codes, over real HTTP."""

import base64
import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

from support.http_server import JsonHandler, served
from support.key_server import Issuer

CLIENT, SECRET = "sagacity", "s3cret/:with signs"
Claims = dict[str, Any]


class Provider:
    """Behaves correctly unless `forge` is set, which gets each ID token's claims and returns the token."""

    def __init__(self) -> None:
        self.url = ""
        self.issuer = Issuer()
        self.codes: dict[str, tuple[Claims, Claims]] = {}
        self.forge: Callable[[Claims], str] = self.signed
        self.discovery: Claims = {}
        """False values for its discovery document."""

    def signed(self, claims: Claims) -> str:
        """Return a correct ID token."""
        return self.issuer.token(**claims)

    def sign_in(self, address: str, **person: Any) -> str:
        """Sign a person in whose browser was sent to *address*; returns where the browser is sent back to."""
        parts = urlsplit(address)
        assert parts.geturl().startswith(f"{self.url}/authorize?")
        asked = dict(parse_qsl(parts.query, strict_parsing=True))
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT)
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = (asked, person)
        back = {"code": code, "state": asked["state"], "iss": self.url, "session_state": "x"}
        return f"{asked['redirect_uri']}?{urlencode(back)}"

    def document(self) -> Claims:
        """The discovery document."""
        usual = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
        }
        return usual | self.discovery

    def tokens(self, form: dict[str, str], authorization: str) -> Claims | None:
        """Return the tokens for a code; None if anything about it is wrong. A code can be used once."""
        name, _, secret = base64.b64decode(authorization.removeprefix("Basic ")).decode().partition(":")
        asked, person = self.codes.pop(form.get("code", ""), ({}, {}))
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        is_right = (
            (unquote(name), unquote(secret)) == (CLIENT, SECRET)
            and form.get("grant_type") == "authorization_code"
            and form.get("redirect_uri") == asked.get("redirect_uri")
            and base64.urlsafe_b64encode(verifier).rstrip(b"=").decode() == asked.get("code_challenge")
        )
        if not is_right:
            return None
        now = int(time.time())
        times = {"iat": now, "exp": now + 300}
        claims = {"iss": self.url, "aud": CLIENT, "nonce": asked["nonce"], "email_verified": True} | times
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.forge(claims | person)}


@contextmanager
def providing() -> Iterator[Provider]:
    """A provider at its `url`."""
    provider = Provider()

    class Handler(JsonHandler):
        def do_GET(self) -> None:  # noqa: N802  the name that the library calls
            is_keys = self.path == "/keys"
            self.answer(200, provider.issuer.served() if is_keys else provider.document())

        def do_POST(self) -> None:  # noqa: N802  the name that the library calls
            form = {name: values[0] for name, values in parse_qs(self.sent().decode()).items()}
            reply = provider.tokens(form, self.headers.get("Authorization", ""))
            self.answer(400 if reply is None else 200, reply or {"error": "invalid_grant"})

    with served(Handler) as address:
        provider.url = address
        yield provider
