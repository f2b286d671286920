"""No method of any repository reads or writes another organisation's rows."""

import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import pytest
import sqlalchemy as sa

from sagacity.domain.change import Candidate, Change, ChangeAction
from sagacity.domain.cursor import Cursor, DeadLetter, DeadLetterStatus, Lease, Window
from sagacity.domain.errors import SagacityError
from sagacity.domain.graph import (
    EntityEdit,
    NewEntity,
    NewRelationship,
    RelationshipEdit,
    RelationshipMention,
)
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.domain.tenant import ApiToken, Tenant
from sagacity.storage.base import Hit, Nearest, SearchScope
from sagacity.storage.repositories.copies import Progress
from sagacity.storage.repositories.search import Document, Unembedded
from sagacity.storage.standing import Newest
from sagacity.storage.tables import evaluations, metadata, search_scopes, search_terms
from sagacity.storage.transaction import Storage, Transaction
from support.parts import ANNA, ORG, OTHER_ORG, START, new_memory, said, unit_rows

EVERYTHING = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
OF_ANNA = EVERYTHING.model_copy(update={"user_id": ANNA})
LONG_AGO, LATER = START - timedelta(days=1), START + timedelta(days=1)
[VECTOR] = unit_rows(1)


@dataclass
class Held:
    """What an organisation has; both have the same names and texts of their own."""

    turn: Interaction
    memory: Memory
    lease: Lease
    letter: DeadLetter
    token: ApiToken
    waiting: list[Unembedded]
    run_id: str
    scope: SearchScope
    document_id: int
    entity_id: int
    relationship_id: int


async def furnish(storage: Storage, tenant: Tenant, word: str) -> Held:
    await storage.append(tenant, said(f"{word} turn", session_id="s", force_extraction=True))
    window = Window(user_id=ANNA, first_seq=1, last_seq=1, unread=())
    async with storage.begin(tenant) as tx:
        memory = new_memory(f"{word} memory", uid="uid", slot="home", name="x", source_request_ids=("r1",))
        [kept] = await tx.memories.add([memory], vectors={"uid": VECTOR})
        run_id = f"{word} run"
        await tx.changes.add([_change(kept, run_id)])
        await tx.cursors.save(Cursor(learner="l", user_id=ANNA, seq=1, error=word))
        lease = await tx.leases.claim("lease", word, 60)
        await tx.dead_letters.add("l", window, attempts=1, error_kind="E", error=word)
        await tx.graph.add(kept, _tie(word))
        await tx.organisation.set_config(f'"{word}"')
        token = await tx.organisation.add_token(word, word, f"{word} hash")
    async with storage._backend.write(tenant.org_id) as connection:
        row = {"org_id": tenant.org_id, "session_id": word, "is_success": True, "created_at": START}
        await connection.execute(evaluations.insert(), row)
    async with storage.read(tenant) as snapshot:
        [turn] = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
        [letter] = await snapshot.dead_letters.list_newest()
        waiting = await snapshot.search.unembedded(9)
        [scope] = await snapshot.search.scopes(Filter(kinds=(MemoryKind.PROFILE,)))
        [hit] = await snapshot.search.by_terms(EVERYTHING, "memory", 9)
        [tie], _ = await snapshot.relationships.list_page(ANNA)
    return Held(
        turn,
        kept,
        lease,
        letter,
        token,
        waiting,
        run_id,
        scope,
        hit.document_id,
        tie.source_entity_id,
        tie.relationship_id,
    )


def _change(memory: Memory, run_id: str) -> Change:
    return Change(
        run_id=run_id,
        kind=memory.kind,
        user_id=ANNA,
        request_id=None,
        memory_id=memory.memory_id,
        action=ChangeAction.ADDED,
        after=memory,
        created_at=START,
    )


def _tie(word: str) -> Candidate:
    tie = RelationshipMention(source="user", target=word, relationship_type="knows")
    return Candidate(kind=MemoryKind.PROFILE, content=word, evidence=(1,), relationships=(tie,))


