"""What the user sees: results on stdout, for people or as JSON; errors on stderr; exit codes."""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sagacity.cli.invocation import of
from sagacity.cli.progress import stderr
from sagacity.domain.errors import InvalidInput
from sagacity.domain.suggest import unknown_field

if TYPE_CHECKING:
    from pydantic import BaseModel, JsonValue

OK, GENERAL, VALIDATION, AUTH, NETWORK = 0, 1, 2, 3, 4
_EXIT_CODES = {
    "InvalidInput": VALIDATION,
    "TooLarge": VALIDATION,
    "Unauthorized": AUTH,
    "Forbidden": AUTH,
    "Unreachable": NETWORK,
}
_HINTS = {
    "Unauthorized": "Pass a token with --api-key or in SAGACITY_API_KEY; `sagacity token create` makes one.",
    "RateLimited": "Wait as long as the message says.",
    "WaitedTooLong": "It goes on; look again later.",
}
"""Advice that replaces an error's own, where that addresses programs that call the API or the SDK."""
_OF_CHECKS = ": Value error, "
"""What stands between the name of an option and what is wrong with it, and tells nobody anything."""
_HELP = "NoArgsIsHelpError"
"""What Typer raises for a group of commands without one; its message is the help."""
_PIPE_WIDTH = 160
_DETAILED_WIDTH = 120
"""The width from which a terminal has room for details."""
_KEPT_CONTROLS = "\n\t"
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Controls, marks of direction and ends of lines that may stand in JSON as they are, and that terminals obey."""

Render = Callable[[Console], None]


def show(
    context: typer.Context,
    result: "BaseModel | Sequence[BaseModel] | Mapping[str, JsonValue]",
    render: Render,
    **meta: "JsonValue",
) -> None:
    """
    Print a result.

    Args:
        context: of the command.
        result: becomes `data` of the JSON envelope.
        render: draws it for people.
        meta: becomes `meta`; the count of a list is added.
    """
    _show(context, result, render, {"ok": True}, meta)


def conclude(
    context: typer.Context,
    result: "BaseModel | Sequence[BaseModel] | Mapping[str, JsonValue]",
    render: Render,
    *,
    ok: bool,
    **meta: "JsonValue",
) -> None:
    """
    Print how something ended; unless it is *ok*, exit with 1.

    Args:
        context: of the command.
        result: becomes `data` of the JSON envelope.
        render: draws it for people.
        ok: whether it succeeded.
        meta: becomes `meta`.
    """
    _show(context, result, render, {"ok": ok}, meta)
    if not ok:
        raise typer.Exit(GENERAL)


def _show(
    context: typer.Context,
    result: "BaseModel | Sequence[BaseModel] | Mapping[str, JsonValue]",
    render: Render,
    head: "Mapping[str, JsonValue]",
    meta: "Mapping[str, JsonValue]",
) -> None:
    flags = of(context)
    if flags.field is not None:
        sys.stdout.writelines(f"{value}\n" for value in field_values(result, flags.field))
        return
    if not flags.as_json:
        render(stdout(is_wide=flags.is_wide))
        return
    if isinstance(result, Sequence):
        meta = {"count": len(result), **meta}
        data: JsonValue = [_plain_data(item) for item in result]
    else:
        data = _plain_data(result)
    envelope: Mapping[str, JsonValue] = {**head, "data": data, "meta": dict(meta)}
    sys.stdout.write(_json_line(envelope))


def _json_line(envelope: "Mapping[str, JsonValue]") -> str:
    """Return JSON on one line; letters of all languages stay, control characters are escaped."""
    text = json.dumps(envelope, ensure_ascii=False)
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text) + "\n"


def stdout(*, is_wide: bool = False) -> Console:
    """Return the console of results; wide if requested, or if it is a pipe, where lines must not wrap."""
    console = Console(highlight=False)
    if console.is_terminal and not is_wide:
        return console
    return Console(highlight=False, width=max(_PIPE_WIDTH, console.width))


def plain(text: object, style: str = "") -> Text:
    """Return text without markup and without control characters."""
    shown = "".join(c if c.isprintable() or c in _KEPT_CONTROLS else "�" for c in str(text))
    return Text(shown, style=style)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> Render:
    """
    Return a renderer of a table; empty columns are left out.

    Args:
        columns: headings; one that starts with `#` holds numbers or ids, is dim and never wraps. Before that, `+` marks
            a detail, and `~` what is one where all rows have the same. Details are left out of a narrow terminal.
        rows: cells, as text or anything that has a text.
        empty: printed if there are no rows.
    """
    cells = [
        [cell if isinstance(cell, Text) else plain("" if cell is None else cell) for cell in row]
        for row in rows
    ]

    filled = [place for place in range(len(columns)) if any(row[place].plain for row in cells)]

    def is_detail(place: int) -> bool:
        name = columns[place]
        return name.startswith("+") or (
            name.startswith("~") and len({row[place].plain for row in cells}) == 1
        )

    def render(console: Console) -> None:
        if not cells:
            console.print(plain(empty, "dim"))
            return
        used = [place for place in filled if console.width >= _DETAILED_WIDTH or not is_detail(place)]
        drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
        for name in (columns[place].lstrip("+~") for place in used):
            is_id = name.startswith("#")
            drawn.add_column(name.lstrip("#"), style="dim" if is_id else None, no_wrap=is_id, overflow="fold")
        for row in cells:
            drawn.add_row(*(row[place] for place in used))
        console.print(drawn)

    return render


def facts(pairs: Mapping[str, object]) -> Render:
    """Return a renderer of names with their values, one per line."""

    def render(console: Console) -> None:
        drawn = Table.grid(padding=(0, 2))
        for name, value in pairs.items():
            drawn.add_row(Text(name, style="dim"), plain("" if value is None else value))
        console.print(drawn)

    return render


def said(text: str) -> Render:
    """Return a renderer of one line."""
    return lambda console: console.print(plain(text))


def report(error: Exception, *, as_json: bool) -> int:
    """Print an error to stderr, as text or in the envelope; returns its exit code."""
    kind, message, hint = describe(error)
    if type(error).__name__ == _HELP and not as_json:
        stderr().print(plain(message))
    elif as_json:
        body: Mapping[str, JsonValue] = {
            "ok": False,
            "error": {"type": kind, "message": message, "hint": hint},
        }
        sys.stderr.write(_json_line(body))
    else:
        console = stderr()
        console.print(Text.assemble(("error: ", "bold red"), plain(message)))
        if hint:
            console.print(Text.assemble(("hint:  ", "dim"), plain(hint, "dim")))
    return exit_code(error)


def exit_code(error: Exception) -> int:
    """Return the exit code of an error."""
    if isinstance(error, typer.TyperException):
        return VALIDATION
    return next(
        (_EXIT_CODES[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _EXIT_CODES), GENERAL
    )


def describe(error: Exception) -> tuple[str, str, str]:
    """Return an error's name, message and hint: the rest of its docstring, and its notes."""
    if isinstance(error, typer.TyperException):
        message = error.format_message().replace(_OF_CHECKS, ": ", 1)
        return "UsageError", message, "add --help to see what the command takes"
    _, _, advice = (inspect.getdoc(type(error)) or "").partition(". ")
    advice = getattr(error, "advice", "") or _HINTS.get(type(error).__name__, advice)
    notes = getattr(error, "__notes__", [])
    hint = " ".join((" ".join(advice.split()), *(f"({note})" for note in notes))).strip()
    return type(error).__name__, str(error) or type(error).__name__, hint


