"""`sagacity config`: how the organisation's conversations are learned from."""

import asyncio
import json
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli import options, payload
from sagacity.cli.draw import moment
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.output import conclude, facts, plain, said, show, table
from sagacity.cli.progress import working
from sagacity.cli.tokens import DEFAULT_ORG
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import JsonValue

app = typer.Typer(no_args_is_help=True, help="How Sagacity learns from conversations.")


@app.command("show")
def show_config(context: typer.Context) -> None:
    """
    Print the configuration as JSON; secrets are masked.

    Example: sagacity config show > config.json
    """
    from sagacity.config.single_extractors import SINGLES  # noqa: PLC0415  loads slowly, and only this needs it

    with connected(context, "reading the configuration") as client:
        config = {key: value for key, value in client.get_config().items() if key not in SINGLES}
    text = json.dumps(config, indent=2, ensure_ascii=False)
    show(context, config, lambda console: console.print(plain(text), soft_wrap=True))


@app.command("set")
def set_config(
    context: typer.Context, *, data: options.DataText = None, file: options.DataFile = None
) -> None:
    """
    Change the configuration. The given top-level keys replace the stored ones, the others stay.

    A masked secret keeps the stored one. A preset replaces the stored window.

    Example: sagacity config set --data '{"batch_size": 20, "batch_interval": 10}'

    Example: sagacity config set --file config.json
    """
    if (data is None) == (file is None):
        raise InvalidInput("pass either --data or --file")
    given = payload.as_object(payload.read_text(data, file), name=str(file or "--data"))
    with connected(context, "writing the configuration") as client:
        reply = client.update_config(given)
    show(context, reply, said(reply.msg or "saved"))


@app.command()
def history(
    context: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Most results.")] = 20,
) -> None:
    """
    List the configurations of the organisation, newest first.

    Example: sagacity config history
    """
    with connected(context, "reading the history") as client:
        found = client.get_config_versions(limit=limit).versions
    rows = [(one.version, moment(one.at, seconds=True), one.author, ", ".join(one.fields)) for one in found]
    columns = ("#version", "set", "by", "changed")
    show(context, found, table(columns, rows, empty="the configuration was never set"))


@app.command()
def diff(
    context: typer.Context,
    old: Annotated[int, typer.Argument(min=1, help="A version; see `history`.")],
    new: Annotated[
        int | None, typer.Argument(min=1, help="Another version. Default: the present one.")
    ] = None,
) -> None:
    """
    Show in what two configurations differ; secrets are masked.

    Example: sagacity config diff 3

    Example: sagacity config diff 3 4
    """
    with connected(context, "comparing") as client:
        found = client.get_config_diff(old=old, new=new).changes
    rows = [(one.field, _written(one.old), _written(one.new)) for one in found]
    show(context, found, table(("field", "old", "new"), rows, empty="no difference"))


@app.command()
def rollback(
    context: typer.Context, version: Annotated[int, typer.Argument(min=1, help="A version; see `history`.")]
) -> None:
    """
    Make a former configuration the present one again.

    API keys are again those of that time. Another rollback undoes it.

    Example: sagacity config rollback 3
    """
    with connected(context, "going back") as client:
        reply = client.roll_back_config(version)
    show(context, reply, said(reply.msg or "done"))


PlaceName = Annotated[str, typer.Argument(help="database, folder or s3.", show_default=False)]