def _document(held: Held) -> Document:
    return Document(
        kind="profile", owner_id=held.memory.memory_id, text="put", changed_at=START, user_id=ANNA
    )


Case = Callable[[Transaction, Held], Awaitable[object]]
PROFILE = MemoryKind.PROFILE
# Each public method, called as the one organisation with all that it could know of the other.
CASES: dict[str, Case] = {
    "interactions.append": lambda tx, h: tx.interactions.append(
        [said("x", request_id="new", session_id="s")]
    ),
    "interactions.get": lambda tx, h: tx.interactions.get([h.turn.interaction_id]),
    "interactions.beside": lambda tx, h: tx.interactions.beside([h.turn], 9),
    "interactions.log": lambda tx, h: tx.interactions.log(ANNA, after_seq=0, limit=99),
    "interactions.log_before": lambda tx, h: tx.interactions.log_before(ANNA, seq=99, limit=99),
    "interactions.of_session": lambda tx, h: tx.interactions.of_session(ANNA, "s", limit=99),
    "interactions.list_wanted": lambda tx, h: tx.interactions.list_wanted(Filter(interactions=True), 99),
    "interactions.get_request": lambda tx, h: tx.interactions.get_request("r1"),
    "interactions.list_requests": lambda tx, h: tx.interactions.list_requests(limit=99),
    "interactions.of_requests": lambda tx, h: tx.interactions.of_requests(["r1"]),
    "interactions.count": lambda tx, h: tx.interactions.count(),
    "interactions.delete": lambda tx, h: tx.interactions.delete(ANNA, h.turn.interaction_id),
    "interactions.delete_requests": lambda tx, h: tx.interactions.delete_requests(["r1"]),
    "interactions.delete_session": lambda tx, h: tx.interactions.delete_session("s"),
    "interactions.delete_all": lambda tx, h: tx.interactions.delete_all(),
    "memories.add": lambda tx, h: tx.memories.add([new_memory("x", source_request_ids=("r1",))]),
    "memories.save": lambda tx, h: tx.memories.save([h.memory.model_copy(update={"content": "stolen"})]),
    "memories.get": lambda tx, h: tx.memories.get(h.memory.memory_id),
    "memories.get_many": lambda tx, h: tx.memories.get_many([h.memory.memory_id]),
    "memories.get_by_uid": lambda tx, h: tx.memories.get_by_uid(h.memory.uid, kind=PROFILE),
    "memories.in_slots": lambda tx, h: tx.memories.in_slots(PROFILE, ANNA, ["home"]),
    "memories.find_uids": lambda tx, h: tx.memories.find_uids([h.memory.uid]),
    "memories.list_wanted": lambda tx, h: tx.memories.list_wanted(EVERYTHING, 99),
    "memories.list_newest": lambda tx, h: tx.memories.list_newest(PROFILE, limit=99),
    "memories.taught_by": lambda tx, h: tx.memories.taught_by("r1"),
    "memories.count_by_status": lambda tx, h: tx.memories.count_by_status(
        PROFILE, valid_at=START, expiring_before=LATER
    ),
    "memories.delete": lambda tx, h: tx.memories.delete(PROFILE, ids=[h.memory.memory_id]),
    "search.put": lambda tx, h: tx.search.put([_document(h)]),
    "search.remove": lambda tx, h: tx.search.remove("profile", [h.memory.memory_id]),
    "search.by_terms": lambda tx, h: _found(tx, tx.search.by_terms(EVERYTHING, "turn memory theirs", 99)),
    "search.by_vector": lambda tx, h: _found(tx, _hits(tx.search.by_vector(EVERYTHING, VECTOR, 99))),
    "search.standing_of": lambda tx, h: tx.search.standing_of(
        [Hit(h.document_id, h.memory.memory_id, "profile", 1.0)]
    ),
    "search.admitted": lambda tx, h: tx.search.admitted(EVERYTHING, {h.memory.memory_id: 1.0}),
    "search.newest_memories": lambda tx, h: _found(
        tx, _newest(tx.search.newest_memories(OF_ANNA, PROFILE, 99))
    ),
    "search.newest_turns": lambda tx, h: _found(tx, _newest(tx.search.newest_turns(OF_ANNA, 99))),
    "search.scopes": lambda tx, h: tx.search.scopes(EVERYTHING),
    "search.unembedded": lambda tx, h: tx.search.unembedded(99),
    "search.set_vectors": lambda tx, h: tx.search.set_vectors(h.waiting, unit_rows(len(h.waiting))),
    "search.embed_failed": lambda tx, h: tx.search.embed_failed(h.waiting, "stolen"),
    "search.vector_of": lambda tx, h: tx.search.vector_of("profile", [h.memory.memory_id]),
    "search.progress": lambda tx, h: tx.search.progress("profile", [h.memory.memory_id]),
    "cursors.get": lambda tx, h: tx.cursors.get(ANNA, "l"),
    "cursors.of_user": lambda tx, h: tx.cursors.of_user(ANNA),
    "cursors.save": lambda tx, h: tx.cursors.save(Cursor(learner="l", user_id=ANNA, seq=9)),
    "cursors.log_head": lambda tx, h: tx.cursors.log_head(ANNA),
    "cursors.forced_after": lambda tx, h: tx.cursors.forced_after(ANNA, 0),
    "cursors.list_due": lambda tx, h: tx.cursors.list_due(limit=99),
    "copies.home": lambda tx, h: tx.copies.home(),
    "copies.behind": lambda tx, h: _scopes_of(tx, tx.copies.behind(after=0, limit=99)),
    "copies.progress": lambda tx, h: tx.copies.progress(h.scope.scope_id),
    "copies.changed": lambda tx, h: tx.copies.changed(h.scope.scope_id, -1, after=0, limit=99),
    "copies.by_number": lambda tx, h: tx.copies.by_number([h.document_id]),
    "copies.numbers": lambda tx, h: tx.copies.numbers(h.scope.scope_id),
    "copies.advance": lambda tx, h: tx.copies.advance([Progress(h.scope.scope_id, h.scope.revision, 0, 0)]),
    "copies.forget": lambda tx, h: tx.copies.forget(),
    "copies.counts": lambda tx, h: tx.copies.counts(),
    "cursors.set_due": lambda tx, h: tx.cursors.set_due(ANNA, LATER),
    "leases.claim": lambda tx, h: tx.leases.claim("lease", h.lease.owner, 999),
    "leases.check": lambda tx, h: tx.leases.check(h.lease),
    "leases.finish": lambda tx, h: tx.leases.finish(h.lease),
    "dead_letters.add": lambda tx, h: tx.dead_letters.add(
        "l",
        Window(user_id=ANNA, first_seq=1, last_seq=1, unread=()),
        attempts=9,
        error_kind="S",
        error="stolen",
    ),
    "dead_letters.list_newest": lambda tx, h: tx.dead_letters.list_newest(),
    "dead_letters.replay": lambda tx, h: tx.dead_letters.replay(h.letter.dead_letter_id),
    "dead_letters.mark": lambda tx, h: tx.dead_letters.mark(
        h.letter.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.PARKED
    ),
    "changes.add": lambda tx, h: tx.changes.add([_change(h.memory, "stolen")]),
    "changes.list_runs": lambda tx, h: tx.changes.list_runs(PROFILE, limit=99),
    "graph.add": lambda tx, h: tx.graph.add(h.memory, _tie("someone")),
    "graph.link": lambda tx, h: tx.graph.link(ANNA, [h.memory.model_copy(update={"content": "Theirs"})]),
    "graph.find": lambda tx, h: tx.graph.find(ANNA, ["theirs", "mine", "user"]),
    "graph.memories_near": lambda tx, h: tx.graph.memories_near(ANNA, [h.entity_id]),
    "graph.hold": lambda tx, h: tx.graph.hold([h.entity_id]),
    "graph.recount": lambda tx, h: tx.graph.recount([h.entity_id]),
    "entities.list_page": lambda tx, h: tx.entities.list_page(ANNA),
    "entities.get": lambda tx, h: tx.entities.get(ANNA, h.entity_id),
    "entities.hold": lambda tx, h: tx.entities.hold(ANNA, [h.entity_id]),
    "entities.get_many": lambda tx, h: tx.entities.get_many(ANNA, [h.entity_id]),
    "entities.add": lambda tx, h: tx.entities.add(ANNA, NewEntity(name="stolen")),
    "entities.update": lambda tx, h: tx.entities.update(ANNA, h.entity_id, EntityEdit(name="stolen")),
    "entities.merge": lambda tx, h: tx.entities.merge(ANNA, h.entity_id, [h.entity_id + 1]),
    "entities.delete": lambda tx, h: tx.entities.delete(ANNA, h.entity_id),
    "relationships.list_page": lambda tx, h: tx.relationships.list_page(ANNA),
    "relationships.get": lambda tx, h: tx.relationships.get(ANNA, h.relationship_id),
    "relationships.add": lambda tx, h: tx.relationships.add(
        ANNA,
        NewRelationship(
            source_entity_id=h.entity_id, target_entity_id=h.entity_id + 1, relationship_type="stolen"
        ),
    ),
    "relationships.update": lambda tx, h: tx.relationships.update(
        ANNA, h.relationship_id, RelationshipEdit(description="stolen")
    ),
    "relationships.delete": lambda tx, h: tx.relationships.delete(ANNA, h.relationship_id),
    "relationships.around": lambda tx, h: tx.relationships.around(ANNA, h.entity_id),
    "graph.forget": lambda tx, h: tx.graph.forget([h.memory.memory_id]),
    "graph.relationships_of": lambda tx, h: tx.graph.relationships_of(ANNA),
    "evaluations.list_newest": lambda tx, h: tx.evaluations.list_newest(limit=99),
    "evaluations.interactions_by_day": lambda tx, h: tx.evaluations.interactions_by_day(LONG_AGO, LATER),
    "evaluations.memories_by_day": lambda tx, h: tx.evaluations.memories_by_day([PROFILE], LONG_AGO, LATER),
    "evaluations.success_by_day": lambda tx, h: tx.evaluations.success_by_day(LONG_AGO, LATER),
    "organisation.ensure": lambda tx, h: tx.organisation.ensure("x"),
    "organisation.add_token": lambda tx, h: tx.organisation.add_token("x", "x", "other hash"),
    "organisation.list_tokens": lambda tx, h: tx.organisation.list_tokens(),
    "organisation.revoke_token": lambda tx, h: tx.organisation.revoke_token(h.token.token_id),
    "organisation.config": lambda tx, h: tx.organisation.config(),
    "organisation.set_config": lambda tx, h: tx.organisation.set_config('"stolen"'),
}
COUNTS = {
    "interactions.count": 1,
    "graph.memories_near": [],
    "search.standing_of": {},
    "search.admitted": [],
    "cursors.log_end": 1,
    "search.progress": (0, 0, ""),
    "copies.progress": None,
    "copies.changed": [],
    "copies.by_number": [],
    "copies.numbers": {},
}


