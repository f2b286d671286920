"""`sagacity profiles` and `sagacity user-playbooks`: regenerate, compare, upgrade and downgrade versions."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import options
from sagacity.cli.draw import number
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.operations import Wait, announce, end, follow, went_well
from sagacity.cli.operations import draw as draw_operation
from sagacity.cli.output import Render, conclude, said, table
from sagacity.cli.search_options import moment
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.domain.views.operation import OperationView
    from sagacity.schemas.base import Reply
    from sagacity.schemas.versions import ProfileDiff, UserPlaybookDiff

Source = Annotated[str | None, typer.Option("--source", help="Only turns with this source.")]
Extractor = Annotated[
    list[str] | None,
    typer.Option("--extractor", metavar="<str>", help="Only this extractor; may be given several times."),
]
PlaybookName = Annotated[
    str | None, typer.Option("--playbook-name", "--extractor", help="Only this extractor.")
]
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


def regenerate_profiles(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    source: Source = None,
    extractor: Extractor = None,
    after: After = None,
    before: Before = None,
    newest: Newest = False,
    wait: Wait = False,
    upgrade: Upgrade = False,
) -> None:
    """
    Learn profiles again from all turns, into a pending version. The current one is used until `upgrade`.

    Example: sagacity profiles regenerate --user-id ana --wait

    Example: sagacity profiles regenerate --newest --user-id ana
    """
    _consistent(newest, {"--after": after, "--before": before, "--upgrade": upgrade}, "--newest")
    _consistent(upgrade, {"--after": after, "--before": before, "--source": source})
    since, until = moment(after, "--after"), moment(before, "--before")
    with connected(context, None) as client:
        if newest:
            started = client.manual_profile_generation(
                user_id=user_id, source=source, extractor_names=extractor, wait_for_response=False
            )
        else:
            started = client.rerun_profile_generation(
                user_id=user_id,
                source=source,
                extractor_names=extractor,
                start_time=since,
                end_time=until,
            )
        if not (wait or upgrade or newest):
            announce(context, started, started.operation_id)
            return
        then = _Then("profiles", {"--user-id": user_id, "--extractor": extractor})
        ended = follow(
            client, started.operation_id, "learning profiles", undone=then.undone if upgrade else ""
        )
        upgraded = (
            client.upgrade_profiles(user_id=user_id, extractor_names=extractor)
            if upgrade and went_well(ended)
            else None
        )
    _ended(context, ended, upgraded, then if upgrade or not newest else None, upgrade=upgrade)


def upgrade_profiles(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    profile_id: Annotated[
        list[str] | None,
        typer.Option("--profile-id", metavar="<str>", help="Only this one; may be given several times."),
    ] = None,
    extractor: Extractor = None,
    everyone: Everyone = False,
    yes: options.Yes = False,
) -> None:
    """
    Make pending profiles current. The current ones are archived until the next upgrade.

    Example: sagacity profiles upgrade --user-id ana
    """
    _confirm_everyone(context, everyone=everyone, yes=yes)
    with connected(context, "upgrading") as client:
        reply = client.upgrade_profiles(
            user_id=user_id,
            profile_ids=profile_id or None,
            extractor_names=extractor,
            only_affected_users=not everyone,
        )
    _moved(context, reply)


def downgrade_profiles(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    extractor: Extractor = None,
    everyone: Everyone = False,
    yes: options.Yes = False,
) -> None:
    """
    Undo the last upgrade. Current and archived profiles change places.

    Example: sagacity profiles downgrade --user-id ana
    """
    _confirm_everyone(context, everyone=everyone, yes=yes)
    with connected(context, "downgrading") as client:
        reply = client.downgrade_profiles(
            user_id=user_id, extractor_names=extractor, only_affected_users=not everyone
        )
    _moved(context, reply)


def diff_profiles(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    extractor: Extractor = None,
    everyone: Everyone = False,
    limit: options.Limit = 50,
) -> None:
    """
    Show what an upgrade would add, lose and change.

    Example: sagacity profiles diff --user-id ana
    """
    with connected(context, "comparing") as client:
        reply = client.get_profile_diff(
            user_id=user_id, extractor_names=extractor, only_affected_users=not everyone, limit=limit
        )
    conclude(context, reply, draw_diff(reply, limit), ok=reply.success)


def regenerate_user_playbooks(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    agent_version: options.AgentVersion = None,
    source: Source = None,
    playbook_name: PlaybookName = None,
    after: After = None,
    before: Before = None,
    newest: Newest = False,
    wait: Wait = False,
    upgrade: Upgrade = False,
) -> None:
    """
    Learn user playbooks again, into a pending version. All turns with one agent version are read.

    The agent version is `agent-v0` unless another is named. The current version is used until `upgrade`.

    Example: sagacity user-playbooks regenerate --agent-version agent-v0 --wait
    """
    _consistent(newest, {"--after": after, "--before": before, "--upgrade": upgrade}, "--newest")
    _consistent(upgrade, {"--after": after, "--before": before, "--source": source})
    since, until = moment(after, "--after"), moment(before, "--before")
    with connected(context, None) as client:
        if newest:
            started = client.manual_playbook_generation(
                user_id=user_id,
                agent_version=agent_version,
                source=source,
                playbook_name=playbook_name,
                wait_for_response=False,
            )
        else:
            started = client.rerun_playbook_generation(
                user_id=user_id,
                agent_version=agent_version,
                source=source,
                playbook_name=playbook_name,
                start_time=since,
                end_time=until,
            )
        if not (wait or upgrade or newest):
            announce(context, started, started.operation_id)
            return
        filters = {
            "--user-id": user_id,
            "--agent-version": agent_version,
            "--playbook-name": playbook_name,
        }
        then = _Then("user-playbooks", filters)
        ended = follow(
            client, started.operation_id, "learning playbooks", undone=then.undone if upgrade else ""
        )
        version = str(ended.request_params.get("agent_version", "")) or None
        upgraded = (
            client.upgrade_user_playbooks(user_id=user_id, agent_version=version, playbook_name=playbook_name)
            if upgrade and went_well(ended)
            else None
        )
    _ended(context, ended, upgraded, then if upgrade or not newest else None, upgrade=upgrade)


def upgrade_user_playbooks(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    agent_version: options.AgentVersion = None,
    playbook_name: options.PlaybookName = None,
    playbook_id: Annotated[
        list[int] | None,
        typer.Option("--playbook-id", metavar="<int>", help="Only this one; may be given several times."),
    ] = None,
    keep_current: KeepCurrent = False,
    everyone: Everyone = False,
    yes: options.Yes = False,
) -> None:
    """
    Make pending user playbooks current. The current ones are archived until the next upgrade.

    Example: sagacity user-playbooks upgrade --agent-version agent-v0
    """
    _confirm_everyone(context, everyone=everyone, yes=yes)
    with connected(context, "upgrading") as client:
        reply = client.upgrade_user_playbooks(
            user_id=user_id,
            agent_version=agent_version,
            playbook_name=playbook_name,
            user_playbook_ids=playbook_id or None,
            archive_current=not keep_current,
            only_affected_users=not everyone,
        )
    _moved(context, reply)


def downgrade_user_playbooks(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    agent_version: options.AgentVersion = None,
    playbook_name: options.PlaybookName = None,
    everyone: Everyone = False,
    yes: options.Yes = False,
) -> None:
    """
    Undo the last upgrade. Current and archived user playbooks change places.

    Example: sagacity user-playbooks downgrade --agent-version agent-v0
    """
    _confirm_everyone(context, everyone=everyone, yes=yes)
    with connected(context, "downgrading") as client:
        reply = client.downgrade_user_playbooks(
            user_id=user_id,
            agent_version=agent_version,
            playbook_name=playbook_name,
            only_affected_users=not everyone,
        )
    _moved(context, reply)


def diff_user_playbooks(
    context: typer.Context,
    *,
    user_id: options.AnyUserId = None,
    agent_version: options.AgentVersion = None,
    playbook_name: options.PlaybookName = None,
    everyone: Everyone = False,
    limit: options.Limit = 50,
) -> None:
    """
    Show what an upgrade would add, lose and change.

    Example: sagacity user-playbooks diff --user-id ana
    """
    with connected(context, "comparing") as client:
        reply = client.get_user_playbook_diff(
            user_id=user_id,
            agent_version=agent_version,
            playbook_name=playbook_name,
            only_affected_users=not everyone,
            limit=limit,
        )
    conclude(context, reply, draw_diff(reply, limit), ok=reply.success)


def _consistent(chosen: bool, others: Mapping[str, object], option: str = "--upgrade") -> None:  # noqa: FBT001
    """Refuse options that do not go with *option*: an upgrade swaps all of a user, so all must be learned again."""
    given = [name for name, value in others.items() if value]
    if chosen and given:
        raise InvalidInput(f"{option} cannot be combined with {', '.join(given)}")


def _confirm_everyone(context: typer.Context, *, everyone: bool, yes: bool) -> None:
    if everyone:
        confirm(context, "Include users without anything to swap in? They lose all that is current.", yes=yes)


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


def _moved(context: typer.Context, reply: "Reply") -> None:
    conclude(context, reply, said(reply.message or "done"), ok=reply.success)


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
