"""Rows of a user in every table, with words planted in every field, and the search for them afterwards."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from sagacity.domain.account import Person
from sagacity.domain.cluster import CLUSTER_ID
from sagacity.domain.ids import OrgId
from sagacity.domain.kinds import TENANT_KINDS, USER_KINDS
from sagacity.domain.tenant import Tenant
from sagacity.storage.base import Backend
from sagacity.storage.erasure.places import PLACES, Place
from sagacity.storage.schema.tables import (
    accounts,
    api_tokens,
    changes,
    invitations,
    memories,
    metadata,
    model_calls,
    operations,
    playbook_clusters,
    quarantines,
    search_documents,
    search_index,
    search_scopes,
)
from sagacity.storage.search.filters import INTERACTION
from sagacity.storage.search.term_index import pack_terms
from support.parts import START

_APART = (
    search_scopes,
    search_documents,
    operations,
    model_calls,
    playbook_clusters,
    api_tokens,
)
_STATES = {"status": "current", "approval": "approved", "visibility": "served", "version": "current"}
_SUMMED = ("learner", "model", "prompt", "outcome")
"""What a row of the ledger says besides its user; it stays."""
_OF_TOKENS = {"prefix": "sgc_", "created_by": "local", "scopes": ["read"], "previous_hash": None}
"""What a token's row says besides its user and its name; it stays."""
_KINDS = [*sorted(map(str, USER_KINDS)), INTERACTION]


def person_of_word(word: str, home: str) -> Person:
    """The account of whoever has that word; the audit log goes on naming it when all the rest is gone."""
    pseudonym = f"user:{sha256(word.encode()).hexdigest()[:32]}"
    return Person(home=OrgId(home), email=f"{word}@example.com", pseudonym=pseudonym)


