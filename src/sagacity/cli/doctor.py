"""`sagacity doctor`: what works, what does not, and what to do about it."""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from sagacity.cli.invocation import Invocation, of
from sagacity.cli.output import Render, conclude, describe, plain
from sagacity.cli.progress import working
from sagacity.cli.serve import address_of, local_url
from sagacity.domain.amounts import counted
from sagacity.domain.errors import ConfigError, SagacityError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from sagacity.config.settings import Settings
    from sagacity.storage.replica.copy import CopyReport

SERVER = "server"
"""The check that fails on a machine without a running server; it still counts."""
_NOT_TAKEN = 300
"""The least status of HTTP that is no success."""
_MAIL_ADVICE = {
    "ses": "correct SAGACITY_MAIL_URL or the credentials, which need ses:SendEmail and ses:GetAccount",
    "smtp": "correct SAGACITY_MAIL_URL: host, port (465 for smtps, 587 for smtp), user and password",
}
_REINDEX = "stop the server and run `sagacity reindex`"


@dataclass(frozen=True)
class Check:
    """The result of one check."""

    name: str
    ok: bool
    found: str
    advice: str = ""


def doctor(context: typer.Context) -> None:
    """
    Check the installation, and say how to fix what fails.

    Checks the settings, home folder, database, its disk, where configurations are kept, embedder, model keys
    and server; if used, authenticator apps, the vector copy, Redis, workers, the mail server and the collector of
    traces.
    Lists what learners and evaluators gave up on. Exit code 1 if anything fails.

    Example: sagacity doctor
    """
    with working("looking"):
        checks = look(of(context))
    failed = [check for check in checks if not check.ok]
    data: dict[str, JsonValue] = {"checks": [asdict(check) for check in checks]}
    conclude(context, data, _drawn(checks), ok=not failed, failed=len(failed))


def look(flags: Invocation) -> list[Check]:
    """Run every check; those that need valid settings are skipped if the settings are wrong."""
    from sagacity.config.settings import load_settings  # noqa: PLC0415  it loads slowly, and `--help` should not
    from sagacity.observability.logging import configure_logging  # noqa: PLC0415  with it

    configure_logging("error", "auto")  # what parts log of their failures is told by the checks

    try:
        settings = load_settings()
    except ConfigError as error:
        return [Check("settings", ok=False, found=str(error), advice="correct the variable that is named")]
    return [
        Check(
            "settings", ok=True, found=f"embedder {settings.embedder}, {settings.host} port {settings.port}"
        ),
        _home(settings.home.expanduser()),
        _checked("database", lambda: _database(settings)),
        _configurations(settings),
        *_authenticator_apps(settings),
        *_given_up(settings),
        *([_vector_copy(settings)] if settings.vector_url else []),
        *([_redis(settings), *_workers(settings)] if settings.redis_url else []),
        *([_disk(settings)] if settings.is_sqlite else []),
        _checked("embedder", lambda: asyncio.run(_embedder(settings))),
        *([_mail(settings)] if settings.mail_url.get_secret_value() not in ("", "console") else []),
        *([_traces(settings)] if settings.traces_url else []),
        _keys(),
        _server(settings, flags),
    ]


def _checked(name: str, look_at: Callable[[], str]) -> Check:
    try:
        return Check(name, ok=True, found=look_at())
    except SagacityError as error:
        _, message, hint = describe(error)
        return Check(name, ok=False, found=message, advice=hint)


def _home(home: Path) -> Check:
    nearest = next((folder for folder in (home, *home.parents) if folder.exists()), home)
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        advice = "make it writable, or name another in SAGACITY_HOME"
        return Check("home", ok=False, found=f"{nearest} cannot be written", advice=advice)
    return Check("home", ok=True, found=str(home) if home.exists() else f"{home} (made on first use)")


