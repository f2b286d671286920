"""So many calls a minute."""

import asyncio
import time
from uuid import uuid4

import jwt
import pytest

from sagacity.api.dependencies import allowance_of
from sagacity.api.middleware.rate_limit import RateLimitMiddleware
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
            seconds = int(refused[0].headers["Retry-After"])
            assert (
                1
                <= seconds
                == refused[0].json()["retry_after"]
                == int(refused[0].headers["RateLimit-Reset"])
                <= 60
            )
            assert refused[0].headers["RateLimit-Limit"] == "60"
            assert refused[0].headers["RateLimit-Remaining"] == "0"
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


SECRET = "a secret that has enough bytes for whatever a test does with it"


def token_of(user_id: str, **claims) -> str:
    """A token of an end user; no two are alike."""
    return jwt.encode({"sub": user_id, "exp": time.time() + 3600} | claims, SECRET, algorithm="HS256")


async def statuses(api, tokens: list[str]) -> list[int]:
    """What calls with these tokens are answered, one after the other."""
    replies = [
        await api.post("/api/add_user_playbook", json={}, headers={"Authorization": f"Bearer {token}"})
        for token in tokens
    ]
    return [reply.status_code for reply in replies]


async def test_user_is_counted_whatever_token_the_issuer_gave(tmp_path):
    """A token that was refreshed is the same user's; another user has an allowance of their own."""
    settings = settings_in(tmp_path, rate_limits=True, jwt_secret=SECRET)
    async with running(settings) as app, client_of(app) as api:
        fresh = [token_of("ana", jti=str(number)) for number in range(75)]
        assert len(set(fresh)) == 75
        found = await statuses(api, fresh)
        assert found[:60] == [422] * 60
        assert found[-1] == 429
        assert await statuses(api, [token_of("ben")]) == [422]


async def test_organisation_is_counted_over_all_its_tokens(tmp_path):
    """One more token is not one more allowance; another organisation has its own."""
    async with running(settings_in(tmp_path, rate_limits=True)) as app, client_of(app) as api:
        one, two, other = [await make_token(app, org) for org in ("a", "a", "b")]
        found = await statuses(api, [one, two] * 38)
        assert found[:60] == [422] * 60
        assert found[-1] == 429
        assert await statuses(api, [other]) == [422]


async def test_tokens_that_are_made_up_share_the_allowance_of_their_address(tmp_path):
    """Whatever they look like: expired, forged, and of no kind at all."""
    settings = settings_in(tmp_path, rate_limits=True, jwt_secret=SECRET)
    async with running(settings) as app, client_of(app) as api:
        made_up = [
            token
            for number in range(25)
            for token in (
                f"sgc_{number}",
                token_of("ana", exp=1, jti=str(number)),
                jwt.encode({"sub": f"u{number}", "exp": time.time() + 3600}, SECRET[::-1], algorithm="HS256"),
            )
        ]
        found = await statuses(api, made_up)
        assert found[:60] == [401] * 60
        assert found[-1] == 429
        assert await statuses(api, [token_of("ana")]) == [422]


async def test_address_is_counted_by_itself_and_a_network_as_one(tmp_path):
    """Who has a whole network of IPv6, as every household has, has one allowance."""
    async with running(settings_in(tmp_path, rate_limits=True)) as app:

        async def called(address: str, times: int) -> int:
            async with client_of(app, client=(address, 1)) as api:
                replies = [await api.post("/api/add_user_playbook", json={}) for _ in range(times)]
                return replies[-1].status_code

        assert await called("10.0.0.1", 75) == 429
        assert await called("10.0.0.2", 1) == 401
        for number in range(74):
            await called(f"2001:db8::{number + 1:x}", 1)
        assert await called("2001:db8::ffff", 1) == 429
        assert await called("2001:db8:0:1::1", 1) == 401


async def test_no_allowance_is_named_by_a_person_or_a_secret(tmp_path):
    """What may be written down outside of the process tells neither who calls nor how."""
    settings = settings_in(tmp_path, rate_limits=True, jwt_secret=SECRET)
    async with running(settings) as app:
        token = await make_token(app, "acme")
        names = [
            await allowance_of(
                {
                    "type": "http",
                    "app": app,
                    "client": ("10.0.0.1", 1),
                    "headers": [(b"authorization", f"Bearer {one}".encode())],
                }
            )
            for one in (token, token_of("ana@example.com"))
        ]
    assert all(len(name) == 64 and int(name, 16) for name in names)


async def test_only_the_method_that_has_a_limit_is_counted_also_with_a_parameter_in_its_path(tmp_path):
    """Reading what may be written so often is free; whatever the id, a limited path is one."""
    settings = settings_in(tmp_path, rate_limits=True)
    async with running(settings) as app, client_of(app) as api:
        (layer,) = [one for one in app.user_middleware if one.cls is RateLimitMiddleware]
        layer.kwargs["limits"] = {"PATCH /api/chat/conversations/{conversation_id}": 3}
        paths = [f"/api/chat/conversations/{uuid4()}" for _ in range(6)]
        written = [(await api.patch(path, json={"title": "x"})).status_code for path in paths]
        assert written == [404] * 3 + [429] * 3
        assert {(await api.get(path)).status_code for path in paths} == {404}


@pytest.mark.parametrize(("factor", "allowed"), [(0.1, 6), (0.001, 1)])
async def test_limits_are_multiplied_by_the_setting(tmp_path, factor, allowed):
    """Never to nothing."""
    settings = settings_in(tmp_path, rate_limits=True, rate_limit_factor=factor)
    async with running(settings) as app, client_of(app) as api:
        replies = [await api.post("/api/add_user_playbook", json={}) for _ in range(allowed + 1)]
    assert [reply.status_code for reply in replies] == [422] * allowed + [429]
    assert replies[-1].headers["RateLimit-Limit"] == str(allowed)
