"""PostgreSQL itself keeps organisations apart, and users where it is asked to: raw SQL as the program's role."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from conftest import PROGRAM
from sagacity.storage.schema.tables import APPEND_ONLY, search_index
from sagacity.storage.schema.views import views
from support.local_servers import PostgresServer
from support.parts import ANNA, BEN
from support.tenants import (
    COMMON,
    NOBODY,
    TABLES,
    A,
    B,
    Tenants,
    as_tenant,
    columns_of,
    filled,
    refused,
    visible,
    whole_rows,
)

Session = psycopg.Connection[Any]
CLOSED = {
    "api_tokens",
    "audit_log",
    "tenant_configs",
    "config_versions",
    "site_variables",
    "accounts",
    "account_sessions",
    "account_mails",
    "account_totp",
    "access_attempts",
    "members",
    "invitations",
    "leases",
    "operations",
    "operation_items",
    "erasures",
    "imports",
}
"""No user's business."""
KEPT = {table.name for table in APPEND_ONLY}
"""Rows of which are added, and never changed."""
UNNAMED = [None, "", " ", "nobody", A.upper(), f"{A}' or true --", "%", "*"]
"""What a transaction may say of itself without naming an organisation that there is; None: nothing."""
LEAK = (
    "create function pg_temp.seen(value text) returns boolean language plpgsql cost 0.000001 as "
    "$$ begin raise notice 'seen %', value; return true; end $$"
)


@pytest.fixture(scope="module")
def tenants(postgres: PostgresServer, migrated_database: str) -> Iterator[Tenants]:
    """Rows of two organisations in every table; tests leave them as they are."""
    name = postgres.new_database(template=migrated_database)
    yield filled(postgres, name)
    postgres.drop_database(name)


@pytest.fixture
def program(tenants: Tenants) -> Iterator[Session]:
    """A new session of the program's role."""
    with psycopg.connect(tenants.url(PROGRAM), autocommit=True) as session:
        yield session


@pytest.fixture
def superuser(tenants: Tenants) -> Iterator[Session]:
    with psycopg.connect(tenants.url("postgres"), autocommit=True) as session:
        yield session


def copied(session: Session, table: str) -> list[bytes]:
    """What COPY shows of a table."""
    with (
        session.cursor() as cursor,
        cursor.copy(sql.SQL("copy {} to stdout").format(sql.Identifier(table))) as copy,
    ):
        return [bytes(part) for part in copy]


def insert(session: Session, table: str, row: dict[str, Any], *, suffix: str = "") -> None:
    values = {name: Jsonb(value) if isinstance(value, dict | list) else value for name, value in row.items()}
    session.execute(
        sql.SQL("insert into {} ({}) values ({}) {}").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(map(sql.Placeholder, values)),
            sql.SQL(suffix),
        ),
        values,
    )


def test_every_table_has_rows_of_both_organisations_and_users(tenants: Tenants, superuser: Session) -> None:
    """What follows would show nothing if there were nothing to be seen."""
    assert len(TABLES) > 20
    for table in TABLES:
        assert visible(superuser, table) == tenants.keys_of(table, A) | tenants.keys_of(table, B), table
        assert table in COMMON or all(tenants.keys_of(table, org, NOBODY) for org in (A, B)), table
        if "user_id" in TABLES[table].c:
            assert all(tenants.keys_of(table, org, user) for org in (A, B) for user in (ANNA, BEN)), table


def test_catalogue_shows_no_relation_that_is_not_declared(superuser: Session) -> None:
    """Tables and views of the schema are those that the code declares, so that the rest of this file misses none."""
    rows = superuser.execute(
        "select relname, relkind from pg_class where relnamespace = current_schema()::regnamespace "
        "and relkind not in ('i', 'S')"
    ).fetchall()
    assert dict(rows) == dict.fromkeys([*TABLES, "alembic_version"], "r") | dict.fromkeys(views.tables, "v")


