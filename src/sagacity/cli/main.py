"""The program `sagacity`: its command tree, its global flags, its exit codes."""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sagacity.cli.invocation import Invocation
from sagacity.domain.errors import SagacityError

_ANYWHERE = frozenset({"--json", "--wide", "--allow-insecure"})
_ANYWHERE_WITH_VALUE = frozenset({"--field", "--server-url", "--api-key"})
_OK, _GENERAL, _INTERRUPTED = 0, 1, 130

_GROUPS: Mapping[str, Mapping[str, str]] = {
    "Start": {
        "demo": "demo.command:demo",
        "serve": "serve:serve",
        "worker": "worker:worker",
        "doctor": "doctor:doctor",
    },
    "Publish and ask": {
        "publish": "publish:publish",
        "receipt": "receipts:receipt",
        "search": "search:search",
        "context": "context:context_",
        "chat": "chat:chat",
    },
    "See what is remembered": {
        "profiles": "profiles:app",
        "user-playbooks": "user_playbooks:app",
        "agent-playbooks": "agent_playbooks:app",
        "skills": "skills:app",
        "memories": "memories:app",
        "entities": "entities:app",
        "interactions": "interactions:app",
        "conversations": "conversations:app",
        "history": "history:history",
    },
    "Judge it": {
        "review": "review:review",
        "review-memory": "review:review_memory",
        "review-log": "review:review_log",
        "undo-merge": "history:undo_merge",
        "health": "health:health",
        "usage": "usage:app",
        "evaluations": "evaluations:app",
        "eval": "eval_:eval_",
        "analytics": "analytics:app",
        "quarantine": "quarantine:app",
    },
    "Say how to learn": {
        "config": "config:app",
        "prompts": "prompts:app",
        "operations": "operations:app",
        "dead-letters": "dead_letters:app",
        "ledger": "ledger:ledger",
    },
    "Users": {
        "profile": "profile:app",
        "users": "users:app",
        "export": "export:export",
        "import": "import_:import_",
    },
    "Access": {
        "token": "tokens:app",
        "account": "accounts:app",
        "members": "members:app",
        "invitations": "invitations:app",
        "organizations": "organizations:app",
        "site": "site:app",
        "audit": "audit:app",
    },
    "Run the database": {
        "migrate": "migrate:migrate",
        "reindex": "reindex:reindex",
        "backup": "backup:backup",
        "restore": "backup:restore",
        "verify-erasure": "verify_erasure:verify_erasure",
        "migrate-data": "migrate_data:migrate_data",
    },
}
"""Commands by what they are for, in the order of the help: each with its module, which is imported on use."""
_OTHER_NAMES = {"user-profiles": "profiles:app"}
"""What the help does not list."""
_COMMANDS = {name: place for group in _GROUPS.values() for name, place in group.items()} | _OTHER_NAMES
_COMPLETION = "_SAGACITY_COMPLETE"
"""The environment variable of a shell's completion."""


def _version(wanted: bool) -> None:  # noqa: FBT001  Typer passes it so
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  it loads slowly, and `--help` should not

        typer.echo(version("sagacity"))
        raise typer.Exit(_OK)


def _flags(
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


class _Grouped(TyperGroup):
    """Shows its commands by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # their classes have no public name
        width = max(map(len, self.commands))
        room = formatter.width - width - 4  # the margin, and what is between the columns
        for title, names in _GROUPS.items():
            if shown := [self.commands[name] for name in names if name in self.commands]:
                with formatter.section(title):
                    formatter.write_dl(
                        [(f"{one.name:<{width}}", one.get_short_help_str(room)) for one in shown]
                    )


@cache
def tree(commands: tuple[str, ...] = tuple(_COMMANDS)) -> typer.Typer:
    """Return the program with these commands, importing their modules."""
    app = typer.Typer(
        name="sagacity",
        cls=_Grouped,
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    app.callback()(_flags)
    for name in commands:
        module, _, written = _COMMANDS[name].partition(":")
        found = getattr(import_module(f"sagacity.cli.{module}"), written)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name, hidden=name in _OTHER_NAMES)
        else:
            app.command(name)(found)
    return app


def _needed(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that *arguments*, with global flags first, need: mostly one."""
    waiting = list(arguments)
    while waiting and waiting[0].startswith("-"):
        if waiting[0] == "--version":
            return ()
        if waiting.pop(0) in _ANYWHERE_WITH_VALUE and waiting:
            waiting.pop(0)
    is_known = bool(waiting) and waiting[0] in _COMMANDS and _COMPLETION not in os.environ  # noqa: TID251  the shell's question, no setting
    return (waiting[0],) if is_known else tuple(_COMMANDS)


def main() -> None:
    """Run the program and end the process with its exit code."""
    sys.exit(run(hoisted(sys.argv[1:])))


def run(arguments: list[str]) -> int:
    """Run one command, report its errors, and return the exit code."""
    as_json = "--json" in arguments
    try:
        ended = tree(_needed(arguments))(arguments or ["--help"], standalone_mode=False, prog_name="sagacity")
    except (SagacityError, typer.TyperException) as error:
        from sagacity.cli.output import report  # noqa: PLC0415  it loads what draws tables

        return report(error, as_json=as_json)
    except typer.Abort:
        return _GENERAL
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _OK
    return ended if isinstance(ended, int) else _OK


def hoisted(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the global flags first."""
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
