"""The versions of a kind of memory: regenerate, compare, upgrade and downgrade them."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import number
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.nouns import YES, Given, Noun, Option, called
from sagacity.cli.operations import Wait, announce, end, follow, went_well
from sagacity.cli.operations import draw as draw_operation
from sagacity.cli.output import Render, conclude, said, table
from sagacity.cli.search_options import moment
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.domain.views.operation import OperationView
    from sagacity.schemas.base import Reply
    from sagacity.schemas.versions import ProfileDiff, UserPlaybookDiff

Source = Annotated[str | None, typer.Option("--source", help="Only turns with this source.")]
After = Annotated[str | None, typer.Option("--after", help="Only turns since this time: 2026-05-01.")]
Before = Annotated[str | None, typer.Option("--before", help="Only turns until this time.")]
Newest = Annotated[
    bool, typer.Option("--newest", help="Only the newest turns, directly into the current version.")
]
Upgrade = Annotated[bool, typer.Option("--upgrade", help="Wait, and upgrade if every user succeeded.")]
Everyone = Annotated[
    bool,
    typer.Option(
        "--everyone", help="Include users without anything to swap in: they lose all that is current."
    ),
]
KeepCurrent = Annotated[
    bool, typer.Option("--keep-current", help="Archive nothing: add what is pending to what is current.")
]
_RUN = {
    "source": Option(Source, None),
    "after": Option(After, None),
    "before": Option(Before, None),
    "newest": Option(Newest, False),
    "wait": Option(Wait, False),
    "upgrade": Option(Upgrade, False),
}
_EVERYONE = Option(Everyone, False)


@dataclass(frozen=True)
class Versions:
    """The versions of one kind of memory, to whose noun the methods add commands."""

    noun: Noun
    filters: Mapping[str, Option]
    """What every command can be limited to."""
    upgrade_call: str
    """What makes pending ones current."""

    def regenerates(self, rerun: str, newest: str, text: str, example: str) -> None:
        """
        Add `regenerate`.

        Args:
            rerun: the call that reads all turns into a pending version.
            newest: the call that reads the newest turns into the current one.
            text: what the command does.
            example: what is typed after it; each line is one example.
        """

        def act(context: typer.Context, given: Given) -> None:
            upgrade = given["upgrade"]
            directly = given["newest"]
            times = {"--after": given["after"], "--before": given["before"]}
            _consistent(directly, {**times, "--upgrade": upgrade}, "--newest")
            _consistent(upgrade, {**times, "--source": given["source"]}, "--upgrade")
            filters = self._filters(given)
            turns = {**filters, "source": given["source"]}
            since, until = (moment(value, option) for option, value in times.items())
            with connected(context, None) as client:
                if directly:
                    started = called(client, newest, {**turns, "wait_for_response": False})
                else:
                    started = called(client, rerun, {**turns, "start_time": since, "end_time": until})
                if not (given["wait"] or upgrade or directly):
                    announce(context, started, started.operation_id)
                    return
                typed = {
                    one.opts[0]: filters[one.name] for one in context.command.params if one.name in filters
                }
                then = _Then(self.noun.command, typed)
                undone = then.undone if upgrade else ""
                ended = follow(client, started.operation_id, f"learning {self.noun.name}s", undone=undone)
                upgraded = self._upgraded(client, filters, ended) if upgrade and went_well(ended) else None
            _ended(context, ended, upgraded, then if upgrade or not directly else None, upgrade=upgrade)

        self.noun.adds_command("regenerate", text, example, {**self.filters, **_RUN}, act)

    def upgrades(self, example: str, ids: Option, *, can_keep_current: bool = False) -> None:
        """Add `upgrade`, which takes *ids* to upgrade some alone; with *can_keep_current* it need not archive."""
        some = f"{self.noun.id_name}s"
        keep = {"keep_current": Option(KeepCurrent, False)} if can_keep_current else {}

        def act(context: typer.Context, given: Given) -> None:
            archive = {"archive_current": not given["keep_current"]} if can_keep_current else {}
            self._swap(context, "upgrading", self.upgrade_call, given, {some: given[some] or None, **archive})

        text = (
            f"Make pending {self.noun.name}s current. The current ones are archived until the next upgrade."
        )
        own = {**self.filters, some: ids, **keep, "everyone": _EVERYONE, "yes": YES}
        self.noun.adds_command("upgrade", text, example, own, act)

    def downgrades(self, call: str, example: str) -> None:
        """Add `downgrade`."""

        def act(context: typer.Context, given: Given) -> None:
            self._swap(context, "downgrading", call, given, {})

        text = f"Undo the last upgrade. Current and archived {self.noun.name}s change places."
        own = {**self.filters, "everyone": _EVERYONE, "yes": YES}
        self.noun.adds_command("downgrade", text, example, own, act)

    def compares(self, call: str, example: str) -> None:
        """Add `diff`."""

        def act(context: typer.Context, given: Given) -> None:
            limit = given["limit"]
            with connected(context, "comparing") as client:
                reply = called(client, call, {**self._affected(given), "limit": limit})
            conclude(context, reply, draw_diff(reply, limit), ok=reply.success)

        own = {**self.filters, "everyone": _EVERYONE, "limit": Option(options.Limit, 50)}
        self.noun.adds_command("diff", "Show what an upgrade would add, lose and change.", example, own, act)

    def _filters(self, given: Given) -> Given:
        return {name: given[name] for name in self.filters}

    def _affected(self, given: Given) -> Given:
        return {**self._filters(given), "only_affected_users": not given["everyone"]}

    def _swap(self, context: typer.Context, doing: str, call: str, given: Given, own: Given) -> None:
        if given["everyone"]:
            question = "Include users without anything to swap in? They lose all that is current."
            confirm(context, question, yes=given["yes"])
        with connected(context, doing) as client:
            reply = called(client, call, {**self._affected(given), **own})
        conclude(context, reply, said(reply.message or "done"), ok=reply.success)

    def _upgraded(self, client: "Sagacity", filters: Given, ended: "OperationView") -> "Reply":
        """Upgrade what a run learned; where it is of one agent version, the server may have chosen which."""
        read = ended.request_params.get("agent_version")
        version = {"agent_version": read} if "agent_version" in self.filters and read else {}
        return called(client, self.upgrade_call, {**filters, **version})


def _consistent(chosen: bool, others: Mapping[str, object], option: str) -> None:  # noqa: FBT001
    """Refuse options that do not go with *option*: an upgrade swaps all of a user, so all must be learned again."""
    given = [name for name, value in others.items() if value]
    if chosen and given:
        raise InvalidInput(f"{option} cannot be combined with {', '.join(given)}")


@dataclass(frozen=True)
class _Then:
    """What to do after learning again: commands with the filters that were given."""

    noun: str
    filters: "Mapping[str, str | Sequence[str] | None]"

    @property
    def undone(self) -> str:
        """What is said where an upgrade was asked for and does not happen."""
        return f"not upgraded; when everything is learned: {self._typed('upgrade')}"

    @property
    def pending(self) -> str:
        """What is said where it waits for its upgrade."""
        return f"compare: {self._typed('diff')}\nupgrade: {self._typed('upgrade')}"

    def _typed(self, verb: str) -> str:
        given = [
            (name, one)
            for name, value in self.filters.items()
            for one in ([value] if isinstance(value, str) else value or ())
        ]
        return shlex.join(["sagacity", self.noun, verb, *(word for pair in given for word in pair)])


def _ended(
    context: typer.Context,
    ended: "OperationView",
    upgraded: "Reply | None",
    then: _Then | None,
    *,
    upgrade: bool,
) -> None:
    """Show how a run ended and, after an upgrade, how many moved; if not, what to do *then*."""
    if upgraded is None:
        pending = then.pending if then and went_well(ended) and ended.stats.total_generated else ""
        end(context, ended, then=then.undone if then and upgrade else pending)
        return
    draws = (draw_operation(ended), said(upgraded.message or "upgraded"))
    operation = ended.model_dump(mode="json", exclude_none=True)
    conclude(context, upgraded, _all(draws), ok=upgraded.success, operation=operation)


def draw_diff(reply: "ProfileDiff | UserPlaybookDiff", limit: int) -> Render:
    """Draw what an upgrade would change, in *limit* rows at most."""
    if not reply.success:
        return said(reply.msg or "nothing is pending")
    rows = [
        *(
            ("changed", one.after.user_id, one.before.content, one.after.content, number(one.similarity))
            for one in reply.changed
        ),
        *(("added", one.user_id, "", one.content, "") for one in reply.added),
        *_lost(reply),
    ][:limit]
    whole = reply.changed_count + reply.added_count + reply.lost_count
    covered = f" ({reply.covered_count} of them covered by another)" if reply.covered_count else ""
    counts = (
        f"{reply.changed_count} changed, {reply.added_count} added, {reply.lost_count} lost{covered}, "
        f"{reply.unchanged_count} unchanged"
    )
    if len(rows) < whole:
        counts += f"; {len(rows)} of {whole} shown, see --limit"
    columns = ("what", "user", "now", "after an upgrade", "#similarity")
    return _all((said(counts), table(columns, rows, empty="nothing would change")))


def _lost(reply: "ProfileDiff | UserPlaybookDiff") -> Iterator[tuple[str, str | None, str, str, str]]:
    """Yield the rows of what is lost; beside it what says the same after an upgrade, if something does."""
    said_by = {
        (pair.before.user_id, pair.before.content): (pair.after.content, number(pair.similarity))
        for pair in reply.covered
    }
    for one in reply.lost:
        other, similarity = said_by.get((one.user_id, one.content), ("", ""))
        yield "covered by" if other else "lost", one.user_id, one.content, other, similarity


def _all(parts: Sequence[Render]) -> Render:
    def render(console: Console) -> None:
        for part in parts:
            part(console)

    return render