@pytest.mark.parametrize("said", UNNAMED)
def test_without_an_organisation_no_row_is_seen(program: Session, said: str | None) -> None:
    """A transaction that names no organisation, or none that there is, reads not one row, in whatever way it asks."""
    with as_tenant(program, said):
        for table in TABLES.keys() - (COMMON if said else set()):
            assert visible(program, table) == set(), table
            if table not in KEPT:
                assert visible(program, table, suffix="for update") == set(), table
            assert copied(program, table) == [], table
            counted = sql.SQL("select count(*), max(t::text) from {} t").format(sql.Identifier(table))
            assert program.execute(counted).fetchone() == (0, None), table


@pytest.mark.parametrize("said", UNNAMED)
def test_without_an_organisation_nothing_is_written(
    program: Session, superuser: Session, said: str | None
) -> None:
    """It changes no row and adds none, not even of an organisation without a name."""
    with as_tenant(program, said):
        for table in TABLES.keys() - (COMMON if said else set()):
            [row, *_] = whole_rows(superuser, table, A)
            for org in {A, said or ""} - {said or None}:
                with refused(program):
                    insert(program, table, row | ({"org_id": org} if "org_id" in row else {}))
            key = next(iter(TABLES[table].primary_key)).name
            if table in KEPT:
                continue
            update = sql.SQL("update {0} set {1} = {1}").format(sql.Identifier(table), sql.Identifier(key))
            assert program.execute(update).rowcount == 0, table
            assert program.execute(sql.SQL("delete from {}").format(sql.Identifier(table))).rowcount == 0, (
                table
            )


def test_views_say_what_they_declare_and_no_more(program: Session, superuser: Session) -> None:
    """What may be known before an organisation is: these columns of these rows, and nobody writes through them."""
    for name, view in views.tables.items():
        rows = program.execute(sql.SQL("select * from {}").format(sql.Identifier(name)))
        assert [column.name for column in rows.description or ()] == [column.name for column in view.c]
        may = program.execute(
            "select p from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p "
            "where has_table_privilege(%s, p)",
            [name],
        )
        assert may.fetchall() == [("SELECT",)]
    for statement in ("delete from known_organisations", "update due_users set due_at = 0"):
        with refused(program):
            program.execute(statement.encode())
    seen = {name: superuser.execute(sql.SQL("select * from {}").format(sql.Identifier(name))).fetchall() for name in views.tables}  # fmt: skip
    assert {row[:2] for row in seen["due_users"]} == {(A, ANNA), (B, ANNA)}
    assert {row[0] for row in seen["known_organisations"]} == {A, B}
    assert {row[0] for row in seen["waiting_tenants"]} <= {A, B}
    assert {row[0] for row in seen["uncopied_tenants"]} <= {A, B}
    assert {row[1] for row in seen["known_tokens"]} == {A, B}
    assert {row[1] for row in seen["memberships"]} == {A, B}  # active or not, which a column says
    assert {row[0] for row in seen["open_invitations"]} == {A, B}


def test_function_of_a_session_sees_no_hidden_row(program: Session) -> None:
    """A function that costs nothing is still asked only of rows that may be seen, in tables and in views."""
    notices: list[str] = []
    program.add_notice_handler(lambda said: notices.append(said.message_primary or ""))
    with as_tenant(program, A, ANNA):
        program.execute(LEAK)
        for plan in ("indexscan", "indexonlyscan", "bitmapscan"):
            program.execute(f"set local enable_{plan} = off".encode())
        program.execute("select 1 from memories where pg_temp.seen(content)")
        program.execute("select 1 from due_users where pg_temp.seen(user_id)")
    assert {notice for notice in notices if "content" in notice} == {
        f"seen {A} {ANNA} content",
        f"seen {A}  content",
    }
    assert {notice for notice in notices if "content" not in notice} == {f"seen {ANNA}"}


