"""What the first releases noted of entities and ties is there afterwards, each tie once."""

import sqlite3
from pathlib import Path

import psycopg

from conftest import PROGRAM
from sagacity.domain.clock import SystemClock
from sagacity.domain.graph import EntityType
from sagacity.domain.ids import TimeOrderedIds
from sagacity.storage.migrate import migrate
from sagacity.storage.sqlite import SQLite
from sagacity.storage.transaction import Storage
from support.local_servers import PostgresServer
from support.parts import ANNA, ORG, migrated, opened
from support.schemas import at_revision

_MEMORY = (
    "INSERT INTO memories (memory_id, org_id, uid, kind, user_id, content, status, approval, created_at, updated_at) "
    "VALUES ({0}, 'org-a', 'm{0}', 'profile', 'anna', 'text', 'current', 'pending', 1, 1)"
)
_TIE = (
    "INSERT INTO relationships (org_id, user_id, source_id, target_id, relationship_type, confidence, memory_id, "
    "created_at) VALUES ('org-a', 'anna', 1, 2, '{}', {}, {}, 1)"
)
WRITTEN = (
    "INSERT INTO organisations (org_id, name, created_at) VALUES ('org-a', '', 1)",
    *(_MEMORY.format(number) for number in (1, 2, 3)),
    (
        "INSERT INTO entities (entity_id, org_id, user_id, name, normalized_name, entity_type, mention_count, created_at, "
        "updated_at) VALUES (1, 'org-a', 'anna', 'user', 'user', 'other', 3, 1, 1), "
        "(2, 'org-a', 'anna', 'Lyon', 'lyon', 'place', 3, 1, 1)"
    ),
    "INSERT INTO entity_mentions (org_id, entity_id, memory_id) VALUES ('org-a', 2, 1), ('org-a', 2, 2)",
    *(_TIE.format(*tie) for tie in (("lives_in", 0.5, 1), ("lives_in", 0.9, 2), ("from", 0.7, 3))),
)


async def check(storage: Storage) -> None:
    async with storage.read(ORG) as snapshot:
        [lyon] = await snapshot.graph.find(ANNA, ["LYON"])
        assert (lyon.entity_type, lyon.mention_count) == (EntityType.LOCATION, 3)
        ties, total = await snapshot.relationships.list_page(ANNA)
        assert [(tie.relationship_type, tie.confidence) for tie in ties] == [("lives_in", 0.9), ("from", 0.7)]
        assert total == 2
        sources = [
            (await snapshot.relationships.get(ANNA, tie.relationship_id)).source_memory_ids for tie in ties
        ]
        assert sources == [("m2", "m1"), ("m3",)]
        near = await snapshot.graph.memories_near(ANNA, [lyon.entity_id])
        assert [one.memory_id for one in near] == [2, 1]


async def test_graph_of_the_first_releases_goes_forward_on_sqlite(tmp_path: Path) -> None:
    """Names are found, places are locations, and a tie said twice is one with both memories."""
    path = tmp_path / "old.db"
    backend = SQLite(path)
    await migrate(backend._writer.begin, to="0002")
    await backend.close()
    with sqlite3.connect(path) as connection:
        for statement in WRITTEN:
            connection.execute(statement)
    connection.close()
    async with opened(f"sqlite:///{path}", SystemClock(), TimeOrderedIds()) as storage:
        await check(storage)


async def test_graph_of_the_first_releases_goes_forward_on_postgresql(postgres: PostgresServer) -> None:
    """The same, on the other database."""
    name = postgres.new_database()
    await at_revision(postgres, name, "0002")
    with psycopg.connect(postgres.url_of(name), autocommit=True) as connection:
        for statement in WRITTEN:
            connection.execute(statement)
    await migrated(postgres.url_of(name, PROGRAM), owner_url=postgres.url_of(name))
    async with opened(postgres.url_of(name, PROGRAM), SystemClock(), TimeOrderedIds()) as storage:
        await check(storage)
    postgres.drop_database(name)
