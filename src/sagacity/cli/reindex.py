"""`sagacity reindex`: rebuild the search index, for instance after changing the embedder."""

import asyncio

import typer

from sagacity.cli.output import said, show
from sagacity.cli.progress import advancing


def reindex(context: typer.Context) -> None:
    """
    Rebuild the search index.

    It uses the embedder of the settings. Stop the server first. If interrupted, run it again: it continues
    where it stopped. Only the index is changed.

    Example: SAGACITY_EMBEDDER=multilingual sagacity reindex
    """
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.maintenance import reindex as rebuild  # noqa: PLC0415  it loads the whole server

    async def run() -> int:
        total = 0
        with advancing("reindexing") as advance:
            async for done, total in rebuild(load_settings()):
                advance(done, total)
        return total

    steps = asyncio.run(run())
    show(context, {"steps": steps}, said("the search index is new"))
