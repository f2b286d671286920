"""So many calls a minute."""

import asyncio
import time

from support.api import client_of, make_token, running, settings_in, turns


async def test_publishing_is_limited_by_token_and_reading_is_not(tmp_path):
    """Beyond sixty at once publishes are refused with Retry-After; another token is not held up."""
    async with running(settings_in(tmp_path, rate_limits=True)) as app:
        one, two = await make_token(app, "a"), await make_token(app, "b")
        async with client_of(app, token=one) as api:
            calls = (api.post("/api/publish_interaction", json=turns("x")) for _ in range(150))
            replies = await asyncio.gather(*calls)
            refused = [reply for reply in replies if reply.status_code == 429]
            assert 60 <= sum(reply.status_code == 200 for reply in replies) == 150 - len(refused) < 150
            assert refused[0].json()["error"] == "RateLimited"
            assert 1 <= int(refused[0].headers["Retry-After"]) <= 60
            assert (await api.get("/api/get_all_interactions")).status_code == 200
        async with client_of(app, token=two) as api:
            assert (await api.post("/api/publish_interaction", json=turns("x"))).status_code == 200


async def test_an_older_name_shares_the_allowance(tmp_path):
    """A route's older name is no way around its limit."""
    async with running(settings_in(tmp_path, rate_limits=True)) as app, client_of(app) as api:
        paths = ["/api/add_user_playbook", "/api/add_raw_feedback"] * 75
        replies = await asyncio.gather(*(api.post(path, json={}) for path in paths))
    assert {reply.status_code for reply in replies} == {422, 429}
    assert replies[-1].status_code == 429


async def test_a_token_is_counted_once_however_its_header_is_spelled(tmp_path):
    """The scheme in another case, or one more space, is no other caller; nor is a header without a token."""
    async with running(settings_in(tmp_path, rate_limits=True)) as app:
        token = await make_token(app, "a")
        headers = [f"{scheme} {token}" for scheme in ("Bearer", "bearer", "BEARER", "bEARER", "Bearer ")]
        async with client_of(app) as api:
            for known, spellings in ((422, headers), (401, [f"Basic {number}" for number in range(5)])):
                replies = [
                    await api.post("/api/add_user_playbook", json={}, headers={"Authorization": spelling})
                    for spelling in spellings * 30
                ]
                assert {reply.status_code for reply in replies} == {known, 429}
                assert replies[-1].status_code == 429


async def test_two_processes_share_one_allowance(tmp_path, redis_url):
    """What one server let through is gone for the other; over both it is sixty, and what flowed in meanwhile."""
    settings = settings_in(tmp_path, rate_limits=True, redis_url=redis_url)
    async with running(settings) as one, running(settings) as other:
        token = await make_token(one, "a")
        async with client_of(one, token=token) as here, client_of(other, token=token) as there:
            began = time.monotonic()
            # One after the other: a server that waits for Redis too long, as behind many calls, counts by itself.
            replies = [await api.post("/api/add_user_playbook", json={}) for api in (here, there) * 50]
            passed = sum(reply.status_code == 422 for reply in replies)
            refused = [reply for reply in replies if reply.status_code == 429]
    assert passed + len(refused) == 100
    assert 60 <= passed <= 61 + (time.monotonic() - began)
    assert all(1 <= int(reply.headers["Retry-After"]) <= 60 for reply in refused)