def _database(settings: "Settings") -> str:
    from sagacity.access.open import open_token_store  # noqa: PLC0415  it loads the whole server
    from sagacity.bootstrap import open_database  # noqa: PLC0415  with it
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  with it
    from sagacity.domain.ids import TimeOrderedIds  # noqa: PLC0415  with it

    async def opened() -> str:
        async with open_database(settings) as storage:
            await storage.check()
            store = open_token_store(settings, storage, clock=SystemClock(), ids=TimeOrderedIds())
            await store.start()
            try:
                guarded = "tokens are asked for" if await store.any_made() else "no tokens: this machine only"
            finally:
                await store.stop()
            return f"{storage.label}; {guarded}"

    return "none yet (made on first use)" if _is_new(settings) else asyncio.run(opened())


def _is_new(settings: "Settings") -> bool:
    """Whether there is no database yet; opening it would create one."""
    return not settings.database_url and not (settings.home.expanduser() / "sagacity.db").exists()


def _configurations(settings: "Settings") -> Check:
    from sagacity.bootstrap import open_database  # noqa: PLC0415  it loads the whole server
    from sagacity.config.check import StoreFault, find_fault, place_of  # noqa: PLC0415  with it
    from sagacity.config.open import open_configs  # noqa: PLC0415  with it
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  with it

    async def looked() -> tuple[int, StoreFault | None]:
        async with open_database(settings) as storage:
            tenants = await storage.organisations()
            configs = open_configs(settings, storage, clock=SystemClock())
            return len(tenants), await find_fault(settings, configs, tenants)

    if _is_new(settings):
        return Check("configurations", ok=True, found=f"in the {place_of(settings)}; none yet")
    try:
        count, fault = asyncio.run(looked())
    except SagacityError as error:
        return Check("configurations", ok=False, found=str(error), advice="correct the database first")
    if fault is not None:
        return Check("configurations", ok=False, found=fault.found, advice=fault.advice)
    found = f"in the {place_of(settings)}; those of {counted(count, 'organisation')} can be read"
    return Check("configurations", ok=True, found=found)


def _authenticator_apps(settings: "Settings") -> list[Check]:
    """Check that the secrets of authenticator apps can be decrypted; no check if nobody has an app."""
    from sagacity.accounts.totp import find_unreadable  # noqa: PLC0415  it loads the whole server
    from sagacity.bootstrap import open_database  # noqa: PLC0415  with it
    from sagacity.config.choices import config_keys  # noqa: PLC0415  with it

    async def looked() -> tuple[int, str | None]:
        async with open_database(settings) as storage:
            return await find_unreadable(storage, await storage.organisations(), config_keys(settings))

    if _is_new(settings):
        return []
    try:
        count, fault = asyncio.run(looked())
    except SagacityError:  # the check of the database tells
        return []
    if fault is not None:
        advice = "restore that key; until then signing in takes recovery codes only"
        return [Check("authenticator apps", ok=False, found=fault, advice=advice)]
    found = f"{counted(count, 'secret')} can be read"
    return [Check("authenticator apps", ok=True, found=found)] if count else []


def _given_up(settings: "Settings") -> list[Check]:
    """Look for what was given up after the last try, mostly because a model failed; nothing where nothing was."""
    from sagacity.bootstrap import open_database  # noqa: PLC0415  it loads the whole server

    async def counted_letters() -> int:
        async with open_database(settings) as storage:
            return (await storage.backlog()).parked_count

    if _is_new(settings):
        return []
    try:
        count = asyncio.run(counted_letters())
    except SagacityError:  # the check of the database tells
        return []
    found = f"{counted(count, 'dead letter')}: turns that were given up after the last try"
    advice = "`sagacity dead-letters list --status parked` says why; correct that, and replay them"
    return [Check("learning", ok=False, found=found, advice=advice)] if count else []


