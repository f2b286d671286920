"""`sagacity token`: who may call the server. Works on the database itself, so that no server has to run."""

import asyncio
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.output import Render, plain, said, show, table
from sagacity.cli.progress import working

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sagacity.domain.tenant import ApiToken
    from sagacity.storage.transaction import Transaction

app = typer.Typer(no_args_is_help=True, help="Tokens for calls to the server.")

DEFAULT_ORG = "self-host-org"
T = TypeVar("T")


@app.command()
def create(
    context: typer.Context,
    *,
    org: options.OrgId = DEFAULT_ORG,
    name: Annotated[str, typer.Option("--name", help="A name to recognise it by.")] = "",
) -> None:
    """
    Create a token and print its secret once; only a hash is stored.

    After the first token is created, every call needs one.

    Example: sagacity token create --name laptop
    """
    from sagacity.auth.tokens import hash_token, new_token, shown_prefix  # noqa: PLC0415  lazy like the rest

    secret = new_token()

    async def make(transaction: "Transaction") -> "ApiToken":
        await transaction.organisation.ensure()
        return await transaction.organisation.add_token(name, shown_prefix(secret), hash_token(secret))

    token = _in_database(org, make)
    shown = {"token_id": token.token_id, "org_id": token.org_id, "name": token.name, "token": secret}
    show(context, shown, _once(secret))


@app.command("list")
def list_tokens(context: typer.Context, *, org: options.OrgId = DEFAULT_ORG) -> None:
    """
    List tokens, without their secrets.

    Example: sagacity token list
    """

    async def read(transaction: "Transaction") -> "list[ApiToken]":
        return await transaction.organisation.list_tokens()

    tokens = _in_database(org, read)
    rows = [
        (
            token.prefix + "…",
            token.name,
            "revoked" if token.revoked_at else "valid",
            f"{token.created_at:%Y-%m-%d %H:%M}",
            token.token_id,
        )
        for token in tokens
    ]
    show(context, tokens, table(("token", "name", "state", "+#made", "#id"), rows, empty="no tokens"))


@app.command()
def revoke(
    context: typer.Context,
    token_id: Annotated[str, typer.Argument(help="The token's id; see `list`.")],
    *,
    org: options.OrgId = DEFAULT_ORG,
) -> None:
    """
    Revoke a token.

    Example: sagacity token revoke 0199c2e4-…
    """

    async def end(transaction: "Transaction") -> None:
        await transaction.organisation.revoke_token(token_id)

    _in_database(org, end)
    show(context, {"token_id": token_id, "revoked": True}, said("revoked"))


def _in_database(org: str, work: "Callable[[Transaction], Awaitable[T]]") -> T:
    from sagacity.bootstrap import open_database  # noqa: PLC0415  it loads the whole server
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.domain.ids import OrgId  # noqa: PLC0415  with it
    from sagacity.domain.tenant import Tenant  # noqa: PLC0415  with it

    async def run() -> T:
        tenant = Tenant(org_id=OrgId(org))
        async with open_database(load_settings()) as storage, storage.begin(tenant) as transaction:
            return await work(transaction)

    with working("opening the database"):
        return asyncio.run(run())


def _once(secret: str) -> Render:
    def render(console: Console) -> None:
        console.print(plain(secret, "bold"))
        console.print(
            plain("Keep it: it is not shown again. Use it as SAGACITY_API_KEY or --api-key.", "dim")
        )

    return render
