"""`sagacity migrate`: migrate the database to this release."""

import asyncio

import typer

from sagacity.cli.output import said, show
from sagacity.cli.progress import working


def migrate(context: typer.Context) -> None:
    """
    Bring the database schema up to this release.

    On PostgreSQL this runs as the role of SAGACITY_MIGRATION_URL, which owns the tables. It creates the role of
    SAGACITY_DATABASE_URL if it is missing, and grants its rights. Servers of the previous release may keep
    running. On SQLite you never need it: opening the file does the same.

    Example: sagacity migrate
    """
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.maintenance import migrate as bring_up  # noqa: PLC0415  it loads the whole server

    with working("migrating"):
        label = asyncio.run(bring_up(load_settings()))
    show(context, {"database": label}, said(f"the tables of {label} are those of this release"))
