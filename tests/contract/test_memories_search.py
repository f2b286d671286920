"""What a search, a context or a list shows is decided below the doors, on every database."""

from datetime import timedelta

from sagacity.domain.context import ContextBudgets
from sagacity.domain.ids import SessionId
from sagacity.domain.memory import Approval, MemoryKind, NewMemory, Provenance, Status
from sagacity.domain.query import Filter, Query
from sagacity.memories.acting import Acting, Parts
from sagacity.memories.context import ContextRequest, context_for
from sagacity.memories.listing import Choice, list_memories
from sagacity.memories.search import Question, search_by_kind, search_memories
from sagacity.memories.write import add_memories
from support.acting import for_everyone
from support.parts import ANNA, START, new_memory

AGENT, PROFILE, USER_PLAYBOOK = MemoryKind.AGENT_PLAYBOOK, MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK


def rule(uid: str, approval: Approval) -> NewMemory:
    """An agent playbook as learning makes it."""
    return new_memory(
        f"offers green tea, {uid}",
        kind=AGENT,
        user_id=None,
        uid=uid,
        approval=approval,
        provenance=Provenance(method="rules"),
    )


async def held(acting: Acting) -> None:
    new = [rule(f"rule {approval}", approval) for approval in Approval]
    week = timedelta(days=7)
    new += [
        new_memory("drinks green tea", uid="valid"),
        new_memory("drank green tea", uid="expired", expires_at=START - week),
        new_memory("dreams of green tea", uid="pending", status=Status.PENDING),
        new_memory("pours green tea", kind=USER_PLAYBOOK, uid="old rule", status=Status.ARCHIVED),
    ]
    await add_memories(acting, new, reason="held")


def query(kind: MemoryKind, **wanted) -> Query:
    return Query(text="green tea", wanted=Filter(kinds=(kind,), user_id=ANNA, **wanted), limit=9)


async def found(acting: Acting, wanted: Query, *, include_expired: bool = False) -> set[str]:
    """What both searches find, which is the same."""
    one = await search_memories(acting, wanted, include_expired=include_expired)
    several, _ = await search_by_kind(acting, wanted, include_expired=include_expired)
    uids = [{item.memory.uid for item in items if item.memory} for items in (one.items, *several.values())]
    assert uids[0] == set().union(*uids[1:])
    return uids[0]


async def test_a_search_serves_what_is_approved_and_has_not_expired(parts: Parts) -> None:
    """A query that says nothing of it gets no more; one that names approvals gets those."""
    acting = for_everyone(parts)
    await held(acting)
    assert await found(acting, query(AGENT)) == {"rule approved"}
    assert await found(acting, query(AGENT, approvals=(Approval.REJECTED,))) == {"rule rejected"}
    assert await found(acting, query(PROFILE)) == {"valid"}
    assert await found(acting, query(PROFILE), include_expired=True) == {"valid", "expired"}


async def test_a_context_contains_what_a_search_serves(parts: Parts) -> None:
    """With all strategies, and the conversation only if a session is named."""
    acting = for_everyone(parts)
    await held(acting)
    wanted = Query(text="green tea", wanted=Filter(kinds=(AGENT, PROFILE), user_id=ANNA), limit=9)
    request = ContextRequest(
        user_id=ANNA,
        question=Question(text=wanted.text),
        asked=wanted.text,
        query=wanted,
        budgets=ContextBudgets(),
        session_id=SessionId("never begun"),
    )
    built = await context_for(acting, request)
    lines = [item.text for section in built.sections for item in section.items]
    assert ["drank" in built.text, "rule pending" in built.text] == [False, False]
    assert len(lines) == 2
    assert {"profile", "recent", "vector"} <= built.trace.strategies.keys()


async def test_a_list_shows_what_its_kind_shows_by_default(parts: Parts) -> None:
    """Current ones, of user playbooks those of any status; whatever a reviewer said, and unexpired."""
    acting = for_everyone(parts)
    await held(acting)

    async def listed(kind: MemoryKind, **choice) -> set[str]:
        return {one.uid for one in await list_memories(acting, Choice(kind=kind, **choice), limit=9)}

    assert await listed(PROFILE, user_id=ANNA) == {"valid"}
    assert await listed(PROFILE, statuses=(Status.PENDING,)) == {"pending"}
    assert await listed(PROFILE, uid="valid", words="tea") == {"valid"}
    assert await listed(PROFILE, uid="expired") == set()
    assert await listed(USER_PLAYBOOK) == {"old rule"}
    assert await listed(AGENT) == {f"rule {approval}" for approval in Approval}
    assert await listed(AGENT, approvals=(Approval.PENDING,)) == {"rule pending"}
