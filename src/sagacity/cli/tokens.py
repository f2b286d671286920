"""`sagacity token`: API tokens. Opens the database itself, so no server has to run."""

import asyncio
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.output import Render, plain, said, show, table
from sagacity.cli.progress import working
from sagacity.domain.clock import SystemClock
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic import JsonValue

    from sagacity.access.token_store import TokenStore
    from sagacity.domain.api_token import ApiToken, MadeToken, NewToken
    from sagacity.domain.principal import Principal

app = typer.Typer(no_args_is_help=True, help="Tokens for calls to the server.")

DEFAULT_ORG = "self-host-org"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_PAGE = 1_000
T = TypeVar("T")
TokenId = Annotated[str, typer.Argument(help="The token's id; see `list`.")]


@app.command()
def create(
    context: typer.Context,
    *,
    org: options.OrgId = DEFAULT_ORG,
    name: Annotated[str, typer.Option("--name", help="A name to recognise it by.")] = "",
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope", help="read, publish, manage or admin. Default: admin; for one user, publish."
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", help="The one user for whom it acts. Default: all users."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", help="For how long it works: 30d, 12h. Default: until revoked.")
    ] = None,
) -> None:
    """
    Create a token and print its secret once; only a hash is stored.

    After the first token is created, every call needs one.

    Example: sagacity token create --name laptop

    Example: sagacity token create --scope publish --user ana --expires 30d
    """
    from sagacity.access.tokens import create_token  # noqa: PLC0415  lazy like the rest

    new = _wanted(
        name, scope or ["publish" if user else "admin"], user, None if expires is None else _time(expires)
    )

    async def make(store: "TokenStore", operator: "Principal") -> "MadeToken":
        return await create_token(store, operator, new)

    _show_once(context, _in_database(org, make))


@app.command("list")
def list_tokens(context: typer.Context, *, org: options.OrgId = DEFAULT_ORG) -> None:
    """
    List tokens, without their secrets.

    Example: sagacity token list
    """
    from sagacity.access.tokens import list_tokens as page  # noqa: PLC0415  lazy like the rest

    async def read(store: "TokenStore", operator: "Principal") -> "list[ApiToken]":
        found: list[ApiToken] = []
        while True:
            after = found[-1].token_id if found else None
            some = await page(store, operator, after=after, limit=_PAGE)
            found += some
            if len(some) < _PAGE:
                return found

    tokens, now = _in_database(org, read), SystemClock().now()
    rows = [
        (
            token.prefix + "…",
            token.name,
            ", ".join(token.scopes),
            token.user_id or "",
            _state(token, now),
            moment(token.last_used_at) or "never",
            moment(token.created_at),
            token.token_id,
        )
        for token in tokens
    ]
    columns = ("token", "name", "scopes", "+user", "state", "+#used", "+#made", "#id")
    show(context, tokens, table(columns, rows, empty="no tokens"))


@app.command()
def revoke(context: typer.Context, token_id: TokenId, *, org: options.OrgId = DEFAULT_ORG) -> None:
    """
    Revoke a token; every server refuses it from its next call on.

    Example: sagacity token revoke 0199c2e4-…
    """
    from sagacity.access.tokens import revoke_token  # noqa: PLC0415  lazy like the rest

    async def end(store: "TokenStore", operator: "Principal") -> None:
        await revoke_token(store, operator, token_id)

    _in_database(org, end)
    show(context, {"token_id": token_id, "revoked": True}, said("revoked"))


@app.command()
def rotate(
    context: typer.Context,
    token_id: TokenId,
    *,
    org: options.OrgId = DEFAULT_ORG,
    grace: Annotated[
        str, typer.Option("--grace", help="For how long the former secret works, too: 1d, 2h, 0.")
    ] = "1d",
) -> None:
    """
    Give a token a new secret and print it once.

    Example: sagacity token rotate 0199c2e4-… --grace 0
    """
    from sagacity.access.tokens import rotate_token  # noqa: PLC0415  lazy like the rest

    wanted = _time(grace)

    async def replace(store: "TokenStore", operator: "Principal") -> "MadeToken":
        return await rotate_token(store, operator, token_id, grace=wanted)

    _show_once(context, _in_database(org, replace))


