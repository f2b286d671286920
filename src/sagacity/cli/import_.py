"""`sagacity import`: what `sagacity export` wrote, or what another program exported."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sagacity.cli.chat_exports import ChatExport
from sagacity.cli.import_chats import import_chats
from sagacity.cli.import_exported import import_exported, is_exported
from sagacity.cli.import_memories import import_memories
from sagacity.cli.memory_exports import MemoryExport
from sagacity.cli.tokens import DEFAULT_ORG
from sagacity.domain.errors import InvalidInput


class Source(StrEnum):
    """The program that wrote the file."""

    SAGACITY = "sagacity"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    MEM0 = "mem0"
    ZEP = "zep"
    LETTA = "letta"
    LANGGRAPH = "langgraph"


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The exported file.")],
    *,
    source: Annotated[
        Source | None,
        typer.Option("--from", help="The program that exported it; Sagacity's own files are recognised."),
    ] = None,
    user_id: Annotated[
        str | None, typer.Option("--user-id", "-u", help="Whose it becomes; of other programs' files.")
    ] = None,
    org: Annotated[
        str | None, typer.Option("--org", help="The organisation that it goes into; of Sagacity's own files.")
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Say what would be stored and what not; store nothing.")
    ] = False,
) -> None:
    """
    Import what `sagacity export` or another program wrote.

    Sagacity's own files go into the configured database itself. They are checked as a whole before anything is
    stored. If an import is interrupted, run it again: it continues.

    Chats are published through the server: they become turns of a user with their dates, and are learned from; rules
    among them wait until a person approves them. Memories become profiles, facts and episodes of a user,
    and rules that likewise wait; messages beside them are published, too. Importing a file again stores what is new
    in it.

    Example: sagacity import ana.jsonl --org acme

    Example: sagacity import --from openai --user-id ana conversations.json --preview

    Example: sagacity import --from mem0 --user-id ana memories.json --preview
    """
    path = file.expanduser()
    if source is None and is_exported(path):
        source = Source.SAGACITY
    if source is None:
        raise InvalidInput(f"{path} is no file of `sagacity export`: say with --from which program wrote it")
    if source is Source.SAGACITY:
        if user_id is not None:
            raise InvalidInput("--user-id is for files of other programs: this one says whose it is")
        import_exported(context, path, org or DEFAULT_ORG, preview=preview)
        return
    if org is not None:
        raise InvalidInput(
            "--org is for files of `sagacity export`: a server's token says which organisation it is"
        )
    if user_id is None:
        raise InvalidInput("say with --user-id whose this is")
    if source in set(MemoryExport):
        import_memories(context, path, MemoryExport(source), user_id, preview=preview)
        return
    import_chats(context, path, ChatExport(source), user_id, preview=preview)