@pytest.mark.parametrize(
    "statement",
    [
        "truncate memories",
        "truncate organisations cascade",
        "alter table memories disable row level security",
        "alter table memories no force row level security",
        "drop policy tenant on memories",
        "alter policy tenant on memories using (true)",
        "create policy mine on memories using (true)",
        "drop table search_documents cascade",
        "drop view known_tokens",
        "create or replace view due_users as select org_id, user_id, due_at from users",
        "create table here (content text)",
        "create table here partition of memories default",
        "create function here() returns int language sql as 'select 1'",
        "create trigger here before update on memories for each row execute function suppress_redundant_updates_trigger()",
        "create table pg_temp.child () inherits (memories)",
        "set role postgres",
        "set session authorization postgres",
        "alter role sagacity_app bypassrls",
        "alter role sagacity_app superuser",
        "create role another",
        "grant postgres to sagacity_app",
        "reassign owned by postgres to sagacity_app",
        "alter default privileges for role postgres grant all on tables to sagacity_app",
        "update alembic_version set version_num = 'x'",
        "delete from alembic_version",
        "update pg_class set relrowsecurity = false",
        "select * from pg_authid",
        "select * from pg_statistic",
        "select pg_read_file('/etc/passwd')",
        "copy memories from program 'true'",
        "copy memories to '/tmp/memories'",
    ],
)
def test_what_would_undo_the_protection_is_refused(program: Session, statement: str) -> None:
    """Neither the tables nor the rights are the program's to change, whoever it says that it works for."""
    with as_tenant(program, A), refused(program):
        program.execute(statement.encode())


def test_switching_policies_off_is_an_error_and_no_way_round(program: Session) -> None:
    """`row_security = off` makes PostgreSQL refuse what a policy would filter."""
    for org in (None, A):
        with as_tenant(program, org):
            program.execute("set local row_security = off")
            for table in TABLES:
                with refused(program):
                    visible(program, table)


def test_statistics_and_plans_show_no_value(program: Session, superuser: Session) -> None:
    """What the server has gathered about the columns is hidden with the rows."""
    superuser.execute("analyze")
    schema = "schemaname = current_schema()"
    gathered = superuser.execute(
        f"select count(*) from pg_stats where {schema} and tablename = 'memories'".encode()
    )
    assert gathered.fetchone() != (0,)
    with as_tenant(program, A):
        for view in ("pg_stats", "pg_stats_ext", "pg_stats_ext_exprs"):
            shown = program.execute(
                f"select tablename from {view} where {schema} and tablename <> 'alembic_version'".encode()
            )
            assert shown.fetchall() == []
        plan = program.execute(
            "explain (analyze, verbose, buffers, settings) select * from memories"
        ).fetchall()
        assert "memories" in repr(plan)
        assert B not in repr(plan)


def test_an_organisation_sees_its_own_rows_and_no_others(tenants: Tenants, program: Session) -> None:
    """All of A's rows, none of B's, in every table, read, locked or copied."""
    for table in TABLES.keys() - COMMON:
        with as_tenant(program, A):
            assert visible(program, table) == tenants.keys_of(table, A), table
            if table not in KEPT:
                assert visible(program, table, suffix="for update") == tenants.keys_of(table, A), table
            text = b"".join(copied(program, table))
            assert text.count(b"\n") == len(tenants.keys_of(table, A)), table
            assert B.encode() not in text, table


def test_an_organisation_changes_no_row_of_another(program: Session, superuser: Session) -> None:
    """B's rows are neither changed, deleted, added nor taken over, and A's do not become B's."""
    for table in TABLES.keys() - COMMON:
        before = whole_rows(superuser, table, B)
        name = sql.Identifier(table)
        with as_tenant(program, A):
            for row in before:
                with refused(program):
                    insert(program, table, row)
                with refused(program):
                    insert(program, table, row, suffix="on conflict do nothing")
            with refused(program):
                program.execute(sql.SQL("update {} set org_id = {}").format(name, B))
            if table in KEPT:
                continue
            assert (
                program.execute(
                    sql.SQL("update {} set org_id = {} where org_id = {}").format(name, A, B)
                ).rowcount
                == 0
            )
            assert program.execute(sql.SQL("delete from {} where org_id = {}").format(name, B)).rowcount == 0
        assert whole_rows(superuser, table, B) == before, table


