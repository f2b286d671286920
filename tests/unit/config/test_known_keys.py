"""Keys of a configuration: what is not known is refused with the nearest name, at every level and all at once."""

from typing import Any

import pytest
from pydantic import ValidationError

from sagacity.config.known_keys import idle_choices, inner_parts, key_faults, known_names, older_names
from sagacity.config.tenant_config import TenantConfig, dump_with_secrets, load_config, masked
from support.work import counted

PROFILE = {"extractor_name": "tastes", "extraction_definition_prompt": "What the user likes."}
PLAYBOOK = {"extractor_name": "manners", "extraction_definition_prompt": "How to behave."}


def faults(body: object) -> dict[str, str]:
    return {".".join(map(str, fault.loc)): fault.msg for fault in key_faults(body, TenantConfig)}


def parts() -> list[Any]:
    found: list[Any] = [TenantConfig]
    for part in found:
        for field in part.model_fields.values():
            found += [one for one in inner_parts(field.annotation) if one not in found]
    return found


WRONG_KEYS = [
    ({"batch_sise": 3}, "batch_sise", "batch_size"),
    ({"extraction_window_sizes": 3}, "extraction_window_sizes", "extraction_window_size"),
    (
        {"profile_extractor_configs": [PROFILE, {**PROFILE, "extractor_nme": "x"}]},
        "profile_extractor_configs.1.extractor_nme",
        "extractor_name",
    ),
    (
        {"agent_feedback_configs": [{**PLAYBOOK, "feedback_aggregator_configs": {}}]},
        "agent_feedback_configs.0.feedback_aggregator_configs",
        "feedback_aggregator_config",
    ),
    (
        {"playbook_configs": [{**PLAYBOOK, "feedback_aggregator_config": {"min_cluster": 3}}]},
        "playbook_configs.0.feedback_aggregator_config.min_cluster",
        "min_cluster_size",
    ),
    ({"llm_config": {"should_run": "m"}}, "llm_config.should_run", "should_run_model_name"),
    (
        {"api_key_config": {"openai": {"azure_config": {"deployment": "d"}}}},
        "api_key_config.openai.azure_config.deployment",
        "deployment_name",
    ),
    ({"tool_can_use": [{"tool_names": "x"}]}, "tool_can_use.0.tool_names", "tool_name"),
]


@pytest.mark.parametrize(("body", "where", "meant"), WRONG_KEYS)
def test_unknown_key_is_told_with_its_place_and_the_nearest_one(body: object, where: str, meant: str):
    """A slip of the finger is found at any depth, under older names too, and its remedy named."""
    name = where.rpartition(".")[2]
    assert faults(body) == {where: f"{name} is not known; did you mean {meant}?"}


def test_key_that_resembles_none_is_told_what_there_is():
    """Without a near one, the keys of that very part are listed."""
    assert faults({"llm_config": {"seed": 4}}) == {
        "llm_config.seed": "seed is not known here; known are should_run_model_name, generation_model_name, "
        "chat_model_name, embedding_model_name, pre_retrieval_model_name"
    }


def test_all_faults_are_told_at_once():
    """One body, one answer: nobody mends a configuration key by key."""
    body = {"a": 1, "llm_config": {"b": 1}, "profile_extractor_configs": [{"c": 1}, {"d": 1}]}
    assert list(faults(body)) == [
        "a",
        "llm_config.b",
        "profile_extractor_configs.0.c",
        "profile_extractor_configs.1.d",
    ]


@pytest.mark.parametrize("part", parts())
def test_each_key_is_known_under_all_its_names(part: Any):
    """What the models take is what the check knows: no name is refused, and none leads elsewhere."""
    for key, field in part.model_fields.items():
        for name in (key, *older_names(key, field)):
            assert list(key_faults({name: None}, part)) == []
            assert known_names(part)[name] == key
    assert not part.refused.keys() & known_names(part).keys()


@pytest.mark.parametrize(
    "body",
    [
        {"batch_size": 5, "extraction_window_size": 6},
        {"playbook_configs": [PLAYBOOK], "agent_feedback_configs": [{**PLAYBOOK, "extractor_name": "x"}]},
        {"user_playbook_extractor_configs": [{**PLAYBOOK, "playbook_name": "other"}]},
        {"profile_extractor_configs": [{**PROFILE, "profile_content_definition_prompt": "Other."}]},
        {"user_playbook_extractor_configs": [{**PLAYBOOK, "aggregation_config": {"refresh_count": 1, "reaggregation_trigger_count": 2}}]},
    ],
)  # fmt: skip
def test_two_names_of_one_key_must_agree(body: object):
    """Neither value may win in silence."""
    [told] = faults(body).values()
    assert "with different values; send only" in told


