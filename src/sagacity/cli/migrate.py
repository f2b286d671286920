"""`sagacity migrate`: migrate the database to this release."""

import asyncio
from typing import TYPE_CHECKING

import typer

from sagacity.cli.output import said, show
from sagacity.cli.progress import working

if TYPE_CHECKING:
    from sagacity.maintenance import Migrated


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
        done = asyncio.run(bring_up(load_settings()))
    show(context, done, said(_told(done)), changed=done.changed)


def _told(done: "Migrated") -> str:
    if not done.changed:
        return f"{done.database} has schema {done.schema_now} already: nothing to do"
    if not done.schema_before:
        return f"{done.database}: tables made, schema {done.schema_now}"
    return f"{done.database}: migrated from schema {done.schema_before} to {done.schema_now}"