async def _scopes_of(tx: Transaction, numbers: Awaitable[list[int]]) -> object:
    """Whose scopes they are, as far as can be seen."""
    return [await tx.copies.changed(number, -1, after=0, limit=99) for number in await numbers]


async def _hits(nearest: Awaitable[Nearest]) -> list[Hit]:
    return (await nearest).hits


async def _newest(found: Awaitable[list[Newest]]) -> list[Hit]:
    return [one.hit for one in await found]


async def _found(tx: Transaction, hits: Awaitable[list]) -> list:
    """What was found, in full."""
    found = await hits
    turns = await tx.interactions.get([hit.owner_id for hit in found if hit.kind == "interaction"])
    memories = await tx.memories.get_many([hit.owner_id for hit in found if hit.kind != "interaction"])
    assert found  # this organisation's own
    assert len(found) == len(turns) + len(memories)
    return [*turns, *memories]


def public_methods() -> Iterator[str]:
    for name, repository in vars(Transaction(None)).items():
        for method, _ in inspect.getmembers(type(repository), inspect.iscoroutinefunction):
            if not method.startswith("_"):
                yield f"{name}.{method}"


async def rows_of(storage: Storage, tenant: Tenant) -> dict[str, list]:
    """All rows of one organisation, table by table."""
    rows = {}
    async with storage._backend.read(tenant.org_id) as connection:
        for table in metadata.sorted_tables:
            if "org_id" in table.c:
                statement = sa.select(table).where(table.c.org_id == tenant.org_id)
                rows[table.name] = sorted(map(repr, (await connection.execute(statement)).all()))
        mine = sa.select(search_scopes.c.scope_id).where(search_scopes.c.org_id == tenant.org_id)
        statement = sa.select(search_terms).where(search_terms.c.scope_id.in_(mine))
        rows["search_terms"] = sorted(map(repr, (await connection.execute(statement)).all()))
    return rows


