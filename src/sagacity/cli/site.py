"""`sagacity site`: site variables, which can change while the servers run."""

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.invocation import connected
from sagacity.cli.output import plain, said, show, table
from sagacity.domain.errors import InvalidInput
from sagacity.domain.suggest import no_such

if TYPE_CHECKING:
    from pydantic import JsonValue

app = typer.Typer(no_args_is_help=True, help="Variables of the whole installation.")
Name = Annotated[str, typer.Argument(help="The variable; see `list`.", metavar="NAME")]


@app.command("list")
def list_variables(context: typer.Context) -> None:
    """
    List the variables with their values.

    Example: sagacity site list
    """
    with connected(context, "reading") as client:
        found = client.get_site_variables().variables
    rows = [(one.name, json.dumps(one.value), one.version, one.meaning) for one in found]
    show(context, found, table(("name", "value", "#version", "meaning"), rows, empty="none"))


@app.command()
def get(context: typer.Context, name: Name) -> None:
    """
    Print the value of a variable as JSON.

    Example: sagacity site get flag.holdout
    """
    with connected(context, "reading") as client:
        found = {one.name: one for one in client.get_site_variables().variables}
    if name not in found:
        raise InvalidInput(no_such("site variable", name, list(found)))
    text = json.dumps(found[name].value, ensure_ascii=False)
    show(context, found[name], lambda console: console.print(plain(text), soft_wrap=True))


@app.command("set")
def set_variable(
    context: typer.Context,
    name: Name,
    value: Annotated[str, typer.Argument(help="JSON, or the name of a model.", metavar="VALUE")],
) -> None:
    """
    Set a variable. It holds in every process within two seconds.

    Example: sagacity site set model.generation openai/gpt-5-mini

    Example: sagacity site set flag.query_rewriting '{"share": 0.1, "organisations": ["acme"]}'
    """
    given: JsonValue = value
    with suppress(ValueError):
        given = json.loads(value)
    with connected(context, "writing") as client:
        reply = client.set_site_variable(name, given)
    show(context, reply, said(reply.msg or "set"))


@app.command()
def unset(context: typer.Context, name: Name) -> None:
    """
    Reset a variable to its default.

    Example: sagacity site unset model.generation
    """
    with connected(context, "writing") as client:
        reply = client.unset_site_variable(name)
    show(context, reply, said(reply.msg or "unset"))
