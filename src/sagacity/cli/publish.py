"""`sagacity publish`: publish turns."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import options, payload
from sagacity.cli.invocation import connected
from sagacity.cli.output import Render, conclude, plain, show
from sagacity.cli.progress import advancing
from sagacity.cli.receipts import draw, wait_for, went_well
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import JsonValue

    from sagacity.domain.views.receipt import Receipt
    from sagacity.schemas.interactions import PublishReply

WAIT_SECONDS = 300


def publish(
    context: typer.Context,
    *,
    user_id: Annotated[
        str | None, typer.Option("--user-id", "-u", help="The user who talked to the agent.")
    ] = None,
    user_message: Annotated[str | None, typer.Option("--user-message", help="What the user said.")] = None,
    agent_response: Annotated[
        str | None, typer.Option("--agent-response", help="What the agent answered.")
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", help="Turns or a whole request as JSON, or @FILE.")
    ] = None,
    file: options.DataFile = None,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read JSON or JSON lines from stdin.")] = False,
    session_id: Annotated[str | None, typer.Option("--session-id", help="Id of the conversation.")] = None,
    request_id: Annotated[
        str | None, typer.Option("--request-id", help="A publish sent twice with the same id is stored once.")
    ] = None,
    source: Annotated[str, typer.Option("--source", help="A tag for its source.")] = "cli",
    agent_version: Annotated[
        str | None, typer.Option("--agent-version", help="Version of the agent that answered.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until learning has ended.")] = False,
    skip_aggregation: Annotated[
        bool, typer.Option("--skip-aggregation", help="Do not start aggregation into agent playbooks.")
    ] = False,
    force_extraction: Annotated[
        bool, typer.Option("--force-extraction", help="Learn at once, even from few turns.")
    ] = False,
    evaluation_only: Annotated[
        bool, typer.Option("--evaluation-only", help="Only evaluate the session; learn nothing from it.")
    ] = False,
) -> None:
    """
    Publish turns of a conversation. They are on disk when this returns.

    The turns come from exactly one of: --user-message with --agent-response, --data, --file, --stdin.
    Values in the data (user_id, session_id …) override the flags. A few turns wait for more to
    arrive; --force-extraction learns from them at once.

    Example: sagacity publish -u ana --user-message "I am vegetarian." --agent-response "Noted." --wait

    Example: sagacity publish --user-id ana --file turns.jsonl

    Example: sagacity publish --data '{"user_id": "ana", "interaction_data_list": [{"content": "I moved to Lyon."}]}'
    """
    flags: dict[str, JsonValue] = {
        "user_id": user_id,
        "session_id": session_id,
        "request_id": request_id,
        "source": source,
        "agent_version": agent_version,
        "skip_aggregation": skip_aggregation,
        "force_extraction": force_extraction,
        "evaluation_only": evaluation_only,
    }
    bodies = payload.requests(_given(user_message, agent_response, data, file, stdin=stdin), flags)
    replies, receipts = _send(context, bodies, wait=wait)
    if wait:
        one_or_all = receipts if len(receipts) > 1 else receipts[0]
        conclude(context, one_or_all, _learned(replies, receipts), ok=all(map(went_well, receipts)))
    else:
        show(context, replies if len(replies) > 1 else replies[0], _stored(replies))


def _given(
    user_message: str | None, agent_response: str | None, data: str | None, file: Path | None, *, stdin: bool
) -> "list[JsonValue]":
    sources = [
        user_message is not None or agent_response is not None,
        data is not None,
        file is not None,
        stdin,
    ]
    if sum(sources) != 1:
        raise InvalidInput(
            "pass exactly one of --user-message with --agent-response, --data, --file, --stdin"
        )
    if stdin:
        return payload.parse(sys.stdin.read(), name="stdin")
    if data is not None or file is not None:
        return payload.parse(payload.read_text(data, file), name=str(file or "--data"))
    if not user_message or not agent_response:
        raise InvalidInput("give both --user-message and --agent-response, and neither empty")
    return [[{"role": "User", "content": user_message}, {"role": "Assistant", "content": agent_response}]]


def _send(
    context: typer.Context, bodies: "list[dict[str, JsonValue]]", *, wait: bool
) -> "tuple[list[PublishReply], list[Receipt]]":
    from sagacity.client.wire import checked  # noqa: PLC0415  it loads the HTTP stack
    from sagacity.schemas.interactions import PublishBody  # noqa: PLC0415  with it

    checked_bodies = [checked(PublishBody, body) for body in bodies]
    replies: list[PublishReply] = []
    with connected(context, None) as client:
        with advancing("publishing") as advance:
            for body in checked_bodies:
                replies.append(client.publish(body))
                advance(len(replies), len(checked_bodies))
        ids = [reply.request_id for reply in replies] if wait else []
        return replies, wait_for(client, ids, timeout_seconds=WAIT_SECONDS) if ids else []


def _learned(replies: "list[PublishReply]", receipts: "list[Receipt]") -> Render:
    def render(console: Console) -> None:
        _warn(console, replies)
        _all(receipts)(console)

    return render


def _warn(console: Console, replies: "list[PublishReply]") -> None:
    for warning in dict.fromkeys(warning for reply in replies for warning in reply.warnings):
        console.print(plain(f"warning: {warning}", "yellow"))


def _stored(replies: "list[PublishReply]") -> Render:
    def render(console: Console) -> None:
        for reply in replies:
            console.print(plain(f"stored as {reply.request_id}"))
        _warn(console, replies)
        console.print(plain(f"follow it with: {_follow(replies[-1])}", "dim"))

    return render


def _follow(reply: "PublishReply") -> str:
    return shlex.join(["sagacity", "receipt", reply.request_id, "--wait"])


def _all(receipts: "list[Receipt]") -> Render:
    def render(console: Console) -> None:
        for found in receipts:
            draw(found)(console)

    return render
