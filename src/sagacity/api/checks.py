"""Check each part of the server; a reported failure contains no address and no secret."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from sagacity.access.document_tokens import DocumentTokens
from sagacity.bootstrap import Runtime, WorkerRuntime
from sagacity.config.cached import TTL_SECONDS
from sagacity.dispatch.base import Dispatcher
from sagacity.domain.errors import SagacityError, StorageUnavailable
from sagacity.learning.compute import COMPUTE, REPLACED
from sagacity.storage.sqlite.file import free_megabytes

CHECK_SECONDS = 5.0
_ALONE = (
    "Redis does not answer; limits are counted in each process, "
    f"changes of configuration take {TTL_SECONDS:g} s"
)
_KNOWN = "the document of API tokens cannot be read; tokens that are known from before go on for some seconds"
_DATABASE = "no answer; searches use the database, and the copy catches up by itself"


class _AtFault(Exception):
    """A part does not work; the text is for the caller."""


_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a part."""

    name: str
    ok: bool
    milliseconds: float
    detail: str = ""
    required: bool = True


AWAY = Checked("storage", ok=False, milliseconds=0, detail=StorageUnavailable.__name__)
"""The only result of a process whose database is down from the start."""

_PROGRAM = Checked("program", ok=False, milliseconds=0, detail=REPLACED, required=False)


async def checked(runtime: Runtime | WorkerRuntime) -> list[Checked]:
    """Check every part of the server or worker in parallel."""
    name, working = (
        ("worker", runtime.worker)
        if isinstance(runtime, WorkerRuntime)
        else ("dispatcher", runtime.dispatcher)
    )
    least = runtime.settings.least_free_megabytes
    found = await asyncio.gather(
        check("storage", runtime.storage.check),
        *([check("disk", lambda: _has_room(file, least))] if (file := runtime.storage.backend.file) else []),
        check("embedder", lambda: runtime.embedder.embed(["ready"])),  # cached: asked often, computed once
        check(name, lambda: _alive(is_running=working.is_running)),
        # Without what the processes share each goes on alone, and without the vector store the database searches by
        # itself: neither keeps a server from serving.
        check("shared", lambda: _answers(runtime.shared.check), instead=_ALONE),
        *(
            [_check_workers(runtime.dispatcher)]
            if isinstance(runtime, Runtime) and runtime.settings.redis_url
            else []
        ),
        *(
            [check("vector store", store.check, instead=_DATABASE)]
            if (store := runtime.storage.vector_store)
            else []
        ),
        *(
            [_check_tokens(runtime.token_store)]
            if isinstance(runtime, Runtime) and isinstance(runtime.token_store, DocumentTokens)
            else []
        ),
    )
    return [*found, _PROGRAM] if COMPUTE.is_replaced else found


async def check(name: str, ask: Callable[[], Awaitable[object]], *, instead: str = "") -> Checked:
    """Check one part; *instead* says what does its work meanwhile, if the server can do without it."""
    began, why = time.perf_counter(), ""
    try:
        await asyncio.wait_for(ask(), CHECK_SECONDS)
    except TimeoutError:
        why = f"no answer within {CHECK_SECONDS:g} s"
    except _AtFault as error:
        why = str(error)
    except SagacityError as error:
        why = type(error).__name__
    except Exception as error:  # noqa: BLE001  a part that breaks is what is asked about
        _log.exception("check.crashed", part=name, exc_info=error)
        why = "it failed; the log has the details"
    return Checked(
        name,
        ok=not why,
        milliseconds=(time.perf_counter() - began) * 1000,
        detail=(instead or why) if why else "",
        required=not instead,
    )


async def _check_workers(dispatcher: Dispatcher) -> Checked:
    """Ask whether somebody does what this server leaves to workers; without one it stores, searches and answers."""

    async def ask() -> None:
        if obstacle := await dispatcher.obstacle():
            raise _AtFault(obstacle)

    return replace(await check("workers", ask), required=False)


async def _check_tokens(store: DocumentTokens) -> Checked:
    """Check the document of tokens: the server works without it for a while, then refuses every call."""
    found = await check("tokens", store.check)
    return replace(found, ok=False, detail=_KNOWN, required=False) if found.ok and store.is_behind else found


async def _has_room(file: Path, least: int) -> None:
    """Check that there is room on the disk, to report a full disk before every write fails."""
    free = await asyncio.to_thread(free_megabytes, file)
    if free < least:
        raise _AtFault(f"{free} MB are free, and the least is {least} (SAGACITY_LEAST_FREE_MEGABYTES)")


async def _alive(*, is_running: bool) -> None:
    if not is_running:
        raise _AtFault("it stopped")


async def _answers(ask: Callable[[], Awaitable[bool]]) -> None:
    if not await ask():
        raise _AtFault("it does not answer")
