"""No method of any repository reads or writes another organisation's rows."""

import inspect
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest

from sagacity.domain.errors import SagacityError
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.storage.transaction import Storage, Transaction
from support.isolation import Held, furnish, rows_of
from support.isolation_cases import CASES, EXPECTED
from support.parts import ANNA, ORG, OTHER_ORG, new_memory, unit_rows


def public_methods() -> Iterator[str]:
    transaction = Transaction(None)
    for name in (name for name in vars(Transaction) if not name.startswith("_")):
        repository = getattr(transaction, name)
        for method, _ in inspect.getmembers(type(repository), inspect.iscoroutinefunction):
            if not method.startswith("_"):
                yield f"{name}.{method}"


def test_every_public_method_has_a_case() -> None:
    """A method that is added to a repository has to be added here."""
    assert set(public_methods()) == {name.partition(",")[0] for name in CASES}


@pytest.fixture
async def both(storage: Storage) -> tuple[Storage, Held, Held]:
    return storage, await furnish(storage, ORG, "mine"), await furnish(storage, OTHER_ORG, "theirs", turns=3)


@pytest.mark.one_database
async def test_no_method_reaches_another_organisation(both: tuple[Storage, Held, Held]) -> None:
    """Whatever a method is given of the other organisation's, it shows and changes none of it."""
    storage, _, theirs = both
    before = await rows_of(storage, OTHER_ORG)
    assert [name for name, rows in before.items() if not rows] == []
    assert EXPECTED.keys() <= CASES.keys()
    for name, case in CASES.items():
        shown: object = None
        with suppress(SagacityError):
            async with storage.begin(ORG) as transaction:
                shown = await case(transaction, theirs)
                if name in EXPECTED:
                    assert shown == EXPECTED[name], name
                if name != "leases.claim":  # the case itself names the owner
                    assert "theirs" not in repr(shown), name
                raise SagacityError  # each case starts from the same rows
    assert await rows_of(storage, OTHER_ORG) == before


@pytest.mark.one_database
async def test_no_method_that_commits_changes_another_organisation(both: tuple[Storage, Held, Held]) -> None:
    """The same when each of them commits, one after the other."""
    storage, mine, theirs = both
    before = await rows_of(storage, OTHER_ORG)
    names = [
        name
        for name in CASES
        if not name.endswith(
            (
                "by_terms",
                "by_vector",
                "by_vectors",
                "newest_memories",
                "surest_memories",
                "newest_turns",
                "cautions",
            )
        )
    ]
    for some in (names[start : start + 20] for start in range(0, len(names), 20)):
        for name in some:
            for held in (theirs, mine):
                with suppress(SagacityError):
                    async with storage.begin(ORG) as transaction:
                        await CASES[name](transaction, held)
        assert await rows_of(storage, OTHER_ORG) == before, f"one of {some}"


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
