"""Numbers of a configuration have an upper limit."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from sagacity.config.tenant_config import TenantConfig, load_config

NAMED = {"extractor_name": "one", "extraction_definition_prompt": "anything"}
MOST, LONGEST = 1_000_000, 87_600


def playbooks(**fields: Any) -> dict[str, Any]:
    return {"user_playbook_extractor_configs": [{**NAMED, **fields}]}


def fields_with(number: int) -> dict[str, dict[str, Any]]:
    """Each number that a configuration has, as *number*."""
    return {
        "batch_size": {"batch_size": number},
        "batch_interval": {"batch_size": MOST, "batch_interval": number},
        "extraction_window_size": {"extraction_window_size": number},
        "batch_size_override": playbooks(batch_size_override=number),
        "batch_interval_override": {
            "profile_extractor_configs": [{**NAMED, "extraction_window_stride_override": number}]
        },
        "search_top_k": playbooks(deduplication_config={"search_top_k": number}),
        "min_cluster_size": playbooks(aggregation_config={"min_cluster_size": number}),
        "refresh_count": playbooks(aggregation_config={"refresh_count": number}),
        "min_feedback_per_cluster": playbooks(skill_generator_config={"min_feedback_per_cluster": number}),
        "max_interactions_per_skill": playbooks(
            skill_generator_config={"max_interactions_per_skill": number}
        ),
    }


@pytest.mark.parametrize("name", fields_with(0))
def test_a_number_beyond_the_limit_is_refused(name: str) -> None:
    """What no window, no search and no page can hold is a mistake; the limit itself is taken."""
    assert TenantConfig.model_validate(fields_with(MOST)[name])
    with pytest.raises(ValidationError, match=f"less than or equal to {MOST}"):
        TenantConfig.model_validate(fields_with(MOST + 1)[name])


def test_a_pause_has_ten_years_at_the_most() -> None:
    """More hours would be no date any more."""
    pause = playbooks(skill_generator_config={"cooldown_hours": LONGEST})
    beyond = playbooks(skill_generator_config={"cooldown_hours": 10**15})
    with pytest.raises(ValidationError, match=f"less than or equal to {LONGEST}"):
        TenantConfig.model_validate(beyond)
    assert TenantConfig.model_validate(pause)


@pytest.mark.parametrize("stored", [0, -1, MOST + 1, "many", 2.5])
def test_stored_numbers_are_no_less_wrong(stored: object) -> None:
    """A stored configuration is read as strictly as a caller's."""
    with pytest.raises(Exception, match="stored configuration is not valid"):
        load_config(json.dumps({"batch_size": stored}))
