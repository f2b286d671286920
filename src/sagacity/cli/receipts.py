"""`sagacity receipt`: the state of a publish."""

import shlex
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, conclude, facts, plain, table
from sagacity.cli.progress import Tell, detailing, stderr
from sagacity.cli.timeouts import PATIENCE_SECONDS, patiently
from sagacity.domain.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from sagacity.client import Sagacity
    from sagacity.domain.extraction import EntryCounts
    from sagacity.domain.views.receipt import Receipt

_DONE = frozenset({"learned", "parked"})


def receipt(
    context: typer.Context,
    request_id: Annotated[str, typer.Argument(help="The request id that `publish` returned.")],
    *,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until learning has ended.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", min=0, help="Longest wait in seconds.")] = 300,
) -> None:
    """
    Show what became of a publish. Whether it is stored, searchable and learned from, and what was learned.

    Example: sagacity receipt 0199c2e4-… --wait
    """
    with connected(context, None if wait else "reading the receipt") as client:
        if wait:
            wait_for(client, [request_id], timeout_seconds=timeout)
        found = client.get_receipt(request_id)
    conclude(context, found, draw(found), ok=went_well(found) or not wait)


def wait_for(
    client: "Sagacity",
    request_ids: list[str],
    *,
    timeout_seconds: float,
    patience_seconds: float = PATIENCE_SECONDS,
) -> "list[Receipt]":
    """
    Wait until publishes are learned from, with a bar; who waits no longer is told that nothing is lost.

    Args:
        client: of the server where they are.
        request_ids: which.
        timeout_seconds: how long to wait for each at most.
        patience_seconds: how long to look for a server that is gone, before that is an error.
    """
    receipts: dict[str, Receipt] = {}
    with detailing("learning") as tell:
        for request_id in request_ids:
            deadline = time.monotonic() + timeout_seconds

            def wait(heard: "Callable[[], None]") -> "Receipt":
                def note(latest: "Receipt") -> None:
                    heard()
                    receipts[latest.request_id] = latest
                    _tell(tell, list(receipts.values()), latest.warnings, len(request_ids))

                left = round(max(deadline - time.monotonic(), 0), 1)  # noqa: B023  called in this round only
                return client.wait_for_receipt(request_id, timeout_seconds=left, on_progress=note)  # noqa: B023

            with _left_alone(request_id):
                patiently(wait, patience_seconds=patience_seconds)
    return [receipts[request_id] for request_id in request_ids]


@contextmanager
def _left_alone(request_id: str) -> "Generator[None]":
    from sagacity.client.errors import Unreachable, WaitedTooLong  # noqa: PLC0415  they load the HTTP stack

    try:
        yield
    except (KeyboardInterrupt, Unreachable, StorageError, WaitedTooLong):
        console = stderr()
        console.print(plain("what was published stays stored, and is learned from without you"))
        again = shlex.join(["sagacity", "receipt", request_id, "--wait"])
        console.print(plain(f"look again with: {again}", "dim"))
        raise


def draw(found: "Receipt") -> Render:
    """Draw a receipt: where it stands, what was learned, and by which learner or why not."""
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
        ("learner", "state", "outcome", "why", "noted", "#next try"),
        [
            (
                _called(step.learner),
                step.state,
                step.outcome,
                step.error or step.reason,
                _entries(step.entries),
                f"{step.next_try_at:%Y-%m-%d %H:%M:%S}" if step.next_try_at else "",
            )
            for step in found.learners
        ],
        empty="nothing learns from it",
    )
    is_done = all(step.state in _DONE for step in found.learners)
    learned = table(
        ("kind", "learned", "note"),
        [
            (memory.kind, memory.content, "waits to be confirmed" if memory.unconfirmed else "")
            for memory in found.memories
        ],
        empty="nothing learned" if is_done else "nothing learned yet",
    )
    archived = table(
        ("kind", "archived"), [(memory.kind, memory.content) for memory in found.archived], empty=""
    )
    changed = [part for part, shown in ((learned, found.memories), (archived, found.archived)) if shown]

    def render(console: Console) -> None:
        head(console)
        for part in (*(changed or [learned]), learners):
            console.print(plain(""))
            part(console)
        for warning in (*found.warnings, *_trouble(found)):
            console.print(plain(f"\n{warning}", "yellow"))

    return render


def _called(learner: str) -> str:
    """Name a learner by its kind, unless somebody configured it under a name of its own."""
    kind, _, extractor = learner.partition(":")
    return kind if extractor.startswith("default_") else learner


def _entries(counts: "EntryCounts | None") -> str:
    """Write what became of proposed entries: `2 of 4, 1 merged, 1 dropped (outdated)`."""
    if counts is None:
        return ""
    reasons = ", ".join(f"{count} {why}" if count > 1 else str(why) for why, count in counts.reasons.items())
    parts = (
        f"{counts.kept} of {counts.proposed}",
        f"{counts.merged} merged" if counts.merged else "",
        f"{counts.dropped} dropped ({reasons.replace('_', ' ')})" if counts.dropped else "",
    )
    return ", ".join(filter(None, parts))


def went_well(found: "Receipt") -> bool:
    """Whether nothing that learns from it failed."""
    return found.state != "failed"


def _trouble(found: "Receipt") -> "Iterator[str]":
    """Yield what became of failures: tried again by itself, or given up until somebody asks for it."""
    if names := ", ".join(step.learner for step in found.learners if step.state == "failed"):
        yield f"failed, and tried again by itself: {names}"
    if names := ", ".join(step.learner for step in found.learners if step.state == "parked"):
        listed = shlex.join(["sagacity", "dead-letters", "list", "--user-id", found.user_id])
        yield f"given up: {names}; see the error with `{listed}`, fix it, then `sagacity dead-letters replay`"


def _tell(tell: Tell, receipts: "list[Receipt]", warnings: "Sequence[str]", expected: int) -> None:
    steps = [step for one in receipts for step in one.learners]
    per_receipt = max((len(one.learners) for one in receipts), default=0)
    done = sum(step.state in _DONE for step in steps)
    tell(done, max(per_receipt * expected, done, 1), "; ".join(warnings))
