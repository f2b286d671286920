"""Several servers over one database and one Valkey, and what becomes of them without it."""

import redis

from sagacity.coordination.base import Topic
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, profiles_of, publish, running, settings_in
from support.local_servers import running_valkey
from support.parts import StoppedClock
from support.waiting import until


async def test_a_configuration_set_on_one_server_is_used_by_the_other(tmp_path, redis_url):
    """Its learners read it by the next window, and a get or a masked save is never from an old one."""
    settings = settings_in(tmp_path, redis_url=redis_url)
    tenant = Tenant(org_id=LOCAL_ORG)
    async with (
        running(settings) as one,
        running(settings) as other,
        client_of(one) as here,
        client_of(other) as there,
    ):
        used = other.state.runtime.configs
        for size in (11, 12, 13):
            await used.get(tenant)
            body = {"batch_size": size, "api_key_config": {"openai": {"api_key": f"sk-{size}"}}}
            assert (await here.post("/api/set_config", json=body)).status_code == 200
            shown = (await there.get("/api/get_config")).json()
            assert shown["batch_size"] == size

            async def seen(size=size) -> bool:
                return (await used.get(tenant)).batch_size == size

            await until(seen, 4)  # by the news: without them it would take five seconds
            assert (await there.post("/api/set_config", json=shown)).status_code == 200
        kept = await one.state.runtime.configs.get(tenant, fresh=True)
        assert kept.api_key_config.openai.api_key.get_secret_value() == "sk-13"


async def test_work_that_begins_after_a_set_is_done_by_it_without_any_news(tmp_path):
    """Redis is gone, another process kept the former configuration: what it learns next, it learns by the new one."""
    tenant, anna = Tenant(org_id=LOCAL_ORG), UserId("anna")
    with running_valkey(tmp_path) as valkey:
        settings = settings_in(tmp_path, redis_url=valkey.url)
        clock = StoppedClock()
        async with running(settings) as one, running(settings, clock) as other, client_of(one) as here:
            there = other.state.runtime
            await _listening(one.state.runtime.shared.topic, there.shared.topic)
            await there.configs.get(tenant)
            valkey.kill()
            for number, on in enumerate((False, True)):
                body = {"profile_extraction_enabled": on, "batch_size": 20 + number}
                assert (await here.post("/api/set_config", json=body)).status_code == 200
                if not on:
                    assert (await there.configs.get(tenant)).profile_extraction_enabled  # no news has come
                await publish(here, f"I live in Lisbon, at number {number}.")
                report = await there.tasks.run_now(tenant, anna, "learn", force=True)
                assert report.failed == {}
                assert bool(await profiles_of(here)) is on


async def _listening(one: Topic, other: Topic) -> None:
    """Wait until what *one* publishes reaches *other*: as it begins to listen it forgets what it kept."""
    heard: list[str | None] = []
    other.subscribe(heard.append)

    async def reached() -> bool:
        await one.publish("greeting")
        return "greeting" in heard

    await until(reached)


async def test_a_server_is_ready_without_what_it_can_do_without(tmp_path):
    """The check says that it is gone, and the status that calls are answered nevertheless."""
    with running_valkey(tmp_path) as valkey:
        settings = settings_in(tmp_path, rate_limits=True, redis_url=valkey.url)
        async with running(settings) as app, client_of(app) as api:
            before = await api.get("/health/ready")
            assert _shared(before) == {"name": "shared", "ok": True, "detail": "", "required": False}
            valkey.kill()
            reply = await api.get("/health/ready")
            assert (reply.status_code, reply.json()["status"]) == (200, "ready")
            assert _shared(reply)["ok"] is False
            assert _shared(reply)["detail"].startswith("Redis does not answer")
            assert (await api.post("/api/add_user_playbook", json={})).status_code == 422
            assert (await api.post("/api/set_config", json={"batch_size": 11})).status_code == 200
            assert (await api.get("/api/get_config")).json()["batch_size"] == 11
            valkey.start()

            async def back() -> bool:
                return _shared(await api.get("/health/ready"))["ok"]

            await until(back)


async def test_questions_are_shared_when_the_settings_say_so(tmp_path, redis_url):
    """A search leaves its question's vector for the others, and not its words."""
    settings = settings_in(tmp_path, redis_url=redis_url, shared_embedding_cache_seconds=60)
    async with running(settings) as app, client_of(app) as api:
        with redis.Redis.from_url(redis_url) as admin:
            before = set(admin.scan_iter("sagacity:cache:embedding:*"))
            body = {"query": "What does Anna drink?", "user_id": "anna"}
            assert (await api.post("/api/search", json=body)).status_code == 200
            [new] = set(admin.scan_iter("sagacity:cache:embedding:*")) - before
            assert len(admin.get(new)) == 4 * 384
            assert b"Anna" not in new


def _shared(reply):
    [check] = [check for check in reply.json()["checks"] if check["name"] == "shared"]
    return check
