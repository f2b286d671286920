"""Sign in with an OpenID Connect provider, and with a cookie instead of tokens."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.responses import PlainTextResponse, RedirectResponse

from sagacity.accounts import cookies as browser
from sagacity.accounts.oidc import flow
from sagacity.api import cookies
from sagacity.api.accounts import Visits
from sagacity.api.dependencies import Reads, RuntimeDep
from sagacity.api.rates import Rate, limited
from sagacity.api.route import PREFIX, resource
from sagacity.api.sdk import sdk
from sagacity.bootstrap import Runtime
from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.schemas.accounts import (
    BroughtBack,
    BrowserSessionView,
    CsrfToken,
    LogInBody,
    SessionTokens,
    SignInCodeBody,
    account_view,
)
from sagacity.schemas.base import Storable
from sagacity.schemas.totp import AnswerBody

router = resource("accounts")
public = resource("accounts")
"""Routes for callers without a token."""
pages = APIRouter(prefix=PREFIX, include_in_schema=False)
"""Where browsers are sent; providers add parameters of their own."""


@pages.get("/auth/oidc/start")
@limited(Rate.WRITE)
async def start_sign_in(
    runtime: RuntimeDep,
    return_to: Annotated[Storable, Query(max_length=flow.LONGEST_RETURN)] = "",
    invitation_code: Annotated[Storable, Query(max_length=512)] = "",
    code_challenge: Annotated[Storable, Query(max_length=128)] = "",
) -> Response:
    """Send the browser to the provider."""
    oidc = flow.require_oidc(runtime.accounts.oidc)
    if oidc.pages and not runtime.settings.cookie_sessions and not code_challenge:
        raise InvalidInput("code_challenge: a page that will be given a code needs one; see the guide")
    begun = await flow.begin(
        oidc, return_to=return_to, invitation_code=invitation_code, challenge=code_challenge
    )
    reply = RedirectResponse(begun.address, 303)
    cookies.keep_sign_in(reply, runtime.settings, begun.kept)
    return reply


@pages.get("/auth/oidc/callback")
@limited(Rate.WRITE)
async def finish_sign_in(
    http_request: Request,
    runtime: RuntimeDep,
    brought: Annotated[BroughtBack, Query()],
) -> Response:
    """Take the browser back from the provider, and send it to the page where it began."""
    oidc, settings = flow.require_oidc(runtime.accounts.oidc), runtime.settings
    kept = http_request.cookies.get(cookies.cookie_name(settings, cookies.AT_PROVIDER), "")
    back = flow.CameBack(
        kept=kept, state=brought.state, code=brought.code, issuer=brought.iss, error=brought.error
    )
    finished = await flow.finish(oidc, back)
    reply = await _signed_in(runtime, finished)
    cookies.forget(reply, settings, cookies.AT_PROVIDER)
    return reply


async def _signed_in(runtime: Runtime, finished: flow.Finished) -> Response:
    parts, return_to = runtime.accounts.parts, finished.return_to
    if runtime.settings.cookie_sessions and return_to:
        session = await browser.begin_browser_session(parts, finished.account)
        reply: Response = RedirectResponse(return_to, 303)
        cookies.keep_session(reply, runtime.settings, session)
        return reply
    code = await flow.code_for(parts, finished.account, challenge=finished.challenge)
    if not return_to:
        return PlainTextResponse(f"{code}\n")
    return RedirectResponse(f"{return_to}#code={code}", 303)


@public.post("/auth/oidc/token")
@limited(Rate.WRITE)
async def exchange_code(body: SignInCodeBody, visitor: Visits) -> SessionTokens:
    """
    Exchange the code of a sign-in at an OpenID Connect provider for the first tokens of its session.

    The code works once, within two minutes. A second exchange ends the session, with all its tokens. A page sends the
    verifier whose hash it began the sign-in with.
    """
    tokens = await flow.exchange_code(visitor.parts, body.code, verifier=body.code_verifier)
    return SessionTokens(
        access_token=tokens.access_token, refresh_token=tokens.refresh_token, expires_in=tokens.expires_in
    )


async def _of_known_origin(http_request: Request, runtime: RuntimeDep) -> None:
    """
    Make sure that it is a page of a known origin that signs in with a cookie, where pages may at all.

    Raises:
        Forbidden: a page of another origin calls.
    """
    if runtime.settings.cookie_sessions:
        cookies.require_known_origin(http_request, runtime.settings)


@public.post("/auth/cookie", dependencies=[Depends(_of_known_origin)], openapi_extra=sdk(generated=False))
@limited(Rate.WRITE)
async def log_in_by_cookie(
    body: LogInBody, visitor: Visits, runtime: RuntimeDep, reply: Response
) -> BrowserSessionView:
    """
    Begin a session of a browser, by address and password; a cookie that scripts cannot read keeps it.

    403 unless the settings let web pages sign in with a cookie. The page sends `csrf_token` as `X-CSRF-Token` with each
    call that is not GET.
    """
    _require_cookies(runtime)
    account, session = await browser.log_in_by_cookie(
        visitor.parts, body.email, body.password, address=visitor.address, organization=body.organization
    )
    cookies.keep_session(reply, runtime.settings, session)
    return BrowserSessionView(
        csrf_token=session.csrf_token, expires_in=session.lasts_seconds, user=account_view(account)
    )


@public.post(
    "/auth/cookie/code", dependencies=[Depends(_of_known_origin)], openapi_extra=sdk(generated=False)
)
@limited(Rate.WRITE)
async def answer_by_cookie(
    body: AnswerBody, visitor: Visits, runtime: RuntimeDep, reply: Response
) -> BrowserSessionView:
    """
    Begin a session of a browser, by the challenge that `POST /api/auth/cookie` answered with, and a code.

    As `POST /api/auth/login/code`, with a cookie in place of tokens.
    """
    _require_cookies(runtime)
    account, session = await browser.answer_by_cookie(
        visitor.parts, body.challenge, body.code, address=visitor.address
    )
    cookies.keep_session(reply, runtime.settings, session)
    return BrowserSessionView(
        csrf_token=session.csrf_token, expires_in=session.lasts_seconds, user=account_view(account)
    )


@router.get("/auth/csrf", openapi_extra=sdk(generated=False))
async def get_csrf_token(caller: Reads) -> CsrfToken:
    """Return the token that a page sends with calls of its session: for a page that was loaded again."""
    _require_cookies(caller.runtime)
    return CsrfToken(csrf_token=browser.csrf_token_of(caller.runtime.accounts.parts, caller.principal))


def _require_cookies(runtime: Runtime) -> None:
    if not runtime.settings.cookie_sessions:
        raise Forbidden("this server has no sessions by cookie; SAGACITY_COOKIE_SESSIONS turns them on")
