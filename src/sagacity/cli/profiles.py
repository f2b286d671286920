"""`sagacity profiles`: what is known about users."""

from typing import Annotated, Literal

import typer

from sagacity.cli import draw, options
from sagacity.cli.explain import in_meta, results, with_explanation
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import said, show
from sagacity.cli.search_options import Options, searching
from sagacity.domain.errors import InvalidInput

app = typer.Typer(no_args_is_help=True, help="What is known about users.")

TimeToLive = Literal["one_day", "one_week", "one_month", "one_quarter", "one_year", "infinity"]
ProfileId = Annotated[str, typer.Option("--profile-id", help="Which profile.")]
Content = Annotated[str, typer.Option("--content", help="The fact, in a sentence.")]


@app.command("list")
def list_profiles(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    limit: options.Limit = 20,
    status: options.Lifecycle = None,
) -> None:
    """
    List profiles, the last changed first.

    Example: sagacity profiles list --user-id ana
    """
    with connected(context, "reading profiles") as client:
        if user_id is None:
            reply = client.get_all_profiles(limit=limit, status_filter=status)
        else:
            reply = client.get_profiles(user_id, top_k=limit, status_filter=options.listed(status))
    show(context, reply.user_profiles, draw.profiles(reply.user_profiles))


@app.command()
@searching
def search(
    context: typer.Context,
    query: options.Query,
    *,
    user_id: options.UserId,
    limit: options.Limit = 10,
    status: options.Lifecycle = None,
    asked: Options,
) -> None:
    """
    Find profiles of a user.

    Example: sagacity profiles search "where does she live" --user-id ana
    """
    with connected(context, "searching") as client:
        reply = client.search_profiles(
            user_id, query, top_k=limit, status_filter=options.listed(status), **asked
        )
    found = results("profile", reply.user_profiles, "profile_id")
    drawn = with_explanation(draw.profiles(reply.user_profiles), reply.explanation, found)
    show(context, reply.user_profiles, drawn, **in_meta(reply.explanation))


@app.command()
def add(
    context: typer.Context,
    *,
    user_id: options.UserId,
    content: Content,
    time_to_live: Annotated[
        TimeToLive, typer.Option("--time-to-live", help="How long it holds.")
    ] = "infinity",
) -> None:
    """
    Write a profile by hand.

    Example: sagacity profiles add --user-id ana --content "Ana is vegetarian."
    """
    profile = {"user_id": user_id, "content": content, "profile_time_to_live": time_to_live, "source": "cli"}
    with connected(context, "writing") as client:
        reply = client.add_user_profile([profile])
    show(context, reply, said(f"{reply.added_count} added"))


@app.command()
def update(
    context: typer.Context, *, user_id: options.UserId, profile_id: ProfileId, content: Content
) -> None:
    """
    Change what a profile says; it is found by its new words at once.

    Example: sagacity profiles update --user-id ana --profile-id ID --content "Ana is vegan."
    """
    with connected(context, "writing") as client:
        reply = client.update_user_profile(user_id, profile_id, content=content)
    show(context, reply, said("changed"))


@app.command()
def delete(
    context: typer.Context,
    *,
    user_id: options.UserId,
    profile_id: Annotated[str | None, typer.Option("--profile-id", help="Which profile.")] = None,
    query: Annotated[str | None, typer.Option("--query", help="All that this search finds.")] = None,
    yes: options.Yes = False,
) -> None:
    """
    Delete one profile, or those that a search finds.

    Example: sagacity profiles delete --user-id ana --profile-id ID
    """
    if (profile_id is None) == (query is None):
        raise InvalidInput("pass either --profile-id or --query")
    if query is not None:
        confirm(context, f"Delete all profiles of {user_id} that match {query!r}?", yes=yes)
    with connected(context, "deleting") as client:
        reply = client.delete_profile(user_id, profile_id=profile_id, search_query=query)
    show(context, reply, said(reply.message or "deleted"))


@app.command("delete-all")
def delete_all(context: typer.Context, *, yes: options.Yes = False) -> None:
    """
    Delete the profiles of all users.

    Example: sagacity profiles delete-all --yes
    """
    confirm(context, "Delete ALL profiles of ALL users?", yes=yes)
    with connected(context, "deleting") as client:
        reply = client.delete_all_profiles()
    show(context, reply, said(f"{reply.deleted_count} deleted"))
