"""`sagacity profiles`: what is known about users."""

from typing import Annotated, Literal

import typer

from sagacity.cli import draw, options
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.nouns import ANY_USER, FOUND, STATUS, USER, Noun, Option
from sagacity.cli.output import said, show
from sagacity.cli.versions import Versions
from sagacity.domain.errors import InvalidInput

app = typer.Typer(no_args_is_help=True, help="What is known about users.")

TimeToLive = Literal["one_day", "one_week", "one_month", "one_quarter", "one_year", "infinity"]
ProfileId = Annotated[str, typer.Option("--profile-id", help="Which profile.")]
Content = Annotated[str, typer.Option("--content", help="The fact, in a sentence.")]
Extractor = Annotated[
    list[str] | None,
    typer.Option("--extractor", metavar="<str>", help="Only this extractor; may be given several times."),
]
ProfileIds = Annotated[
    list[str] | None,
    typer.Option("--profile-id", metavar="<str>", help="Only this one; may be given several times."),
]
Holds = Annotated[TimeToLive, typer.Option("--time-to-live", help="How long it holds.")]
PROFILES = Noun(
    app,
    "profiles",
    "a profile",
    "user_profiles",
    "profile_id",
    Option(ProfileId),
    draw.profiles,
    is_of_users=True,
)


@app.command("list")
def list_profiles(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    limit: options.Limit = 20,
    status: options.Lifecycle = "current",
) -> None:
    """
    List profiles, last changed first.

    Example: sagacity profiles list --user-id ana
    """
    with connected(context, "reading profiles") as client:
        if user_id is None:
            reply = client.get_all_profiles(limit=limit, status_filter=status)
        else:
            reply = client.get_profiles(user_id, top_k=limit, status_filter=options.listed(status))
    show(context, reply.user_profiles, draw.profiles(reply.user_profiles))


PROFILES.searches(
    "search_profiles", '"where does she live" --user-id ana', user_id=USER, top_k=FOUND, status_filter=STATUS
)
PROFILES.adds(
    "add_user_profile",
    '--user-id ana --content "Ana is vegetarian."',
    source="cli",
    user_id=USER,
    content=Option(Content),
    profile_time_to_live=Option(Holds, "infinity"),
)
PROFILES.updates(
    "update_user_profile",
    '--user-id ana --profile-id ID --content "Ana is vegan."',
    text="Change what a profile says. It is found by its new words at once.",
    user_id=USER,
    profile_id=PROFILES.id_option,
    content=Option(Content),
)


@app.command()
def delete(
    context: typer.Context,
    *,
    user_id: options.UserId,
    profile_id: Annotated[str | None, typer.Option("--profile-id", help="Which profile.")] = None,
    query: Annotated[
        str | None, typer.Option("--query", help="All that contain every word of this text.")
    ] = None,
    yes: options.Yes = False,
) -> None:
    """
    Delete one profile, or all that contain given words.

    Example: sagacity profiles delete --user-id ana --profile-id ID
    """
    if (profile_id is None) == (query is None):
        raise InvalidInput("pass either --profile-id or --query")
    if query is not None:
        confirm(context, f"Delete all profiles of {user_id} that match {query!r}?", yes=yes)
    with connected(context, "deleting") as client:
        reply = client.delete_profile(user_id, profile_id=profile_id, search_query=query)
    show(context, reply, said(reply.message or "deleted"))


PROFILES.deletes_all("delete_all_profiles")

VERSIONS = Versions(
    PROFILES, {"user_id": ANY_USER, "extractor_names": Option(Extractor, None)}, "upgrade_profiles"
)
VERSIONS.regenerates(
    "rerun_profile_generation",
    "manual_profile_generation",
    "Learn profiles again from all turns, into a pending version. The current one is used until `upgrade`.",
    "--user-id ana --wait\n--newest --user-id ana",
)
VERSIONS.compares("get_profile_diff", "--user-id ana")
VERSIONS.upgrades("--user-id ana", Option(ProfileIds, None))
VERSIONS.downgrades("downgrade_profiles", "--user-id ana")
