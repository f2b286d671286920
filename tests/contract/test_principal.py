"""A caller who acts for one user reaches that user's rows and the organisation's own, on every database."""

import re
from contextlib import suppress

import pytest

from sagacity.domain.errors import Forbidden, NotFound, SagacityError
from sagacity.domain.memory import Approval, MemoryKind, Visibility
from sagacity.domain.principal import CallerKind, Permission, Principal
from sagacity.domain.query import Filter
from sagacity.storage.postgres.row_security import RULES
from sagacity.storage.schema.tables import metadata
from sagacity.storage.transaction import Storage
from support.isolation import EVERYTHING, furnish, rows_of
from support.isolation_cases import CASES
from support.parts import ANNA, BEN, ORG, new_memory, said

EVE = Principal(tenant=ORG, user_id=BEN, kind=CallerKind.USER)
EVERYONE = Principal(tenant=ORG)


def test_every_table_of_organisations_has_a_rule() -> None:
    """A table that is added says whose its rows are."""
    assert set(RULES) == {table.name for table in metadata.tables.values() if "org_id" in table.c}


def test_a_principal_has_the_permissions_that_it_was_given() -> None:
    """What it lacks is refused by name."""
    reader = Principal(tenant=ORG, permissions=frozenset({Permission.READ}))
    reader.require(Permission.READ)
    with pytest.raises(Forbidden, match="memories:write"):
        reader.require(Permission.WRITE)


async def test_no_method_shows_or_changes_another_users_rows(storage: Storage) -> None:
    """Whatever a method of a repository is given of another user's, it shows and changes none of it."""
    held = await furnish(storage, ORG, "theirs", turns=3)
    before = await rows_of(storage, ORG)
    names = [name for name in CASES if not name.startswith(_OF_THE_ORGANISATION)]
    for some in (names[start : start + 20] for start in range(0, len(names), 20)):
        for name in some:
            shown: object = None
            # a case may insist on what is not there for EVE
            with suppress(SagacityError, AssertionError, LookupError):
                async with storage.begin(EVE) as transaction:
                    shown = await CASES[name](transaction, held)
            assert not {"theirs turn", "theirs again"} & set(re.findall("theirs [a-z]+", repr(shown))), name
        after = await rows_of(storage, ORG)
        gone = {table: set(rows) - set(after[table]) for table, rows in before.items()}
        assert not any(gone.values()), f"one of {some}: {gone}"


_OF_THE_ORGANISATION = (
    "organisation.",
    "site.",
    "attempts.",
    "operations.",
    "leases.",
    "copies.",
    "clusters.",
    "distillations.",
    "erasures.",
    "quarantines.",
    "imports.",
    "erased_rows.",
    "derived.",
    "search.set_vectors",
    "search.embed_failed",
)
"""
Methods on what belongs to no user, and those of the background, which embeds all users' rows. A caller who acts for one
user lacks the permission for the routes that use them.
"""


async def test_another_users_memory_is_not_there(storage: Storage) -> None:
    """By number, by list and by search; deleting all deletes the own."""
    async with storage.begin(EVERYONE) as tx:
        [of_anna, _] = await tx.memories.add(
            [new_memory("tea", user_id=ANNA), new_memory("tea too", user_id=BEN)]
        )
    async with storage.read(EVE) as tx:
        with pytest.raises(NotFound):
            await tx.memories.get(of_anna.memory_id)
        listed = await tx.memories.list_newest(MemoryKind.PROFILE, limit=9)
        assert [one.content for one in listed] == ["tea too"]
        hits = await tx.search.by_terms(EVERYTHING, "tea", 9)
        assert of_anna.memory_id not in {hit.owner_id for hit in hits}
        assert len(hits) == 1
    async with storage.begin(EVE) as tx:
        assert await tx.memories.delete(MemoryKind.PROFILE) == 1
        assert await tx.memories.delete(MemoryKind.PROFILE, ids=[of_anna.memory_id]) == 0
    async with storage.read(EVERYONE) as tx:
        assert (await tx.memories.get(of_anna.memory_id)).content == "tea"


async def test_nothing_is_written_for_another_user(storage: Storage) -> None:
    """A new memory of another user, and a turn of one, are refused; the own are stored."""
    with pytest.raises(SagacityError):
        async with storage.begin(EVE) as tx:
            await tx.memories.add([new_memory("planted", user_id=ANNA)])
    with pytest.raises(Forbidden):
        await storage.append(EVE, said("planted", user_id=ANNA))
    await storage.append(EVE, said("my own", user_id=BEN, request_id="r2"))
    async with storage.begin(EVE) as tx:
        await tx.memories.add([new_memory("my own", user_id=BEN)])
    async with storage.read(EVERYONE) as tx:
        assert await tx.interactions.list_wanted(Filter(interactions=True, user_id=ANNA), 9) == []
        assert [one.user_id for one in await tx.memories.list_newest(MemoryKind.PROFILE, limit=9)] == [BEN]


async def test_another_user_cannot_be_named(storage: Storage) -> None:
    """A call that names another user than its caller's is refused before anything is read."""
    with pytest.raises(Forbidden):
        async with storage.read(EVE, user_id=ANNA):
            pass
    with pytest.raises(Forbidden):
        async with storage.begin(EVE, user_id=ANNA):
            pass


async def test_what_waits_is_counted_and_found_once_it_is_approved(storage: Storage) -> None:
    """The search document's visibility changes with the memory, in its transaction."""
    served = Filter(kinds=(MemoryKind.SKILL,), visibility=(Visibility.SERVED,))
    learned = new_memory("how to brew", kind=MemoryKind.SKILL, user_id=None)
    async with storage.begin(EVERYONE) as tx:
        [skill] = await tx.memories.add([learned])
        assert not await tx.search.by_terms(served, "brew", 9)
        assert await tx.search.count_withheld(served, Visibility.WAITS_FOR_REVIEW) == 1
        await tx.memories.save([skill.model_copy(update={"approval": Approval.APPROVED})])
        assert len(await tx.search.by_terms(served, "brew", 9)) == 1
        assert await tx.search.count_withheld(served, Visibility.WAITS_FOR_REVIEW) == 0
