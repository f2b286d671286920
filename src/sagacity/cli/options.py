"""Options that several commands share, so that they read the same everywhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from sagacity.domain.errors import InvalidInput

UserId = Annotated[str, typer.Option("--user-id", "-u", help="The user.")]
AnyUserId = Annotated[str | None, typer.Option("--user-id", "-u", help="Only this user's data.")]
Query = Annotated[str, typer.Argument(help="What to look for, in plain words.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Most results.")]
TopK = Annotated[int, typer.Option("--top-k", "-k", min=1, max=1000, help="Most results.")]
Threshold = Annotated[
    float | None,
    typer.Option("--threshold", min=0, max=1, help="Lowest relevance of a result."),
]
Mode = Annotated[
    Literal["hybrid", "vector", "fts"],
    typer.Option("--mode", help="Search by meaning, by words (fts), or both."),
]
Neighbours = Annotated[
    int, typer.Option("--neighbours", min=0, max=5, help="Turns to show before and after each turn found.")
]
State = Literal["current", "pending", "archived"]
Lifecycle = Annotated[State | None, typer.Option("--status", help="Only with this status.")]
Approval = Literal["pending", "approved", "rejected"]
OnlyApproval = Annotated[
    Approval | None, typer.Option("--approval", "--playbook-status", help="Only with this approval.")
]
NewApproval = Annotated[Approval, typer.Option("--approval", "--playbook-status", help="Its approval.")]
AgentVersion = Annotated[str | None, typer.Option("--agent-version", help="Only for this agent version.")]
PlaybookName = Annotated[str | None, typer.Option("--playbook-name", help="Only with this name.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
DataText = Annotated[str | None, typer.Option("--data", help="JSON, or @FILE.")]
DataFile = Annotated[Path | None, typer.Option("--file", "-f", help="A .json or .jsonl file.")]
OrgId = Annotated[str, typer.Option("--org", help="The organisation.")]


def require_one(given: Mapping[str, object]) -> None:
    """
    Make sure that at least one option was given.

    Args:
        given: options by name, such as `playbook_metadata`.

    Raises:
        InvalidInput: none was; it names them.
    """
    if all(value is None for value in given.values()):
        *most, last = (f"--{name.replace('_', '-')}" for name in given)
        raise InvalidInput(f"pass {', '.join(most)} or {last}")


def listed(status: State | None) -> list[State] | None:
    """Return the one state that is asked for as the list that the API takes; None for no choice."""
    return None if status is None else [status]
