"""What users' playbooks leave behind when they go: the playbooks for all that were made of them are seen to."""

from collections.abc import Awaitable, Callable

import httpx
import pytest

from sagacity.domain.change import Occasion
from sagacity.domain.ids import MemoryUid, RunId
from sagacity.domain.memory import ArchivedBy, Memory, MemoryKind, Status
from support.api import delete
from support.parts import new_memory
from support.promises import BY_HAND, HERE, NAME, VERSION, aggregate, ask, choose, shared, taught_playbooks
from support.waiting import until

PNPM = ("Use pnpm for packages.", "Use pnpm for all packages.", "Use pnpm for packages here.")
Lose = Callable[[httpx.AsyncClient, int], Awaitable[httpx.Response]]


async def _deleted(api: httpx.AsyncClient, number: int) -> httpx.Response:
    return await delete(api, "/api/delete_user_playbook", {"user_playbook_id": number})


async def _deleted_with_others(api: httpx.AsyncClient, number: int) -> httpx.Response:
    return await delete(api, "/api/delete_user_playbooks_by_ids", {"user_playbook_ids": [number, 999]})


async def _archived(api: httpx.AsyncClient, number: int) -> httpx.Response:
    return await api.put("/api/update_user_playbook", json={"user_playbook_id": number, "status": "archived"})


async def _renamed(api: httpx.AsyncClient, number: int) -> httpx.Response:
    return await api.put(
        "/api/update_user_playbook", json={"user_playbook_id": number, "playbook_name": "other"}
    )


async def _members(api: httpx.AsyncClient) -> list[int]:
    return [one["member_count"] for one in await shared(api)]


@pytest.mark.both_databases
@pytest.mark.parametrize("lose", [_deleted, _deleted_with_others, _archived, _renamed])
async def test_a_playbook_is_written_anew_without_the_rule_that_went(api, lose: Lose) -> None:
    """By itself, however many new ones it would otherwise wait for; with too few left it goes."""
    await choose(api, **BY_HAND)
    await taught_playbooks(api, *zip(("ana", "ben", "cleo"), PNPM, strict=True))
    await aggregate(api)
    assert await _members(api) == [3]
    first, second, _ = sorted(
        one["user_playbook_id"] for one in (await ask(api, "get_user_playbooks"))["user_playbooks"]
    )
    for number, left in ((second, [2]), (first, [])):
        reply = await lose(api, number)
        assert reply.status_code == 200, reply.text

        async def is_seen_to(left=left) -> bool:
            return await _members(api) == left

        await until(is_seen_to)


@pytest.mark.both_databases
async def test_with_all_rules_their_playbook_goes(api) -> None:
    """Also where no rule of the name is left by which one could see that something is to be done."""
    await choose(api, **BY_HAND)
    await taught_playbooks(api, *zip(("ana", "ben"), PNPM, strict=False))
    await aggregate(api)
    assert await _members(api) == [2]
    assert (await api.request("DELETE", "/api/delete_all_user_playbooks")).json()["deleted_count"] == 2

    async def is_gone() -> bool:
        return await _members(api) == []

    await until(is_gone)


async def _merged(app) -> Memory:
    """A user's rule that was merged from a former one and what was learned then."""
    runtime = app.state.runtime
    old, own, whole = (
        new_memory(content, kind=MemoryKind.USER_PLAYBOOK, user_id="ana", name=NAME, agent_version=VERSION)
        for content in PNPM
    )
    occasion = Occasion(run_id=RunId("r"), actor="learner", reason="one thing", at=runtime.clock.now())
    async with runtime.storage.begin(HERE) as transaction:
        before, after = await transaction.memories.add([old, whole])
        merge = {
            "status": Status.ARCHIVED,
            "archived_by": ArchivedBy.LEARNER,
            "superseded_by": after.memory_id,
        }
        await transaction.memories.save([before.model_copy(update=merge)])
        change = occasion.change(None, after)
        said = after.model_copy(update={"content": own.content, "uid": MemoryUid("own")})
        await transaction.changes.add([change.model_copy(update={"before": said})])
    return after


@pytest.mark.both_databases
async def test_an_undone_merge_is_seen_to(app, api) -> None:
    """The playbook rests on what was merged, each by itself again, and no more on the merge."""
    await choose(api, **BY_HAND)
    whole = await _merged(app)
    await taught_playbooks(api, ("ben", "Use pnpm for packages."))
    await aggregate(api)
    assert await _members(api) == [2]
    reply = await api.post(f"/api/memories/{whole.memory_id}/undo_merge")
    assert (reply.status_code, len(reply.json()["restored"])) == (200, 1), reply.text

    async def is_seen_to() -> bool:
        return await _members(api) == [3]

    await until(is_seen_to)
