"""`sagacity user-playbooks`: how an agent should act for one user."""

from typing import Annotated

import typer

from sagacity.cli import draw, options
from sagacity.cli.explain import in_meta, results, with_explanation
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import said, show
from sagacity.cli.search_options import Options, searching

app = typer.Typer(no_args_is_help=True, help="How an agent should act for one user.")

PlaybookId = Annotated[int, typer.Option("--playbook-id", min=1, help="Which playbook.")]
Content = Annotated[str | None, typer.Option("--content", help="What to do.")]
Trigger = Annotated[str | None, typer.Option("--trigger", help="In which situation.")]
Rationale = Annotated[str | None, typer.Option("--rationale", help="Why.")]


@app.command("list")
def list_playbooks(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    limit: options.Limit = 20,
    playbook_name: options.PlaybookName = None,
    agent_version: options.AgentVersion = None,
    status: options.Lifecycle = None,
) -> None:
    """
    List user playbooks, the last changed first.

    Example: sagacity user-playbooks list --user-id ana
    """
    with connected(context, "reading playbooks") as client:
        reply = client.get_user_playbooks(
            limit=limit,
            user_id=user_id,
            playbook_name=playbook_name,
            agent_version=agent_version,
            status_filter=options.listed(status),
        )
    show(context, reply.user_playbooks, draw.user_playbooks(reply.user_playbooks))


@app.command()
@searching
def search(
    context: typer.Context,
    query: options.Query,
    *,
    user_id: options.AnyUserId = None,
    limit: options.Limit = 10,
    agent_version: options.AgentVersion = None,
    playbook_name: options.PlaybookName = None,
    status: options.Lifecycle = None,
    asked: Options,
) -> None:
    """
    Find user playbooks.

    Example: sagacity user-playbooks search "refund" --user-id ana
    """
    with connected(context, "searching") as client:
        reply = client.search_user_playbooks(
            query,
            user_id=user_id,
            agent_version=agent_version,
            playbook_name=playbook_name,
            status_filter=options.listed(status),
            top_k=limit,
            **asked,
        )
    found = results("user playbook", reply.user_playbooks, "user_playbook_id")
    drawn = with_explanation(draw.user_playbooks(reply.user_playbooks), reply.explanation, found)
    show(context, reply.user_playbooks, drawn, **in_meta(reply.explanation))


@app.command()
def add(
    context: typer.Context,
    *,
    user_id: options.UserId,
    content: Annotated[str, typer.Option("--content", help="What to do.")],
    trigger: Trigger = None,
    rationale: Rationale = None,
    agent_version: Annotated[str, typer.Option("--agent-version", help="For which agent version.")] = "",
    playbook_name: Annotated[str, typer.Option("--playbook-name", help="Under which name.")] = "",
) -> None:
    """
    Write a user playbook by hand.

    Example: sagacity user-playbooks add --user-id ana --trigger "asked for a refund" --content "Offer credit first."
    """
    playbook = {
        "user_id": user_id,
        "content": content,
        "trigger": trigger,
        "rationale": rationale,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "source": "cli",
    }
    with connected(context, "writing") as client:
        reply = client.add_user_playbook([playbook])
    show(context, reply, said(f"{reply.added_count} added"))


@app.command()
def update(
    context: typer.Context,
    *,
    playbook_id: PlaybookId,
    content: Content = None,
    trigger: Trigger = None,
    rationale: Rationale = None,
) -> None:
    """
    Change a user playbook; what is not given stays.

    Example: sagacity user-playbooks update --playbook-id 7 --content "Offer a replacement first."
    """
    with connected(context, "writing") as client:
        reply = client.update_user_playbook(
            playbook_id, content=content, trigger=trigger, rationale=rationale
        )
    show(context, reply, said("changed"))


@app.command()
def delete(context: typer.Context, *, playbook_id: PlaybookId) -> None:
    """
    Delete one user playbook.

    Example: sagacity user-playbooks delete --playbook-id 7
    """
    with connected(context, "deleting") as client:
        reply = client.delete_user_playbook(playbook_id)
    show(context, reply, said("deleted"))


@app.command("delete-all")
def delete_all(context: typer.Context, *, yes: options.Yes = False) -> None:
    """
    Delete the user playbooks of all users.

    Example: sagacity user-playbooks delete-all --yes
    """
    confirm(context, "Delete ALL user playbooks of ALL users?", yes=yes)
    with connected(context, "deleting") as client:
        reply = client.delete_all_user_playbooks()
    show(context, reply, said(f"{reply.deleted_count} deleted"))
