"""`sagacity eval`: measure retrieval on your own data, and see whether it got worse."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.output import Render, conclude, plain, table
from sagacity.cli.progress import advancing
from sagacity.cli.tokens import DEFAULT_ORG
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.cli.progress import Advance
    from sagacity.quality.evaluate import Figure
    from sagacity.quality.report import Comparison, Evaluation, Saved, Wanted

_SAID = {
    "too_few": "too few questions to say how good retrieval is",
    "no_worse": "not worse than the saved evaluation",
    "worse": "worse than the saved evaluation",
}


def eval_(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    org: options.OrgId = DEFAULT_ORG,
    questions: Annotated[
        int, typer.Option("--questions", min=1, max=1000, help="How many questions to ask at the most.")
    ] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**32, help="Which questions are drawn.")] = 1,
    k: Annotated[int, typer.Option("--k", min=1, max=100, help="How many results are looked at.")] = 10,
    ranking: Annotated[
        Literal["blended", "rrf", "weighted"] | None,
        typer.Option("--ranking", help="How results are ranked; default: blended, or as saved."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="File to keep questions and figures in: personal data.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    against: Annotated[
        Path | None, typer.Option("--against", help="Ask the questions of such a file again, and compare.")
    ] = None,
    may_lose: Annotated[
        float, typer.Option("--may-lose", min=0, max=1, help="How much lower NDCG may be with --against.")
    ] = 0.02,
) -> None:
    """
    Measure how good retrieval is on your own data.

    Rules make questions of what users said, so that the answer is known; each is asked through the search itself.
    Exit code 1 if there are fewer than 30 questions, or with --against if it became worse. It works on the configured
    database; servers may run.

    Example: sagacity eval --save before.json

    Example: sagacity eval --against before.json --may-lose 0.02
    """
    from sagacity.domain.ids import UserId  # noqa: PLC0415  `--help` should not load it
    from sagacity.domain.query import Ranking  # noqa: PLC0415  with it
    from sagacity.quality.report import Wanted, read_saved  # noqa: PLC0415  it loads the whole server

    if save is not None and against is not None:
        raise InvalidInput("pass --save or --against, not both")
    if user_id is not None and not user_id.strip():
        raise InvalidInput("--user-id must not be blank")
    wanted = Wanted(
        count=questions,
        seed=seed,
        user_id=None if user_id is None else UserId(user_id),
        limit=k,
        ranking=None if ranking is None else Ranking(ranking),
    )
    earlier = None if against is None else read_saved(against.expanduser())
    target = None if save is None else save.expanduser().absolute()
    if target is not None and target.exists() and not force:
        raise InvalidInput(f"{target} already exists: name another file, or pass --force to replace it")
    with advancing("asking questions") as advance:
        done = asyncio.run(_run(org, wanted, advance, earlier=earlier, may_lose=may_lose, target=target))
    conclude(context, done, _drawn(done), ok=done.verdict in {"measured", "no_worse"})


async def _run(
    org: str,
    wanted: "Wanted",
    advance: "Advance",
    *,
    earlier: "Saved | None",
    may_lose: float,
    target: Path | None,
) -> "Evaluation":
    from sagacity.config.settings import load_settings  # noqa: PLC0415  it loads slowly
    from sagacity.domain.ids import OrgId  # noqa: PLC0415  with it
    from sagacity.domain.tenant import Tenant  # noqa: PLC0415  with it
    from sagacity.maintenance import open_acting  # noqa: PLC0415  it loads the whole server
    from sagacity.quality.report import Verdict, evaluate, evaluate_again  # noqa: PLC0415  with it

    async with open_acting(load_settings(), Tenant(org_id=OrgId(org))) as acting:
        if earlier is not None:
            return await evaluate_again(
                acting, earlier, may_lose=may_lose, ranking=wanted.ranking, on_progress=advance
            )
        done, saved = await evaluate(acting, wanted, advance)
    if target is not None and done.verdict is Verdict.MEASURED:
        await _write(saved, target)
    return done


async def _write(saved: "Saved", target: Path) -> None:
    from sagacity.storage.portable.files import write_file  # noqa: PLC0415  it loads the storage

    async def lines() -> AsyncGenerator[bytes]:
        yield (json.dumps(saved.model_dump(mode="json"), ensure_ascii=False) + "\n").encode()

    await write_file(lines(), target, lambda _step: None, replace=True)


def _drawn(done: "Evaluation") -> Render:
    def draw(console: Console) -> None:
        asked = counted(done.questions, "question")
        console.print(plain(f"{asked}, ranking {done.ranking}, embedder {done.embedder}"))
        if done.verdict == "too_few":
            console.print(plain(f"{_SAID['too_few']}: it takes {done.needed}", "yellow"))
        if done.rows:
            _rows(done)(console)
            console.print(plain("Means, each with its 95% interval.", "dim"))
        for line in _notes(done):
            console.print(plain(line, "yellow"))
        if done.comparisons:
            _comparisons(done.comparisons)(console)
            console.print(plain(_SAID[done.verdict], "bold red" if done.verdict == "worse" else "green"))

    return draw


def _rows(done: "Evaluation") -> Render:
    rows = [
        (one.subject, one.strategy, _cell(one.recall), _cell(one.ndcg), _cell(one.mrr), one.questions)
        for one in done.rows
    ]
    columns = ("found", "strategy", f"recall@{done.limit}", f"NDCG@{done.limit}", "MRR", "#questions")
    return table(columns, rows, empty="")


def _comparisons(compared: "tuple[Comparison, ...]") -> Render:
    rows = [
        (
            one.subject,
            f"{one.before:.3f}",
            f"{one.now:.3f}",
            f"{one.difference:+.3f} ({one.low:+.3f} to {one.high:+.3f})",
            "worse" if one.is_worse else "",
            one.questions,
        )
        for one in compared
    ]
    return table(("found", "before", "now", "difference of NDCG", "verdict", "#questions"), rows, empty="")


def _notes(done: "Evaluation") -> list[str]:
    notes = [f"{name} failed or was late {counted(count, 'time')}" for name, count in done.failed.items()]
    if done.gone:
        notes.append(f"{counted(done.gone, 'question')} left out: the turns were deleted")
    if done.unembedded:
        notes.append(
            f"{counted(done.unembedded, 'document')} without a vector yet: run a server, and ask again"
        )
    return notes


def _cell(one: "Figure") -> str:
    return f"{one.mean:.3f} ({one.low:.2f} to {one.high:.2f})"
