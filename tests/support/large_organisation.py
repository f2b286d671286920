"""Organisations of any size in a PostgreSQL database, with rows spread over a year, made by COPY and by the server."""

from collections.abc import Iterable
from datetime import datetime

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from sagacity.providers.base import Vectors
from sagacity.storage.search.keywords import terms_of
from sagacity.storage.search.term_index import pack_terms

ONE = "one"
"""A user who has a 25th of the memories; the others have about as many as each other."""
_POOL = """
CREATE UNLOGGED TABLE pool (place int, text text, term_count int, terms bytea, vector halfvec)
"""
_PLANT = """
CREATE TEMPORARY TABLE planted ON COMMIT DROP AS
    SELECT n, abs(hashint8(n)) %% %(texts)s AS place, %(start)s + n * (%(year)s / %(memories)s) AS at,
        CASE WHEN n / 5 %% 25 = 0 THEN %(one)s ELSE 'user-' || abs(hashint8(n + 7)) %% %(users)s END AS user_id,
        CASE WHEN n %% 5 < 3 THEN 'profile' ELSE 'user_playbook' END AS kind,
        CASE WHEN n %% 20 = 1 THEN 'archived' WHEN n %% 50 = 2 THEN 'pending' ELSE 'current' END AS status
    FROM generate_series(0, %(memories)s - 1) n;
ANALYZE planted;
INSERT INTO users (org_id, user_id, created_at, updated_at)
    SELECT %(org_id)s, user_id, min(at), max(at) FROM planted GROUP BY user_id;
INSERT INTO search_scopes (org_id, user_id, kind)
    SELECT %(org_id)s, user_id, kind
    FROM (SELECT DISTINCT user_id FROM planted) u, unnest(ARRAY['profile', 'user_playbook', 'interaction']) kind;
INSERT INTO memories (org_id, uid, kind, user_id, agent_version, name, source, content, status, approval, token_count,
        created_at, updated_at, archived_at, expires_at, valid_to)
    SELECT %(org_id)s, %(org_id)s || '-' || n, kind, user_id, 'v' || n %% 3, 'rules', 'chat', text, status, 'pending', 9,
        at, at, CASE WHEN status = 'archived' THEN at END,
        CASE WHEN n %% 10 = 3 THEN at + %(year)s * 21 / 20 WHEN n %% 100 = 5 THEN at END,
        CASE WHEN n %% 100 = 7 THEN at END
    FROM planted JOIN pool USING (place) ORDER BY n;
INSERT INTO search_documents (org_id, scope_id, kind, owner_id, status, approval, visibility, agent_version, name, source,
        changed_at, created_at, event_at, archived_at, expires_at, text, term_count, terms, revision, vector)
    SELECT m.org_id, s.scope_id, m.kind, m.memory_id, m.status, m.approval, 'served', m.agent_version, m.name, m.source,
        m.updated_at, m.created_at, m.created_at, m.archived_at, least(m.expires_at, m.valid_to), m.content,
        pool.term_count, pool.terms, 1, pool.vector
    FROM planted p JOIN pool USING (place) JOIN memories m ON m.org_id = %(org_id)s AND m.uid = %(org_id)s || '-' || n
        JOIN search_scopes s ON s.org_id = m.org_id AND s.user_id = m.user_id AND s.kind = m.kind
    ORDER BY n;
INSERT INTO requests (org_id, request_id, user_id, session_id, source, agent_version, first_seq, last_seq, digest,
        created_at)
    SELECT %(org_id)s, %(org_id)s || '-' || n, user_id, user_id || '-' || n / 1000, 'chat', 'v' || n %% 3, 2 * n + 1,
        2 * n + 2, '', at
    FROM planted WHERE n %% 5 = 0 ORDER BY n;
INSERT INTO interactions (org_id, user_id, seq, request_id, session_id, role, content, created_at)
    SELECT r.org_id, r.user_id, r.first_seq + turn, r.request_id, r.session_id,
        CASE turn WHEN 0 THEN 'user' ELSE 'assistant' END, text, r.created_at
    FROM requests r CROSS JOIN generate_series(0, 1) turn
        JOIN pool ON place = abs(hashint8(r.first_seq + turn)) %% %(texts)s
    WHERE r.org_id = %(org_id)s ORDER BY r.first_seq, turn;
INSERT INTO search_documents (org_id, scope_id, kind, owner_id, status, approval, visibility, request_id, changed_at,
        created_at, event_at, text, term_count, terms, revision, vector)
    SELECT i.org_id, s.scope_id, 'interaction', i.interaction_id, 'current', 'pending', 'served', i.request_id,
        i.created_at, i.created_at, i.created_at, i.content, pool.term_count, pool.terms, 1, pool.vector
    FROM interactions i JOIN pool ON place = abs(hashint8(i.seq)) %% %(texts)s
        JOIN search_scopes s ON s.org_id = i.org_id AND s.user_id = i.user_id AND s.kind = 'interaction'
    WHERE i.org_id = %(org_id)s ORDER BY i.interaction_id;
UPDATE search_scopes s SET document_count = found.documents, term_count = found.terms, revision = 1
    FROM (SELECT scope_id, count(*) AS documents, sum(term_count) AS terms FROM search_documents GROUP BY scope_id) found
    WHERE s.scope_id = found.scope_id AND s.org_id = %(org_id)s
"""
_YEAR = 365 * 24 * 3600 * 1_000_000


def make_pool(connection: psycopg.Connection, texts: Iterable[str], vectors: Vectors) -> int:
    """Keep the texts that organisations are made of, each once, with float32 [n, d] vectors; returns how many."""
    register_vector(connection)
    connection.execute(_POOL)
    known: set[str] = set()
    counted = [(text, terms_of(text), vector) for text, vector in zip(texts, vectors, strict=True)]
    kept = [one for one in counted if not (one[0] in known or known.add(one[0]))]
    cursor = connection.cursor()
    with cursor.copy("COPY pool FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["int4", "text", "int4", "bytea", "halfvec"])
        for place, (text, terms, vector) in enumerate(kept):
            copy.write_row((place, text, terms.total(), pack_terms(terms), HalfVector(vector)))
    connection.execute("ANALYZE pool")
    return len(kept)


def drop_pool(connection: psycopg.Connection) -> None:
    """Let go of what organisations were made of."""
    connection.execute("DROP TABLE pool")


def plant(
    connection: psycopg.Connection, org_id: str, *, users: int, memories: int, texts: int, now: datetime
) -> None:
    """
    Give an organisation, which is there, memories of its users and two turns for each fifth, over the last year.

    Args:
        connection: of the superuser.
        org_id: the organisation.
        users: how many there are besides `ONE`.
        memories: how many profiles and user playbooks; some are archived or pending, some expired or soon will.
        texts: how many are in the pool.
        now: when the year ends.
    """
    given = {
        "org_id": org_id,
        "users": users,
        "memories": memories,
        "texts": texts,
        "start": int(now.timestamp() * 1e6) - _YEAR,
        "year": _YEAR,
        "one": ONE,
    }
    with connection.transaction(), psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # no look-up of keys row by row
        cursor.execute(_PLANT, given)
