"""`sagacity entities`: who and what a user speaks of."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sagacity.cli import options
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import Render, said, show, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from sagacity.domain.graph import Entity
    from sagacity.schemas.entities import EntityGraphReply

app = typer.Typer(no_args_is_help=True, help="People, places and things that a user mentions.")

Kind = Literal[
    "person", "organization", "location", "project", "concept", "event", "product", "skill", "interest", "goal",
    "date", "animal", "other",
]  # fmt: skip
EntityNumber = Annotated[int, typer.Argument(min=1, help="The entity's id; see `list`.")]


@app.command("list")
def list_entities(
    context: typer.Context,
    *,
    user_id: options.UserId,
    entity_type: Annotated[Kind | None, typer.Option("--type", help="Only of this type.")] = None,
    query: Annotated[str | None, typer.Option("--query", help="Part of a name or alias.")] = None,
    page: Annotated[int, typer.Option("--page", min=1, help="Page number.")] = 1,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="Entities per page.")] = 20,
) -> None:
    """
    List a user's entities, most mentioned first.

    Example: sagacity entities list --user-id ana --type person
    """
    with connected(context, "reading entities") as client:
        reply = client.list_entities(
            user_id=user_id, entity_type=entity_type, query=query, page=page, page_size=limit
        )
    show(context, reply.entities, _entities(reply.entities), total=reply.total)


@app.command("show")
def show_entity(
    context: typer.Context,
    entity_id: EntityNumber,
    *,
    user_id: options.UserId,
    depth: Annotated[int, typer.Option("--depth", min=0, max=4, help="Steps to follow relationships.")] = 1,
) -> None:
    """
    Show an entity and what it is related to.

    Example: sagacity entities show 3 --user-id ana --depth 2
    """
    with connected(context, "reading entities") as client:
        reply = client.get_entity_graph(entity_id, user_id=user_id, depth=depth)
    show(context, reply, _graph(reply))


@app.command("edit", hidden=True)
@app.command()
def update(
    context: typer.Context,
    entity_id: EntityNumber,
    *,
    user_id: options.UserId,
    name: Annotated[
        str | None, typer.Option("--name", help="New name; the old one becomes an alias.")
    ] = None,
    entity_type: Annotated[Kind | None, typer.Option("--type", help="Type, such as person.")] = None,
    description: Annotated[str | None, typer.Option("--description", help="A description.")] = None,
    alias: Annotated[
        list[str] | None,
        typer.Option("--alias", help="An alias; replaces all existing ones; may be repeated."),
    ] = None,
) -> None:
    """
    Change an entity; options not given stay as they are.

    Example: sagacity entities update 3 --user-id ana --name "Ana Silva" --type person
    """
    options.require_one({"name": name, "type": entity_type, "description": description, "alias": alias})
    with connected(context, "writing") as client:
        entity = client.update_entity(
            entity_id,
            user_id=user_id,
            name=name,
            entity_type=entity_type,
            description=description,
            aliases=alias or None,
        )
    show(context, entity, _entities([entity]))


@app.command()
def merge(
    context: typer.Context,
    entity_id: EntityNumber,
    others: Annotated[list[int], typer.Argument(min=1, help="Entities to merge into it.")],
    *,
    user_id: options.UserId,
) -> None:
    """
    Merge other entities into the first. Their names become its aliases.

    Example: sagacity entities merge 3 8 9 --user-id ana
    """
    with connected(context, "writing") as client:
        entity = client.merge_entities(entity_id, others, user_id=user_id)
    show(context, entity, _entities([entity]))


@app.command()
def delete(
    context: typer.Context, entity_id: EntityNumber, *, user_id: options.UserId, yes: options.Yes = False
) -> None:
    """
    Delete an entity with its relationships. Memories that mention it stay.

    Example: sagacity entities delete 3 --user-id ana --yes
    """
    confirm(context, f"Delete entity {entity_id} of {user_id}?", yes=yes)
    with connected(context, "deleting") as client:
        reply = client.delete_entity(entity_id, user_id=user_id)
    show(context, reply, said(f"deleted entity {entity_id}"))


def _entities(found: "Iterable[Entity]") -> Render:
    rows = [
        (
            entity.mention_count,
            entity.name,
            ", ".join(entity.aliases),
            entity.entity_type,
            entity.description,
            entity.entity_id,
        )
        for entity in found
    ]
    return table(("#memories", "name", "also", "type", "what it is", "#id"), rows, empty="no entities")


def _graph(graph: "EntityGraphReply") -> Render:
    rows = [
        (
            relationship.source_name,
            relationship.relationship_type,
            relationship.target_name,
            f"{relationship.confidence:.2f}",
            relationship.relationship_id,
        )
        for relationship in graph.relationships
    ]
    relationships = table(("from", "what", "to", "#confidence", "#id"), rows, empty="no relationships")
    entities = _entities(graph.entities)

    def draw(console: "Console") -> None:
        entities(console)
        relationships(console)

    return draw