def field_values(result: "BaseModel | Sequence[BaseModel] | Mapping[str, JsonValue]", path: str) -> list[str]:
    """
    Return what stands under a name in the data of the JSON envelope, each value as one line.

    Args:
        result: a list gives the values of all its members; what has no value gives none.
        path: a name, or names joined by dots, such as `predecessors.uid`.

    Raises:
        InvalidInput: there is no such field.
    """
    members = list(result) if isinstance(result, Sequence) else [result]
    found: list[JsonValue] = [_plain_data(member) for member in members]
    known = {name for member in members for name in _field_names(member)}
    for name in path.split("."):
        mappings = [one for one in found if isinstance(one, dict)]
        known |= {key for one in mappings for key in one}
        if found and name not in known:
            raise InvalidInput(f"--field: {unknown_field(name, sorted(known))}")
        found = [value for one in mappings for value in _each(one.get(name))]
        known.clear()
    texts = (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in found)
    return [" ".join(plain(text).plain.splitlines()) for text in texts]


def _field_names(member: "BaseModel | Mapping[str, JsonValue]") -> Iterable[str]:
    return member if isinstance(member, Mapping) else type(member).model_fields


def _each(value: "JsonValue") -> "list[JsonValue]":
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _plain_data(item: "BaseModel | Mapping[str, JsonValue]") -> "JsonValue":
    return dict(item) if isinstance(item, Mapping) else item.model_dump(mode="json", exclude_none=True)
