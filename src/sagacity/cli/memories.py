"""`sagacity memories`: what is remembered of a user, of any type."""

from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from sagacity.cli.draw import moment, trust
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.options import Query, Yes, require_one
from sagacity.cli.output import Render, facts, said, show, table
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sagacity.client.words.user_memory import MemoryTypeWord
    from sagacity.schemas.chat_memories import ChatMemoryView, FoundMemory

app = typer.Typer(no_args_is_help=True, help="What is remembered of a user.")
Type = Literal["profile", "semantic", "episodic", "procedural"]
Whose = Annotated[
    str | None, typer.Option("--user-id", "-u", help="The user; default on this machine: local.")
]
Id = Annotated[str, typer.Argument(help="The memory's id, or its number.", metavar="MEMORY_ID")]
OnlyType = Annotated[Type | None, typer.Option("--type", help="Only of this type.")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Most results.")]
Keywords = Annotated[
    list[str] | None, typer.Option("--keyword", help="Another word to find it by; may be repeated.")
]
Reliability = Annotated[
    float | None, typer.Option("--reliability", min=0, max=1, help="How sure it is, from 0 to 1.")
]
_EACH_TYPE: tuple[Type, ...] = ("profile", "semantic", "episodic", "procedural")


@app.command("list")
def list_memories(
    context: typer.Context,
    *,
    user_id: Whose = None,
    memory_type: OnlyType = None,
    page: Annotated[int, typer.Option("--page", min=1, help="Page number.")] = 1,
    limit: Most = 20,
) -> None:
    """
    List memories, newest first.

    Example: sagacity memories list --user-id ana --type profile
    """
    with connected(context, "reading memories") as client:
        reply = client.list_memories(user_id=user_id, memory_type=memory_type, page=page, page_size=limit)
    show(context, reply.memories, _drawn(reply.memories), total=reply.total)


@app.command()
def search(
    context: typer.Context,
    query: Query,
    *,
    user_id: Whose = None,
    memory_type: OnlyType = None,
    limit: Most = 10,
    min_score: Annotated[
        float | None, typer.Option("--min-score", min=0, max=1, help="Lowest score of a result.")
    ] = None,
) -> None:
    """
    Find memories by words and by meaning.

    Example: sagacity memories search "what does she drink" --user-id ana
    """
    types: list[MemoryTypeWord] | None = None if memory_type is None else [memory_type]
    with connected(context, "searching") as client:
        reply = client.search_memories(
            query, user_id=user_id, memory_types=types, limit=limit, min_score=min_score
        )
    show(context, reply.results, _found(reply.results), total=reply.total)


@app.command("show")
def show_memory(context: typer.Context, memory_id: Id, *, user_id: Whose = None) -> None:
    """
    Show a memory with all that it says.

    Example: sagacity memories show 01990a52-7c11-7000-8000-000000000013
    """
    with connected(context, "reading a memory") as client:
        found = client.get_memory(memory_id, user_id=user_id)
    show(context, found, _whole(found))


@app.command()
def add(
    context: typer.Context,
    content: Annotated[str, typer.Argument(help="What to remember, in a sentence.")],
    *,
    user_id: Whose = None,
    memory_type: Annotated[Type, typer.Option("--type", help="What it is.")] = "semantic",
    keyword: Keywords = None,
    reliability: Reliability = None,
) -> None:
    """
    Store a memory.

    Example: sagacity memories add "Prefers tea over coffee." --type profile --user-id ana
    """
    with connected(context, "writing") as client:
        made = client.add_memory(
            memory_type, content, keywords=keyword, reliability=reliability, user_id=user_id
        )
    show(context, made, said(f"stored {made.id}"))


@app.command("edit", hidden=True)
@app.command()
def update(
    context: typer.Context,
    memory_id: Id,
    *,
    user_id: Whose = None,
    content: Annotated[str | None, typer.Option("--content", help="What it says now.")] = None,
    keyword: Keywords = None,
    reliability: Reliability = None,
) -> None:
    """
    Change a memory. It is found by its new words at once.

    Example: sagacity memories update 7 --content "Prefers green tea." --user-id ana
    """
    require_one({"content": content, "keyword": keyword, "reliability": reliability})
    with connected(context, "writing") as client:
        changed = client.update_memory(
            memory_id, content=content, keywords=keyword, reliability=reliability, user_id=user_id
        )
    show(context, changed, said(f"changed {changed.id}"))


@app.command()
def delete(
    context: typer.Context,
    memory_id: Annotated[
        str | None, typer.Argument(help="The memory's id, or its number.", metavar="MEMORY_ID")
    ] = None,
    *,
    user_id: Whose = None,
    everything: Annotated[bool, typer.Option("--all", help="All of the user's memories.")] = False,
    memory_type: Annotated[Type | None, typer.Option("--type", help="With --all: only of this type.")] = None,
    yes: Yes = False,
) -> None:
    """
    Delete a memory with its history, or all of them.

    Example: sagacity memories delete 01990a52-7c11-7000-8000-000000000013
    """
    if (memory_id is None) != everything:
        raise InvalidInput("pass either a memory's id or --all")
    if memory_id is not None:
        with connected(context, "deleting") as client:
            client.delete_memory(memory_id, user_id=user_id)
        show(context, {"id": memory_id, "deleted": True}, said("deleted"))
        return
    which = f"all {memory_type} memories" if memory_type else "all memories"
    confirm(context, f"Delete {which} of {user_id or 'the local user'}?", yes=yes)
    with connected(context, "deleting") as client:
        client.delete_memories(memory_type=memory_type, confirm=True, user_id=user_id)
    show(context, {"deleted": True}, said("deleted"))


@app.command()
def stats(context: typer.Context, *, user_id: Whose = None) -> None:
    """
    Show what is remembered in numbers.

    Example: sagacity memories stats --user-id ana
    """
    with connected(context, "counting") as client:
        told = client.get_memory_stats(user_id=user_id)
    counts = {one: getattr(told, f"{one}_memories") for one in _EACH_TYPE}
    shown = {
        "memories": told.total_memories,
        **counts,
        "entities": told.total_entities,
        "relationships": told.total_relations,
        "reliability": f"{told.average_reliability:.2f} on average",
        "oldest": moment(told.oldest_memory),
        "newest": moment(told.newest_memory),
    }
    show(context, told, facts(shown))


def _drawn(found: "Iterable[ChatMemoryView]") -> Render:
    rows = [
        (
            one.content,
            one.memory_type,
            f"{one.reliability:.2f}",
            f"{one.created_at:%Y-%m-%d}",
            trust(one),
            one.id,
        )
        for one in found
    ]
    return table(
        ("memory", "~#type", "+#sure", "#since", "+trust", "+#id"), rows, empty="nothing is remembered"
    )


def _found(found: "Iterable[FoundMemory]") -> Render:
    rows = [
        (
            f"{one.score:.2f}",
            one.memory.content,
            one.memory.memory_type,
            one.match_type,
            trust(one.memory),
            one.memory.id,
        )
        for one in found
    ]
    return table(("#score", "memory", "~#type", "#by", "+trust", "+#id"), rows, empty="nothing was found")


def _whole(one: "ChatMemoryView") -> Render:
    said_of_it = one.model_dump(mode="json", exclude={"warnings"}, exclude_none=True)
    return facts(
        {
            name.replace("_", " "): _line(value)
            for name, value in said_of_it.items()
            if value not in ("", [], {})
        }
    )


def _line(value: object) -> object:
    return "; ".join(str(one) for one in cast("list[object]", value)) if isinstance(value, list) else value
