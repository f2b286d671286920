"""The configuration as clients write it that know one extractor of each kind: read and written back, it is the same."""

from typing import Any

import pytest
from pydantic import ValidationError

from sagacity.config.known_keys import ignored_choices, key_faults
from sagacity.config.single_extractors import SINGLES, overlaid, replacing, sent_at, with_singles
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import InvalidInput

PROFILE = {"extractor_name": "facts", "extraction_definition_prompt": "Facts.", "context_prompt": "c"}
PLAYBOOK = {"extractor_name": "rules", "extraction_definition_prompt": "Rules."}
EVALUATOR = {"evaluation_name": "solved", "success_definition_prompt": "It is solved."}
STORED = TenantConfig.model_validate(
    {
        "profile_extractor_configs": [
            PROFILE | {"metadata_definition_prompt": "m", "batch_size_override": 7},
            PROFILE | {"extractor_name": "tastes"},
        ],
        "user_playbook_extractor_configs": [
            PLAYBOOK | {"manual_trigger": True, "skill_generator_config": {"cooldown_hours": 3}}
        ],
        "agent_success_configs": [EVALUATOR, EVALUATOR | {"evaluation_name": "kind"}],
        "llm_config": {"chat_model_name": "openai/any", "generation_model_name": "openai/other"},
        "holdout_share": 0.1,
    }
)
UNSPOKEN = {
    "metadata_definition_prompt",
    "skill_generator_config",
    "manual_trigger",
    "chat_model_name",
}


def spoken(shown: Any) -> Any:
    """What is left of a configuration in a client that knows singles, and no word of what is newer here."""
    match shown:
        case dict():
            return {key: spoken(value) for key, value in shown.items() if key not in UNSPOKEN}
        case list():
            return [spoken(one) for one in shown]
        case _:
            return shown


def written_back(config: TenantConfig, **changes: Any) -> dict[str, Any]:
    """What such a client sends of *config*; a null for how often is its default."""
    names = ("batch_size", "batch_interval", "llm_config", "storage_config", "extraction_preset")
    shown = with_singles(config)
    return {name: spoken(shown[name]) for name in (*names, *SINGLES)} | changes


def parsed(body: dict[str, Any]) -> TenantConfig:
    assert list(key_faults(body, TenantConfig)) == []
    return TenantConfig.model_validate(body)


@pytest.mark.parametrize(
    "config",
    [
        TenantConfig(),
        STORED,
        STORED.model_copy(update={"profile_extraction_enabled": False, "agent_success_configs": None}),
    ],
    ids=["defaults", "all", "turned off"],
)
def test_what_is_read_and_written_back_is_the_same(config: TenantConfig):
    """By clients with singles, who know only some keys, and by those who send back all that they were shown."""
    assert parsed(replacing(config, written_back(config))) == config
    assert parsed(replacing(config, with_singles(config))) == config
    assert parsed(overlaid(config, {})) == config


def test_a_single_changes_the_first_entry_alone():
    """Under the words of newer clients; it keeps its name, and what they have no word for."""
    first = {"extraction_definition_prompt": "More.", "window_size_override": 9, "extractor_name": None}
    new = parsed(replacing(STORED, {"profile_extractor_config": first, "window_size": 30, "stride_size": 4}))
    changed, other = new.profile_extractor_configs
    assert (changed.extractor_name, changed.extraction_definition_prompt) == ("facts", "More.")
    assert (changed.batch_size_override, changed.metadata_definition_prompt) == (9, "m")
    assert changed.context_prompt is None
    assert other == STORED.profile_extractor_configs[1]
    assert (new.batch_size, new.batch_interval, new.holdout_share) == (30, 4, 0.1)
    assert new.agent_success_configs == STORED.agent_success_configs


