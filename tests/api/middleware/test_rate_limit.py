"""So many calls a minute."""

import asyncio

from sagacity.api.middleware.rate_limit import LocalLimiter
from support.api import client_of, make_token, running, settings_in, turns


class Seconds:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_bucket_is_full_at_first_and_refills_evenly():
    """60 a minute: 60 at once, then one a second; the wait says when."""
    seconds = Seconds()
    limiter = LocalLimiter(seconds)
    assert [await limiter.take("a", 60) for _ in range(60)] == [0.0] * 60
    assert await limiter.take("a", 60) == 1.0
    seconds.now = 0.75
    assert await limiter.take("a", 60) == 0.25
    seconds.now = 1.0
    assert await limiter.take("a", 60) == 0.0
    assert await limiter.take("b", 60) == 0.0
    seconds.now = 10_000
    assert [await limiter.take("a", 60) for _ in range(60)] == [0.0] * 60
    assert await limiter.take("a", 60) == 1.0


async def test_what_is_remembered_is_bounded():
    """The key longest out of use is forgotten first."""
    limiter = LocalLimiter(Seconds(), keys=2)
    for key in ("a", "b", "c"):
        assert await limiter.take(key, 1) == 0.0
    assert await limiter.take("c", 1) > 0
    assert await limiter.take("a", 1) == 0.0


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
