"""A tenant's configuration: defaults, older names, refusals, secrets."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from sagacity.config.tenant_config import (
    ExtractionPreset,
    TenantConfig,
    dump_with_secrets,
    load_config,
    masked,
    merge_secrets,
    window_of,
)
from sagacity.domain.errors import ConfigError, InvalidInput

KEY = "sk-very-secret-0123456789-wxyz"
PROFILE = {"extractor_name": "tastes", "extraction_definition_prompt": "What the user likes."}
PLAYBOOK = {"extractor_name": "manners", "extraction_definition_prompt": "How to behave."}
ENDPOINT = {"model": "local", "api_key": KEY, "api_base": "http://127.0.0.1:8080/v1"}
ALL_KEYS: dict[str, Any] = {
    "custom_endpoint": ENDPOINT,
    "openai": {
        "api_key": KEY,
        "azure_config": {"api_key": KEY, "endpoint": "https://a.openai.azure.com", "deployment_name": "d"},
    },
    "dashscope": {"api_key": KEY, "api_base": "https://dashscope-intl.aliyuncs.com/v1"},
    **{
        name: {"api_key": KEY}
        for name in ("anthropic", "openrouter", "gemini", "minimax", "deepseek", "zai", "moonshot", "xai")
    },
}


def config(**fields: Any) -> TenantConfig:
    return TenantConfig.model_validate(fields)


def first_fault(fields: dict[str, Any], **context: Any) -> tuple[str, str]:
    with pytest.raises(ValidationError) as caught:
        TenantConfig.model_validate(fields, context=context)
    fault = caught.value.errors(include_input=False, include_url=False)[0]
    return ".".join(map(str, fault["loc"])), fault["msg"]


def test_empty_body_gives_the_defaults():
    """Without any choice there is one extractor of each kind, the standard window, and no evaluation."""
    chosen = config()
    assert (chosen.batch_size, chosen.batch_interval) == (10, 5)
    assert [extractor.extractor_name for extractor in chosen.profile_extractor_configs] == [
        "default_profile_extractor"
    ]
    playbooks = chosen.user_playbook_extractor_configs
    assert [extractor.extractor_name for extractor in playbooks] == ["default_playbook_extractor"]
    assert playbooks[0].aggregation_config is not None
    assert playbooks[0].aggregation_config.min_cluster_size == 2
    assert chosen.agent_success_configs is None
    assert chosen.api_key_config is None
    assert chosen.storage_config is None
    assert (chosen.skip_should_run_check, chosen.enable_document_expansion) == (False, False)


@pytest.mark.parametrize("emptied", [None, []])
@pytest.mark.parametrize("name", ["profile_extractor_configs", "user_playbook_extractor_configs"])
def test_extractor_list_cannot_be_emptied(name: str, emptied: object):
    """Null and an empty list both give the default extractor back."""
    assert getattr(config(**{name: emptied}), name) == getattr(config(), name)


def test_defaults_of_parts_are_those_of_the_contract():
    """Every part has the defaults that clients count on."""
    playbook = config(
        user_playbook_extractor_configs=[
            {**PLAYBOOK, "aggregation_config": {}, "deduplication_config": {}, "skill_generator_config": {}}
        ],
        agent_success_configs=[{"evaluation_name": "solved", "success_definition_prompt": "It works."}],
        api_key_config={"openai": {"azure_config": {"api_key": KEY, "endpoint": "https://a.example"}}},
    )
    extractor = playbook.user_playbook_extractor_configs[0]
    dumped = extractor.model_dump()
    assert dumped["aggregation_config"] == {
        "min_cluster_size": 2,
        "reaggregation_trigger_count": 2,
        "clustering_similarity": 0.5,
        "direction_overlap_threshold": 0.6,
    }
    assert dumped["deduplication_config"] == {"search_threshold": 0.4, "search_top_k": 5}
    assert dumped["skill_generator_config"] == {
        "enabled": False,
        "min_feedback_per_cluster": 5,
        "cooldown_hours": 24,
        "auto_generate_on_aggregation": False,
        "max_interactions_per_skill": 20,
    }
    assert playbook.agent_success_configs is not None
    assert playbook.agent_success_configs[0].sampling_rate == 1.0
    assert playbook.api_key_config is not None
    assert playbook.api_key_config.openai is not None
    assert playbook.api_key_config.openai.azure_config is not None
    assert playbook.api_key_config.openai.azure_config.api_version == "2024-02-15-preview"


@pytest.mark.parametrize(
    ("preset", "window"),
    [
        (ExtractionPreset.QUICK_CHAT, (5, 3)),
        (ExtractionPreset.STANDARD, (10, 5)),
        (ExtractionPreset.LONG_FORM, (25, 10)),
        (ExtractionPreset.HIGH_VOLUME, (15, 8)),
    ],
)
def test_preset_fills_the_window(preset: ExtractionPreset, window: tuple[int, int]):
    """A preset gives both numbers where neither is set."""
    chosen = config(extraction_preset=preset)
    assert (chosen.batch_size, chosen.batch_interval) == window


def test_preset_leaves_what_is_set():
    """A number given by hand stands, and the other still comes from the preset."""
    chosen = config(extraction_preset="long_form", batch_size=40)
    assert (chosen.batch_size, chosen.batch_interval) == (40, 10)
    chosen = config(extraction_preset="long_form", batch_interval=7)
    assert (chosen.batch_size, chosen.batch_interval) == (25, 7)


def test_preset_interval_never_exceeds_a_size_set_by_hand():
    """The interval that nobody set gives way to a small size."""
    chosen = config(extraction_preset="long_form", batch_size=4)
    assert (chosen.batch_size, chosen.batch_interval) == (4, 4)


def test_older_names_are_taken_everywhere():
    """A configuration in the older vocabulary means the same as one in the newer."""
    older = config(
        extraction_window_size=8,
        extraction_window_stride=4,
        profile_extractor_configs=[
            {
                "extractor_name": "tastes",
                "profile_content_definition_prompt": "What the user likes.",
                "extraction_window_size_override": 6,
                "extraction_window_stride_override": 2,
            }
        ],
        agent_feedback_configs=[
            {
                "feedback_name": "manners",
                "feedback_definition_prompt": "How to behave.",
                "feedback_aggregator_config": {
                    "min_feedback_threshold": 3,
                    "refresh_count": 4,
                    "similarity_threshold": 0.7,
                },
            }
        ],
    )
    newer = config(
        batch_size=8,
        batch_interval=4,
        profile_extractor_configs=[{**PROFILE, "batch_size_override": 6, "batch_interval_override": 2}],
        user_playbook_extractor_configs=[
            {
                **PLAYBOOK,
                "aggregation_config": {
                    "min_cluster_size": 3,
                    "reaggregation_trigger_count": 4,
                    "clustering_similarity": 0.7,
                },
            }
        ],
    )
    assert older == newer


def test_middle_names_are_taken_too():
    """The names used between the older and the newer ones are understood as well."""
    between = config(
        playbook_configs=[
            {
                "playbook_name": "manners",
                "playbook_definition_prompt": "How to behave.",
                "playbook_aggregator_config": {},
            }
        ]
    )
    newer = config(user_playbook_extractor_configs=[{**PLAYBOOK, "aggregation_config": {}}])
    assert between == newer


def test_null_means_the_default():
    """A client that writes out what it did not choose chooses nothing, at any level."""
    nulls = dict.fromkeys(TenantConfig.model_fields)
    assert config(**nulls) == config()
    emptied = {**PLAYBOOK, "aggregation_config": {"min_cluster_size": None}, "manual_trigger": None}
    given = config(user_playbook_extractor_configs=[emptied])
    assert given == config(user_playbook_extractor_configs=[{**PLAYBOOK, "aggregation_config": {}}])


def test_kind_can_be_turned_off():
    """A kind is off for all that asks, and its extractors are kept for the day when it is on again."""
    off = config(profile_extraction_enabled=False, profile_extractor_configs=[PROFILE])
    assert (off.profile_extractors(), off.profile_extractors(asked=True)) == ((), ())
    assert [one.extractor_name for one in off.user_playbook_extractors()] == ["default_playbook_extractor"]
    assert [one.extractor_name for one in off.profile_extractor_configs] == ["tastes"]
    quiet = config(user_playbook_extraction_enabled=False)
    assert (quiet.user_playbook_extractors(asked=True), len(quiet.profile_extractors())) == ((), 1)


@pytest.mark.parametrize(
    ("fields", "extractors"),
    [
        ({"profile_extractor_configs": [PROFILE, {**PROFILE, "extractor_name": "m", "manual_trigger": True}]},
         lambda chosen, asked: chosen.profile_extractors(asked=asked)),
        ({"user_playbook_extractor_configs": [PLAYBOOK, {**PLAYBOOK, "extractor_name": "m", "manual_trigger": True}]},
         lambda chosen, asked: chosen.user_playbook_extractors(asked=asked)),
    ],
    ids=["profile", "user_playbook"],
)  # fmt: skip
def test_manual_extractor_runs_only_when_asked(fields: dict[str, Any], extractors: Any):
    """Of either kind."""
    chosen = config(**fields)
    assert len(extractors(chosen, False)) == 1
    assert [one.extractor_name for one in extractors(chosen, True)][1:] == ["m"]


def test_blank_model_name_is_none():
    """As the forms of other systems send it."""
    chosen = config(llm_config={"generation_model_name": " ", "should_run_model_name": ""}).llm_config
    assert chosen is not None
    assert (chosen.generation_model_name, chosen.should_run_model_name) == (None, None)


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"batch_size": "many"}, "batch_size"),
        ({"batch_size": 0}, "batch_size"),
        ({"batch_interval": -1}, "batch_interval"),
        ({"extraction_preset": "huge"}, "extraction_preset"),
        ({"skip_should_run_check": "perhaps"}, "skip_should_run_check"),
        ({"tool_can_use": [{"tool_name": " ", "tool_description": "x"}]}, "tool_can_use.0.tool_name"),
        ({"profile_extractor_configs": "all"}, "profile_extractor_configs"),
        (
            {"profile_extractor_configs": [{**PROFILE, "extraction_definition_prompt": " \x00\x07 "}]},
            "profile_extractor_configs.0.extraction_definition_prompt",
        ),
        (
            {
                "agent_success_configs": [
                    {"evaluation_name": "e", "success_definition_prompt": "p", "sampling_rate": 1.5}
                ]
            },
            "agent_success_configs.0.sampling_rate",
        ),
        ({"api_key_config": {"gemini": {"api_key": "  "}}}, "api_key_config.gemini.api_key"),
        ({"api_key_config": {"gemini": "key"}}, "api_key_config.gemini"),
    ],
)
def test_wrong_value_is_named(fields: dict[str, Any], where: str):
    """A wrong type or value is refused at the very field."""
    assert first_fault(fields)[0] == where


def test_interval_over_size_is_refused():
    """An interval larger than the window would skip turns."""
    assert (
        "batch_interval must not be larger than batch_size"
        in first_fault({"batch_size": 5, "batch_interval": 6})[1]
    )


def test_repeated_names_are_refused():
    """Two extractors of one name could not be told apart."""
    assert (
        "names must differ within profile_extractor_configs: tastes"
        in first_fault({"profile_extractor_configs": [PROFILE, PROFILE]})[1]
    )
    several = {"profile_extractor_configs": [PROFILE, PROFILE], "batch_size": 3, "batch_interval": 4}
    assert "batch_interval must not be larger" in first_fault(several)[1]
    assert "names must differ" in first_fault(several)[1]


def test_definition_loses_control_characters_and_keeps_lines():
    """Control characters are stripped from a definition; line breaks and tabs stay."""
    chosen = config(
        profile_extractor_configs=[{**PROFILE, "extraction_definition_prompt": " a\x00b\n\tc\x1b[0m "}]
    )
    assert chosen.profile_extractor_configs[0].extraction_definition_prompt == "ab\n\tc[0m"


def test_window_of_prefers_the_extractors_own():
    """An override counts for its extractor alone, and the interval never exceeds the size."""
    chosen = config(
        batch_size=12,
        batch_interval=6,
        profile_extractor_configs=[PROFILE, {**PROFILE, "extractor_name": "few", "batch_size_override": 4}],
        user_playbook_extractor_configs=[{**PLAYBOOK, "batch_interval_override": 2}],
    )
    tastes, few = chosen.profile_extractor_configs
    assert window_of(chosen, tastes) == (12, 6)
    assert window_of(chosen, few) == (4, 4)
    assert window_of(chosen, chosen.user_playbook_extractor_configs[0]) == (12, 2)


def test_storage_of_ones_own_is_refused():
    """The configuration cannot choose where the data are; test_known_keys.py has the other ways to try."""
    where, message = first_fault({"storage_config": {"db_path": "/root/.ssh/authorized_keys"}})
    assert where == "storage_config.db_path"
    assert "cannot be set here" in message


@pytest.mark.parametrize("storage", [None, {}, {"db_path": None}])
def test_storage_of_the_server_is_accepted(storage: object):
    """What clients send by default passes."""
    assert config(storage_config=storage).batch_size == 10


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest",
        "http://169.254.170.2/",
        "http://2852039166/",
        "http://0xA9.0xFE.0xA9.0xFE/",
        "http://0251.0376.0251.0376/",
        "http://[::ffff:169.254.169.254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[64:ff9b:1::a9fe:a9fe]/",
        "http://[fd20:ce::254]/",
        "http://[fd00:42::42]/",
        "http://168.63.129.16/",
        "http://192.0.0.192/",
        "http://[fd00:ec2::254]/",
        "http://[fe80::1%25eth0]/",
        "http://metadata.google.internal./computeMetadata",
        "http://METADATA.google.internal",
        "http://100.100.100.200/",
    ],
)
def test_metadata_services_are_always_refused(url: str):
    """No notation of a cloud's metadata address passes, with or without the stricter setting."""
    keys = {"custom_endpoint": {**ENDPOINT, "api_base": url}}
    where, message = first_fault({"api_key_config": keys})
    assert where == "api_key_config.custom_endpoint.api_base"
    assert "metadata" in message


