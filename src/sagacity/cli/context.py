"""`sagacity context`: what an agent should know now, as text for its prompt."""

from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import number
from sagacity.cli.explain import Result, explanation
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, show, table
from sagacity.cli.search import Kind
from sagacity.cli.search_options import Options, searching
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.client.words.memory import MemoryKindWord
    from sagacity.schemas.context import ContextPage

_PREFERENCES = "general preferences"
_NOTHING = "Nothing is known yet."


@searching
def context_(
    context: typer.Context,
    question: Annotated[
        str | None, typer.Argument(metavar="[QUERY]", help="The question for the agent.")
    ] = None,
    *,
    user_id: options.UserId,
    agent_version: options.AgentVersion = None,
    query: Annotated[
        str | None, typer.Option("--query", help=f"The question, as an option; default: {_PREFERENCES!r}.")
    ] = None,
    session_id: Annotated[
        str | None, typer.Option("--session-id", help="The current conversation; its turns are included.")
    ] = None,
    tokens: Annotated[
        int, typer.Option("--tokens", min=100, max=128_000, help="Most tokens in the text.")
    ] = 5_000,
    kind: Kind = None,
    top_k: options.TopK = 20,
    neighbours: options.Neighbours = 1,
    asked: Options,
) -> None:
    """
    Print what is known and relevant, as text for a prompt. Each line names its source.

    With --explain, also print what each strategy found and what was left out.

    Example: sagacity context "plan a dinner" --user-id ana --tokens 2000
    """
    if question is not None and query is not None:
        raise InvalidInput("give the query as an argument or by --query, not both")
    explains = asked.get("explain", False)
    asked["explain"] = True
    with connected(context, "searching") as client:
        page = client.context(
            question or query or _PREFERENCES,
            user_id=user_id,
            session_id=session_id,
            budgets={"total_tokens": tokens},
            kinds=cast("list[MemoryKindWord] | None", kind or None),  # the SDK checks the words
            neighbours=neighbours,
            agent_version=agent_version,
            top_k=top_k,
            **asked,
        )
    show(context, page, _drawn(page, explains=explains))


def _drawn(page: "ContextPage", *, explains: bool) -> Render:
    def render(console: Console) -> None:
        console.print(plain(page.context or _NOTHING), soft_wrap=True)
        if explains:
            console.print()
            _budgets(page)(console)
            console.print()
            _dropped(page)(console)
            if page.trace is not None:
                console.print()
                explanation(page.trace, _results(page))(console)

    return render


def _results(page: "ContextPage") -> list[Result]:
    return [
        Result(item.kind, item.item_id, item.text, item.score, item.relevance, item.components)
        for section in page.sections
        for item in section.items
        if item.components
    ]


def _budgets(page: "ContextPage") -> Render:
    rows = [(one.name, len(one.items), one.tokens, one.budget_tokens) for one in page.sections]
    total = ("total", sum(row[1] for row in rows), page.total_tokens, "")
    return table(("section", "#lines", "#tokens", "#of"), [*rows, total], empty=_NOTHING)


def _dropped(page: "ContextPage") -> Render:
    rows = [(one.kind, one.item_id, one.reason, number(one.score)) for one in page.dropped]
    return table(("left out", "#id", "reason", "#score"), rows, empty="nothing was left out")