def _wanted(name: str, scopes: list[str], user: str | None, lasts: timedelta | None) -> "NewToken":
    from sagacity.domain.api_token import NewToken, TokenScope  # noqa: PLC0415  lazy like the rest
    from sagacity.domain.ids import UserId, fitting_key  # noqa: PLC0415  with it

    if unknown := sorted(set(scopes) - set(TokenScope)):
        raise InvalidInput(f"--scope: there is no {unknown[0]!r}, only {', '.join(TokenScope)}")
    try:
        return NewToken(
            name=name,
            scopes=frozenset(map(TokenScope, scopes)),
            user_id=None if user is None else UserId(fitting_key(user)),
            lasts=lasts,
        )
    except ValidationError as error:
        raise InvalidInput(f"--name: {error.errors()[0]['msg']}") from error
    except ValueError as error:
        raise InvalidInput(f"--user: {error}") from error


def _time(text: str) -> timedelta:
    """
    Return how long `30d`, `12h`, `15m`, `90s` or `0` is.

    Raises:
        InvalidInput: it is none of these.
    """
    number, unit = (text[:-1], text[-1:]) if text[-1:] in _UNITS else (text, "s")
    is_number = number.isascii() and number.isdecimal()
    if not is_number or len(number) > len("999999999") or (number == text and int(number)):
        raise InvalidInput(f"{text!r} is no length of time; write it like 30d, 12h, 15m or 90s")
    try:
        return timedelta(**{_UNITS[unit]: int(number)})
    except OverflowError as error:
        raise InvalidInput(f"{text!r} is too long") from error


def _state(token: "ApiToken", now: datetime) -> str:
    if token.revoked_at:
        return "revoked"
    if not token.is_live(now):
        return "expired"
    return f"until {token.expires_at:%Y-%m-%d}" if token.expires_at else "valid"


def _in_database(org: str, work: "Callable[[TokenStore, Principal], Awaitable[T]]") -> T:
    """Return what *work* makes of the place of tokens on behalf of whoever runs the program on it."""
    from sagacity.access.open import open_token_store  # noqa: PLC0415  it loads the whole server
    from sagacity.bootstrap import open_database  # noqa: PLC0415  with it
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.audit import OPERATOR  # noqa: PLC0415  with it
    from sagacity.domain.ids import OrgId, TimeOrderedIds  # noqa: PLC0415  with it
    from sagacity.domain.principal import CallerKind, Principal  # noqa: PLC0415  with it
    from sagacity.domain.tenant import LOCAL_ORG, Tenant  # noqa: PLC0415  with it

    settings, tenant = load_settings(), Tenant(org_id=OrgId(org))
    if settings.self_host and tenant.org_id != LOCAL_ORG:
        raise InvalidInput(f"--org: SELF_HOST has one organisation, {LOCAL_ORG}")
    operator = Principal(tenant=tenant, kind=CallerKind.OPERATOR, audited_as=OPERATOR)

    async def run() -> T:
        async with open_database(settings) as storage:
            store = open_token_store(settings, storage, clock=SystemClock(), ids=TimeOrderedIds())
            return await work(store, operator)

    with working("opening the database"):
        return asyncio.run(run())


def _show_once(context: typer.Context, made: "MadeToken") -> None:
    token = made.token
    shown: dict[str, JsonValue] = {
        "token_id": token.token_id,
        "org_id": token.org_id,
        "name": token.name,
        "scopes": [str(one) for one in token.scopes],
        "user_id": token.user_id,
        "expires_at": token.expires_at.isoformat() if token.expires_at else None,
        "previous_until": token.previous_until.isoformat() if token.previous_until else None,
        "token": made.secret,
    }
    show(context, shown, _once(made.secret))


def _once(secret: str) -> Render:
    def render(console: Console) -> None:
        console.print(plain(secret, "bold"))
        console.print(
            plain("Keep it: it is not shown again. Use it as SAGACITY_API_KEY or --api-key.", "dim")
        )

    return render
