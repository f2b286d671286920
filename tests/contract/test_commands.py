"""A caller who acts for one user changes no other user's memories by any command, on every database."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import pytest

from sagacity.domain.errors import Conflict, Forbidden, NotFound, SagacityError
from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.principal import CallerKind, Permission, Principal
from sagacity.domain.version import VersionFilter
from sagacity.memories.acting import Acting, Parts
from sagacity.memories.delete import delete_all_playbooks, delete_memories
from sagacity.memories.history import history_of
from sagacity.memories.listing import Choice, list_memories
from sagacity.memories.operations import cancel, distil, generate
from sagacity.memories.profiles import (
    delete_profile_of_user,
    delete_profiles_matching,
    edit_profile,
    put_profiles,
)
from sagacity.memories.review import edit_agent_playbook, edit_skill, set_approval
from sagacity.memories.undo import undo
from sagacity.memories.version_diff import compare_versions
from sagacity.memories.versions import VersionChoice, downgrade, upgrade
from sagacity.memories.write import add_memories, edit_memory, edit_user_playbook
from sagacity.providers.base import Embedder, Vectors
from support.acting import for_everyone
from support.isolation import rows_of
from support.parts import ANNA, BEN, ORG, new_memory

pytestmark = pytest.mark.either_database

KINDS = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL)
OF_A_USER = frozenset({Permission.READ, Permission.WRITE})
Held = dict[MemoryKind, Memory]
Command = Callable[[Acting, Held], Awaitable[object]]


def acting_for_ben(parts: Parts, permissions: frozenset[Permission] = OF_A_USER) -> Acting:
    user = Principal(tenant=ORG, user_id=BEN, kind=CallerKind.USER, permissions=permissions)
    return Acting(parts, user)


async def held_of(parts: Parts, user_id: str) -> Held:
    """One memory of each kind: two of the user's, two of the organisation's."""
    new = [
        new_memory(
            "likes green tea",
            kind=kind,
            user_id=user_id if kind in KINDS[:2] else None,
            uid=f"{kind}-of-{user_id}",
            name="tea",
        )
        for kind in KINDS
    ]
    stored = await add_memories(for_everyone(parts), new, reason="held")
    return {memory.kind: memory for memory in stored}


def _given(memory: Memory) -> Memory:
    return memory.model_copy(update={"content": "changed"})


def _fields(_memory: Memory) -> dict[str, object]:
    return {"content": "changed"}


PROFILE, PLAYBOOK, AGENT, SKILL = KINDS
REFUSED: dict[str, Command] = {
    "add": lambda acting, _: add_memories(acting, [new_memory("x", user_id=ANNA)], reason="x"),
    "add for all": lambda acting, _: add_memories(
        acting, [new_memory("x", kind=AGENT, user_id=None)], reason="x"
    ),
    "put": lambda acting, _: put_profiles(acting, [new_memory("x", user_id=ANNA)]),
    "put over another's": lambda acting, held: put_profiles(
        acting, [new_memory("x", user_id=BEN, uid=held[PROFILE].uid)]
    ),
    "edit": lambda acting, held: edit_memory(acting, held[PROFILE].memory_id, PROFILE, _given, reason="x"),
    "edit a profile": lambda acting, held: edit_profile(acting, held[PROFILE].uid, ANNA, content="changed"),
    "edit a profile as one's own": lambda acting, held: edit_profile(
        acting, held[PROFILE].uid, BEN, content="changed"
    ),
    "edit a user playbook": lambda acting, held: edit_user_playbook(
        acting, held[PLAYBOOK].memory_id, _fields
    ),
    "archive a user playbook": lambda acting, held: edit_user_playbook(
        acting, held[PLAYBOOK].memory_id, _fields, status=Status.ARCHIVED
    ),
    "edit an agent playbook": lambda acting, held: edit_agent_playbook(
        acting, held[AGENT].memory_id, _fields
    ),
    "edit a skill": lambda acting, held: edit_skill(
        acting, held[SKILL].memory_id, texts={"content": "changed"}, facts={}
    ),
    "approve an agent playbook": lambda acting, held: set_approval(
        acting, held[AGENT].memory_id, AGENT, Approval.APPROVED
    ),
    "approve a skill": lambda acting, held: set_approval(
        acting, held[SKILL].memory_id, SKILL, Approval.APPROVED
    ),
    "delete a profile": lambda acting, held: delete_profile_of_user(acting, ANNA, held[PROFILE].uid),
    "delete a profile as one's own": lambda acting, held: delete_profile_of_user(
        acting, BEN, held[PROFILE].uid
    ),
    "delete by words": lambda acting, _: delete_profiles_matching(acting, ANNA, "tea"),
    "delete all agent playbooks": lambda acting, _: delete_memories(acting, AGENT),
    "delete all skills": lambda acting, _: delete_memories(acting, SKILL),
    "delete all playbooks": lambda acting, _: delete_all_playbooks(acting),
    "undo": lambda acting, held: undo(acting, held[PROFILE].uid, None),
    "history": lambda acting, held: history_of(acting, held[PROFILE].uid, None, limit=9),
    "list": lambda acting, _: list_memories(acting, Choice(kind=PROFILE, user_id=ANNA), limit=9),
    "compare": lambda acting, _: compare_versions(
        acting, VersionFilter(kind=PROFILE, user_ids=(ANNA,)), limit=9
    ),
    "upgrade": lambda acting, _: upgrade(acting, VersionChoice(PROFILE)),
    "downgrade": lambda acting, _: downgrade(acting, VersionChoice(PROFILE)),
    "generate": lambda acting, _: generate(
        acting, OperationName.PROFILE_GENERATION, OperationParameters(), wait_seconds=0
    ),
    "aggregate": lambda acting, _: distil(
        acting,
        OperationName.PLAYBOOK_AGGREGATION,
        playbook_name="tea",
        agent_version="",
        wait_seconds=0,
    ),
    "cancel": lambda acting, _: cancel(acting, operation_id=None, name=None),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_no_command_reaches_another_users_memories(parts: Parts, name: str) -> None:
    """Each is refused, or finds nothing, and leaves all as it was."""
    held = await held_of(parts, ANNA)
    before = await rows_of(parts.storage, ORG)
    with pytest.raises((Forbidden, NotFound, Conflict)):
        await REFUSED[name](acting_for_ben(parts), held)
    assert await rows_of(parts.storage, ORG) == before


async def test_deleting_all_deletes_the_own(parts: Parts) -> None:
    """What another user has stays, named or not."""
    theirs, own = await held_of(parts, ANNA), await own_of(parts)
    acting = acting_for_ben(parts)
    for kind in (PROFILE, PLAYBOOK):
        assert await delete_memories(acting, kind, ids=[theirs[kind].memory_id]) == 0
        assert await delete_memories(acting, kind, uids=[theirs[kind].uid]) == 0
        assert await delete_memories(acting, kind) == 1
    async with parts.storage.read(ORG) as snapshot:
        left = await snapshot.memories.find_uids([one.uid for one in (*theirs.values(), *own)])
    assert left.keys() == {one.uid for one in theirs.values()}


async def own_of(parts: Parts) -> list[Memory]:
    """A profile and a user playbook that the user wrote."""
    new = [new_memory("drinks coffee", kind=kind, user_id=BEN, name="tea") for kind in (PROFILE, PLAYBOOK)]
    return await add_memories(acting_for_ben(parts), new, reason="own")


async def test_a_user_writes_the_own_memories(parts: Parts) -> None:
    """Added, put, edited, archived, listed and deleted by the same commands."""
    acting = acting_for_ben(parts)
    [profile, playbook] = await own_of(parts)
    await put_profiles(acting, [new_memory("drinks cocoa", user_id=BEN, uid="cocoa")])
    await edit_profile(acting, profile.uid, BEN, content="drinks mocha")
    archived = await edit_user_playbook(acting, playbook.memory_id, _fields, status=Status.ARCHIVED)
    assert (archived.content, archived.status) == ("changed", Status.ARCHIVED)
    listed = await list_memories(acting, Choice(kind=PROFILE, user_id=BEN), limit=9)
    assert {one.content for one in listed} == {"drinks mocha", "drinks cocoa"}
    assert await delete_profile_of_user(acting, BEN, MemoryUid("cocoa")) == 1
    assert await delete_profiles_matching(acting, BEN, "mocha") == 1
    found = await history_of(acting, playbook.uid, None, limit=9)
    assert found.event_count == 2


class BusyEmbedder:
    """A real embedder, during whose work something else happens."""

    def __init__(self, inner: Embedder, meanwhile: Callable[[], Awaitable[object]]) -> None:
        self.model, self.dimension = inner.model, inner.dimension
        self._inner, self._meanwhile = inner, meanwhile

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        await self._meanwhile()
        return await self._inner.embed(texts, background=background)

    async def warm(self) -> None:
        await self._inner.warm()


async def test_an_id_that_somebody_else_takes_meanwhile_is_refused(parts: Parts) -> None:
    """As one that was taken before: the other user's memory is out of the writer's sight."""
    annas = [new_memory("likes green tea", user_id=ANNA, uid="cup")]
    taken = BusyEmbedder(parts.embedder, lambda: add_memories(for_everyone(parts), annas, reason="x"))
    with pytest.raises(Conflict):
        await put_profiles(
            acting_for_ben(replace(parts, embedder=taken)), [new_memory("x", user_id=BEN, uid="cup")]
        )


async def test_what_serves_all_is_a_reviewers(parts: Parts) -> None:
    """Whoever may write but not review changes none of it, whomever the call acts for."""
    held = await held_of(parts, ANNA)
    writer = Acting(parts, Principal(tenant=ORG, permissions=OF_A_USER))
    reviewer = Acting(parts, Principal(tenant=ORG, permissions=frozenset({Permission.REVIEW})))
    for kind in (AGENT, SKILL):
        number: MemoryId = held[kind].memory_id
        with pytest.raises(SagacityError, match="memories:review"):
            await set_approval(writer, number, kind, Approval.APPROVED)
        done = await set_approval(reviewer, number, kind, Approval.APPROVED)
        assert done.memory.approval is Approval.APPROVED


async def test_who_only_reads_deletes_nothing(parts: Parts) -> None:
    """Of the own, either."""
    [profile, _] = await own_of(parts)
    reader = acting_for_ben(parts, frozenset({Permission.READ}))
    with pytest.raises(Forbidden, match="memories:write"):
        await delete_profile_of_user(reader, BEN, profile.uid)
    with pytest.raises(Forbidden, match="memories:write"):
        await delete_profiles_matching(reader, BEN, "coffee")
    assert await delete_profile_of_user(acting_for_ben(parts), BEN, profile.uid) == 1
