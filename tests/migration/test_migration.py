"""A database of any age becomes what a new one is, or is left untouched."""

import asyncio
import hashlib
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

from sagacity.domain.clock import SystemClock
from sagacity.domain.errors import SagacityError, SchemaMismatch, StorageError
from sagacity.domain.ids import TimeOrderedIds
from sagacity.storage.open import open_storage
from sagacity.storage.schema.migrate import VERSIONS, check
from sagacity.storage.schema.tables import metadata
from sagacity.storage.schema.views import OLDEST_SCHEMA
from sagacity.storage.sqlite.backend import SQLite
from support.parts import ANNA, ORG, opened, said
from support.program import sagacity
from support.schemas import former_release, next_release


async def fresh(path: Path) -> None:
    """A database as this release makes it."""
    async with opened(f"sqlite:///{path}", SystemClock(), TimeOrderedIds()):
        pass


def schema_of(path: Path) -> dict[str, object]:
    """Every table with its columns, keys and indexes, as the database itself tells it."""
    engine = sa.create_engine(f"sqlite:///{path}", poolclass=sa.NullPool)
    inspector = sa.inspect(engine)
    schema: dict[str, object] = {}
    for table in sorted(inspector.get_table_names()):
        if table == "alembic_version":
            continue
        schema[table] = {
            "columns": {
                c["name"]: (str(c["type"]), c["nullable"], c["default"], c["primary_key"])
                for c in inspector.get_columns(table)
            },
            "primary key": inspector.get_pk_constraint(table),
            "foreign keys": sorted(map(repr, inspector.get_foreign_keys(table))),
            "unique": sorted(map(repr, inspector.get_unique_constraints(table))),
            "indexes": sorted(repr((i["name"], i["column_names"], i["unique"])) for i in inspector.get_indexes(table)),
        }  # fmt: skip
    with sqlite3.connect(path) as connection:
        rows = connection.execute("select name, sql from sqlite_master where sql is not null").fetchall()
    connection.close()
    for name, sql in rows:
        words = " ".join(sql.split()).upper()
        traits = {trait for trait in ("AUTOINCREMENT", "WITHOUT ROWID") if trait in words}
        schema[f"{name}: traits"] = (traits, words.partition(" WHERE ")[2])
    engine.dispose()
    schema.pop("alembic_version: traits", None)
    schema.pop("sqlite_sequence: traits", None)
    return schema


