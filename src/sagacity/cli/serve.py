"""`sagacity serve`: run the server, in this process or in several."""

import json
import signal
import socket
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sagacity.cli.garbage import keep_what_is_loaded
from sagacity.cli.invocation import of
from sagacity.cli.one_thread import compute_on_one_thread
from sagacity.domain.errors import ConfigError, SagacityError, StorageUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import FrameType

    import uvicorn

    from sagacity.bootstrap import Runtime
    from sagacity.cli.processes import Link
    from sagacity.config.settings import Settings

    Message = MutableMapping[str, Any]
    App = Callable[
        [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]
    ]

DRAIN_SECONDS = 10


def serve(
    context: typer.Context,
    *,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on; SAGACITY_HOST.")] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Port to listen on; 0: any free port; SAGACITY_PORT."),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            min=1,
            max=64,
            help="Server processes on this port, a core each; SAGACITY_PROCESSES.",
        ),
    ] = None,
    child: Annotated[
        str | None, typer.Option("--child", hidden=True, help="What --processes passes to its processes.")
    ] = None,
) -> None:
    """
    Run the server.

    It runs until stopped (Ctrl-C, SIGTERM), and finishes calls in progress first. With --processes, calls of
    several clients are answered on several cores, and a process that ends is replaced.

    Example: sagacity serve

    Example: sagacity serve --host 0.0.0.0 --port 8081 --processes 4
    """
    compute_on_one_thread()
    from sagacity.config.settings import load_settings  # noqa: PLC0415  the server's parts load only when it runs
    from sagacity.observability.logging import configure_logging  # noqa: PLC0415  with them

    given = {"host": host, "port": port, "processes": processes}
    flags = {name: value for name, value in given.items() if value is not None}
    settings = load_settings(**flags)
    configure_logging(settings.log_level, settings.log_format)
    as_json = of(context).as_json
    if child is not None:
        from sagacity.cli.processes import child_of  # noqa: PLC0415  as above

        listener, link = child_of(child)
        with listener:
            link.end_with_parent()
            _run(settings, listener, link=link, as_json=as_json)
        return
    with bound(settings.host, settings.port, named="SAGACITY_HOST, SAGACITY_PORT") as listener:
        if settings.processes == 1:
            _run(settings, listener, as_json=as_json)
        else:
            _run_several(settings, listener, flags, as_json=as_json)


def _run_several(
    settings: "Settings", listener: socket.socket, flags: dict[str, str | int], *, as_json: bool
) -> None:
    from sagacity.cli.processes import run_processes  # noqa: PLC0415  most run one

    def announce(is_waiting: bool) -> None:  # noqa: FBT001  the only thing to tell
        _announce(url_of(listener), settings.storage_place, is_waiting=is_waiting, as_json=as_json)

    options = [part for name, value in flags.items() for part in (f"--{name}", str(value))]
    arguments = [*(["--json"] if as_json else []), "serve", *options]
    raise typer.Exit(run_processes(settings.processes, listener, arguments, announce=announce))


def _run(settings: "Settings", listener: socket.socket, *, link: "Link | None" = None, as_json: bool) -> None:
    """Serve calls on *listener*, until stopped; whoever holds the other end of *link* is told when."""
    import uvicorn  # noqa: PLC0415  with the server's parts

    from sagacity.api.app import create_app  # noqa: PLC0415  with the server's parts
    from sagacity.api.connections import limited_protocol  # noqa: PLC0415  with the server's parts

    start = _Start(settings, link)
    config = uvicorn.Config(
        _keeping_failures(create_app(settings, watcher=start), start),
        log_config=None,
        access_log=False,
        http=limited_protocol(most=settings.max_connections, head_seconds=settings.header_timeout_seconds),
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _ended)
    server = _announcing(uvicorn.Server(config), url_of(listener), start, as_json=as_json)
    start.server = server
    with suppress(SystemExit):
        server.run(sockets=[listener])
    if start.failure is not None:
        raise start.failure
    if not server.started:
        raise ConfigError("the server did not start; its log says why")