PRIVATE_URLS = [
    "http://127.0.0.1:8080/v1",
    "http://localhost/v1",
    "http://llm.localhost/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://192.168.0.9:11434/v1",
    "http://100.64.0.1/",
    "http://[::1]:8080/",
    "http://[fd12::1]/",
    "http://127.1/",
    "http://models.internal/",
]


@pytest.mark.parametrize("url", PRIVATE_URLS)
def test_private_addresses_depend_on_the_server(url: str):
    """A private address is fine until the server's settings say otherwise."""
    fields = {"api_key_config": {"custom_endpoint": {**ENDPOINT, "api_base": url}}}
    assert config(**fields).api_key_config is not None
    assert "private address" in first_fault(fields, block_private_urls=True)[1]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://example.com", "//example.com", "https://", "https://u:p@example.com", "no url",
     "https://example.com:99999", "http://a\\@b.com/", "http://[::1"],
)  # fmt: skip
def test_other_urls_are_refused(url: str):
    """Only http and https with a plain host pass."""
    keys = {"openai": {"azure_config": {"api_key": KEY, "endpoint": url}}}
    assert first_fault({"api_key_config": keys})[0] == "api_key_config.openai.azure_config.endpoint"


def test_public_url_passes_the_strict_setting():
    """A public address is fine in every setting."""
    fields = {"api_key_config": {"custom_endpoint": {**ENDPOINT, "api_base": "https://llm.example.com/v1"}}}
    chosen = TenantConfig.model_validate(fields, context={"block_private_urls": True})
    assert chosen.api_key_config is not None
    assert chosen.api_key_config.custom_endpoint is not None
    assert chosen.api_key_config.custom_endpoint.api_base == "https://llm.example.com/v1"


