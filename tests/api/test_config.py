"""Who calls, and what the organisation chose."""

import asyncio
import json

import pytest

from sagacity.domain.tenant import LOCAL_ORG, Tenant

SECRET = "sk-live-do-not-show-4242"


async def test_whoami_names_the_organisation_and_hides_the_path(api, app, tmp_path):
    """The label says what the storage is, not where on the machine."""
    body = (await api.get("/api/whoami")).json()
    assert (body["org_id"], body["storage_type"], body["storage_configured"]) == (
        "self-host-org",
        app.state.runtime.storage.kind,
        True,
    )
    assert str(tmp_path) not in json.dumps(body)


async def test_my_config_is_closed(api):
    """Credentials are given to nobody."""
    reply = await api.get("/api/my_config")
    assert reply.status_code == 200
    assert reply.json()["success"] is False
    assert "storage_config" not in reply.json()


async def test_secrets_go_in_and_never_come_out(api):
    """Row 30: a key is masked in every reply, and the mask sent back keeps it."""
    keys = {"openai": {"api_key": SECRET}}
    saved = await api.post("/api/set_config", json={"api_key_config": keys, "batch_size": 12})
    assert saved.json() == {"success": True, "msg": "configuration saved"}
    shown = (await api.get("/api/get_config")).json()
    assert shown["batch_size"] == 12
    assert SECRET not in json.dumps(shown)
    assert "storage_config" in shown
    again = await api.post("/api/set_config", json=shown | {"batch_size": 8})
    assert again.status_code == 200
    after = (await api.get("/api/get_config")).json()
    assert after["batch_size"] == 8
    assert after["api_key_config"]["openai"]["api_key"] == shown["api_key_config"]["openai"]["api_key"]


async def test_stored_secret_survives_a_masked_save(api, app):
    """What a mask keeps is the secret itself."""
    await api.post("/api/set_config", json={"api_key_config": {"openai": {"api_key": SECRET}}})
    await api.post("/api/set_config", json=(await api.get("/api/get_config")).json())
    kept = await app.state.runtime.configs.get(Tenant(org_id=LOCAL_ORG))
    assert kept.api_key_config.openai.api_key.get_secret_value() == SECRET


async def test_older_names_are_understood(api):
    """Clients of older versions send the same choices under other names."""
    await api.post(
        "/api/set_config",
        json={
            "extraction_window_size": 7,
            "extraction_window_stride": 3,
            "agent_feedback_configs": [{"feedback_name": "mine", "feedback_definition_prompt": "Be brief."}],
        },
    )
    shown = (await api.get("/api/get_config")).json()
    assert (shown["batch_size"], shown["batch_interval"]) == (7, 3)
    (extractor,) = shown["user_playbook_extractor_configs"]
    assert (extractor["extractor_name"], extractor["extraction_definition_prompt"]) == ("mine", "Be brief.")


async def test_unknown_keys_are_refused_all_at_once_with_the_nearest(api):
    """What is misspelt is not dropped: each fault of the body is told, with its place, and nothing is stored."""
    extractor = {
        "extractor_nme": "tastes",
        "extraction_definition_prompt": "What they like.",
        "batch_size_override": 0,
    }
    body = {"batch_sise": 3, "batch_interval": -1, "profile_extractor_configs": [extractor]}
    reply = await api.post("/api/set_config", json=body)
    assert reply.status_code == 422
    told = {".".join(map(str, fault["loc"])): fault["msg"] for fault in reply.json()["detail"]}
    assert told["body.batch_sise"] == "batch_sise is not known; did you mean batch_size?"
    place = "body.profile_extractor_configs.0"
    assert told[f"{place}.extractor_nme"] == "extractor_nme is not known; did you mean extractor_name?"
    assert told.keys() == {
        "body.batch_sise",
        "body.batch_interval",
        f"{place}.extractor_nme",
        f"{place}.extractor_name",
        f"{place}.batch_size_override",
    }
    assert "batch_sise: batch_sise is not known; did you mean batch_size?" in reply.json()["message"]
    assert (await api.get("/api/get_config")).json()["batch_size"] == 10
    many = await api.post("/api/set_config", json={f"x{number}": 1 for number in range(150)})
    assert len(many.json()["detail"]) == 100
    assert many.json()["message"].endswith("; and 95 more")


