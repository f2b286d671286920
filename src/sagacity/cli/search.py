"""`sagacity search` and `sagacity context`: what an agent should know now."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import draw, options
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, show

if TYPE_CHECKING:
    from sagacity.schemas.search import SearchPage


def search(
    context: typer.Context,
    query: options.Query,
    *,
    user_id: options.AnyUserId = None,
    agent_version: options.AgentVersion = None,
    top_k: options.TopK = 5,
    threshold: options.Threshold = None,
    mode: options.Mode = "hybrid",
) -> None:
    """
    Find profiles and playbooks, with scores.

    Without --user-id only agent playbooks are found: what one user taught is shown to no other.

    Example: sagacity search "what may she eat?" --user-id ana
    """
    with connected(context, "searching") as client:
        page = client.search(
            query,
            user_id=user_id,
            agent_version=agent_version,
            top_k=top_k,
            threshold=threshold,
            search_mode=mode,
        )
    found = len(page.profiles) + len(page.user_playbooks) + len(page.agent_playbooks)
    show(context, page, _sections(page), count=found)


def context_(
    context: typer.Context,
    *,
    user_id: options.UserId,
    agent_version: options.AgentVersion = None,
    query: Annotated[
        str, typer.Option("--query", help="What the agent is about to do.")
    ] = "general preferences",
    top_k: options.TopK = 5,
    threshold: options.Threshold = 0.0,
) -> None:
    """
    Print what is known, for an agent's prompt: the best few, however loosely they belong to the query.

    Example: sagacity context --user-id ana --query "plan a dinner"
    """
    with connected(context, "searching") as client:
        page = client.search(
            query, user_id=user_id, agent_version=agent_version, top_k=top_k, threshold=threshold
        )
    text = as_text(page)
    show(context, {"context": text}, lambda console: console.print(plain(text)))


def as_text(page: "SearchPage") -> str:
    """Return what was found as Markdown: facts, then rules for this user, then rules for everybody."""
    sections = (
        ("What is known about the user", [profile.content for profile in page.profiles]),
        ("How to act for this user", [_rule(book.trigger, book.content) for book in page.user_playbooks]),
        ("How to act", [_rule(book.trigger, book.content) for book in page.agent_playbooks]),
    )
    parts = [
        "\n".join((f"## {title}", *(f"- {line}" for line in lines))) for title, lines in sections if lines
    ]
    return "\n\n".join(parts) or "Nothing is known yet."


def _rule(trigger: str | None, content: str) -> str:
    return f"{trigger}: {content}" if trigger and content else trigger or content


def _sections(page: "SearchPage") -> Render:
    parts = (
        ("profiles", page.profiles, draw.profiles(page.profiles)),
        ("user playbooks", page.user_playbooks, draw.user_playbooks(page.user_playbooks)),
        ("agent playbooks", page.agent_playbooks, draw.agent_playbooks(page.agent_playbooks)),
    )

    def render(console: Console) -> None:
        drawn = [(title, draws) for title, found, draws in parts if found]
        for title, draws in drawn:
            console.print(plain(title, "bold"))
            draws(console)
            console.print()
        if not drawn:
            console.print(plain("nothing found", "dim"))

    return render