def contents_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def declared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The schema as `tables.py` declares it."""
    path = tmp_path_factory.mktemp("declared") / "declared.db"
    engine = sa.create_engine(f"sqlite:///{path}", poolclass=sa.NullPool)
    metadata.create_all(engine)
    engine.dispose()
    return schema_of(path)


async def test_migrated_equals_declared(tmp_path: Path, declared: dict[str, object]) -> None:
    """Running every migration gives the schema that the code is written against."""
    await fresh(tmp_path / "a.db")
    assert schema_of(tmp_path / "a.db") == declared
    assert len(declared) > 40


RUNNING = "exchanges.status = 'running'"
AHEAD = [
    "create index ix_exchanges_running on exchanges (org_id) where status = 'running'",
    f"create view answering_tenants as select distinct exchanges.org_id from exchanges where {RUNNING}",
]
"""What some databases of schema 0001 have already."""


@pytest.mark.parametrize("ahead", [[], AHEAD], ids=["0001", "0001 and ahead"])
async def test_database_of_the_oldest_release_goes_forward(
    tmp_path: Path, declared: dict[str, object], ahead: list[str]
) -> None:
    """What the first release wrote opens, is then what a new one is, and has lost nothing."""
    path = tmp_path / "old.db"
    with former_release(tmp_path / "scripts"):
        await fresh(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";".join(ahead))
    assert schema_of(path) != declared or ahead
    async with opened(f"sqlite:///{path}", SystemClock(), TimeOrderedIds()) as storage:
        assert (await storage.append(ORG, said("tea"))).last_seq == 1
        assert await storage.answering_tenants() == []
    assert schema_of(path) == declared


async def test_older_database_goes_forward(tmp_path: Path) -> None:
    """A database of the release before opens, is then what a new one is, and has lost nothing."""
    path, new = tmp_path / "old.db", tmp_path / "new.db"
    async with opened(f"sqlite:///{path}", SystemClock(), TimeOrderedIds()) as storage:
        await storage.append(ORG, said("tea"))
    with next_release():
        await fresh(new)
        async with opened(f"sqlite:///{path}", SystemClock(), TimeOrderedIds()) as storage:
            assert (await storage.append(ORG, said("milk", request_id="r2"))).last_seq == 2
    assert schema_of(path) == schema_of(new)
    assert "moods" in schema_of(path)


async def test_open_again_changes_nothing(tmp_path: Path) -> None:
    """A database of this release is only looked at."""
    path = tmp_path / "a.db"
    async with opened(f"sqlite:///{path}", SystemClock(), TimeOrderedIds()) as storage:
        await storage.append(ORG, said("tea"))
    before = contents_of(path)
    storage = await open_storage(f"sqlite:///{path}", clock=SystemClock(), ids=TimeOrderedIds())
    async with storage.read(ORG) as snapshot:
        assert [turn.content for turn in await snapshot.interactions.log(ANNA, after_seq=0, limit=9)] == [
            "tea"
        ]
    await storage.close()
    assert contents_of(path) == before


async def test_command_says_what_it_did(tmp_path: Path) -> None:
    """From which schema to which; that the tables were made; or that there was nothing to do."""
    home = tmp_path / "home"
    home.mkdir()
    with former_release(tmp_path / "former"):
        await fresh(home / "sagacity.db")
    head = ScriptDirectory(str(VERSIONS[0].parent)).get_current_head()
    went = sagacity("migrate", home=home)
    assert went.code == 0, went.err
    assert went.out.endswith(f": migrated from schema {OLDEST_SCHEMA} to {head}\n")
    again = sagacity("migrate", home=home)
    assert (again.code, again.err) == (0, "")
    assert again.out.endswith(f" has schema {head} already: nothing to do\n")
    made = sagacity("migrate", "--json", home=tmp_path / "other")
    assert (made.data["schema_before"], made.data["schema_now"]) == ("", head)
    assert made.meta == {"changed": True}


async def test_command_says_how_far_it_came(tmp_path: Path) -> None:
    """An index of another embedder needs more than a migration; the schema is new nevertheless."""
    home = tmp_path / "home"
    home.mkdir()
    with former_release(tmp_path / "former"):
        await fresh(home / "sagacity.db")
    with closing(sqlite3.connect(home / "sagacity.db")) as connection:
        connection.execute(
            "insert into search_index (index_id, embedder, dimension, analyzer, created_at) "
            "values (1, 'another', 16, 'unicode-1', 0)"
        )
        connection.commit()
    head = ScriptDirectory(str(VERSIONS[0].parent)).get_current_head()
    went = sagacity("migrate", home=home)
    assert went.code == 1
    assert "made with another" in went.err
    assert f"(The schema is migrated: {head}.)" in " ".join(went.err.split())


async def newer(path: Path, oldest: str = "from-the-future") -> None:
    await fresh(path)
    connection = sqlite3.connect(path)
    connection.execute("update alembic_version set version_num = 'from-the-future'")
    connection.execute("drop view supported_schemas")
    connection.execute(f"create view supported_schemas as select '{oldest}' as oldest")
    connection.commit()
    connection.close()


async def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table recipes (name text)")
    connection.execute("insert into recipes values ('soup')")
    connection.commit()
    connection.close()


async def foreign_with_alembic(path: Path) -> None:
    await foreign(path)
    connection = sqlite3.connect(path)
    connection.execute("create table alembic_version (version_num text)")
    connection.execute("insert into alembic_version values ('a1b2c3')")
    connection.commit()
    connection.close()


async def no_database(path: Path) -> None:
    path.write_bytes(b"Dear diary, " * 1_000)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (newer, SchemaMismatch),
        (foreign, SchemaMismatch),
        (foreign_with_alembic, SchemaMismatch),
        (no_database, StorageError),
    ],
)
async def test_what_is_not_ours_is_left_untouched(tmp_path: Path, make, error: type[SagacityError]) -> None:
    """A newer release's or another program's file is refused, and not one byte of it changes."""
    path = tmp_path / "theirs.db"
    await make(path)
    before = contents_of(path)
    with pytest.raises(error):
        await open_storage(f"sqlite:///{path}", clock=SystemClock(), ids=TimeOrderedIds())
    assert contents_of(path) == before
    assert [one.name for one in tmp_path.iterdir()] == ["theirs.db"]


async def test_newer_schema_that_this_release_gets_on_with_is_used_as_it_is(tmp_path: Path) -> None:
    """While servers are replaced one by one, one of the former release may start again."""
    path = tmp_path / "newer.db"
    await newer(path, oldest="0001")
    before = schema_of(path)
    async with opened(f"sqlite:///{path}", SystemClock(), TimeOrderedIds()) as storage:
        assert (await storage.append(ORG, said("tea"))).last_seq == 1
    assert schema_of(path) == before


async def test_check_of_an_empty_database_passes(tmp_path: Path) -> None:
    """An empty file is nobody's."""
    backend = SQLite(tmp_path / "new.db")
    await check(backend._readers)
    await backend.close()


