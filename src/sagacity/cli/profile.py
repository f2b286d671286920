"""`sagacity profile`: who a user is, and what may be remembered of them."""

from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, facts, show
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.schemas.settings import MemorySettingsView, SettingsView

app = typer.Typer(no_args_is_help=True, help="Who a user is, and what may be remembered.")
Whose = Annotated[
    str | None, typer.Option("--user-id", "-u", help="The user; default on this machine: local.")
]


@app.command("show")
def show_profile(context: typer.Context, *, user_id: Whose = None) -> None:
    """
    Show a user's record with its settings.

    Example: sagacity profile show --user-id ana
    """
    with connected(context, "reading a record") as client:
        found = client.get_user_settings(user_id=user_id)
    show(context, found, _record(found))


@app.command("set")
def set_profile(
    context: typer.Context,
    *,
    user_id: Whose = None,
    name: Annotated[str | None, typer.Option("--name", help="What to call the user.")] = None,
    bio: Annotated[str | None, typer.Option("--bio", help="What the user says of themselves.")] = None,
    timezone: Annotated[str | None, typer.Option("--timezone", help="Such as Europe/Paris.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="Such as en or pt-BR.")] = None,
) -> None:
    """
    Change a user's record. An empty text removes a field.

    Example: sagacity profile set --name Ana --timezone Europe/Paris --user-id ana
    """
    if all(value is None for value in (name, bio, timezone, language)):
        raise InvalidInput("pass --name, --bio, --timezone or --language")
    with connected(context, "writing") as client:
        changed = client.update_user_settings(
            user_id=user_id, display_name=name, bio=bio, timezone=timezone, language=language
        )
    show(context, changed, _record(changed))


@app.command()
def settings(
    context: typer.Context,
    *,
    user_id: Whose = None,
    memory: Annotated[
        bool | None, typer.Option("--memory/--no-memory", help="Learn, and use memories in chats.")
    ] = None,
    learn: Annotated[
        bool | None, typer.Option("--learn/--no-learn", help="Learn from what the user says.")
    ] = None,
    semantic: Annotated[
        bool | None, typer.Option("--semantic/--no-semantic", help="Learn semantic memories.")
    ] = None,
    entities: Annotated[
        bool | None, typer.Option("--entities/--no-entities", help="Note people, places and things.")
    ] = None,
    procedures: Annotated[
        bool | None, typer.Option("--procedures/--no-procedures", help="Learn procedural memories.")
    ] = None,
    keep_days: Annotated[
        int | None, typer.Option("--keep-days", min=1, max=3650, help="Days without use to keep a memory.")
    ] = None,
    most: Annotated[
        int | None, typer.Option("--most", min=100, max=100_000, help="Most memories of a type.")
    ] = None,
    reset: Annotated[bool, typer.Option("--reset", help="Bring back what is usual first.")] = False,
) -> None:
    """
    Show or change what may be remembered of a user.

    Example: sagacity profile settings --no-memory --user-id ana
    """
    given = (memory, learn, semantic, entities, procedures, keep_days, most)
    is_changed = any(value is not None for value in given)
    with connected(context, "reading settings") as client:
        if reset:
            client.reset_memory_settings(user_id=user_id)
        if is_changed:
            found = client.update_memory_settings(
                user_id=user_id,
                memory_enabled=memory,
                auto_extract=learn,
                semantic_extraction=semantic,
                entity_extraction=entities,
                procedural_learning=procedures,
                retention_days=keep_days,
                max_memories_per_type=most,
            )
        else:
            found = client.get_memory_settings(user_id=user_id)
    show(context, found, facts(_settings(found)))


def _record(record: "SettingsView") -> Render:
    shown = {
        "user": record.user_id,
        "name": record.display_name,
        "bio": record.bio,
        "time zone": record.timezone,
        "language": record.language,
        **{f"preference {name}": value for name, value in record.preferences.items()},
        **_settings(record.memory_settings),
    }
    return facts(shown)


def _settings(settings: "MemorySettingsView") -> dict[str, object]:
    def word(*, is_on: bool) -> str:
        return "on" if is_on else "off"

    return {
        "memory": word(is_on=settings.memory_enabled),
        "learning": word(is_on=settings.auto_extract),
        "semantic memories": word(is_on=settings.semantic_extraction),
        "procedural memories": word(is_on=settings.procedural_learning),
        "people and things": word(is_on=settings.entity_extraction),
        "kept for": f"{settings.retention_days} days without use",
        "at most": f"{settings.max_memories_per_type:,} of a type",
    }
