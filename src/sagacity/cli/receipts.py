"""`sagacity receipt`: what became of a publish."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, conclude, facts, plain, table
from sagacity.cli.progress import Advance, advancing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sagacity.client import Sagacity
    from sagacity.schemas.receipts import Receipt

_DONE = frozenset({"learned", "parked"})


def receipt(
    context: typer.Context,
    request_id: Annotated[str, typer.Argument(help="What `publish` answered.")],
    *,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it was learned from.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", min=0, help="Seconds to wait at most.")] = 300,
) -> None:
    """
    Show what became of a publish.

    Says whether it is stored, findable and learned from, and what it taught.

    Example: sagacity receipt 0199c2e4-… --wait
    """
    with connected(context, None if wait else "reading the receipt") as client:
        if wait:
            wait_for(client, [request_id], timeout_seconds=timeout)
        found = client.get_receipt(request_id)
    conclude(context, found, draw(found), ok=went_well(found) or not wait)


def wait_for(
    client: "Sagacity", request_ids: list[str], *, timeout_seconds: float, text: str = "learning"
) -> "list[Receipt]":
    """Wait until publishes are learned from, with a bar that counts learners' steps."""
    receipts: dict[str, Receipt] = {}
    with advancing(text) as advance:
        for request_id in request_ids:

            def note(latest: "Receipt") -> None:
                receipts[latest.request_id] = latest
                _tell(advance, list(receipts.values()), len(request_ids))

            client.wait_for_receipt(request_id, timeout_seconds=timeout_seconds, progress=note)
    return [receipts[request_id] for request_id in request_ids]


def draw(found: "Receipt") -> Render:
    """Draw a receipt: where it stands, each learner, and what was learned."""
    vector = found.indexed.vector
    head = facts(
        {
            "request": found.request_id,
            "user": found.user_id,
            "state": found.state,
            "turns": found.interactions,
            "indexed": f"{vector.done} of {found.interactions}"
            + (f" ({vector.error})" if vector.error else ""),
        }
    )
    learners = table(
        ("learner", "state", "outcome", "error", "#next try"),
        [
            (step.learner, step.state, step.outcome, step.error, step.next_try_at or "")
            for step in found.learners
        ],
        empty="nothing learns from it",
    )
    memories = table(
        ("kind", "learned"),
        [(memory.kind, memory.content) for memory in found.memories],
        empty="nothing learned yet"
        if any(step.state not in _DONE for step in found.learners)
        else "nothing learned",
    )

    def render(console: Console) -> None:
        head(console)
        for part in (learners, memories):
            console.print(plain(""))
            part(console)
        for warning in (*found.warnings, *_trouble(found)):
            console.print(plain(f"\n{warning}", "yellow"))

    return render


def went_well(found: "Receipt") -> bool:
    """Whether nothing that learns from it failed."""
    return found.state != "failed"


def _trouble(found: "Receipt") -> "Iterator[str]":
    """Yield what became of failures: tried again by itself, or given up until somebody asks for it."""
    if names := ", ".join(step.learner for step in found.learners if step.state == "failed"):
        yield f"failed, and tried again by itself: {names}"
    if names := ", ".join(step.learner for step in found.learners if step.state == "parked"):
        listed = shlex.join(["sagacity", "dead-letters", "list", "--user-id", found.user_id])
        yield f"given up: {names}; see the error with `{listed}`, mend it, then `sagacity dead-letters replay`"


def _tell(advance: Advance, receipts: "list[Receipt]", expected: int) -> None:
    steps = [step for one in receipts for step in one.learners]
    per_receipt = max((len(one.learners) for one in receipts), default=0)
    done = sum(step.state in _DONE for step in steps)
    advance(done, max(per_receipt * expected, done, 1))
