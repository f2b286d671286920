"""What every test may ask for: a storage on each implementation, a clock, ids, the real embedder."""

import asyncio
import gc
import logging
import re
import shutil
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import redis
import structlog
from hypothesis import HealthCheck, settings

from sagacity.observability.logging import configure_logging
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.litellm_seam import close_clients
from sagacity.storage.transaction import Storage
from support.compiled import share_statements
from support.kept import KeptBackends, empty_database, empty_file
from support.local_servers import PostgresServer, ValkeyServer, running_postgres, running_valkey
from support.parts import CountingIds, StoppedClock, migrated, opened, with_organisations

PROGRAM = "sagacity_app"
"""The role of PostgreSQL that row-level security binds: whatever is tested is tested as it."""


_DATABASE = re.compile("sqlite|postgresql")

REPORT = "report"
"""The property of a test whose text is shown at the end of a run, also of one in several processes."""


# By default every 700 new objects are searched for garbage: a sixth of the time of API tests.
gc.set_threshold(20_000, 20, 20)

# As the program logs an error. By default a traceback shows every variable, for which a processor works for seconds.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)

share_statements()

for _profile, _examples in (("quick", 25), ("full", 300)):
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,  # a busy machine is no defect
        derandomize=True,  # what fails here fails everywhere, each time
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
settings.load_profile("quick")  # --hypothesis-profile=full is for the long run


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let CI run a part of what only the full suite runs."""
    parser.addoption(
        "--full-shard", metavar="K/N", help="only the K-th of N parts of what the full suite adds"
    )


@pytest.hookimpl(tryfirst=True)  # before the tests are chosen by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one shard of the long tests and of those that draw examples, where one is asked for."""
    for item in items:
        if _is_left_to_the_full_suite(item):
            item.add_marker("full")
    if (wanted := config.getoption("--full-shard")) is None:
        return
    shard, shards = map(int, wanted.split("/"))
    kept = [
        item for item in items if _is_longer(item) and zlib.crc32(item.nodeid.encode()) % shards == shard - 1
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _is_left_to_the_full_suite(item: pytest.Item) -> bool:
    """Whether `make test` runs this test on the other database only."""
    found = _DATABASE.search(item.name)
    if found is None:
        return False
    if item.get_closest_marker("either_database"):
        given_to = ("sqlite", "postgresql")[zlib.crc32(_DATABASE.sub("", item.nodeid).encode()) % 2]
        return found[0] != given_to
    return item.get_closest_marker("one_database") is not None and found[0] == "postgresql"


def pytest_collection_finish() -> None:
    """Leave out of every later search for garbage what was imported and collected: it stays."""
    gc.collect()
    gc.freeze()


def _is_longer(item: pytest.Item) -> bool:
    """Whether the full suite does more with it than `make test` does, and CI has the time for it."""
    if item.get_closest_marker("longest"):
        return False
    draws = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return draws or any(item.get_closest_marker(name) for name in ("full", "examples"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what tests have to report besides that they passed."""
    for ended in terminalreporter.stats.get("passed", []):
        for name, text in ended.user_properties:
            if name == REPORT:
                terminalreporter.section(ended.nodeid)
                terminalreporter.line(text)


def _sqlite(request: pytest.FixtureRequest) -> str:
    path = request.getfixturevalue("tmp_path") / "sagacity.db"
    shutil.copyfile(request.getfixturevalue("migrated_file"), path)
    return f"sqlite:///{path}"


def _postgres(request: pytest.FixtureRequest) -> str:
    server: PostgresServer = request.getfixturevalue("postgres")
    name = server.new_database(template=request.getfixturevalue("migrated_database"))
    request.addfinalizer(lambda: server.drop_database(name))
    return server.url_of(name, PROGRAM)


def _kept_sqlite(request: pytest.FixtureRequest) -> str:
    path = request.getfixturevalue("kept_file")
    empty_file(path)
    return f"sqlite:///{path}"


def _kept_postgres(request: pytest.FixtureRequest) -> str:
    server: PostgresServer = request.getfixturevalue("postgres")
    name = request.getfixturevalue("kept_database")
    empty_database(server.url_of(name))
    return server.url_of(name, PROGRAM)


# Implementation → where a test's database lies. To run every contract on one more, add its line.
DATABASES: dict[str, Callable[[pytest.FixtureRequest], str]] = {"sqlite": _sqlite, "postgresql": _postgres}
KEPT = {"sqlite": _kept_sqlite, "postgresql": _kept_postgres}
"""Likewise, of the database that this process keeps: it is emptied for the test."""


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def ids() -> CountingIds:
    return CountingIds()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server with pgvector, started for these tests."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_database(postgres: PostgresServer) -> str:
    """The name of a database with this release's tables and nothing in them, to be copied."""
    name = postgres.new_database()
    asyncio.run(migrated(postgres.url_of(name, PROGRAM), owner_url=postgres.url_of(name)))
    postgres.close_to_connections(name)
    return name


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a file of SQLite."""
    path = tmp_path_factory.mktemp("migrated") / "sagacity.db"
    asyncio.run(migrated(f"sqlite:///{path}"))
    return path


@pytest.fixture(scope="session")
def kept_file(migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of SQLite that this process keeps."""
    path = tmp_path_factory.mktemp("kept") / "sagacity.db"
    shutil.copyfile(migrated_file, path)
    return path


@pytest.fixture(scope="session")
def kept_database(postgres: PostgresServer, migrated_database: str) -> str:
    """The name of the database of PostgreSQL that this process keeps."""
    return postgres.new_database(template=migrated_database)


@pytest.fixture(scope="session")
async def kept_backends() -> AsyncIterator[KeptBackends]:
    """The connections to the kept databases."""
    kept = KeptBackends()
    yield kept
    await kept.close()


@pytest.fixture
def new_database(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Makes a database without any organisation, by the name of its kind."""
    return lambda name: DATABASES[name](request)


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Gives a database without any organisation, by the name of its kind: the kept one, or one of the test's own."""
    made = DATABASES if request.node.get_closest_marker("own_database") else KEPT
    return lambda name: made[name](request)


@pytest.fixture(params=list(DATABASES))
def database_url(request: pytest.FixtureRequest, database: Callable[[str], str]) -> str:
    """A database without any organisation."""
    return database(request.param)


@pytest.fixture
async def storage(
    request: pytest.FixtureRequest,
    database_url: str,
    kept_backends: KeptBackends,
    clock: StoppedClock,
    ids: CountingIds,
) -> AsyncIterator[Storage]:
    """A storage with two organisations in it. A test that breaks or replaces its parts breaks no other's."""
    if request.node.get_closest_marker("own_database"):
        async with opened(database_url, clock, ids) as storage:
            yield storage
        return
    storage = await kept_backends.storage(database_url, clock, ids)
    await with_organisations(storage)
    yield storage


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    """A real server, started for these tests. Those that kill one start their own."""
    with running_valkey(tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture
def redis_url(valkey: ValkeyServer) -> str:
    """A server that holds nothing."""
    with redis.Redis.from_url(valkey.url) as client:
        client.flushall()
    return valkey.url


@pytest.fixture
def all_logs(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """All that this process logs, from debug on, goes to *capsys* as JSON. Other tests log as before."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers = root.handlers
    levels = {name: logging.getLogger(name).level for name in (root.name, *logging.root.manager.loggerDict)}
    configure_logging("debug", "json")  # to the standard error that *capsys* has put in place
    yield
    structlog.configure(**before)
    root.handlers = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
async def closed_clients() -> AsyncIterator[None]:
    """For tests that call models in this process: no connection outlives the test's event loop."""
    yield
    await close_clients()


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM()
