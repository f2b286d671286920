"""A prompt goes by its name and by those that it had elsewhere."""

import pytest

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import InvalidInput
from sagacity.prompts.load import active_version, load_prompt, prompt_versions
from sagacity.prompts.names import OLDER_NAMES, checked_versions, prompt_name


def test_every_older_name_is_that_of_a_prompt():
    """None of them leads nowhere, and none hides a name of ours."""
    assert {prompt_name(older) for older in OLDER_NAMES} == set(OLDER_NAMES.values())
    assert set(OLDER_NAMES.values()) <= prompt_versions().keys()
    assert not OLDER_NAMES.keys() & prompt_versions().keys()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("profile_extractoin", r"there is no prompt 'profile_extractoin'; did you mean profile_extraction"),
        ("x" * 500, r"there is no prompt 'x{80}'; there are .*profile_extraction"),
        ("../load", r"there is no prompt '../load'"),
    ],
)
def test_unknown_name_is_refused_with_those_that_are_near(given, says):
    with pytest.raises(InvalidInput, match=says):
        prompt_name(given)


def test_choice_of_versions_is_checked():
    """Under our names; a version that is not there is refused with those that are."""
    assert checked_versions({"profile_update_main": 1, "should_extract": 1}) == {
        "profile_extraction": 1,
        "should_extract": 1,
    }
    with pytest.raises(InvalidInput, match="prompt profile_extraction has no version 99; it has 1, 2"):
        checked_versions({"profile_extraction": 99})
    with pytest.raises(ValueError, match=r"prompt_versions[\s\S]*has no version 99"):
        TenantConfig.model_validate({"prompt_versions": {"profile_extraction": 99}})


def test_newest_version_is_in_use_unless_another_was_chosen():
    assert active_version("profile_extraction", {}) == prompt_versions()["profile_extraction"][-1] >= 2
    assert active_version("profile_extraction", {"profile_extraction": 1}) == 1
    with pytest.raises(ValueError, match="there is no prompt profile_extraction/v99"):
        active_version("profile_extraction", {"profile_extraction": 99})


@pytest.mark.parametrize("name", prompt_versions())
def test_versions_of_a_prompt_can_stand_for_one_another(name):
    """Each asks for the same type, and for no variable that the newest does not have."""
    *older, newest = [load_prompt(name, version).front for version in prompt_versions()[name]]
    for front in older:
        assert front.output == newest.output
        assert front.variables.keys() <= newest.variables.keys()
