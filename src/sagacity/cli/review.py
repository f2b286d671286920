"""`sagacity review`: memories to look at, one by one or as a list."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sagacity.cli import options
from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected, of
from sagacity.cli.output import Render, facts, plain, said, show, stdout, table
from sagacity.cli.progress import working
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput, SagacityError
from sagacity.domain.memory import MemoryKind
from sagacity.domain.review_queue import ReviewSignal

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.schemas.review_queue import (
        MemoryReviewCandidate,
        RelatedMemoryView,
        ReviewActionView,
        ReviewedMemory,
    )

Kind = Literal["profile", "semantic", "episodic", "user_playbook", "agent_playbook", "skill"]
Step = Literal["keep", "archive", "supersede", "merge"]
AllUsers = Annotated[bool, typer.Option("--all-users", help="Memories of all users.")]
OneKind = Annotated[Kind, typer.Option("--kind", help="Kind of the memory.")]
KeepDays = Annotated[
    int, typer.Option("--keep-days", min=1, max=3650, help="For how many days `keep` leaves it out.")
]
_KEYS = "k keep · a archive · s supersede · m merge · u undo the last · Enter next · q quit"
_STEPS: dict[str, Step] = {"k": "keep", "a": "archive", "s": "supersede", "m": "merge"}


def review(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    all_users: AllUsers = False,
    days_back: Annotated[
        int, typer.Option("--days-back", min=1, max=36_500, help="Count uses over so many days.")
    ] = 30,
    signal: Annotated[
        list[ReviewSignal] | None, typer.Option("--signal", help="Only with this signal; may be repeated.")
    ] = None,
    kind: Annotated[
        list[MemoryKind] | None,
        typer.Option("--kind", help="Kind of memory; may be repeated. Default: user_playbook."),
    ] = None,
    limit: options.Limit = 100,
    keep_days: KeepDays = 90,
    walk: Annotated[
        bool | None,
        typer.Option("--walk/--list", help="Decide one by one, or list. Default: walk in a terminal."),
    ] = None,
) -> None:
    """
    Review memories that may not be worth keeping.

    They may be outdated, repeated, replaced, or not worth their cost. In a terminal you decide on one after the other:
    keep, archive, supersede or merge; u undoes the last decision.
    Nothing is archived automatically.

    Example: sagacity review --user-id ana
    """
    flags = of(context)
    is_quiet = flags.as_json or flags.field is not None
    is_walked = not is_quiet and (sys.stdin.isatty() and sys.stdout.isatty() if walk is None else walk)
    with connected(context, None) as client:
        with working("looking for memories to review"):
            reply = client.get_memory_review(
                user_id=user_id,
                include_all_users=all_users,
                days_back=days_back,
                signal_filter=signal or None,
                kinds=kind or None,
                limit=limit,
            )
        if not is_walked:
            show(context, reply.candidates, _candidates(reply.candidates), has_more=reply.has_more)
            return
        console = stdout(is_wide=flags.is_wide)
        walking = _Walk(client, lambda text: console.print(plain(text)), lambda one: one(console), keep_days)
        walking.through(reply.candidates)


def review_memory(
    context: typer.Context,
    memory_id: Annotated[str, typer.Argument(help="The memory's id, as `sagacity review` shows it.")],
    action: Annotated[
        Literal["keep", "archive", "supersede", "merge", "undo"],
        typer.Argument(help="What to do; `undo` takes the last action on it back."),
    ],
    *,
    kind: OneKind = "user_playbook",
    other_id: Annotated[
        str | None, typer.Option("--other-id", help="What supersedes it, or what it is merged into.")
    ] = None,
    other_kind: Annotated[
        Kind | None, typer.Option("--other-kind", help="Kind of the other; default: the same.")
    ] = None,
    content: Annotated[
        str | None, typer.Option("--content", help="What the other says after a merge.")
    ] = None,
    keep_days: KeepDays = 90,
    reason: Annotated[str, typer.Option("--reason", help="Why; it goes into the history.")] = "",
) -> None:
    """
    Decide on one memory of the review, or undo that.

    Decisions are: keep, archive, supersede and merge.

    Example: sagacity review-memory 7 merge --other-id 9
    """
    with connected(context, "writing") as client:
        if action == "undo":
            done = client.undo_memory_review(entity_id=memory_id, entity_type=kind)
        else:
            done = client.review_memory(
                memory_id,
                action,
                entity_type=kind,
                other_id=other_id,
                other_type=other_kind,
                content=content,
                keep_days=keep_days,
                reason=reason,
            )
    show(context, done, said(done.message or "done"))


def review_log(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    all_users: AllUsers = False,
    limit: options.Limit = 20,
) -> None:
    """
    List what was decided in reviews, newest first.

    Each with who decided, when, and whether it was undone.

    Example: sagacity review-log --user-id ana
    """
    with connected(context, "reading the log") as client:
        reply = client.get_memory_review_actions(user_id=user_id, include_all_users=all_users, limit=limit)
    show(context, reply.actions, _actions(reply.actions))


@dataclass
class _Walk:
    """One walk through the queue."""

    client: "Sagacity"
    write: Callable[[str], None]
    draw: Callable[[Render], None]
    keep_days: int
    done: "list[ReviewedMemory]" = field(default_factory=list)
    """What was decided and not undone, the last one at the end."""

    def through(self, candidates: "Sequence[MemoryReviewCandidate]") -> None:
        """Show one after the other and do what is typed, until there are no more."""
        lines = _lines()
        for place, one in enumerate(candidates, start=1):
            self.write(f"\n{place} of {len(candidates)}")
            self.draw(_whole(one))
            if not self._decides(one, lines):
                break
        left = len(candidates) - len(self.done)
        self.write(f"\n{counted(len(self.done), 'decision')}; {counted(left, 'memory')} left as before")

    def _decides(self, one: "MemoryReviewCandidate", lines: Iterator[str]) -> bool:
        """Do what is typed until one candidate is dealt with; returns whether to go on."""
        self.write(_KEYS)
        for line in lines:
            key, _, rest = line.partition(" ")
            try:
                match key:
                    case "":
                        return True
                    case "q":
                        return False
                    case "u":
                        self._undo()
                    case _ if key in _STEPS:
                        self._act(one, _STEPS[key], rest.strip())
                        return True
                    case _:
                        self.write(_KEYS)
            except SagacityError as error:
                self.write(str(error))
        return False

    def _act(self, one: "MemoryReviewCandidate", step: Step, other: str) -> None:
        named = _other(one, step, other) if step in {"supersede", "merge"} else (None, None)
        done = self.client.review_memory(
            one.entity_id,
            step,
            entity_type=one.entity_type,
            other_id=named[0],
            other_type=named[1],
            keep_days=self.keep_days,
        )
        self.done.append(done)
        self.write(done.message or "done")

    def _undo(self) -> None:
        if not self.done:
            raise InvalidInput("there is nothing to undo")
        undone = self.client.undo_memory_review(action_id=self.done[-1].action.action_id)
        self.done.pop()
        self.write(undone.message or "undone")


def _other(one: "MemoryReviewCandidate", step: Step, given: str) -> tuple[str, Kind | None]:
    """
    Return the memory that takes the place of a candidate: the one that is named, or the nearest that is shown.

    Raises:
        InvalidInput: none is named, and none is shown that fits.
    """
    known = {related.entity_id: related for related in one.related}
    if given:
        return given, known[given].entity_type.value if given in known else None
    wanted = "duplicate" if step == "merge" else "supersedeable"
    fitting = sorted(one.related, key=lambda related: related.signal != wanted)
    fitting = [related for related in fitting if step == "supersede" or related.signal == wanted]
    if not fitting:
        raise InvalidInput(f"name the memory that takes its place: {step[0]} ID")
    return fitting[0].entity_id, fitting[0].entity_type.value


def _lines() -> Iterator[str]:
    while line := sys.stdin.readline():
        yield line.strip()


def _whole(one: "MemoryReviewCandidate") -> Render:
    """Draw a candidate with all that a decision needs."""
    used = f"surfaced {counted(one.injection_count, 'time')}, cited {counted(one.citation_count, 'time')}"
    shown: dict[str, object] = {
        f"{one.entity_type.replace('_', ' ')} {one.entity_id}": ", ".join(one.signals)
        + f" (score {one.score})",
        "user": one.user_id or "(all)",
    }
    if one.trigger:
        shown["when"] = one.trigger
    shown["content"] = one.content
    shown["used"] = used
    if one.effect is not None and one.effect.success is not None:
        shown["success"] = (
            f"{one.effect.success.shown:.0%} of {counted(one.effect.judged_shown, 'session')} with it, "
            f"{one.effect.success.held_out:.0%} of {one.effect.judged_held_out:,} without"
        )
    shown["changed"] = moment(one.last_modified_at)
    for related in one.related:
        shown[f"{_sign(related)} {related.entity_id}"] = related.content
    return facts(shown)


def _sign(related: "RelatedMemoryView") -> str:
    if related.similarity is None:
        return f"instead: {related.entity_type.replace('_', ' ')}"
    return f"{related.similarity:.0%} alike:"


def _candidates(found: "Iterable[MemoryReviewCandidate]") -> Render:
    rows = [
        (
            one.score,
            ", ".join(one.signals),
            one.content,
            one.user_id or "",
            f"{one.injection_count}/{one.citation_count}",
            ", ".join(related.entity_id for related in one.related),
            one.entity_type,
            one.entity_id,
        )
        for one in found
    ]
    columns = ("#score", "why", "content", "~user", "#used/cited", "+#see", "~kind", "#id")
    return table(columns, rows, empty="nothing to review")


def _actions(found: "Iterable[ReviewActionView]") -> Render:
    rows = [
        (
            moment(one.at),
            one.action,
            f"{one.entity_type.replace('_', ' ')} {one.memory_id}",
            "" if one.other_memory_id is None else one.other_memory_id,
            one.actor,
            one.reason,
            "" if one.undone_at is None else f"{moment(one.undone_at)} by {one.undone_by}",
            one.action_id,
        )
        for one in found
    ]
    columns = ("#when", "what", "memory", "#other", "by", "why", "undone", "#id")
    return table(columns, rows, empty="nothing was reviewed")
