"""`sagacity agent-playbooks`: how an agent should act for all users."""

from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli import draw, options
from sagacity.cli.nouns import APPROVAL, FOUND, LISTED, LISTED_STATUS, NAME, STATUS, VERSION, Noun, Option
from sagacity.cli.operations import Wait, run
from sagacity.cli.output import Render, facts
from sagacity.domain.cluster import Aggregated

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.domain.views.agent_playbook import AgentPlaybookView
    from sagacity.schemas.aggregation import PlaybookAggregationReply

app = typer.Typer(no_args_is_help=True, help="How an agent should act for everyone.")

DEFAULT_NAME = "agent_corrections"
DEFAULT_EXTRACTOR = "default_playbook_extractor"
PlaybookId = Annotated[int, typer.Option("--playbook-id", min=1, help="Which playbook.")]
Content = Annotated[str | None, typer.Option("--content", help="What to do.")]
Trigger = Annotated[str | None, typer.Option("--trigger", help="In which situation.")]
Rationale = Annotated[str | None, typer.Option("--rationale", help="Why.")]


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


PLAYBOOKS = Noun(
    app,
    "agent-playbooks",
    "an agent playbook",
    "agent_playbooks",
    "agent_playbook_id",
    Option(PlaybookId),
    draw.agent_playbooks,
)
PLAYBOOKS.lists(
    "get_agent_playbooks",
    "--approval pending",
    limit=LISTED,
    playbook_name=NAME,
    agent_version=VERSION,
    status_filter=LISTED_STATUS,
    playbook_status_filter=APPROVAL,
)
PLAYBOOKS.searches(
    "search_agent_playbooks",
    '"customer asks for a refund"',
    top_k=FOUND,
    agent_version=VERSION,
    playbook_name=NAME,
    status_filter=STATUS,
    playbook_status_filter=APPROVAL,
)
PLAYBOOKS.adds(
    "add_agent_playbooks",
    '--trigger "asked for a refund" --content "Look up the order first."',
    content=Option(Annotated[str, typer.Option("--content", help="What to do.")]),
    trigger=Option(Trigger, None),
    rationale=Option(Rationale, None),
    agent_version=Option(
        Annotated[str, typer.Option("--agent-version", help="For which agent version.")], ""
    ),
    playbook_name=Option(
        Annotated[str, typer.Option("--playbook-name", help="Under which name.")], DEFAULT_NAME
    ),
    playbook_status=Option(options.NewApproval, "pending"),
)
PLAYBOOKS.updates(
    "update_agent_playbook",
    '--playbook-id 3 --content "Look up the order, then ask."',
    agent_playbook_id=PLAYBOOKS.id_option,
    content=Option(Content, None),
    trigger=Option(Trigger, None),
    rationale=Option(Rationale, None),
)
PLAYBOOKS.shows(
    "get_agent_playbooks",
    "Show one agent playbook. Also how many users and rules are behind it, and which one it would replace.",
    "--playbook-id 3",
    _whole,
)
decide = PLAYBOOKS.is_reviewed("update_agent_playbook_status", "playbook_status", "--playbook-id 3")


@app.command("update-status")
def update_status(
    context: typer.Context,
    *,
    playbook_id: PlaybookId,
    approval: Annotated[options.Approval, typer.Option("--approval", "--status", help="Its approval.")],
) -> None:
    """
    Approve or reject one, or set it back to pending.

    Example: sagacity agent-playbooks update-status --playbook-id 3 --approval approved
    """
    decide(context, {"agent_playbook_id": playbook_id}, approval)


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
    Write agent playbooks again from what several users taught.

    New ones wait for approval; approved and rejected ones stay as they are.

    Example: sagacity agent-playbooks aggregate --wait
    """

    def start(client: "Sagacity") -> "PlaybookAggregationReply":
        return client.run_playbook_aggregation(playbook_name, agent_version, wait_for_response=False)

    run(context, start, "aggregating playbooks", Aggregated, wait=wait)


PLAYBOOKS.deletes("delete_agent_playbook", "--playbook-id 3")
PLAYBOOKS.deletes_all("delete_all_agent_playbooks")
