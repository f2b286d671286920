"""Windows that a learner gave up: listed, and queued again."""

from sagacity.domain.cursor import Window
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import publish
from support.parts import ANNA


async def park(app, user_id: str = ANNA) -> None:
    """Give up a window of a learner that this server does not run."""
    window = Window(user_id=user_id, first_seq=1, last_seq=2, unread=())
    async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
        await transaction.dead_letters.add(
            "retired", window, attempts=5, error_kind="MalformedOutput", error="not JSON"
        )


async def letters(api, **wanted) -> list[dict]:
    return (await api.get("/api/dead_letters", params=wanted)).json()["dead_letters"]


async def test_what_was_given_up_is_listed_with_its_error(api, app):
    """A window, its learner, its error and its tries; filters narrow the list."""
    await publish(api, "hello")
    await park(app)
    await park(app, "ben")
    found = await letters(api)
    assert [one["user_id"] for one in found] == ["ben", "anna"]
    assert (found[0]["learner"], found[0]["error_kind"], found[0]["error"]) == (
        "retired",
        "MalformedOutput",
        "not JSON",
    )
    assert (found[0]["first_seq"], found[0]["last_seq"], found[0]["attempts"]) == (1, 2, 5)
    assert [one["user_id"] for one in await letters(api, user_id="anna")] == ["anna"]
    assert len(await letters(api, limit=1)) == 1
    assert await letters(api, status="replayed") == []


async def test_replay_queues_once(api, app):
    """A parked window is queued; one that is queued already is refused, an unknown one is 404."""
    await publish(api, "hello")
    await park(app)
    (letter,) = await letters(api, status="parked")
    reply = await api.post(f"/api/dead_letters/{letter['dead_letter_id']}/replay")
    assert reply.status_code == 200
    assert reply.json()["dead_letter"]["status"] == "queued"
    again = await api.post(f"/api/dead_letters/{letter['dead_letter_id']}/replay")
    assert again.status_code == 409
    assert (await api.post("/api/dead_letters/999/replay")).status_code == 404


async def test_bad_filters_are_refused(api):
    """Unknown states and impossible limits are told."""
    for wanted in (
        {"status": "lost"},
        {"limit": 0},
        {"limit": 10**30},
        {"user_id": ""},
        {"user_id": "a\x00"},
    ):
        assert (await api.get("/api/dead_letters", params=wanted)).status_code == 422, wanted
    for number in ("0", "-1", "x", str(2**70)):
        assert (await api.post(f"/api/dead_letters/{number}/replay")).status_code == 422
