"""`sagacity interactions`: published turns."""

from typing import Annotated

import typer

from sagacity.cli import draw, options
from sagacity.cli.explain import in_meta, results, with_explanation
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import said, show
from sagacity.cli.publish import publish
from sagacity.cli.search_options import Options, searching

app = typer.Typer(no_args_is_help=True, help="The turns that were published.")


@app.command("list")
def list_interactions(
    context: typer.Context, *, user_id: options.AnyUserId = None, limit: options.Limit = 20
) -> None:
    """
    List turns, newest first.

    Example: sagacity interactions list --user-id ana --limit 50
    """
    with connected(context, "reading interactions") as client:
        if user_id is None:
            reply = client.get_all_interactions(limit=limit)
        else:
            reply = client.get_interactions(user_id, top_k=limit)
    show(context, reply.interactions, draw.interactions(reply.interactions))


@app.command()
@searching
def search(
    context: typer.Context,
    query: options.Query,
    *,
    user_id: options.UserId,
    limit: options.Limit = 10,
    neighbours: options.Neighbours = 0,
    asked: Options,
) -> None:
    """
    Search a user's turns.

    Example: sagacity interactions search "broken zipper" --user-id ana --neighbours 1
    """
    with connected(context, "searching") as client:
        reply = client.search_interactions(user_id, query, top_k=limit, neighbours=neighbours, **asked)
    found = results("interaction", reply.interactions, "interaction_id")
    drawn = with_explanation(draw.interactions(reply.interactions), reply.explanation, found)
    show(context, reply.interactions, drawn, **in_meta(reply.explanation))


@app.command()
def delete(
    context: typer.Context,
    *,
    user_id: options.UserId,
    interaction_id: Annotated[int, typer.Option("--interaction-id", min=1, help="The turn's id.")],
) -> None:
    """
    Delete one turn.

    Example: sagacity interactions delete --user-id ana --interaction-id 12
    """
    with connected(context, "deleting") as client:
        reply = client.delete_interaction(user_id, interaction_id)
    show(context, reply, said("deleted"))


@app.command("delete-all")
def delete_all(context: typer.Context, *, yes: options.Yes = False) -> None:
    """
    Delete the turns of all users. What was learned from them stays.

    Example: sagacity interactions delete-all --yes
    """
    confirm(context, "Delete ALL interactions of ALL users?", yes=yes)
    with connected(context, "deleting") as client:
        reply = client.delete_all_interactions()
    show(context, reply, said(f"{reply.deleted_count} deleted"))


app.command(hidden=True)(publish)
