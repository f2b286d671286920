"""Work that only the owner of a PostgreSQL database may do: create tables, grant rights, build the vector index."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sagacity.domain.errors import ConfigError, StorageUnavailable
from sagacity.storage.postgres.driver import engine_for, identifier, literal, verifier
from sagacity.storage.postgres.vectors import in_the_graph, index_name
from sagacity.storage.schema import columns
from sagacity.storage.schema.migrate import SchemaChange, migrate
from sagacity.storage.schema.tables import APPEND_ONLY, metadata
from sagacity.storage.schema.views import views

OLDEST_MAJOR = 15
OLDEST_VECTOR = (0, 8)
_LOCK = 7_244_810_117
"""The number of the advisory lock that serialises migrations; no other program on a server should take it."""
_LOCK_SECONDS = 0.2
_HELD_UP_SECONDS = 2
"""How long a migration waits for a table, because writers wait behind it."""
_TRIES = 30
_log = structlog.get_logger(__name__)
_IN_THE_WAY = ("55P03", "40P01")
"""Lock timeout and deadlock: the other transaction may end soon."""
MAX_GRAPH_DIMENSION = 4_000
"""The largest dimension that an HNSW index of half-precision vectors supports; source: pgvector, README, HNSW."""
_POWERS = {
    "rolsuper": "is a superuser or may become one",
    "rolbypassrls": "may bypass it",
    "rolcreaterole": "may make roles, and so give itself others' rights",
    "rolreplication": "may replicate, and so read everything",
}


async def make_ready(owner: sa.URL, program: sa.URL, *, tries: int = _TRIES) -> SchemaChange:
    """
    Migrate as *owner*, and grant the role of *program* exactly the rights that it needs.

    The role is created if it is missing. Processes that start together wait for each other. If tables are in use, the
    migration is tried up to *tries* times, and waits some seconds each time.

    Raises:
        ConfigError: the server or its pgvector is too old, or the role cannot be created.
        SchemaMismatch: a newer release, or another program, wrote the database; it is left untouched.
        StorageUnavailable: other transactions kept the tables in use all the time; nothing was changed.
    """
    engine = engine_for(owner, connections=1, pooler=False, vectors=False).execution_options(
        isolation_level="READ COMMITTED"
    )
    try:
        await _check_server(engine)
        change = await _migrate_between_others(engine, tries)
        async with _alone(engine) as connection:
            role = await _ensure_role(connection, program)
            schema = (await connection.execute(sa.select(sa.func.current_schema()))).scalar_one()
            for statement in [*_rights(role, schema), *await _excess(connection, role)]:
                await connection.exec_driver_sql(statement)
    finally:
        await engine.dispose()
    return change


async def _migrate_between_others(engine: AsyncEngine, tries: int) -> SchemaChange:
    """Migrate while others read and write: give way if a table is in use, and try again."""
    for left in reversed(range(tries)):
        try:
            return await migrate(partial(_alone, engine))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _IN_THE_WAY:
                raise
            if not left:
                raise StorageUnavailable(
                    "the schema was not changed, as other transactions kept its tables in use all the time. End those "
                    "that hang (`SELECT pid, state, xact_start, query FROM pg_stat_activity ORDER BY xact_start`), and "
                    "run `sagacity migrate` again."
                ) from error
        await asyncio.sleep(_HELD_UP_SECONDS / 2)
    raise AssertionError("the last try returns or raises")


@asynccontextmanager
async def _alone(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Open a transaction of the owner when no other process has one; it does not wait for a table for long."""
    while True:
        async with engine.begin() as connection:
            # Waiting inside a statement would hold a snapshot, for whose end the making of an index waits.
            if (await connection.execute(sa.select(sa.func.pg_try_advisory_xact_lock(_LOCK)))).scalar():
                await connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_HELD_UP_SECONDS}s'")
                yield connection
                return
        await asyncio.sleep(_LOCK_SECONDS)