def test_reply_shows_no_part_of_any_secret():
    """Every secret is a mask in a reply, in a repr and in a plain dump."""
    chosen = config(api_key_config=ALL_KEYS)
    reply = json.dumps(masked(chosen))
    assert reply.count("********") == len(ALL_KEYS) + 1
    for text in (reply, repr(chosen), chosen.model_dump_json()):
        assert KEY[:4] not in text
        assert "wxyz" not in text


def test_faults_do_not_quote_what_was_sent():
    """An error's text never holds the input, which may be a key in the wrong place."""
    with pytest.raises(ValidationError) as caught:
        config(api_key_config={"gemini": KEY})
    assert KEY not in str(caught.value)


def test_stored_form_reads_back_whole():
    """What is stored holds the secrets and gives the same configuration."""
    chosen = config(api_key_config=ALL_KEYS, extraction_preset="quick_chat", agent_context_prompt="An agent.")
    stored = dump_with_secrets(chosen)
    assert stored.count(KEY) == len(ALL_KEYS) + 1
    assert load_config(stored) == chosen


@pytest.mark.parametrize(
    "stored", ["", "{", "[]", '{"batch_size": "x"}', '{"api_key_config": {"gemini": "sk-9"}}']
)
def test_unreadable_store_fails_loudly(stored: str):
    """A damaged configuration is an error that quotes no secret, never the defaults."""
    with pytest.raises(ConfigError, match="the stored configuration is not valid") as caught:
        load_config(stored)
    assert "sk-9" not in str(caught.value)


