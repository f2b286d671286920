"""`sagacity search`: search memories and turns, with scores."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console

from sagacity.cli import draw, options
from sagacity.cli.explain import Result, explanation, results
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, show
from sagacity.cli.search_options import Options, searching

if TYPE_CHECKING:
    from sagacity.client.words.memory import MemoryKindWord
    from sagacity.schemas.found import SearchPage

Kind = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="<str>",
        help="Kind to search: profile, semantic, episodic, user_playbook, agent_playbook, skill, interaction; may be"
        " given several times.",
    ),
]


@searching
def search(
    context: typer.Context,
    query: options.Query,
    *,
    user_id: options.AnyUserId = None,
    kind: Kind = None,
    agent_version: options.AgentVersion = None,
    playbook_name: options.PlaybookName = None,
    status: options.Lifecycle = None,
    top_k: options.TopK = 5,
    neighbours: options.Neighbours = 0,
    asked: Options,
) -> None:
    """
    Search profiles, playbooks and skills. With --kind, search the kinds given instead.

    Without --user-id, only agent playbooks and skills are searched.

    Example: sagacity search "what may she eat?" --user-id ana --kind profile --kind interaction --explain
    """
    with connected(context, "searching") as client:
        page = client.search(
            query,
            user_id=user_id,
            kinds=cast("list[MemoryKindWord] | None", kind or None),  # the SDK checks the words
            agent_version=agent_version,
            playbook_name=playbook_name,
            status_filter=options.listed(status),
            top_k=top_k,
            neighbours=neighbours,
            **asked,
        )
    show(context, page, sections(page), count=len(_results(page)))


def sections(page: "SearchPage") -> Render:
    """Draw what was found, a table for each kind."""
    parts = (
        ("profiles", page.profiles, draw.profiles(page.profiles)),
        ("user playbooks", page.user_playbooks, draw.user_playbooks(page.user_playbooks)),
        ("agent playbooks", page.agent_playbooks, draw.agent_playbooks(page.agent_playbooks)),
        ("skills", page.skills, draw.skills(page.skills)),
        ("turns", page.interactions or (), draw.interactions(page.interactions or ())),
        ("other memories", page.memories or (), draw.memories(page.memories or ())),
    )

    def render(console: Console) -> None:
        drawn = [(title, draws) for title, found, draws in parts if found]
        for title, draws in drawn:
            console.print(plain(title, "bold"))
            draws(console)
            console.print()
        if not drawn:
            console.print(plain(page.msg or "nothing found", "dim"))
        if page.explanation is not None:
            explanation(page.explanation, _results(page))(console)

    return render


def _results(page: "SearchPage") -> Sequence[Result]:
    return [
        *results("profile", page.profiles, "profile_id"),
        *results("user playbook", page.user_playbooks, "user_playbook_id"),
        *results("agent playbook", page.agent_playbooks, "agent_playbook_id"),
        *results("skill", page.skills, "skill_id"),
        *results("interaction", page.interactions or (), "interaction_id"),
        *(
            found
            for memory in page.memories or ()
            for found in results(str(memory.kind), (memory,), "memory_id")
        ),
    ]
