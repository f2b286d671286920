"""`sagacity user-playbooks`: how an agent should act for one user."""

from typing import Annotated, Literal

import typer

from sagacity.cli import draw
from sagacity.cli.nouns import (
    ANY_USER,
    FOUND,
    LISTED,
    LISTED_STATUS,
    NAME,
    STATUS,
    USER,
    VERSION,
    Noun,
    Option,
)
from sagacity.cli.versions import Versions

app = typer.Typer(no_args_is_help=True, help="How an agent should act for one user.")

PlaybookId = Annotated[int, typer.Option("--playbook-id", min=1, help="Which playbook.")]
Content = Annotated[str | None, typer.Option("--content", help="What to do.")]
Trigger = Annotated[str | None, typer.Option("--trigger", help="In which situation.")]
Rationale = Annotated[str | None, typer.Option("--rationale", help="Why.")]
NewStatus = Annotated[
    Literal["current", "archived"] | None, typer.Option("--status", help="Archive it, or make it current.")
]
Metadata = Annotated[
    str | None,
    typer.Option("--playbook-metadata", help="Free text or JSON kept with it, such as what superseded it."),
]
Extractor = Annotated[str | None, typer.Option("--playbook-name", "--extractor", help="Only this extractor.")]
PlaybookIds = Annotated[
    list[int] | None,
    typer.Option("--playbook-id", metavar="<int>", help="Only this one; may be given several times."),
]
PLAYBOOKS = Noun(
    app,
    "user-playbooks",
    "a user playbook",
    "user_playbooks",
    "user_playbook_id",
    Option(PlaybookId),
    draw.user_playbooks,
    is_of_users=True,
)
PLAYBOOKS.lists(
    "get_user_playbooks",
    "--user-id ana",
    user_id=ANY_USER,
    limit=LISTED,
    playbook_name=NAME,
    agent_version=VERSION,
    status_filter=LISTED_STATUS,
)
PLAYBOOKS.searches(
    "search_user_playbooks",
    '"refund" --user-id ana',
    user_id=ANY_USER,
    top_k=FOUND,
    agent_version=VERSION,
    playbook_name=NAME,
    status_filter=STATUS,
)
PLAYBOOKS.adds(
    "add_user_playbook",
    '--user-id ana --trigger "asked for a refund" --content "Offer credit first."',
    source="cli",
    user_id=USER,
    content=Option(Annotated[str, typer.Option("--content", help="What to do.")]),
    trigger=Option(Trigger, None),
    rationale=Option(Rationale, None),
    agent_version=Option(
        Annotated[str, typer.Option("--agent-version", help="For which agent version.")], ""
    ),
    playbook_name=Option(Annotated[str, typer.Option("--playbook-name", help="Under which name.")], ""),
)
PLAYBOOKS.updates(
    "update_user_playbook",
    '--playbook-id 7 --content "Offer a replacement first."',
    user_playbook_id=PLAYBOOKS.id_option,
    content=Option(Content, None),
    trigger=Option(Trigger, None),
    rationale=Option(Rationale, None),
    status=Option(NewStatus, None),
    playbook_metadata=Option(Metadata, None),
)
PLAYBOOKS.deletes("delete_user_playbook", "--playbook-id 7")
PLAYBOOKS.deletes_all("delete_all_user_playbooks")

VERSIONS = Versions(
    PLAYBOOKS,
    {"user_id": ANY_USER, "agent_version": VERSION, "playbook_name": Option(Extractor, None)},
    "upgrade_user_playbooks",
)
VERSIONS.regenerates(
    "rerun_playbook_generation",
    "manual_playbook_generation",
    "Learn user playbooks again, into a pending version. All turns with one agent version are read.\n\n"
    "The agent version is `agent-v0` unless another is named. The current version is used until `upgrade`.",
    "--agent-version agent-v0 --wait",
)
VERSIONS.compares("get_user_playbook_diff", "--user-id ana")
VERSIONS.upgrades("--agent-version agent-v0", Option(PlaybookIds, None), can_keep_current=True)
VERSIONS.downgrades("downgrade_user_playbooks", "--agent-version agent-v0")