def test_null_turns_a_kind_off_and_an_extractor_on_again():
    """What was there stays for later; of evaluators there are none."""
    off = {"profile_extractor_config": None, "agent_success_config": None}
    without = parsed(replacing(STORED, off))
    assert (without.profile_extractor_configs, without.profile_extraction_enabled) == (
        STORED.profile_extractor_configs,
        False,
    )
    assert not without.agent_success_configs
    again = parsed(overlaid(without, {"profile_extractor_config": {"extraction_definition_prompt": "F."}}))
    assert again.profile_extraction_enabled is True
    named = parsed(overlaid(without, {"agent_success_config": {"success_definition_prompt": "Done."}}))
    assert [one.evaluation_name for one in named.agent_success_configs or ()] == ["agent_success"]


def test_never_aggregating_stays_never():
    """Such clients take a null there for the default: they are shown a size at which nothing is aggregated."""
    shown: Any = with_singles(STORED)["user_playbook_extractor_config"]
    assert shown["aggregation_config"] == {"min_cluster_size": 1}
    sent = PLAYBOOK | {"aggregation_config": {"min_cluster_size": 1, "reaggregation_trigger_count": 2}}
    [kept] = parsed(
        replacing(STORED, {"user_playbook_extractor_config": sent})
    ).user_playbook_extractor_configs
    assert kept.aggregation_config is None


def test_lists_without_singles_replace_everything():
    """As ever; and a body that says one thing in a list and another beside it is refused."""
    assert parsed(replacing(STORED, {"batch_size": 9, "batch_interval": 3})).holdout_share == 0
    edited = with_singles(STORED) | {"agent_success_configs": [EVALUATOR]}
    [left] = parsed(replacing(STORED, edited)).agent_success_configs or ()
    assert left.evaluation_name == "solved"
    with pytest.raises(InvalidInput, match="agent_success_config is the first of agent_success_configs"):
        replacing(STORED, edited | {"agent_success_config": EVALUATOR | {"sampling_rate": 0.5}})


def test_an_overlay_replaces_top_level_keys_whatever_they_are_called():
    """The others stay; a preset brings its own window."""
    assert parsed(overlaid(STORED, {"extraction_window_size": 20})).batch_size == 20
    new = parsed(overlaid(STORED, {"extraction_preset": "long_form", "playbook_configs": [PLAYBOOK]}))
    assert (new.batch_size, new.batch_interval, new.holdout_share) == (25, 10, 0.1)
    assert new.user_playbook_extractor_configs[0].skill_generator_config is None


@pytest.mark.parametrize("given", [5, "text", [], [PROFILE], {"extraction_definition_prompt": 5}, {"x": 1}])
def test_a_single_that_is_none_is_told_where_it_was_sent(given: Any):
    """Of any shape: the fault names the caller's key."""
    body = {"profile_extractor_config": given}
    whole = replacing(STORED, body)
    with pytest.raises(ValidationError) as refused:
        TenantConfig.model_validate(whole)
    for fault in refused.value.errors():
        assert sent_at(fault["loc"], body)[0] == "profile_extractor_config"


def test_what_has_no_counterpart_is_named_if_somebody_chose_it():
    """At any depth; nulls and the defaults of its own clients say nothing, whatever shape the rest has."""
    silent: dict[str, Any] = {
        "lineage_gc": {"enabled": True, "tombstone_grace_window_days": 90},
        "retrieval_floor": {"enabled": False, "pool_size": 3},
        "shadow_mode_enabled": False,
        "retrieval_experiment_history": [],
        "governance_retention": None,
        "user_playbook_extractor_configs": [
            PLAYBOOK
            | {"deduplication_config": {"max_unified_content_chars": 1200}, "tagging_definition_prompt": None}
        ],
    }
    assert list(key_faults(silent, TenantConfig)) == []
    assert list(ignored_choices(silent, TenantConfig)) == []
    chosen = {
        "lineage_gc": {"enabled": False},
        "retrieval_floor": "on",
        "agent_success_configs": [EVALUATOR | {"retrieved_learning_sampling_rate": 1.0}],
    }
    assert [one.partition(" (")[0] for one in ignored_choices(chosen, TenantConfig)] == [
        "lineage_gc",
        "retrieval_floor",
        "agent_success_configs.retrieved_learning_sampling_rate",
    ]
