"""The options of every `search` command."""

import functools
import inspect
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict, cast

import typer
from pydantic import JsonValue

from sagacity.cli import options
from sagacity.cli.metadata_filter import condition
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.client.words.query import RankingWord, SearchModeWord, StrategyNameWord

Ranking = Annotated[
    Literal["blended", "rrf", "weighted"] | None,
    typer.Option("--ranking", help="How results of the strategies are ranked."),
]
Strategy = Annotated[
    list[str] | None,
    typer.Option(
        "--strategy",
        metavar="<str>",
        help="Only this strategy: vector, keyword, graph, profile, recent; may be given several times.",
    ),
]
Rerank = Annotated[
    bool | None, typer.Option("--rerank/--no-rerank", help="Rerank the first results, or not.")
]
After = Annotated[str | None, typer.Option("--after", help="Learned or said since this time: 2026-05-01.")]
Before = Annotated[str | None, typer.Option("--before", help="Learned or said until this time.")]
EventAfter = Annotated[str | None, typer.Option("--event-after", help="Happened since this time.")]
EventBefore = Annotated[str | None, typer.Option("--event-before", help="Happened until this time.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="What was known at this time.")]
ReferenceDate = Annotated[
    str | None, typer.Option("--reference-date", help='What "today" is to the question.')
]
Tag = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="<str>", help="Only with this tag; may be given several times."),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="<str>",
        help="Only where metadata matches: 'priority>=2', or JSON; may be given several times.",
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show how each result was found.")]


class Options(TypedDict):
    """What every search can be told, as the SDK takes it."""

    threshold: float | None
    search_mode: "SearchModeWord"
    ranking: "RankingWord | None"
    strategies: "list[StrategyNameWord] | None"
    rerank: bool | None
    start_time: datetime | None
    end_time: datetime | None
    event_start_time: datetime | None
    event_end_time: datetime | None
    as_of: datetime | None
    reference_time: datetime | None
    tags: list[str] | None
    metadata: dict[str, JsonValue] | None
    explain: bool


def searching(command: Callable[..., None]) -> Callable[..., None]:
    """Give *command* the options that every search has; it gets them as the SDK takes them, in its `asked`."""
    own, shared = inspect.signature(command), inspect.signature(_asked)

    @functools.wraps(command)
    def run(*arguments: object, **given: object) -> None:
        said = {name: given.pop(name) for name in shared.parameters}
        command(*arguments, **given, asked=_asked(**said))  # pyright: ignore[reportArgumentType]  # typer checked each

    taken = [*own.parameters.values(), *shared.parameters.values()]
    parameters = [parameter for parameter in taken if parameter.name != "asked"]
    run.__signature__ = own.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]  # typer looks there
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _asked(
    *,
    threshold: options.Threshold = None,
    mode: options.Mode = "hybrid",
    ranking: Ranking = None,
    strategy: Strategy = None,
    rerank: Rerank = None,
    after: After = None,
    before: Before = None,
    event_after: EventAfter = None,
    event_before: EventBefore = None,
    as_of: AsOf = None,
    reference_date: ReferenceDate = None,
    tag: Tag = None,
    where: Where = None,
    explain: Explain = False,
) -> Options:
    """Return what was said as the SDK takes it."""
    return {
        "threshold": threshold,
        "search_mode": mode,
        "ranking": ranking,
        "strategies": cast("list[StrategyNameWord] | None", strategy or None),  # the SDK checks the words
        "rerank": rerank,
        "start_time": moment(after, "--after"),
        "end_time": moment(before, "--before"),
        "event_start_time": moment(event_after, "--event-after"),
        "event_end_time": moment(event_before, "--event-before"),
        "as_of": moment(as_of, "--as-of"),
        "reference_time": moment(reference_date, "--reference-date"),
        "tags": tag or None,
        "metadata": condition(where or ()),
        "explain": explain,
    }


def moment(text: str | None, option: str) -> datetime | None:
    """
    Read a date or a time; without a zone it is UTC.

    Raises:
        InvalidInput: it is neither; the message names *option*.
    """
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(
            f"{option} {text!r} is neither a date such as 2026-05-01 nor a time in ISO 8601"
        ) from error