def test_rows_of_the_audit_log_are_never_changed(program: Session) -> None:
    """Not even an organisation's own: the program may add rows and read them, and has no other right."""
    for table in KEPT:
        for statement in ("update {} set org_id = org_id", "delete from {}", "truncate {}"):
            with as_tenant(program, A), refused(program):
                program.execute(sql.SQL(statement).format(sql.Identifier(table)))  # pyright: ignore[reportArgumentType]


def test_deleting_all_that_is_seen_deletes_nothing_of_another(program: Session) -> None:
    """Also by what goes with it: the rows that refer to an organisation's own."""
    with program.transaction(force_rollback=True):
        program.execute("select set_config('sagacity.org_id', %s, true)", [A])
        assert program.execute("delete from organisations").rowcount == 1
        program.execute("select set_config('sagacity.org_id', %s, true)", [B])
        for table in TABLES:
            assert visible(program, table), table


def test_keys_and_references_say_nothing_of_another_organisation(
    program: Session, superuser: Session
) -> None:
    """A key that another has already is refused without a word of its row; no document of another's can be guessed."""
    for table, key in (
        ("memories", "memory_id"),
        ("interactions", "interaction_id"),
        ("api_tokens", "token_hash"),
    ):
        [mine, *_], [other, *_] = whole_rows(superuser, table, A), whole_rows(superuser, table, B)
        row = mine | {"uid": "new", "seq": 99, "token_id": "new", key: other[key]}
        row = {name: value for name, value in row.items() if name in mine}
        with as_tenant(program, A):
            with pytest.raises(psycopg.errors.UniqueViolation) as caught, program.transaction():
                insert(program, table, row)
            assert (B in str(caught.value), caught.value.diag.message_detail) == (False, None)
            takes_over = f"on conflict ({key}) do update set org_id = excluded.org_id returning *"
            with refused(program):
                insert(program, table, row, suffix=takes_over)
    [document, *_] = whole_rows(superuser, "search_documents", B)
    for number in (document["document_id"], 99_999):  # there and not there: the same answer
        with as_tenant(program, A), refused(program):
            insert(program, "search_documents", document | {"org_id": A, "document_id": number})
    with as_tenant(program, A):
        with pytest.raises(psycopg.errors.ForeignKeyViolation) as broken, program.transaction():
            insert(program, "memory_requests", {"org_id": A, "request_id": "r", "memory_id": 9})
        assert broken.value.diag.message_detail is None or B not in broken.value.diag.message_detail


def test_a_user_sees_the_own_rows_and_the_organisations(tenants: Tenants, program: Session) -> None:
    """On Anna's behalf: hers and the tenant's in every table, nothing of Ben's, and nothing of the tenant's keys."""
    for table in TABLES.keys() - COMMON:
        expected = set() if table in CLOSED else tenants.keys_of(table, A, ANNA, NOBODY)
        with as_tenant(program, A, ANNA):
            assert visible(program, table) == expected, table
            if table not in KEPT:
                assert visible(program, table, suffix="for update") == expected, table
            assert BEN.encode() not in b"".join(copied(program, table)), table
    assert tenants.keys_of("memories", A, NOBODY)
    assert tenants.keys_of("search_documents", A, NOBODY)


@pytest.mark.parametrize("user", ["nobody", "ANNA", f"{ANNA}' or true --", "%", f"{ANNA} "])
def test_a_user_who_is_not_known_sees_the_organisations_rows(
    tenants: Tenants, program: Session, user: str
) -> None:
    """A name that comes near another's is another name."""
    for table in TABLES.keys() - COMMON - CLOSED:
        with as_tenant(program, A, user):
            assert visible(program, table) == tenants.keys_of(table, A, NOBODY), table


def test_a_user_alone_is_nobody(program: Session) -> None:
    """Without an organisation the name of a user shows nothing."""
    for table in TABLES:
        with as_tenant(program, None, ANNA):
            assert visible(program, table) == set(), table


def test_what_all_share_is_no_tenants_row(program: Session) -> None:
    """The one row that says what made the search index is everyone's who is named."""
    assert {search_index.name} == COMMON
    for org in (A, B):
        with as_tenant(program, org):
            assert len(visible(program, search_index.name)) == 1
    assert columns_of(search_index.name)
