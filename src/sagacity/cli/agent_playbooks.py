"""`sagacity agent-playbooks`: how an agent should act for everybody."""

from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli import draw, options
from sagacity.cli.explain import in_meta, results, with_explanation
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.operations import Wait, run
from sagacity.cli.output import Render, facts, said, show
from sagacity.cli.search_options import Options, searching
from sagacity.domain.cluster import Aggregated
from sagacity.domain.errors import NotFound

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.domain.views.agent_playbook import AgentPlaybookView
    from sagacity.schemas.aggregation import PlaybookAggregationReply

app = typer.Typer(no_args_is_help=True, help="How an agent should act for everybody.")

DEFAULT_NAME = "agent_corrections"
DEFAULT_EXTRACTOR = "default_playbook_extractor"
PlaybookId = Annotated[int, typer.Option("--playbook-id", min=1, help="Which playbook.")]
Content = Annotated[str | None, typer.Option("--content", help="What to do.")]
Trigger = Annotated[str | None, typer.Option("--trigger", help="In which situation.")]
Rationale = Annotated[str | None, typer.Option("--rationale", help="Why.")]
Approved = Annotated[
    options.Approval | None, typer.Option("--playbook-status", help="Only with this verdict.")
]


@app.command("list")
def list_playbooks(
    context: typer.Context,
    *,
    limit: options.Limit = 20,
    playbook_name: options.PlaybookName = None,
    agent_version: options.AgentVersion = None,
    status: options.Lifecycle = None,
    playbook_status: Approved = None,
) -> None:
    """
    List agent playbooks, the last changed first.

    Example: sagacity agent-playbooks list --playbook-status pending
    """
    with connected(context, "reading playbooks") as client:
        reply = client.get_agent_playbooks(
            limit=limit,
            playbook_name=playbook_name,
            agent_version=agent_version,
            status_filter=options.listed(status),
            playbook_status_filter=playbook_status,
        )
    show(context, reply.agent_playbooks, draw.agent_playbooks(reply.agent_playbooks))


@app.command()
@searching
def search(
    context: typer.Context,
    query: options.Query,
    *,
    limit: options.Limit = 10,
    agent_version: options.AgentVersion = None,
    playbook_name: options.PlaybookName = None,
    status: options.Lifecycle = None,
    playbook_status: Approved = None,
    asked: Options,
) -> None:
    """
    Find agent playbooks.

    Example: sagacity agent-playbooks search "customer asks for a refund"
    """
    with connected(context, "searching") as client:
        reply = client.search_agent_playbooks(
            query,
            agent_version=agent_version,
            playbook_name=playbook_name,
            playbook_status_filter=playbook_status,
            status_filter=options.listed(status),
            top_k=limit,
            **asked,
        )
    found = results("agent playbook", reply.agent_playbooks, "agent_playbook_id")
    drawn = with_explanation(draw.agent_playbooks(reply.agent_playbooks), reply.explanation, found)
    show(context, reply.agent_playbooks, drawn, **in_meta(reply.explanation))