@app.command("copy")
def copy(context: typer.Context, source: PlaceName, target: PlaceName) -> None:
    """
    Copy all configurations with their versions to another place.

    The places are `database`, `folder` (SAGACITY_CONFIG_FOLDER) and `s3` (the CONFIG_S3 settings): set
    what both places need. First stop the servers, or make sure that nobody changes a configuration
    until they are started with the settings of the new place. The old place keeps everything. If the
    copy is interrupted, start it again: it continues.

    Example: sagacity config copy database s3
    """
    from sagacity.config.open import ConfigPlace  # noqa: PLC0415  it loads slowly, and only this needs it
    from sagacity.config.settings import load_settings  # noqa: PLC0415  with it
    from sagacity.maintenance import copy_configs  # noqa: PLC0415  with it

    for name in (source, target):
        if name not in set(ConfigPlace):
            raise InvalidInput(f"there is no place {name!r}, only {', '.join(ConfigPlace)}")
    with working("copying"):
        done = asyncio.run(copy_configs(load_settings(), ConfigPlace(source), ConfigPlace(target)))
    shown = {
        "copied": counted(done.organisations, "configuration"),
        "versions": str(done.versions),
        "API tokens": "copied" if done.tokens else "none to copy",
    }
    show(context, done.model_dump(mode="json"), facts(shown))


@app.command("rotate-key")
def rotate_key(
    context: typer.Context,
    *,
    is_new: Annotated[
        bool, typer.Option("--new-key", help="Make a new key in the home folder first.")
    ] = False,
    drops_old: Annotated[
        bool, typer.Option("--drop-old-keys", help="Remove the other keys from the home folder afterwards.")
    ] = False,
) -> None:
    """
    Change the key that encrypts API keys and authenticator apps.

    The first key of SAGACITY_CONFIG_KEY, or of the home folder, encrypts them from then on. This works
    on the database itself, while servers run. If it is interrupted, start it again: it continues.
    Afterwards the other keys are needed only for older backups.

    Example: sagacity config rotate-key

    Example: sagacity config rotate-key --new-key
    """
    from sagacity.config.settings import load_settings  # noqa: PLC0415  it loads slowly, and only this needs it
    from sagacity.maintenance import rotate_config_key  # noqa: PLC0415  with it

    settings = load_settings()
    if (is_new or drops_old) and settings.config_key.get_secret_value():
        raise InvalidInput(
            "the keys are in SAGACITY_CONFIG_KEY: put the new one in front there, and remove the others afterwards"
        )
    with working("wrapping keys"):
        done = asyncio.run(rotate_config_key(settings, is_new=is_new, drops_old=drops_old))
    told: dict[str, JsonValue] = {
        "wrapped": done.wrapped,
        "kept": done.kept,
        "apps": done.apps,
        "failed": list(done.failed),
    }
    shown = {
        "wrapped": counted(done.wrapped, "organisation"),
        "as before": counted(done.kept, "organisation"),
    }
    shown |= {"authenticator apps": str(done.apps)} if done.apps else {}
    shown |= {"failed": "; ".join(done.failed)} if done.failed else {}
    conclude(context, told, facts(shown), ok=not done.failed, failed=len(done.failed))


@app.command("forget-keys")
def forget_keys(
    context: typer.Context,
    *,
    org: Annotated[str, typer.Option("--org", help="The organisation.")] = DEFAULT_ORG,
    yes: options.Yes = False,
) -> None:
    """
    Remove API keys that nobody can decrypt any more.

    If the key that encrypts them is lost, and no backup has it, the configuration can be neither read
    nor changed. After this command it can: then set the API keys again. It works on the database
    itself. Keys that can be decrypted are left alone, and former versions keep theirs, unreadable.

    Example: sagacity config forget-keys --yes
    """
    from sagacity.config.settings import load_settings  # noqa: PLC0415  it loads slowly, and only this needs it
    from sagacity.domain.ids import OrgId  # noqa: PLC0415  with it
    from sagacity.maintenance import forget_config_secrets  # noqa: PLC0415  with it

    confirm(context, f"Remove all API keys from the configuration of {org}?", yes=yes)
    with working("removing API keys"):
        asyncio.run(forget_config_secrets(load_settings(), OrgId(org)))
    show(context, {"org_id": org}, said("The API keys are removed: set them again."))


def _written(value: "JsonValue") -> str:
    return json.dumps(value, ensure_ascii=False)
