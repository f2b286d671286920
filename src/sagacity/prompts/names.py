"""Names of prompts, and the names that other systems gave to prompts for the same job."""

from collections.abc import Mapping

from sagacity.domain.errors import InvalidInput
from sagacity.domain.suggest import no_such
from sagacity.prompts.load import prompt_versions

_EXTRACTION, _PLAYBOOKS, _EXPERT = "profile_extraction", "user_playbook_extraction", "expert_extraction"
OLDER_NAMES: Mapping[str, str] = {
    "profile_should_generate": "should_extract",
    "profile_should_generate_override": "should_extract",
    "playbook_should_generate": "should_extract",
    "playbook_should_generate_expert": "should_extract",
    "raw_feedback_should_generate": "should_extract",
    "profile_update_instruction_start": _EXTRACTION,
    "profile_update_instruction_start_incremental": _EXTRACTION,
    "profile_update_main": _EXTRACTION,
    "profile_update_main_incremental": _EXTRACTION,
    "playbook_extraction_context": _PLAYBOOKS,
    "playbook_extraction_context_incremental": _PLAYBOOKS,
    "playbook_extraction_main": _PLAYBOOKS,
    "playbook_extraction_main_incremental": _PLAYBOOKS,
    "raw_feedback_extraction_context": _PLAYBOOKS,
    "raw_feedback_extraction_main": _PLAYBOOKS,
    "playbook_extraction_context_expert": _EXPERT,
    "playbook_extraction_main_expert": _EXPERT,
    "playbook_deduplication": "user_playbook_deduplication",
    "feedback_generation": "playbook_aggregation",
    "agent_success_evaluation_with_comparison": "agent_success_comparison",
}
"""Older name → ours. What was asked in two prompts or two ways is one prompt here, with all that they were given."""


def prompt_name(given: str) -> str:
    """
    Return the name of the prompt that is called *given*, now or formerly.

    Raises:
        InvalidInput: there is none; the message names those that are near.
    """
    name = OLDER_NAMES.get(given, given)
    if name in prompt_versions():
        return name
    raise InvalidInput(no_such("prompt", given, list(prompt_versions()), older=list(OLDER_NAMES)))


def checked_versions(chosen: Mapping[str, int]) -> dict[str, int]:
    """
    Return the choice of versions under our names of the prompts.

    Raises:
        InvalidInput: a prompt, or that version of it, is not there.
    """
    checked: dict[str, int] = {}
    for given, version in chosen.items():
        name = prompt_name(given)
        versions = prompt_versions()[name]
        if version not in versions:
            there = ", ".join(map(str, versions))
            raise InvalidInput(f"prompt {name} has no version {version}; it has {there}")
        checked[name] = version
    return checked