@app.command()
def add(
    context: typer.Context,
    *,
    content: Annotated[str, typer.Option("--content", help="What to do.")],
    trigger: Trigger = None,
    rationale: Rationale = None,
    agent_version: Annotated[str, typer.Option("--agent-version", help="For which agent version.")] = "",
    playbook_name: Annotated[str, typer.Option("--playbook-name", help="Under which name.")] = DEFAULT_NAME,
    playbook_status: Annotated[
        options.Approval, typer.Option("--playbook-status", help="The verdict.")
    ] = "pending",
) -> None:
    """
    Write an agent playbook by hand.

    Example: sagacity agent-playbooks add --trigger "asked for a refund" --content "Look up the order first."
    """
    playbook = {
        "content": content,
        "trigger": trigger,
        "rationale": rationale,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "playbook_status": playbook_status,
    }
    with connected(context, "writing") as client:
        reply = client.add_agent_playbooks([playbook])
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
    Change an agent playbook; what is not given stays.

    Example: sagacity agent-playbooks update --playbook-id 3 --content "Look up the order, then ask."
    """
    with connected(context, "writing") as client:
        reply = client.update_agent_playbook(
            playbook_id, content=content, trigger=trigger, rationale=rationale
        )
    show(context, reply, said("changed"))


@app.command("show")
def show_playbook(context: typer.Context, *, playbook_id: PlaybookId) -> None:
    """
    Show one agent playbook, with how many stand behind it and whose place it would take.

    Example: sagacity agent-playbooks show --playbook-id 3
    """
    with connected(context, "reading playbooks") as client:
        found = client.get_agent_playbooks(agent_playbook_ids=[playbook_id]).agent_playbooks
    if not found:
        raise NotFound(f"no agent playbook with id {playbook_id}")
    show(context, found[0], _whole(found[0]))


@app.command()
def approve(context: typer.Context, *, playbook_id: PlaybookId) -> None:
    """
    Let an agent playbook serve all users; the one that it replaces makes room for it.

    Example: sagacity agent-playbooks approve --playbook-id 3
    """
    _decide(context, playbook_id, "approved")


@app.command()
def reject(context: typer.Context, *, playbook_id: PlaybookId) -> None:
    """
    Keep an agent playbook from being served.

    Example: sagacity agent-playbooks reject --playbook-id 3
    """
    _decide(context, playbook_id, "rejected")


@app.command("update-status")
def update_status(
    context: typer.Context,
    *,
    playbook_id: PlaybookId,
    status: Annotated[options.Approval, typer.Option("--status", help="The verdict.")],
) -> None:
    """
    Say whether an agent playbook may serve all users.

    Example: sagacity agent-playbooks update-status --playbook-id 3 --status approved
    """
    _decide(context, playbook_id, status)


@app.command()
def aggregate(
    context: typer.Context,
    *,
    playbook_name: Annotated[
        str, typer.Option("--playbook-name", help="Which user playbooks, by their extractor's name.")
    ] = DEFAULT_EXTRACTOR,
    agent_version: options.AgentVersion = None,
    wait: Wait = False,
) -> None:
    """
    Write what many users taught as agent playbooks, anew. They wait for a verdict; those that have one stay.

    Example: sagacity agent-playbooks aggregate --wait
    """

    def start(client: "Sagacity") -> "PlaybookAggregationReply":
        return client.run_playbook_aggregation(playbook_name, agent_version, wait_for_response=False)

    run(context, start, "aggregating playbooks", Aggregated, wait=wait)


@app.command()
def delete(context: typer.Context, *, playbook_id: PlaybookId) -> None:
    """
    Delete one agent playbook.

    Example: sagacity agent-playbooks delete --playbook-id 3
    """
    with connected(context, "deleting") as client:
        reply = client.delete_agent_playbook(playbook_id)
    show(context, reply, said("deleted"))


@app.command("delete-all")
def delete_all(context: typer.Context, *, yes: options.Yes = False) -> None:
    """
    Delete all agent playbooks.

    Example: sagacity agent-playbooks delete-all --yes
    """
    confirm(context, "Delete ALL agent playbooks?", yes=yes)
    with connected(context, "deleting") as client:
        reply = client.delete_all_agent_playbooks()
    show(context, reply, said(f"{reply.deleted_count} deleted"))


def _decide(context: typer.Context, playbook_id: int, verdict: options.Approval) -> None:
    with connected(context, "writing") as client:
        reply = client.update_agent_playbook_status(playbook_id, verdict)
    show(context, reply, said(reply.message or verdict))


def _whole(playbook: "AgentPlaybookView") -> Render:
    origin = playbook.provenance
    about = {
        "when": playbook.trigger,
        "do": playbook.content,
        "avoid": playbook.pitfall,
        "why": playbook.rationale,
        "approval": playbook.playbook_status,
        "takes the place of": playbook.replaces,
        "status": playbook.status or "current",
        "users": playbook.user_count,
        "rules": playbook.member_count,
        "agent": playbook.agent_version,
        "playbook": playbook.playbook_name,
        "changed": draw.moment(playbook.last_modified_timestamp),
        "learned by": "" if origin is None else " ".join(filter(None, (origin.learner, origin.model))),
    }
    return facts({name: value for name, value in about.items() if value})
