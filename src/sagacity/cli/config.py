"""`sagacity config`: how the organisation's conversations are learned from."""

import json
from typing import TYPE_CHECKING

import typer

from sagacity.cli import options, payload
from sagacity.cli.invocation import connected
from sagacity.cli.output import plain, said, show
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

app = typer.Typer(no_args_is_help=True, help="How Sagacity learns from conversations.")


@app.command("show")
def show_config(context: typer.Context) -> None:
    """
    Print the configuration as JSON; secrets are masked.

    Example: sagacity config show > config.json
    """
    with connected(context, "reading the configuration") as client:
        config = client.get_config()
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
        reply = client.set_config(_replaced(client.get_config(), given))
    show(context, reply, said(reply.msg or "saved"))


def _replaced(stored: "Mapping[str, JsonValue]", given: "Mapping[str, JsonValue]") -> "dict[str, JsonValue]":
    """Return *stored* with *given* in place of the same keys, whatever they are called there."""
    from sagacity.config.known_keys import known_names  # noqa: PLC0415  loads slowly, and only this needs it
    from sagacity.config.tenant_config import TenantConfig  # noqa: PLC0415  as above

    names = known_names(TenantConfig)
    gone = {names.get(key, key) for key in given}
    if "extraction_preset" in gone:  # what is stored beside it would go first
        gone |= {"batch_size", "batch_interval"}
    return {key: value for key, value in stored.items() if key not in gone} | dict(given)