@pytest.mark.parametrize(
    "body",
    [
        {"batch_size": 5, "extraction_window_size": 5},
        {"batch_size": None, "extraction_window_size": 5},
        {"playbook_configs": [PLAYBOOK], "agent_feedback_configs": [PLAYBOOK]},
    ],
)
def test_two_names_that_agree_are_fine(body: dict[str, Any]):
    """A client that sends both names to be understood by every release is understood."""
    assert faults(body) == {}
    chosen = TenantConfig.model_validate(body)
    assert (chosen.batch_size, chosen.user_playbook_extractor_configs[0].extractor_name) in [
        (5, "default_playbook_extractor"),
        (10, "manners"),
    ]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"llm_model_setting": {"embedding": "m"}}, "name models in llm_config"),
        ({"feature_flags": {}}, "this configuration applies"),
        ({"llm_config": {"default_evaluate": "m"}}, "evaluation uses generation_model_name"),
        ({"storage_config": {"dir_path": "/etc"}}, "cannot name a program or a path"),
        ({"storage_config": {"qmd_binary": "qmd"}}, "cannot name a program or a path"),
        ({"storage_config": {"db_url": "postgres://x"}}, "chosen by the server's settings"),
    ],
)
def test_keys_of_other_systems_are_refused_with_the_reason(body: object, told: str):
    """Who moves here is told what to do instead."""
    assert [told in fault for fault in faults(body).values()] == [True]


def test_keys_of_other_systems_may_be_null():
    """A client that writes out every key that it knows chooses nothing by it."""
    assert (
        faults({"storage_config": {"db_path": None, "url": None, "dir_path": None}, "feature_flags": None})
        == {}
    )


@pytest.mark.parametrize(
    "body",
    [
        None,
        "text",
        7,
        [],
        {"llm_config": []},
        {"profile_extractor_configs": {"x": "y"}},
        {"tool_can_use": ["x", [{}]]},
    ],
)
def test_wrong_types_are_left_to_the_types(body: object):
    """The check of keys fails at nothing, whatever is sent."""
    assert set(faults(body)) <= {"profile_extractor_configs.x"}


def test_hostile_keys_cost_little_and_are_not_echoed():
    """A long or unprintable key is neither compared nor repeated, and a million of them are not looked at."""
    told = faults({"x" * 10_000: 1, "\x1b[31m": 1})
    assert list(told) == ["…"]
    assert "xxx" not in str(told)
    looking = key_faults({f"key_number_{number}": 1 for number in range(300_000)}, TenantConfig)
    first, calls = counted(lambda: [next(looking) for _ in range(100)])
    assert len(first) == 100
    assert calls < 300_000


def test_what_is_stored_may_hold_keys_of_another_release():
    """A newer release's choice is left out, at every level, and nothing is refused."""
    stored = dump_with_secrets(TenantConfig())
    newer = (
        '{"from_the_future": {"x": 1}, "llm_config": {"seed": 4}, "prompt_versions": {"profile_extraction": 999, "gone": 1},'
        + stored[1:]
    )
    assert load_config(
        newer.replace('"llm_config":null,', "").replace('"prompt_versions":{},', "")
    ) == TenantConfig.model_validate({"llm_config": {}})
    with pytest.raises(ValidationError, match="no prompt"):
        TenantConfig.model_validate({"prompt_versions": {"gone": 1}})


def test_what_a_reply_shows_may_be_sent_back():
    """No key of a reply is unknown."""
    full = TenantConfig.model_validate(
        {
            "storage_config": {},
            "llm_config": {},
            "profile_extractor_configs": [PROFILE],
            "user_playbook_extractor_configs": [
                {**PLAYBOOK, "aggregation_config": {}, "skill_generator_config": {}}
            ],
            "api_key_config": {"openai": {"api_key": "sk-1"}},
        }
    )
    assert faults(masked(full)) == {}
    assert TenantConfig.model_validate(masked(full)).batch_size == 10


def test_choices_without_effect_are_told():
    """What is accepted and does nothing is said, with the reason; what was not chosen is not."""
    assert list(idle_choices(TenantConfig())) == []
    chosen = TenantConfig.model_validate(
        {
            "llm_config": {
                "embedding_model_name": "text-embedding-3-small",
                "generation_model_name": "gpt-5",
            },
            "agent_success_configs": [
                {"evaluation_name": "e", "success_definition_prompt": "p", "batch_size_override": 3}
            ],
        }
    )
    assert list(idle_choices(chosen)) == [
        "agent_success_configs.batch_size_override (a session is judged as a whole)",
        "llm_config.embedding_model_name (all organisations share the server's embedder, SAGACITY_EMBEDDER)",
    ]