def bound(host: str, port: int, *, named: str) -> socket.socket:
    """
    Bind the port before anything is loaded; *named* are the settings to correct if that fails.

    Raises:
        ConfigError: it is in use, or the address is not this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise ConfigError(f"settings {named}: {host} port {port}: {error.strerror}") from error
    return listener


def _ended(number: int, frame: "FrameType | None") -> None:
    """Catch the signal that uvicorn repeats after shutting down, so that the process exits with success."""


class _Start:
    """Reports on the terminal what happens to a server until it can answer calls."""

    def __init__(self, settings: "Settings", link: "Link | None") -> None:
        self._settings = settings
        self.link = link
        self.failure: Exception | None = None
        """The error that stops the server."""
        self.server: uvicorn.Server | None = None
        """What listens."""
        self._reason = ""

    @property
    def is_waiting(self) -> bool:
        """Whether the database is down."""
        return bool(self._reason)

    @property
    def place(self) -> str:
        """The URL of the database."""
        return self._settings.storage_place

    async def accept(self, runtime: "Runtime") -> None:
        """
        Make sure that a server that others can reach requires a token.

        Raises:
            ConfigError: it does not.
        """
        with suppress(StorageUnavailable):  # as long as it is not known, nobody gets in
            if self._settings.is_loopback or await runtime.token_store.any_made():
                return
            raise ConfigError(
                f"setting SAGACITY_HOST: {self._settings.host} can be reached by others, but no token exists yet. "
                "Create one with `sagacity token create`, or listen on 127.0.0.1."
            )

    def waits(self, reason: str) -> None:
        """Print what the server waits for."""
        self._reason = reason
        say_on_stderr(f"Waiting for {self.place}: {reason}")

    def opened(self) -> None:
        """Print that the wait is over, if there was one."""
        keep_what_is_loaded()
        if self._reason:
            self._reason = ""
            say_on_stderr(f"{self.place} is there: calls are answered")
            if self.link is not None:
                self.link.tell_ready()

    def failed(self, error: Exception) -> None:
        """Stop the server; the error is shown like that of any command."""
        self.failure = error
        if self.server is not None:
            self.server.should_exit = True


def say_on_stderr(text: str) -> None:
    """Print a message for people; programs read stdout."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _announcing(server: "uvicorn.Server", url: str, start: _Start, *, as_json: bool) -> "uvicorn.Server":
    """Make a server tell its parent, or on the terminal, that it listens."""
    startup_of_server = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await startup_of_server(sockets)
        if not server.started:
            return
        if start.link is None:
            _announce(url, start.place, is_waiting=start.is_waiting, as_json=as_json)
        elif start.is_waiting:
            start.link.tell_waiting()
        else:
            start.link.tell_ready()

    server.startup = startup
    return server


def _announce(url: str, place: str, *, is_waiting: bool, as_json: bool) -> None:
    """Print a server's address, and where its data is."""
    from sagacity.client.environment import DEFAULT_URL  # noqa: PLC0415  with the server's parts

    waiting = {"state": "waiting"} if is_waiting else {}
    envelope = {"ok": True, "data": {"url": url, "storage": place, **waiting}, "meta": {}}
    local = local_url(url)
    said = f"Sagacity is listening on {url}\nIts data is in {place}"
    if local != DEFAULT_URL:
        said += f"\nCommands find it by SAGACITY_URL={local}"
    sys.stdout.write((json.dumps(envelope) if as_json else said) + "\n")
    sys.stdout.flush()


def url_of(listener: socket.socket) -> str:
    """Return the address on which a socket listens."""
    return address_of(*listener.getsockname()[:2])


def address_of(host: str, port: int) -> str:
    """Return the URL of a server at *host*, a name or an address."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def local_url(url: str) -> str:
    """Return where this machine reaches a server that listens at *url*, which may stand for all addresses."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def _keeping_failures(app: "App", start: _Start) -> "App":
    """Keep the error that stops start-up, so that it is shown as one line and not as a traceback."""

    async def guarded(
        scope: "Message",
        receive: "Callable[[], Awaitable[Message]]",
        send: "Callable[[Message], Awaitable[None]]",
    ) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return

        async def quiet(message: "Message") -> None:
            await send({"type": message["type"]})

        try:
            await app(scope, receive, quiet)
        except SagacityError as error:
            start.failure = error

    return guarded
