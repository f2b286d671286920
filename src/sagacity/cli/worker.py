"""`sagacity worker`: run the background work of the servers in this process."""

import asyncio
import json
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sagacity.cli.garbage import keep_what_is_loaded
from sagacity.cli.invocation import of
from sagacity.cli.one_thread import compute_on_one_thread
from sagacity.cli.output import GENERAL, said, show
from sagacity.cli.serve import bound, say_on_stderr, url_of
from sagacity.domain.errors import ConfigError

if TYPE_CHECKING:
    from sagacity.bootstrap import WorkerRuntime
    from sagacity.config.settings import Settings
    from sagacity.dispatch.arq.worker import ArqWorker

_BEAT_SECONDS = 5.0
_ALIVE_SECONDS = 30.0


def worker(
    context: typer.Context,
    *,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            min=1,
            max=256,
            help="Users to learn from in parallel; SAGACITY_LEARN_CONCURRENCY.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            help="Port for its health and metrics; 0: any free port; SAGACITY_WORKER_PORT.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Only check whether a worker on this machine is alive; exit code 1 if not."
        ),
    ] = False,
) -> None:
    """
    Run a worker.

    It learns from and indexes what the servers of the same database and SAGACITY_REDIS_URL store. Run as many
    as you like. On Ctrl-C or SIGTERM it finishes its work within SAGACITY_DRAIN_SECONDS; on a second signal it
    stops at once. Other workers take over what is unfinished.

    Example: sagacity worker

    Example: sagacity worker --concurrency 16 --port 8082
    """
    compute_on_one_thread()
    from sagacity.config.settings import load_settings  # noqa: PLC0415  the worker's parts load only when it runs
    from sagacity.observability.logging import configure_logging  # noqa: PLC0415  with them

    flags = {"learn_concurrency": concurrency, "worker_port": port}
    settings = load_settings(**{name: value for name, value in flags.items() if value is not None})
    if check:
        _check(context, _sign_of(settings))
        return
    configure_logging(settings.log_level, settings.log_format)
    asyncio.run(_run(settings, as_json=of(context).as_json))


def _check(context: typer.Context, sign: Path) -> None:
    age = time.time() - sign.stat().st_mtime if sign.exists() else None
    is_alive = age is not None and age < _ALIVE_SECONDS
    text = "no worker of this machine is alive" if age is None else f"last sign of life {age:.0f} s ago"
    show(context, {"alive": is_alive}, said(text))
    if not is_alive:
        raise typer.Exit(GENERAL)


class _Ended(Exception):
    """A signal came while the database was waited for."""


async def _run(settings: "Settings", *, as_json: bool) -> None:
    from sagacity.bootstrap import WorkerRuntime, open_worker  # noqa: PLC0415  it loads the whole server
    from sagacity.storage.when_there import when_there  # noqa: PLC0415  with it

    signals = _signals()
    runtime: WorkerRuntime | None = None
    beats: list[asyncio.Task[None]] = []

    async def pause(seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await signals.get()
                raise _Ended

    def waits(reason: str) -> None:
        say_on_stderr(f"Waiting for {settings.storage_place}: {reason}")
        if not beats:  # it lives, and is not to be started again
            beats.append(asyncio.create_task(_beat(lambda: True, _sign_of(settings))))

    with _door(settings) as listener, suppress(_Ended):
        opening = (
            open_worker(settings)
            if settings.is_sqlite
            else when_there(lambda: open_worker(settings), waits, pause=pause)
        )
        async with _served(settings, lambda: runtime, listener) as url, opening as opened:
            runtime = opened
            keep_what_is_loaded()
            for beat in beats:
                beat.cancel()  # from here on, it is the worker that lives
            try:
                await _work(opened.worker, signals, settings, url, as_json=as_json)
            finally:
                runtime = None


async def _work(
    worker: "ArqWorker", signals: asyncio.Queue[int], settings: "Settings", url: str, *, as_json: bool
) -> None:
    """Let a worker work until it is told to stop, or cannot go on."""
    _give(_sign_of(settings))
    beat = asyncio.create_task(_beat(lambda: worker.is_running, _sign_of(settings)))
    try:
        _announce(url, as_json=as_json)
        ended = asyncio.create_task(signals.get())
        await asyncio.wait([beat, ended], return_when=asyncio.FIRST_COMPLETED)
        if beat.done():
            beat.result()
        await _stop(worker, signals, settings.drain_seconds)
    finally:
        beat.cancel()


async def _stop(worker: "ArqWorker", signals: asyncio.Queue[int], drain_seconds: float) -> None:
    """Stop, and let a second signal cut the wait for what runs."""
    stopping = asyncio.create_task(worker.stop(drain_seconds))
    again = asyncio.create_task(signals.get())
    await asyncio.wait([stopping, again], return_when=asyncio.FIRST_COMPLETED)
    again.cancel()
    if not stopping.done():
        stopping.cancel()
        await asyncio.wait([stopping])
        return
    await stopping


def _signals() -> asyncio.Queue[int]:
    """Return where the signals to stop arrive."""
    arrived: asyncio.Queue[int] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, arrived.put_nowait, number)
    return arrived


def _sign_of(settings: "Settings") -> Path:
    """Return the file whose time tells when a worker of this machine was last alive."""
    return settings.home.expanduser() / f"worker-{socket.gethostname()}.alive"


async def _beat(is_alive: "Callable[[], bool]", sign: Path) -> None:
    """Give signs of life while all of the worker works: an event loop that hangs gives none."""
    while is_alive():
        _give(sign)
        await asyncio.sleep(_BEAT_SECONDS)


def _give(sign: Path) -> None:
    try:
        sign.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        sign.touch()
    except OSError as error:
        raise ConfigError(
            f"setting SAGACITY_HOME: the worker's heartbeat file cannot be written there ({error.strerror})"
        ) from error


def _door(settings: "Settings") -> AbstractContextManager[socket.socket | None]:
    """Take the port for health and metrics before anything is loaded, if there is to be one."""
    if settings.worker_port is None:
        return nullcontext()
    return bound(
        settings.worker_host, settings.worker_port, named="SAGACITY_WORKER_HOST, SAGACITY_WORKER_PORT"
    )


@asynccontextmanager
async def _served(
    settings: "Settings", runtime_of: "Callable[[], WorkerRuntime | None]", listener: socket.socket | None
) -> AsyncGenerator[str]:
    """Tell of the worker's health and metrics during the block; gives the address, empty without a port."""
    if listener is None:
        yield ""
        return
    from sagacity.api.worker_door import door_server  # noqa: PLC0415  it loads the HTTP stack

    server = door_server(settings, runtime_of)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    opening = asyncio.create_task(server.is_open.wait())
    await asyncio.wait([serving, opening], return_when=asyncio.FIRST_COMPLETED)
    opening.cancel()
    try:
        yield url_of(listener)
    finally:
        server.should_exit = True
        await asyncio.wait([serving])


def _announce(url: str, *, as_json: bool) -> None:
    data = {"state": "ready", **({"url": url} if url else {})}
    said = "worker is ready" + (f"; its health and metrics are on {url}" if url else "")
    sys.stdout.write((json.dumps({"ok": True, "data": data, "meta": {}}) if as_json else said) + "\n")
    sys.stdout.flush()