async def test_failed_migration_leaves_the_former_schema(tmp_path: Path) -> None:
    """A migration is one transaction: what fails on its way leaves nothing behind."""
    path = tmp_path / "a.db"
    backend = SQLite(path)
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with backend._writer.begin() as connection:
            await connection.run_sync(metadata.create_all)
            raise ZeroDivisionError
    await backend.close()
    assert sqlite3.connect(path).execute("select count(*) from sqlite_master").fetchone() == (0,)
    await fresh(path)


OPENER = """
import asyncio, sys, time
from pathlib import Path
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from support.parts import ORG, opened, said

async def main(url, name, gate):
    while not Path(gate).exists():
        time.sleep(0.001)
    async with opened(url, SystemClock(), TimeOrderedIds()) as storage:
        await storage.append(ORG, said(name, request_id=name))

asyncio.run(main(*sys.argv[1:]))
"""


async def test_processes_that_open_one_new_file_migrate_it_once(tmp_path: Path, declared) -> None:
    """Several processes that start on the same new database at once all come up."""
    url, gate = f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "gate"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, url, f"p{n}", str(gate)],
            env={"PYTHONPATH": ":".join(sys.path)},
            stderr=subprocess.PIPE,
        )
        for n in range(4)
    ]
    await asyncio.sleep(2.0)
    gate.touch()
    for process in running:
        _, errors = await asyncio.to_thread(process.communicate, timeout=300)
        assert process.returncode == 0, errors.decode()
    assert schema_of(tmp_path / "a.db") == declared
    async with opened(url, SystemClock(), TimeOrderedIds()) as storage, storage.read(ORG) as snapshot:
        turns = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
    assert {turn.content for turn in turns} == {"p0", "p1", "p2", "p3"}


async def test_files_are_the_owners_alone(tmp_path: Path) -> None:
    """Nobody else may read the database, its log or its folder."""
    folder = tmp_path / "home" / "data"
    async with opened(f"sqlite:///{folder / 'a.db'}", SystemClock(), TimeOrderedIds()) as storage:
        await storage.append(ORG, said("tea"))
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["a.db", "a.db-shm", "a.db-wal"]
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_error_of_the_database_shows_no_value(tmp_path: Path) -> None:
    """What users said is not in the text of an error, nor in those that it came from."""
    async with opened(f"sqlite:///{tmp_path / 'a.db'}", SystemClock(), TimeOrderedIds()) as storage:
        with pytest.raises(StorageError) as caught:
            async with storage.read(ORG) as snapshot:
                await snapshot.interactions.append([said("my secret")])
    error: BaseException | None = caught.value
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    assert len(texts) > 1
    assert not any("my secret" in text for text in texts)
