"""What narrows statements does so once for those that come again, and keeps none that was built for one call."""

import gc
import weakref

import sqlalchemy as sa

from sagacity.storage.statements.narrowing import narrowed_once

TABLE = sa.table("t", sa.column("a"), sa.column("b"))


def test_a_statement_that_comes_again_is_narrowed_once_more_and_never_again() -> None:
    """Each has its own, also one that was made from another."""
    calls: list[sa.Executable] = []

    def narrow(statement: sa.Select) -> sa.Select:
        calls.append(statement)
        return statement.where(TABLE.c.b == 1)

    narrowed = narrowed_once(narrow)
    prepared = sa.select(TABLE)
    assert narrowed(prepared) is not narrowed(prepared)
    assert len({id(narrowed(prepared)) for _ in range(9)}) == 1
    assert len(calls) == 2
    derived = prepared.where(TABLE.c.a == 2)
    for _ in range(3):
        assert str(narrowed(derived)).endswith("WHERE t.a = :a_1 AND t.b = :b_1")
        assert str(narrowed(prepared)).endswith("WHERE t.b = :b_1")


def test_a_statement_of_one_call_is_let_go() -> None:
    """It may hold what somebody said."""
    narrowed = narrowed_once(lambda statement: statement)
    said = sa.select(TABLE).where(TABLE.c.a == "a secret")
    narrowed(said)
    gone = weakref.ref(said)
    del said
    gc.collect()
    assert gone() is None
