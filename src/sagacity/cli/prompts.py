"""`sagacity prompts`: the prompts that models are called with."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import options, payload
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, plain, said, show, table
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.schemas.prompts import PromptPreview

app = typer.Typer(no_args_is_help=True, help="Prompts for models.")
PromptId = Annotated[str, typer.Argument(help="The prompt's name; see `list`.")]


@app.command("list")
def list_prompts(context: typer.Context) -> None:
    """
    List prompts, their versions, and the version in use.

    Example: sagacity prompts list
    """
    with connected(context, "reading the prompts") as client:
        prompts = client.get_prompts().prompts
    rows = [
        (
            one.prompt_id,
            f"v{one.active_version}" + (" (chosen)" if one.is_chosen else ""),
            ", ".join(f"v{version}" for version in one.versions),
            one.description,
            ", ".join(variable.name for variable in one.variables),
        )
        for one in prompts
    ]
    show(
        context,
        prompts,
        table(("prompt", "#used", "+versions", "what for", "+variables"), rows, empty="none"),
    )


@app.command()
def preview(
    context: typer.Context,
    prompt_id: PromptId,
    *,
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="A version other than the one in use.")
    ] = None,
    data: options.DataText = None,
) -> None:
    """
    Print a prompt as a model would get it, without calling one.

    Give variables as an object of texts. A missing one is shown as a description.

    Example: sagacity prompts preview query_reformulation --data '{"question": "and in winter?"}'
    """
    variables = {} if data is None else payload.as_object(payload.read_text(data, None), name="--data")
    texts = {name: value for name, value in variables.items() if isinstance(value, str)}
    if wrong := sorted(variables.keys() - texts.keys()):
        raise InvalidInput(f"--data: {', '.join(wrong)} must be text")
    with connected(context, "rendering") as client:
        found = client.preview_prompt(prompt_id, texts, version=version)
    show(context, found, _drawn(found))


@app.command()
def use(
    context: typer.Context,
    prompt_id: PromptId,
    *,
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="Version; default: the newest.")
    ] = None,
) -> None:
    """
    Choose the version of a prompt to use from now on.

    Example: sagacity prompts use profile_extraction --version 1

    Example: sagacity prompts use profile_extraction
    """
    with connected(context, "choosing") as client:
        reply = client.update_prompt_version(prompt_id, version)
    show(context, reply, said(reply.msg or "chosen"))


def _drawn(found: "PromptPreview") -> Render:
    def render(console: Console) -> None:
        console.print(plain(f"{found.prompt_id}/v{found.version}", "bold"))
        for name, text in (("system", found.system), ("user", found.user)):
            console.print(plain(f"\n--- {name} ---", "dim"))
            console.print(plain(text), soft_wrap=True)

    return render
