"""How cookies are set, and which calls by cookie come from another site."""

from collections.abc import Collection
from urllib.parse import urlsplit

from fastapi import Request, Response

from sagacity.accounts.cookies import BrowserSession, require_csrf_token
from sagacity.accounts.oidc.flow import GOOD_FOR
from sagacity.accounts.parts import AccountParts
from sagacity.config.origins import checked_origin
from sagacity.config.settings import Settings
from sagacity.domain.errors import Forbidden
from sagacity.domain.principal import Principal

SESSION, AT_PROVIDER = "sagacity", "sagacity-sign-in"
_HOST_PREFIX = "__Host-"
"""Browsers take a cookie of such a name only from the host itself, over https, for all paths (RFC 6265bis, 4.1.3.2)."""
CSRF_HEADER = "X-CSRF-Token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def cookie_name(settings: Settings, name: str) -> str:
    """Return the full name of a cookie, with the prefix unless the server is local without https."""
    return f"{_HOST_PREFIX}{name}" if is_secure(settings) else name


def is_secure(settings: Settings) -> bool:
    """Whether browsers reach this server over https."""
    return settings.public_url.startswith("https:")


def session_cookie(http_request: Request, settings: Settings) -> str | None:
    """Return the token of a browser's session, if the settings allow cookies and the call has one."""
    if not settings.cookie_sessions:
        return None
    return http_request.cookies.get(cookie_name(settings, SESSION)) or None


def keep_session(reply: Response, settings: Settings, session: BrowserSession) -> None:
    """Set the session cookie, which the browser sends only with calls from pages of the same site."""
    reply.set_cookie(
        cookie_name(settings, SESSION),
        session.cookie,
        max_age=session.lasts_seconds,
        path="/",
        secure=is_secure(settings),
        httponly=True,
        samesite="strict",
    )


def keep_sign_in(reply: Response, settings: Settings, kept: str) -> None:
    """Set the cookie of a sign-in in progress. It is `Lax`, because the provider sends the browser back by a link."""
    reply.set_cookie(
        cookie_name(settings, AT_PROVIDER),
        kept,
        max_age=int(GOOD_FOR.total_seconds()),
        path="/",
        secure=is_secure(settings),
        httponly=True,
        samesite="lax",
    )


def forget(reply: Response, settings: Settings, name: str) -> None:
    """Delete a cookie."""
    reply.delete_cookie(
        cookie_name(settings, name), path="/", secure=is_secure(settings), httponly=True, samesite="strict"
    )


def refuse_other_sites(
    http_request: Request, settings: Settings, parts: AccountParts, principal: Principal
) -> None:
    """
    Refuse a call by cookie that a page of another site may have made.

    Raises:
        Forbidden: it comes from another origin, or it may change something and lacks the session's CSRF token.
    """
    require_known_origin(http_request, settings)
    if http_request.method not in SAFE:
        require_csrf_token(parts, principal, http_request.headers.get(CSRF_HEADER, ""))


def require_known_origin(http_request: Request, settings: Settings) -> None:
    """
    Make sure that a call comes from a page of this server or of an origin in the settings.

    Raises:
        Forbidden: a page of another origin sent it.
    """
    origin = http_request.headers.get("origin")
    if origin is not None and origin not in _known_origins(settings):
        raise Forbidden(
            "pages of this origin may not call by cookie; SAGACITY_CORS_ORIGINS lists those that may"
        )


def _known_origins(settings: Settings) -> Collection[str]:
    """Return origins as browsers write them, without `*`, which only covers calls without a cookie."""
    own = urlsplit(settings.public_url)
    return {checked_origin(f"{own.scheme}://{own.netloc}"), *settings.cors_origins}