def test_masked_secrets_sent_back_keep_the_stored_ones():
    """Reading the configuration and writing it back loses no key."""
    stored = config(api_key_config=ALL_KEYS)
    sent = config(**{**masked(stored), "batch_size": 20})
    merged = merge_secrets(sent, stored)
    assert merged.api_key_config == stored.api_key_config
    assert merged.batch_size == 20


def test_new_secret_replaces_the_stored_one():
    """A key that is no mask is taken, and a provider left out is gone."""
    stored = config(api_key_config={"gemini": {"api_key": KEY}, "xai": {"api_key": KEY}})
    merged = merge_secrets(config(api_key_config={"gemini": {"api_key": "sk-new"}}), stored)
    assert merged.api_key_config is not None
    assert merged.api_key_config.gemini is not None
    assert merged.api_key_config.gemini.api_key.get_secret_value() == "sk-new"
    assert merged.api_key_config.xai is None


def test_mask_without_a_stored_secret_is_refused():
    """A mask is never stored as if it were a key."""
    sent = config(api_key_config={"gemini": {"api_key": "********"}})
    with pytest.raises(
        InvalidInput, match=r"api_key_config\.gemini\.api_key is masked, but no key is stored"
    ):
        merge_secrets(sent, config())


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        (
            {"custom_endpoint": ENDPOINT},
            {"custom_endpoint": {**ENDPOINT, "api_base": "https://thief.example"}},
        ),
        (
            {"dashscope": {"api_key": KEY}},
            {"dashscope": {"api_key": KEY, "api_base": "https://thief.example"}},
        ),
        (
            {"openai": {"azure_config": {"api_key": KEY, "endpoint": "https://a.example"}}},
            {"openai": {"azure_config": {"api_key": KEY, "endpoint": "https://thief.example"}}},
        ),
    ],
)
def test_stored_secret_is_not_sent_to_another_address(stored: dict[str, Any], sent: dict[str, Any]):
    """Nobody can lead a key that they cannot read to an address of their own."""
    disguised = json.loads(json.dumps(sent).replace(KEY, "********"))
    with pytest.raises(InvalidInput, match="its address changed"):
        merge_secrets(config(api_key_config=disguised), config(api_key_config=stored))