class Planted:
    """Rows of one user, all of whose texts hold a word of the user's."""

    def __init__(self, tenant: Tenant, user_id: str, word: str, *, count: int, start: int) -> None:
        """
        Say what is planted.

        Args:
            tenant: whose tables.
            user_id: the user.
            word: stands in every text.
            count: rows of each table.
            start: the first number of a row; those of others must be far away.
        """
        self.org_id = str(tenant.org_id)
        self.user_id = user_id
        self.word = word
        self.numbers = range(start, start + count)
        self.start = start
        self.person = person_of_word(word, self.org_id)

    async def plant(self, backend: Backend, *, derived: bool = True) -> None:
        """Write all rows; *derived*: also agent playbooks and skills that rest on the user."""
        async with backend.write(self.org_id) as connection:
            await connection.execute(operations.insert(), [self._operation(one) for one in self.numbers])
            for table in metadata.sorted_tables:
                if PLACES[table.name] is Place.NOTHING or table in _APART:
                    continue
                numbers = self.numbers[:1] if _is_one_a_user(table) else self.numbers
                await connection.execute(table.insert(), [self._row(table, one) for one in numbers])
            await connection.execute(search_scopes.insert(), self._scopes())
            await connection.execute(search_documents.insert(), self._documents())
            rows = [self._row(model_calls, one) | dict.fromkeys(_SUMMED, "x") for one in self.numbers]
            await connection.execute(model_calls.insert(), rows)
            rows = [
                self._row(api_tokens, one)
                | _OF_TOKENS
                | dict.fromkeys(("token_id", "token_hash"), f"token {one}")
                for one in self.numbers
            ]
            await connection.execute(api_tokens.insert(), rows)
            if derived:
                await connection.execute(memories.insert(), [self._made(one) for one in self.numbers])
                await connection.execute(
                    playbook_clusters.insert(), [self._cluster(one) for one in self.numbers]
                )
                rows = [self._row(changes, one + 500) | self._of_made(one) for one in self.numbers]
                await connection.execute(changes.insert(), rows)

    def _row(self, table: sa.Table, number: int) -> dict[str, Any]:
        return {column.name: self._value(table, column, number) for column in table.c}

    def _value(self, table: sa.Table, column: sa.Column[Any], number: int) -> Any:
        match column.name:
            case "org_id":
                return self.org_id
            case "invitation_id":  # random, and named by the audit log
                return f"invitation {number}"
            case "email" if table is accounts:
                return self.person.email
            case "email" if table is invitations and number == self.start:
                return self.person.email
            case "created_by" if table is invitations and number > self.start:
                return self.person.pseudonym
            case "user_id":
                return self.user_id
            case "kind" if table in (memories, changes):
                return self._kind(number)
            case "kind":
                return "profile"
            case name if name in _STATES and table.name != "exchanges":
                return _STATES[name]
            case "target" if table is quarantines:
                return "user"
            case "value" if table is quarantines:
                return self.user_id
            case "role":
                return "member"
            case "is_erasing":
                return False
            case "operation_id":
                return f"operation {number}"
            case "due_at" | "superseded_by" | "replaced_state" | "vector":
                return None
            case "attributes" if table is memories:
                return {"custom_features": {"it": self.word}}
            case "memories":  # that an answer could draw on
                return [
                    {
                        "kind": "profile",
                        "citation": f"p:{number}",
                        "item_id": f"{self.word} memories {number}",
                    }
                ]
            case "terms":
                return pack_terms({self.word: 1})
            case "source_request_ids":
                return [f"{self.word} request_id {number}"]
            case "source_interaction_ids":
                return [number]
        if isinstance(column.type, sa.JSON):
            return {"of": f"{self.word} {column.name} {number}"}
        if isinstance(column.type, sa.Text):
            return f"{self.word} {column.name} {number}"
        kinds = {sa.Float: 0.5, sa.Boolean: True}
        for kind, value in kinds.items():
            if isinstance(column.type, kind):
                return value
        return START if isinstance(column.type, sa.types.TypeDecorator) else number

    def _kind(self, number: int) -> str:
        return _KINDS[number % (len(_KINDS) - 1)]

    def _scopes(self) -> list[dict[str, Any]]:
        rows = [self._row(search_scopes, self.start + place) for place in range(len(_KINDS))]
        return [
            row | {"kind": kind, "user_id": self.user_id, "document_count": 9, "term_count": 99}
            for row, kind in zip(rows, _KINDS, strict=True)
        ]

    def _documents(self) -> list[dict[str, Any]]:
        return [
            self._row(search_documents, number)
            | {"kind": kind, "scope_id": self.start + _KINDS.index(kind), "owner_id": number}
            | {"document_id": number + (500 if kind == INTERACTION else 0)}
            for number in self.numbers
            for kind in (self._kind(number), INTERACTION)
        ]

    def _operation(self, number: int) -> dict[str, Any]:
        return self._row(operations, number) | {
            "name": "profile_generation",
            "status": "completed",
            "parameters": {"mode": "rerun", "user_id": self.user_id},
            "error": f"nothing of {self.user_id!r}",
            "result": {},
        }

    def _made(self, number: int) -> dict[str, Any]:
        """What serves all users, by the cluster that it was made of, its playbooks, or the requests it names."""
        kind = sorted(map(str, TENANT_KINDS))[number % 2]
        by_requests = number % 3 == 0
        skill = {"user_playbook_ids": [self._playbook]} if kind == "skill" and not by_requests else None
        return self._row(memories, number) | {
            "memory_id": number + 500,
            "uid": f"made {number}",
            "name": "n",
            "agent_version": "v",
            "kind": kind,
            "user_id": None,
            "metadata": {} if by_requests or skill else {CLUSTER_ID: f"cluster {self.start} {number}"},
            "attributes": {"skill": skill, "custom_features": {"it": self.word}},
            "source_request_ids": [f"{self.word} request_id {number}"] if by_requests else [],
        }

    @property
    def _playbook(self) -> int:
        return next(one for one in self.numbers if self._kind(one) == "user_playbook")

    def _cluster(self, number: int) -> dict[str, Any]:
        return self._row(playbook_clusters, number) | {
            "cluster_id": f"cluster {self.start} {number}",
            "name": "n",
            "agent_version": "v",
            "learner": "aggregation",
            "fingerprint": "f",
            "member_ids": [self._playbook, 7],
            "memory_id": number + 500,
        }

    def _of_made(self, number: int) -> dict[str, Any]:
        return {
            "memory_id": number + 500,
            "user_id": None,
            "kind": sorted(map(str, TENANT_KINDS))[number % 2],
        }


def _is_one_a_user(table: sa.Table) -> bool:
    """Whether a table has one row a user."""
    return [key.name for key in table.primary_key] == ["org_id", "user_id"]


async def dump(backend: Backend, tenant: Tenant) -> dict[str, list[str]]:
    """Every row of an organisation as text, by table."""
    found: dict[str, list[str]] = {}
    for table in metadata.sorted_tables:
        if table is search_index:
            continue
        columns = [one for one in table.c if one.name != "vector"]
        async with backend.read(tenant.org_id) as connection:
            rows = (
                await connection.execute(sa.select(*columns).where(table.c.org_id == tenant.org_id))
            ).all()
        found[table.name] = sorted(json.dumps(list(row), default=str, ensure_ascii=False) for row in rows)
    return found


def tables_with(rows: dict[str, list[str]], *words: str) -> dict[str, int]:
    """How many rows of each table hold one of *words*."""
    counts = {
        table: sum(any(word in one for word in words) for one in lines) for table, lines in rows.items()
    }
    return {table: count for table, count in counts.items() if count}


def bytes_with(path: Path, *words: str) -> list[str]:
    """The files of an SQLite database that hold one of *words* anywhere."""
    there = [path, *path.parent.glob(f"{path.name}-*")]
    return [one.name for one in there if any(word.encode() in one.read_bytes() for word in words)]
