"""`sagacity chat`: chat in the terminal, and see what the answers draw on."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

import typer

from sagacity.cli import draw
from sagacity.cli.invocation import connected, of
from sagacity.cli.output import Render, plain, show, stdout, table
from sagacity.cli.search import sections
from sagacity.domain.chat import is_extractive
from sagacity.domain.errors import InvalidInput, ProviderError, SagacityError
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.user_memory import KIND_OF, TYPE_OF

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.client._sync.chatting import ChatEvent
    from sagacity.schemas.chat import AnswerReply, CitedPlace, ShownMemory

_HELP = """\
/why           what the last answer could draw on; a star: what it cites
/memories      what is known of you
/search TEXT   search what was said and learned
/forget NAME   forget what /why or /memories show by that name: p:7, or 3; several are possible
/retry         answer the last message again
/new           begin a new conversation
/help          this list
/quit          leave, as Ctrl-D does"""
_LISTED = 50
_MOST_CHARACTERS = 240
"""Of what a source says: a few lines of a terminal."""
_END = frozenset({"/quit", "/exit", "quit", "exit"})
_MISSING = {"/search": "say what to search for: /search TEXT", "/forget": "say what to forget: /forget NAME"}
_STILL_SAID = (
    "What you said stays in the log and may be quoted. When it is, /why shows it: /forget that, too.\n"
)


@dataclass
class _Talk:
    """A chat in the terminal."""

    client: "Sagacity"
    user_id: str | None
    write: Callable[[str], None]
    draw: Callable[[Render], None]
    conversation_id: str | None = None
    exchange_id: str | None = None
    known: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """The sources shown so far: kind, id and user by name."""

    def say(self, message: str) -> None:
        """Send a message, and print the answer as it comes."""
        sent = self.client.send_message(message, conversation_id=self.conversation_id, user_id=self.user_id)
        self._follow(sent)

    def _follow(self, events: "Iterable[ChatEvent]") -> None:
        for event in events:
            data = event.data
            if event.event == "start":
                self.conversation_id, self.exchange_id = (
                    str(data[name]) for name in ("conversation_id", "exchange_id")
                )
            elif event.event == "message":
                self.write(str(data["content"]))
            elif event.event == "error":
                self.write("\n")
                raise ProviderError(str(data["error"]))
        self.write("\n")

    def obey(self, command: str) -> None:
        """Run a command, a line that begins with a slash."""
        name, _, rest = command.partition(" ")
        words = rest.split()
        match name:
            case "/why":
                self._why()
            case "/memories":
                self._memories()
            case "/search" if words:
                self._search(" ".join(words))
            case "/forget" if words:
                self._forget(words)
            case "/retry":
                if self.conversation_id is None:
                    raise InvalidInput("there is no message to answer yet")
                self._follow(self.client.retry_answer(self.conversation_id, user_id=self.user_id))
            case "/new":
                self.conversation_id = self.exchange_id = None
                self.write("A new conversation begins with your next message.\n")
            case "/help":
                self.write(f"{_HELP}\n")
            case _:
                raise InvalidInput(_MISSING.get(name) or f"there is no {name}; /help lists what there is")

    def _whose(self) -> str:
        """Return the user of the conversation; asks the server if none was given."""
        if self.user_id is None:
            self.user_id = self.client.get_memory_stats().user_id
        return self.user_id

    def _search(self, text: str) -> None:
        found = self.client.search(text, user_id=self._whose(), kinds=[*TYPE_OF, INTERACTION], top_k=10)
        said = [one for one in found.interactions or () if not is_extractive(one.content)]
        self.draw(sections(found.model_copy(update={"interactions": said})))

    def _why(self) -> None:
        if self.exchange_id is None:
            raise InvalidInput("there is no answer yet")
        reply = self.client.get_exchange(self.exchange_id, user_id=self.user_id)
        for one in reply.memories:
            self.known[one.citation] = (one.kind, one.id, self._whose())
        self.draw(_sources(reply.memories, reply.citations))

    def _memories(self) -> None:
        found = self.client.list_memories(page_size=_LISTED, user_id=self.user_id)
        rows: list[tuple[str, str, str]] = []
        for place, one in enumerate(found.memories, start=1):
            self.known[str(place)] = (KIND_OF[one.memory_type], one.id, self._whose())
            rows.append((str(place), one.content, one.memory_type))
        self.draw(table(("#name", "content", "~#type"), rows, empty="nothing is known yet"))
        if found.total > len(rows):
            self.write(f"The newest {len(rows)} of {found.total:,}; `sagacity memories list` shows all.\n")

    def _forget(self, names: Sequence[str]) -> None:
        forgotten: list[str] = []
        try:
            for name in names:
                forgotten.append(self._forget_one(name))
                self.write(f"Forgotten: {name}\n")
        finally:
            if any(kind != INTERACTION for kind in forgotten):
                self.write(_STILL_SAID)

    def _forget_one(self, name: str) -> str:
        """Delete the source shown by a name; returns its kind."""
        if name not in self.known:
            raise InvalidInput(f"{name} was not shown; /why and /memories show what you can forget")
        kind, item_id, user_id = self.known[name]
        if kind == INTERACTION:
            self.client.delete_interaction(user_id, int(item_id))
        elif kind in TYPE_OF:
            self.client.delete_memory(item_id, user_id=self.user_id)
        else:
            raise InvalidInput(f"{name} serves all users; see `sagacity {kind.replace('_', '-')}s --help`")
        del self.known[name]
        return kind


def chat(
    context: typer.Context,
    message: Annotated[
        str | None, typer.Argument(help="One message; without it, a conversation begins.")
    ] = None,
    *,
    user_id: Annotated[
        str | None, typer.Option("--user-id", "-u", help="The user; default on this machine: local.")
    ] = None,
    conversation_id: Annotated[
        str | None, typer.Option("--conversation-id", help="The conversation to continue.")
    ] = None,
) -> None:
    """
    Chat in the terminal. Answers draw on what was said before and what was learned.

    In a conversation, /help lists more commands: /why shows what the last answer draws on.

    Example: sagacity chat "What should I cook on Friday?" --user-id ana
    """
    flags = of(context)
    console = stdout(is_wide=flags.is_wide)

    def write(text: str) -> None:
        console.print(plain(text), end="", soft_wrap=True)

    quiet = flags.as_json or flags.field is not None
    with connected(context, None) as client:
        talk = _Talk(
            client,
            user_id,
            (lambda _text: None) if quiet else write,
            lambda render: render(console),
            conversation_id=conversation_id,
        )
        if message is not None:
            talk.say(message)
            if quiet:
                reply = client.get_exchange(cast("str", talk.exchange_id), user_id=user_id)
                show(context, reply, _answer(reply))
            return
        if quiet:
            raise InvalidInput("--json and --field need a message: sagacity chat MESSAGE")
        _lead(talk, write)


def _lead(talk: _Talk, write: Callable[[str], None]) -> None:
    """Read lines until the end; on a terminal, an error does not end the chat."""
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        write("Talk, or type /help. What you say is remembered.\n")
    for line in _lines(write if is_terminal else None):
        if line in _END:
            return
        try:
            if line.startswith("/"):
                talk.obey(line)
            else:
                talk.say(line)
        except SagacityError as error:
            if not is_terminal:
                raise
            write(f"{error}\n")


def _lines(write: Callable[[str], None] | None) -> Iterator[str]:
    while True:
        if write is not None:
            write("\n> ")
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def _answer(reply: "AnswerReply") -> Render:
    return lambda console: console.print(plain(reply.message.content if reply.message else ""))


def _line(text: str) -> str:
    """Return the beginning of a text in one line: a turn may hold pages of code."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_CHARACTERS else f"{line[: _MOST_CHARACTERS - 1]}…"


def _sources(memories: "Iterable[ShownMemory]", cited: "Iterable[CitedPlace]") -> Render:
    named = {one.citation for one in cited}
    rows = [
        (
            "*" if one.citation in named else "",
            one.citation,
            draw.number(one.relevance),
            _line(one.content),
            ", ".join(one.strategies),
        )
        for one in memories
    ]
    return table(
        ("#cited", "#source", "#relevance", "content", "~found by"), rows, empty="nothing was remembered"
    )
