"""The program `sagacity`: its command tree, its global flags, its exit codes."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from sagacity.cli import (
    accounts,
    agent_playbooks,
    analytics,
    config,
    conversations,
    dead_letters,
    entities,
    evaluations,
    interactions,
    memories,
    operations,
    profile,
    profiles,
    prompts,
    skills,
    tokens,
    user_playbooks,
    users,
    versions,
)
from sagacity.cli.backup import backup, restore
from sagacity.cli.chat import chat
from sagacity.cli.context import context_
from sagacity.cli.demo.command import demo
from sagacity.cli.doctor import doctor
from sagacity.cli.history import history, undo_merge
from sagacity.cli.invocation import Invocation
from sagacity.cli.ledger import ledger
from sagacity.cli.migrate import migrate
from sagacity.cli.migrate_data import migrate_data
from sagacity.cli.output import GENERAL, OK, report
from sagacity.cli.publish import publish
from sagacity.cli.receipts import receipt
from sagacity.cli.reindex import reindex
from sagacity.cli.review import review, review_log, review_memory
from sagacity.cli.search import search
from sagacity.cli.serve import serve
from sagacity.cli.usage import usage
from sagacity.cli.verify_erasure import verify_erasure
from sagacity.cli.worker import worker
from sagacity.domain.errors import SagacityError

_ANYWHERE = frozenset({"--json", "--wide", "--allow-insecure"})
_ANYWHERE_WITH_VALUE = frozenset({"--field", "--server-url", "--api-key"})
_INTERRUPTED = 130

app = typer.Typer(
    name="sagacity",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(wanted: bool) -> None:  # noqa: FBT001  Typer passes it so
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  it loads slowly, and `--help` should not

        typer.echo(version("sagacity"))
        raise typer.Exit(OK)


@app.callback()
def flags(
    context: typer.Context,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    is_wide: Annotated[
        bool,
        typer.Option("--wide", help="Show all columns of a table, with ids, however narrow the terminal."),
    ] = False,
    field: Annotated[
        str | None,
        typer.Option(
            "--field", help="Print only this field of the JSON, a line for each result: an id, say."
        ),
    ] = None,
    server_url: Annotated[
        str | None, typer.Option("--server-url", help="Server address; SAGACITY_URL.")
    ] = None,
    api_key: Annotated[str | None, typer.Option("--api-key", help="API token; SAGACITY_API_KEY.")] = None,
    allow_insecure: Annotated[
        bool,
        typer.Option("--allow-insecure", help="Allow sending the token over plain http to another machine."),
    ] = False,
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """
    Memory and self-improvement for AI agents, on your own machine.

    Start with `sagacity demo`, then `sagacity serve`. The flags below may appear anywhere.

    Exit codes: 0 success, 1 failure, 2 wrong input, 3 wrong or missing token, 4 no connection.
    """
    context.obj = Invocation(
        as_json=as_json,
        is_wide=is_wide,
        field=field,
        server_url=server_url,
        api_key=api_key,
        allow_insecure=allow_insecure,
    )


app.command()(demo)
app.command()(serve)
app.command()(worker)
app.command()(doctor)
app.command()(publish)
app.command()(search)
app.command("context")(context_)
app.command()(chat)
app.command()(receipt)
app.command()(history)
app.command()(undo_merge)
app.command()(review)
app.command()(review_memory)
app.command()(review_log)
app.add_typer(profiles.app, name="profiles")
profiles.app.command("regenerate")(versions.regenerate_profiles)
profiles.app.command("diff")(versions.diff_profiles)
profiles.app.command("upgrade")(versions.upgrade_profiles)
profiles.app.command("downgrade")(versions.downgrade_profiles)
app.add_typer(profiles.app, name="user-profiles", hidden=True)
app.add_typer(user_playbooks.app, name="user-playbooks")
user_playbooks.app.command("regenerate")(versions.regenerate_user_playbooks)
user_playbooks.app.command("diff")(versions.diff_user_playbooks)
user_playbooks.app.command("upgrade")(versions.upgrade_user_playbooks)
user_playbooks.app.command("downgrade")(versions.downgrade_user_playbooks)
app.add_typer(agent_playbooks.app, name="agent-playbooks")
app.add_typer(skills.app, name="skills")
app.add_typer(entities.app, name="entities")
app.add_typer(conversations.app, name="conversations")
app.add_typer(memories.app, name="memories")
app.add_typer(profile.app, name="profile")
app.add_typer(accounts.app, name="account")
app.add_typer(users.app, name="users")
app.add_typer(interactions.app, name="interactions")
interactions.app.command(hidden=True)(publish)
app.add_typer(operations.app, name="operations")
app.add_typer(dead_letters.app, name="dead-letters")
app.command()(ledger)
app.add_typer(analytics.app, name="analytics")
app.command()(usage)
app.add_typer(prompts.app, name="prompts")
app.add_typer(evaluations.app, name="evaluations")
app.add_typer(config.app, name="config")
app.add_typer(tokens.app, name="token")
app.command()(migrate)
app.command()(reindex)
app.command()(backup)
app.command()(restore)
app.command()(verify_erasure)
app.command()(migrate_data)


def main() -> None:
    """Run the program and end the process with its exit code."""
    sys.exit(run(hoisted(sys.argv[1:])))


def run(arguments: list[str]) -> int:
    """Run one command; its errors are reported, and become the exit code that is returned."""
    as_json = "--json" in arguments
    try:
        ended = app(arguments or ["--help"], standalone_mode=False, prog_name="sagacity")
    except (SagacityError, typer.TyperException) as error:
        return report(error, as_json=as_json)
    except typer.Abort:
        return GENERAL
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    return ended if isinstance(ended, int) else OK


def hoisted(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the global flags first, where they are looked for."""
    first: list[str] = []
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        one = waiting.pop(0)
        if one == "--":
            return [*first, *rest, one, *waiting]
        if one in _ANYWHERE or one.partition("=")[0] in _ANYWHERE_WITH_VALUE:
            first.append(one)
            if one in _ANYWHERE_WITH_VALUE:
                if not waiting:
                    return first  # so that its value is asked for, and no command taken for it
                first.append(waiting.pop(0))
        else:
            rest.append(one)
    return first + rest