def _disk(settings: "Settings") -> Check:
    from sagacity.storage.sqlite.file import free_megabytes  # noqa: PLC0415  only this check needs it

    free, least = free_megabytes(Path(settings.storage_place)), settings.least_free_megabytes
    advice = f"make room: with less than {least} MB (SAGACITY_LEAST_FREE_MEGABYTES) a server is not ready"
    return Check("disk", ok=free >= least, found=f"{free:,} MB free", advice="" if free >= least else advice)


def _redis(settings: "Settings") -> Check:
    from sagacity.coordination.open import open_shared  # noqa: PLC0415  it loads the client

    async def answers() -> bool:
        shared = open_shared(settings.redis_url)
        try:
            return await shared.check()
        finally:
            await shared.close()

    advice = "start Redis or Valkey, or correct SAGACITY_REDIS_URL; until then workers get no work"
    try:
        ok = asyncio.run(answers())
    except ConfigError as error:
        return Check("redis", ok=False, found=str(error), advice=advice)
    return Check("redis", ok=ok, found="it answers" if ok else "no answer", advice="" if ok else advice)


def _workers(settings: "Settings") -> list[Check]:
    """Say whether a worker takes work, as far as Redis can tell."""
    from sagacity.dispatch.open import open_queue  # noqa: PLC0415  it loads the client

    async def run() -> bool | None:
        queue = open_queue(
            settings.redis_url,
            tenant_concurrency=settings.tenant_concurrency,
            lease_seconds=settings.lease_seconds,
        )
        try:
            return await queue.has_worker()
        finally:
            await queue.close()

    try:
        found = asyncio.run(run())
    except ConfigError:
        found = None
    if found is None:  # the check of Redis tells
        return []
    if found:
        return [Check("workers", ok=True, found="a worker runs")]
    advice = "start one with `sagacity worker`; until then turns are stored, and nothing is learned"
    return [Check("workers", ok=False, found="none runs", advice=advice)]


def _mail(settings: "Settings") -> Check:
    from sagacity.domain.clock import SystemClock  # noqa: PLC0415  only this check needs it
    from sagacity.mail.base import reason_of  # noqa: PLC0415  with it
    from sagacity.mail.open import open_service  # noqa: PLC0415  with it

    url = settings.mail_url.get_secret_value()
    try:
        found = asyncio.run(open_service(url, settings.mail_from, SystemClock()).check())
    except OSError as error:
        advice = _MAIL_ADVICE["ses" if url.startswith("ses:") else "smtp"]
        return Check("mail", ok=False, found=f"no e-mail can be sent ({reason_of(error)})", advice=advice)
    return Check("mail", ok=True, found=found)


def _traces(settings: "Settings") -> Check:
    import httpx  # noqa: PLC0415  it loads slowly

    from sagacity.config.traces import collector_headers  # noqa: PLC0415  only this check needs it

    if find_spec("opentelemetry.sdk") is None:
        advice = "uv pip install -e '.[tracing]' in the checkout"
        return Check("traces", ok=False, found="SAGACITY_TRACES_URL needs more packages", advice=advice)
    headers = {
        name: one.get_secret_value() for name, one in collector_headers(settings.traces_headers).items()
    }
    headers["Content-Type"] = "application/x-protobuf"
    try:
        status = httpx.post(settings.traces_url, content=b"", headers=headers, timeout=5).status_code
    except httpx.HTTPError as error:
        found, advice = type(error).__name__, "start the collector, or correct SAGACITY_TRACES_URL"
    else:
        if status < _NOT_TAKEN:
            return Check("traces", ok=True, found=f"the collector at {settings.traces_url} takes spans")
        found, advice = f"status {status}", "correct SAGACITY_TRACES_URL or SAGACITY_TRACES_HEADERS"
    found = f"the collector at {settings.traces_url} takes no spans ({found})"
    return Check("traces", ok=False, found=found, advice=f"{advice}; until then spans are dropped")