async def _check_server(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        number = int((await connection.exec_driver_sql("SHOW server_version_num")).scalar_one())
        statement = sa.text(
            "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
        )
        vector = (await connection.execute(statement)).scalar()
    refuse_old(number, vector)


def refuse_old(number: int, vector: str | None) -> None:
    """
    Check that a server is new enough.

    Args:
        number: its version, from `SHOW server_version_num`.
        vector: the version of its pgvector, if it has any.

    Raises:
        ConfigError: the server or its pgvector is too old, or it has no pgvector.
    """
    if number < OLDEST_MAJOR * 10_000:
        raise ConfigError(f"PostgreSQL {OLDEST_MAJOR} or newer is needed, but this is {number // 10_000}")
    if vector is None or tuple(int(part) for part in vector.split(".")[:2]) < OLDEST_VECTOR:
        wanted = ".".join(map(str, OLDEST_VECTOR))
        raise ConfigError(
            f"the server has {'no pgvector' if vector is None else f'pgvector {vector}'}, and {wanted} or newer is "
            "needed: install the package `postgresql-NN-pgvector`, or use an image that has it; in a database that has "
            "an older one, run `ALTER EXTENSION vector UPDATE`"
        )


async def _ensure_role(connection: AsyncConnection, program: sa.URL) -> str:
    """Return the program's role, created with the password of its URL if it is missing."""
    name = program.username or ""
    statement = sa.text(
        "SELECT rolname FROM pg_roles WHERE rolname IN (:name, :short) ORDER BY length(rolname) DESC"
    )
    # A pooler of several servers expects the name `role.server`.
    found = (await connection.execute(statement, {"name": name, "short": name.partition(".")[0]})).scalar()
    if found is not None:
        return found
    may = sa.text("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
    if not (await connection.execute(may)).scalar():
        raise ConfigError(
            f"the role {name!r} of SAGACITY_DATABASE_URL does not exist, and the owner may not create roles. "
            f"Create it: CREATE ROLE {name} LOGIN PASSWORD '…'"
        )
    password = f"PASSWORD {literal(await verifier(connection, program))}" if program.password else ""
    await connection.exec_driver_sql(
        f"CREATE ROLE {identifier(name)} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS {password}"
    )
    return name


def _rights(role: str, schema: str) -> list[str]:
    """Return the GRANTs that let *role* use the tables; policies check rows, and the schema is not the role's."""
    to = identifier(role)
    kept = ", ".join(sorted(table.name for table in APPEND_ONLY))
    tables = ", ".join(sorted(metadata.tables.keys() - {table.name for table in APPEND_ONLY}))
    numbers = ", ".join(f"{table.name}_{column.name}_seq" for table, column in numbered(metadata))
    return [
        f"GRANT USAGE ON SCHEMA {identifier(schema)} TO {to}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO {to}",
        f"GRANT SELECT, INSERT ON {kept} TO {to}",
        f"GRANT SELECT ON alembic_version, {', '.join(sorted(views.tables))} TO {to}",
        f"GRANT USAGE, SELECT, UPDATE ON SEQUENCE {numbers} TO {to}",
    ]


async def _excess(connection: AsyncConnection, role: str) -> list[str]:
    """
    Return the REVOKEs for rights that the server's default privileges granted.

    *role* loses rights that policies do not check. Everyone else loses all rights to the views, which show all tenants.
    """
    statement = sa.text(
        "SELECT format('REVOKE %s ON %I FROM %s', privilege_type, relname, CASE grantee WHEN 0 THEN 'PUBLIC' "
        "ELSE quote_ident(pg_get_userbyid(grantee)) END) FROM pg_class, aclexplode(relacl) "
        "WHERE relnamespace = current_schema()::regnamespace AND grantee <> relowner AND ("
        "relname = ANY (:shown) AND NOT (grantee = to_regrole(:role) AND privilege_type = 'SELECT') OR "
        "relname = ANY (:checked) AND grantee = to_regrole(:role) "
        "AND privilege_type NOT IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE') OR "
        "relname = ANY (:kept) AND grantee = to_regrole(:role) AND privilege_type NOT IN ('SELECT', 'INSERT'))"
    )
    names = {
        "shown": ["alembic_version", *views.tables],
        "checked": list(metadata.tables),
        "kept": [table.name for table in APPEND_ONLY],
    }
    rows = await connection.execute(statement, names | {"role": identifier(role).replace("%%", "%")})
    return [found.replace("%", "%%") for found in rows.scalars()]


def numbered(tables: sa.MetaData) -> list[tuple[sa.Table, sa.Column[int]]]:
    """Return the tables whose rows a sequence numbers, each with that column."""
    return [
        (table, column)
        for table in tables.sorted_tables
        if (column := table.autoincrement_column) is not None and column.type is columns.Number
    ]


async def refuse_bypass(connection: AsyncConnection) -> None:
    """
    Check that row-level security binds the role of *connection*.

    Raises:
        ConfigError: the role, or one that it may become, is a superuser, may bypass row-level security, create roles or
            replicate, or owns the tables; or a table is unprotected.
    """
    role = (
        await connection.execute(
            sa.text(
                f"SELECT session_user AS name, {', '.join(f'bool_or({power}) AS {power}' for power in _POWERS)} "
                "FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')"
            )
        )
    ).one()
    tables = (
        await connection.execute(
            sa.text(
                "SELECT relname, relrowsecurity AND relforcerowsecurity AS is_protected, "
                "pg_has_role(session_user, relowner, 'MEMBER') AS is_owned FROM pg_class "
                "WHERE relnamespace = current_schema()::regnamespace "
                "AND relkind IN ('r', 'p') AND relname = ANY (:names)"
            ),
            {"names": sorted(metadata.tables)},
        )
    ).all()
    bare = sorted(table.relname for table in tables if not table.is_protected)
    if bare:
        raise ConfigError(
            f"row-level security is off for {', '.join(bare)}: someone changed the schema; restore it first"
        )
    reasons = [why for power, why in _POWERS.items() if getattr(role, power)]
    reasons += ["owns the tables"] if any(table.is_owned for table in tables) else []
    if reasons:
        raise ConfigError(
            f"setting SAGACITY_DATABASE_URL: row-level security does not bind the role {role.name!r}, "
            f"which {reasons[0]}. Put this URL into SAGACITY_MIGRATION_URL, name another role in "
            "SAGACITY_DATABASE_URL (such as sagacity_app), and run `sagacity migrate`, which makes it."
        )


async def vacuum(owner: sa.URL) -> None:
    """Vacuum every table as *owner*, while others read and write."""
    engine = engine_for(owner, connections=1, pooler=False, vectors=False)
    try:
        async with engine.connect() as connection:
            for table in metadata.sorted_tables:
                await connection.exec_driver_sql(f"VACUUM {table.name}")
    finally:
        await engine.dispose()


async def make_vector_index(owner: sa.URL, dimension: int) -> None:
    """
    Create the HNSW index for vectors of *dimension* numbers, without blocking writers.

    Above `MAX_GRAPH_DIMENSION` there is no index, and searches compare every vector.

    Source of m and ef_construction: pgvector's defaults, 16 and 64; Malkov & Yashunin, 2016.
    """
    if dimension > MAX_GRAPH_DIMENSION:
        _log.warning("vectors.without_index", dimension=dimension, most=MAX_GRAPH_DIMENSION)
        return
    name = index_name(dimension)
    engine = engine_for(owner, connections=1, pooler=False, vectors=False)
    try:
        async with engine.connect() as connection:
            # Waiting inside a statement would hold a snapshot, for whose end the making of an index waits.
            take = sa.select(sa.func.pg_try_advisory_lock(_LOCK))
            while not (await connection.execute(take)).scalar():  # noqa: ASYNC110  the event is in another process
                await asyncio.sleep(_LOCK_SECONDS)
            is_valid = (
                await connection.execute(
                    sa.text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)"),
                    {"name": name},
                )
            ).scalar()
            if is_valid is False:  # a former try was cut short
                await connection.exec_driver_sql(f"DROP INDEX CONCURRENTLY {name}")
            if not is_valid:
                await connection.exec_driver_sql(
                    f"CREATE INDEX CONCURRENTLY {name} ON search_documents USING hnsw "
                    f"((vector::halfvec({dimension})) halfvec_ip_ops) WITH (m = 16, ef_construction = 64) "
                    f"WHERE {in_the_graph(dimension)}"
                )
            await connection.execute(sa.select(sa.func.pg_advisory_unlock(_LOCK)))
    finally:
        await engine.dispose()
