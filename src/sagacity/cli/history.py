"""`sagacity history` and `sagacity undo-merge`: the history of a memory, and undoing a merge."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from sagacity.cli.draw import moment
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, facts, plain, show
from sagacity.domain.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sagacity.domain.views.memory import MemoryView
    from sagacity.schemas.history import HistoryEvent, MemoryHistory, UndoneMerge

MemoryId = Annotated[
    str, typer.Argument(help="A profile's id, any memory's uid or number, or its citation, such as p:2.")
]
Kind = Annotated[
    Literal["profile", "semantic", "episodic", "user_playbook", "agent_playbook", "skill"] | None,
    typer.Option("--kind", help="Kind of the memory, if the id is ambiguous."),
]
_TEXT_CHARACTERS = 300
_TURNS_NAMED = 8


def history(
    context: typer.Context,
    memory_id: MemoryId,
    *,
    kind: Kind = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most results.")] = 100,
) -> None:
    """
    Show the history of a memory.

    Who changed it, when, why and from which turns; what it replaced; and what replaced it.

    Example: sagacity history 0199c2e4-…
    """
    with connected(context, "reading the history") as client:
        found = client.get_memory_history(memory_id, kind=kind, limit=limit)
    show(context, found, draw(found))


def undo_merge(context: typer.Context, memory_id: MemoryId, *, kind: Kind = None) -> None:
    """
    Undo one merge.

    The merged parts become current again, and what was newly learned at the merge becomes a separate memory.

    Example: sagacity undo-merge 0199c2e4-…
    """
    with connected(context, "undoing the merge") as client:
        done = client.undo_merge(memory_id, kind=kind)
    show(context, done, _lines(_undone(done)))


def draw(found: "MemoryHistory") -> Render:
    """Draw a memory's timeline: what it is, what happened to it, what was before it, and who said so."""
    memory = found.memory
    origin = memory.provenance
    head = facts(
        {
            memory.kind: _text(memory),
            "id": f"{memory.uid} (number {memory.memory_id})",
            "user": memory.user_id or "(all)",
            "status": memory.status or "current",
            "learned by": "" if origin is None else " ".join(
                filter(None, (origin.learner, origin.method, origin.model, origin.prompt_version))
            ),
        }
    )  # fmt: skip

    def render(console: Console) -> None:
        head(console)
        _lines(_timeline(found))(console)

    return render


def _timeline(found: "MemoryHistory") -> "Iterable[Text]":
    older = found.event_count - len(found.events)
    yield _heading("what happened" + (f" (and {counted(older, 'event')} before)" if older else ""))
    for event in found.events:
        who = event.actor or "(not recorded)"
        yield plain(
            f"{moment(event.at)}  {event.action}  by {who}" + (f": {event.reason}" if event.reason else "")
        )
        yield from (plain(f"    {line}", "dim") for line in _details(event))
    if found.predecessors:
        yield _heading("what it replaced")
        yield from _memories(found.predecessors)
        if found.has_more_predecessors:
            yield plain("  … and more before these", "dim")
    if found.successor is not None:
        yield _heading("what replaced it")
        yield from _memories([found.successor])
    yield _heading("what it rests on")
    for turn in found.sources:
        yield plain(
            f"  {moment(turn.created_at)}  {turn.role}: {_cut(turn.content)}  [turn {turn.interaction_id}]"
        )
    unseen = found.source_count - len(found.sources) - found.deleted_source_count
    if found.deleted_source_count:
        yield plain(f"  {counted(found.deleted_source_count, 'turn')}, deleted since", "dim")
    if unseen:
        yield plain(f"  {counted(unseen, 'older turn')}", "dim")
    if not found.source_count:
        yield plain(f"  {_without_turns(found)}", "dim")


def _without_turns(found: "MemoryHistory") -> str:
    """Return what a memory rests on that names no turns: others' playbooks, or nobody's word but its writer's."""
    origin = found.memory.provenance
    if origin is None or origin.method in {"", "direct"}:
        return "no turns: it was written directly"
    made = next((event.reason for event in found.events if event.action == "added"), "")
    return (
        f"no turns of its own: {made}" if made else f"no turns of its own: {origin.learner} made it of others"
    )


def _details(event: "HistoryEvent") -> "Iterable[str]":
    if event.interaction_ids:
        yield f"from {_turns(event.interaction_ids)}" + (
            f" of request {event.request_id}" if event.request_id else ""
        )
    before, after = event.before, event.after
    if before is not None and after is not None and _text(before) != _text(after):
        yield f"{'proposed' if event.action == 'added' else 'was'}: {_text(before)}"
        yield f"is:  {_text(after)}"
    if before is not None and after is not None and before.approval != after.approval:
        yield f"approval: {before.approval} → {after.approval}"
    if after is not None and after.superseded_by is not None:
        yield f"in favour of memory {after.superseded_by}"


def _undone(done: "UndoneMerge") -> "Iterable[Text]":
    yield plain(done.message or "undone")
    yield from _memories(done.restored)
    if done.separated is not None:
        yield plain("apart from it stands")
        yield from _memories([done.separated])
    yield plain("archived is" if done.memory.status == "archived" else "beside it stays")
    yield from _memories([done.memory])


def _memories(found: "Sequence[MemoryView]") -> "Iterable[Text]":
    for memory in found:
        turns = memory.source_interaction_ids
        yield plain(f"  {_text(memory)}  [{memory.uid}" + (f"; {_turns(turns)}]" if turns else "]"))


def _turns(numbers: "Sequence[int]") -> str:
    """Return which turns are meant: a few by number, of many the first and how many more."""
    named = ", ".join(str(number) for number in numbers[:_TURNS_NAMED])
    more = len(numbers) - _TURNS_NAMED
    return f"{'turn' if len(numbers) == 1 else 'turns'} {named}" + (f" and {more} more" if more > 0 else "")


def _text(memory: "MemoryView") -> str:
    return _cut(": ".join(part for part in (memory.trigger, memory.content) if part))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_CHARACTERS else line[: _TEXT_CHARACTERS - 1] + "…"


def _heading(text: str) -> Text:
    return plain(f"\n{text}", "bold")


def _lines(lines: "Iterable[Text]") -> Render:
    def render(console: Console) -> None:
        for line in lines:
            console.print(line)

    return render