def _vector_copy(settings: "Settings") -> Check:
    from sagacity.maintenance import compare_vector_copy  # noqa: PLC0415  it loads the whole server

    try:
        report = asyncio.run(compare_vector_copy(settings))
    except SagacityError as error:
        advice = "start Qdrant, or correct SAGACITY_VECTOR_URL; until then searches use the database"
        return Check("vector copy", ok=False, found=str(error), advice=advice)
    return judge_copy(report)


def judge_copy(report: "CopyReport | None") -> Check:
    """Check that the copy of the vectors matches the database."""
    if report is None or report.copied_dimension is None:
        found, advice = "none yet", "start the server, which makes it; searches use the database until then"
        return Check("vector copy", ok=report is None or not report.documents, found=found, advice=advice)
    if report.copied_dimension != report.dimension:
        found = f"vectors of {report.copied_dimension} dimensions, and the index has {report.dimension}"
        return Check("vector copy", ok=False, found=found, advice=_REINDEX)
    found = f"{report.copied_documents} of {report.documents} vectors"
    if report.scopes_behind:
        return Check("vector copy", ok=True, found=f"{found}; the server is copying", advice="")
    is_whole = report.copied_documents == report.documents
    return Check("vector copy", ok=is_whole, found=found, advice="" if is_whole else _REINDEX)


async def _embedder(settings: "Settings") -> str:
    from sagacity.config.choices import embedder_choice  # noqa: PLC0415  it loads the whole server
    from sagacity.providers.embedders.open import open_embedder  # noqa: PLC0415  with it

    embedder = open_embedder(embedder_choice(settings))
    await embedder.warm()
    return f"{embedder.model}, {embedder.dimension} dimensions, its hash is right"


def _keys() -> Check:
    from sagacity.config.settings import provider_keys  # noqa: PLC0415  it loads slowly

    found = ", ".join(sorted(provider_keys())) or "none in the environment; organisations may have their own"
    return Check("model keys", ok=True, found=found)


def _server(settings: "Settings", flags: Invocation) -> Check:
    from sagacity.client import Sagacity  # noqa: PLC0415  it loads the HTTP stack
    from sagacity.client.environment import default_url  # noqa: PLC0415  with it

    def asked() -> Check:
        with Sagacity(
            flags.server_url or default_url(otherwise=local_url(address_of(settings.host, settings.port))),
            flags.api_key,
            timeout_seconds=20,
            retry_seconds=0,
            allow_insecure=flags.allow_insecure,
        ) as client:
            parts = client.ready()
            broken = [f"{part.name}: {part.detail}" for part in parts.checks if not part.ok]
            if broken:
                state = "is ready, but " if parts.ready else "is not ready: "
                advice = "correct what is named"
                return Check(
                    SERVER, ok=False, found=f"{client.url} {state}{'; '.join(broken)}", advice=advice
                )
            release, org_id = client.version().server_version, client.whoami().org_id
            found = f"{client.url} is ready, release {release}, organisation {org_id}{_named(client.get_config())}"
            return Check(SERVER, ok=True, found=found)

    try:
        return asked()
    except SagacityError as error:
        _, message, hint = describe(error)
        return Check(SERVER, ok=False, found=message, advice=hint)


def _named(config: "Mapping[str, JsonValue]") -> str:
    """Return the model that an organisation chose for learning."""
    chosen = config.get("llm_config")
    model = chosen.get("generation_model_name") if isinstance(chosen, dict) else None
    return f", learns with {model}" if model else ""


def _drawn(checks: list[Check]) -> Render:
    def render(console: Console) -> None:
        width = max(len(check.name) for check in checks)
        for check in checks:
            mark = plain("ok   ", "green") if check.ok else plain("fail ", "bold red")
            console.print(mark + plain(f"{check.name:<{width}}  ", "bold") + plain(check.found))
            if check.advice:
                console.print(plain(" " * (width + 7) + check.advice, "dim"))

    return render
