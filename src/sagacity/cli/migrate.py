"""`sagacity migrate`: bring the database up to this release."""

import asyncio

import typer

from sagacity.cli.output import said, show
from sagacity.cli.progress import working


def migrate(context: typer.Context) -> None:
    """
    Bring the database's schema up to this release.

    On PostgreSQL it works as the role of SAGACITY_MIGRATION_URL, which owns the tables; it makes the role
    of SAGACITY_DATABASE_URL if that is missing, and gives it its rights. Servers of the former release may
    run meanwhile. SQLite needs it never: opening a file does the same.

    Example: sagacity migrate
    """
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.upkeep import migrate as bring_up  # noqa: PLC0415  it loads the whole server

    with working("migrating"):
        label = asyncio.run(bring_up(load_settings()))
    show(context, {"database": label}, said(f"{label} is of this release"))