def test_every_public_method_has_a_case() -> None:
    """A method that is added to a repository has to be added here."""
    assert set(public_methods()) == set(CASES)


@pytest.fixture
async def both(storage: Storage) -> tuple[Storage, Held, Held]:
    return storage, await furnish(storage, ORG, "mine"), await furnish(storage, OTHER_ORG, "theirs")


async def test_no_method_reaches_another_organisation(both: tuple[Storage, Held, Held]) -> None:
    """Whatever a method is given of the other organisation's, it shows and changes none of it."""
    storage, _, theirs = both
    before = await rows_of(storage, OTHER_ORG)
    assert all(before[name] for name in before if name not in {"operations", "usage_events"})
    for name, case in CASES.items():
        shown: object = None
        with suppress(SagacityError):
            async with storage.begin(ORG) as transaction:
                shown = await case(transaction, theirs)
                if name in COUNTS:
                    assert shown == COUNTS[name], name
                if name != "leases.claim":  # the case itself names the owner
                    assert "theirs" not in repr(shown), name
                raise SagacityError  # each case starts from the same rows
        assert await rows_of(storage, OTHER_ORG) == before, name


async def test_no_method_that_commits_changes_another_organisation(both: tuple[Storage, Held, Held]) -> None:
    """The same when each of them commits, one after the other."""
    storage, mine, theirs = both
    before = await rows_of(storage, OTHER_ORG)
    for name, case in CASES.items():
        if name.endswith(("by_terms", "by_vector", "newest_memories", "newest_turns")):
            continue
        for held in (theirs, mine):
            with suppress(SagacityError):
                async with storage.begin(ORG) as transaction:
                    await case(transaction, held)
        assert await rows_of(storage, OTHER_ORG) == before, name


async def test_users_of_one_organisation_are_apart(storage: Storage) -> None:
    """A search for one user gives that user's rows and the tenant's, never another user's."""
    vectors = dict(zip(("a", "b", "t"), unit_rows(3), strict=True))
    async with storage.begin(ORG) as tx:
        playbook = new_memory("tea rule", uid="t", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None)
        pair = [new_memory("tea", uid="a", user_id="anna"), new_memory("tea", uid="b", user_id="ben")]
        await tx.memories.add([*pair, playbook], vectors=vectors)
        wanted = Filter(kinds=tuple(MemoryKind), user_id=ANNA, statuses=(Status.CURRENT,))
        for hits in (
            await tx.search.by_terms(wanted, "tea", 9),
            (await tx.search.by_vector(wanted, np.ones(16, np.float32) / 4, 9)).hits,
        ):
            found = await tx.memories.get_many([hit.owner_id for hit in hits])
            assert {memory.uid for memory in found} == {"a", "t"}