async def test_choices_without_effect_are_named_in_the_reply(api):
    """What clients of the earlier system send is taken, and what it cannot do is said."""
    body = {"llm_config": {"embedding_model_name": "text-embedding-3-small"}}
    reply = await api.post("/api/set_config", json=body)
    assert reply.json()["msg"].startswith(
        "configuration saved; without effect: llm_config.embedding_model_name"
    )


ENDPOINT = {"custom_endpoint": {"model": "my-own", "api_key": "k", "api_base": "http://127.0.0.1:9/v1"}}
UNPRICED = (
    "configuration saved; without effect: spending_cap.max_cost_usd for openai/my-own "
    "(no price of it is known, so that its calls count as 0 USD; max_tokens counts what they take)"
)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"api_key_config": ENDPOINT, "spending_cap": {"max_cost_usd": 2}}, UNPRICED),
        ({"api_key_config": ENDPOINT, "spending_cap": {"max_cost_usd": 2, "max_tokens": 9}}, UNPRICED),
        ({"api_key_config": ENDPOINT, "spending_cap": {"max_tokens": 9}}, "configuration saved"),
        ({"api_key_config": ENDPOINT}, "configuration saved"),
        (
            {"api_key_config": {"openai": {"api_key": "k"}}, "spending_cap": {"max_cost_usd": 2}},
            "configuration saved",
        ),
    ],
    ids=["in USD alone", "in both", "in tokens", "no cap", "of a known price"],
)
async def test_a_cap_in_usd_over_a_model_without_a_price_is_told_of(api, body, told):
    """It would never be reached, however much the model is called."""
    reply = await api.post("/api/set_config", json=body)
    assert reply.json()["msg"] == told


@pytest.mark.parametrize(
    "body",
    [
        {"batch_sizes": 5},
        {"llm_config": {"seed": 4}},
        {"feature_flags": {"deduplicator": True}},
        {"batch_size": 5, "extraction_window_size": 6},
        {"batch_size": 0},
        {"batch_size": "many"},
        {"batch_size": 3, "batch_interval": 5},
        {"storage_config": {"db_path": "/etc/passwd"}},
        {"storage_config": {"dir_path": "/srv", "qmd_binary": "/bin/sh"}},
        {
            "api_key_config": {
                "custom_endpoint": {"model": "m", "api_key": SECRET, "api_base": "http://169.254.169.254/"}
            }
        },
        {"api_key_config": {"openai": {"api_key": "********"}}},
        {"agent_context_prompt": "a\x00b"},
        [],
        "text",
    ],
)
async def test_bad_configurations_change_nothing_and_echo_nothing(api, body):
    """Row 31: no program and no path can be chosen; a refusal repeats no secret."""
    before = (await api.get("/api/get_config")).json()
    reply = await api.post("/api/set_config", json=body)
    assert reply.status_code == 422
    assert reply.json()["success"] is False
    assert SECRET not in reply.text
    assert (await api.get("/api/get_config")).json() == before


async def test_single_keys_are_changed_in_one_step(api):
    """Whatever others change at the same time stays; a refusal names the caller's key and stores nothing."""
    await api.post("/api/set_config", json={"api_key_config": {"openai": {"api_key": SECRET}}})
    changes = [
        {"batch_size": 30},
        {"agent_context_prompt": "A desk."},
        {"holdout_share": 0.1},
        {"skip_should_run_check": True},
        {"profile_extractor_config": {"extraction_definition_prompt": "Facts."}},
    ]
    replies = await asyncio.gather(*(api.post("/api/update_config", json=one) for one in changes))
    assert {reply.status_code for reply in replies} == {200}
    shown = (await api.get("/api/get_config")).json()
    for one in changes[:-1]:
        assert one.items() <= shown.items()
    assert shown["profile_extractor_config"] == shown["profile_extractor_configs"][0]
    assert shown["profile_extractor_config"]["extraction_definition_prompt"] == "Facts."
    assert shown["api_key_config"]["openai"]["api_key"] == "********"
    for refused, where in (
        ({"batch_sise": 4}, ["body", "batch_sise"]),
        (
            {"profile_extractor_config": {"batch_size_override": 0, "extraction_definition_prompt": "F."}},
            ["body", "profile_extractor_config", "batch_size_override"],
        ),
        ({"agent_success_config": SECRET}, ["body", "agent_success_config"]),
    ):
        reply = await api.post("/api/update_config", json=refused)
        assert reply.status_code == 422
        assert where in [fault["loc"] for fault in reply.json()["detail"]]
        assert SECRET not in reply.text
    assert (await api.get("/api/get_config")).json() == shown
