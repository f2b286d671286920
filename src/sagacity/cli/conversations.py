"""`sagacity conversations`: the conversations of the chat."""

from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.draw import moment
from sagacity.cli.invocation import confirm, connected
from sagacity.cli.options import Yes
from sagacity.cli.output import Render, said, show, table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sagacity.schemas.chat import ConversationView, MessageView

app = typer.Typer(no_args_is_help=True, help="What was talked about in the chat.")
Whose = Annotated[
    str | None, typer.Option("--user-id", "-u", help="The user; default on this machine: local.")
]
Id = Annotated[str, typer.Argument(help="The conversation's id.", metavar="CONVERSATION_ID")]
Most = Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="Most results.")]


@app.command("list")
def list_conversations(
    context: typer.Context,
    *,
    user_id: Whose = None,
    query: Annotated[str | None, typer.Option("--query", help="Only with this text in the title.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="The archived ones.")] = False,
    limit: Most = 20,
) -> None:
    """
    List conversations, the last changed first.

    Example: sagacity conversations list --user-id ana --query dinner
    """
    with connected(context, "reading conversations") as client:
        reply = client.list_conversations(user_id=user_id, query=query, archived=archived, page_size=limit)
    show(context, reply.conversations, _drawn(reply.conversations))


@app.command("show")
def show_conversation(
    context: typer.Context, conversation_id: Id, *, user_id: Whose = None, limit: Most = 50
) -> None:
    """
    Show the newest messages of a conversation.

    Example: sagacity conversations show 01990a52-7c11-7000-8000-000000000013
    """
    with connected(context, "reading messages") as client:
        reply = client.get_conversation(conversation_id, user_id=user_id, limit=limit)
    show(context, reply.messages, _messages(reply.messages))


@app.command()
def rename(
    context: typer.Context,
    conversation_id: Id,
    title: Annotated[str, typer.Argument(help="The new title.")],
    *,
    user_id: Whose = None,
) -> None:
    """
    Give a conversation another title.

    Example: sagacity conversations rename 01990a52-7c11-7000-8000-000000000013 "Dinner on Friday"
    """
    with connected(context, "renaming") as client:
        reply = client.update_conversation(conversation_id, title=title, user_id=user_id)
    show(context, reply, said(f"renamed to {reply.title}"))


@app.command()
def archive(context: typer.Context, conversation_id: Id, *, user_id: Whose = None) -> None:
    """
    Archive a conversation.

    Example: sagacity conversations archive 01990a52-7c11-7000-8000-000000000013
    """
    with connected(context, "archiving") as client:
        reply = client.archive_conversation(conversation_id, user_id=user_id)
    show(context, reply, said("archived"))


@app.command()
def unarchive(context: typer.Context, conversation_id: Id, *, user_id: Whose = None) -> None:
    """
    Bring an archived conversation back.

    Example: sagacity conversations unarchive 01990a52-7c11-7000-8000-000000000013
    """
    with connected(context, "bringing back") as client:
        reply = client.unarchive_conversation(conversation_id, user_id=user_id)
    show(context, reply, said("brought back"))


@app.command()
def delete(context: typer.Context, conversation_id: Id, *, user_id: Whose = None, yes: Yes = False) -> None:
    """
    Delete a conversation with its messages. What was learned from them stays.

    Example: sagacity conversations delete 01990a52-7c11-7000-8000-000000000013 --yes
    """
    confirm(context, "Delete this conversation with all its messages?", yes=yes)
    with connected(context, "deleting") as client:
        client.delete_conversation(conversation_id, user_id=user_id)
    show(context, {"id": conversation_id, "deleted": True}, said("deleted"))


def _drawn(found: "Iterable[ConversationView]") -> Render:
    rows = [(one.title or "", one.message_count, moment(one.updated_at), one.id) for one in found]
    return table(("title", "#messages", "#changed", "#id"), rows, empty="no conversations")


def _messages(found: "Iterable[MessageView]") -> Render:
    rows = [(moment(one.created_at), str(one.role), one.content) for one in found]
    return table(("+#at", "#who", "message"), rows, empty="no messages")
