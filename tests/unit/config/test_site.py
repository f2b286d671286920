"""Which site variables there are, and whom a flag is on for."""

import pytest
from pydantic import SecretStr

from sagacity.config.model_choice import Role, choose_model
from sagacity.config.site import HOLDOUT, VARIABLES, checked
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import OrgId
from sagacity.domain.site import FeatureFlag

ORGS = [OrgId(f"org-{number}") for number in range(1_000)]


def having(flag: FeatureFlag, name: str = HOLDOUT) -> set[OrgId]:
    return {org for org in ORGS if flag.is_on(name, org)}


def test_a_flag_is_drawn_for_a_share_and_grows_with_it():
    """Those listed have it whatever the share; another flag draws others; off is off."""
    assert having(FeatureFlag()) == set(ORGS)
    assert having(FeatureFlag(share=0.0)) == set()
    tenth, fifth = having(FeatureFlag(share=0.1)), having(FeatureFlag(share=0.2))
    assert 70 < len(tenth) < 130
    assert tenth < fifth
    assert tenth != having(FeatureFlag(share=0.1), "flag.other")
    assert having(FeatureFlag(share=0.0, organisations=("org-3",))) == {"org-3"}
    assert having(FeatureFlag(enabled=False, organisations=("org-3",))) == set()


def test_values_are_checked_and_complete():
    """What is stored of a flag has each field; a model's name is a text."""
    assert checked(HOLDOUT, {"share": 0.5}) == {"enabled": True, "organisations": [], "share": 0.5}
    assert checked("model.chat", "openai/gpt-5") == "openai/gpt-5"
    for name, known in VARIABLES.items():
        assert known.default is None or checked(name, known.default) == known.default


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("flag.holdouts", {}, "did you mean flag.holdout"),
        ("\x00", {}, "there is no site variable"),
        (HOLDOUT, None, HOLDOUT),
        (HOLDOUT, {"share": 2}, "flag.holdout.share"),
        (HOLDOUT, {"share": float("nan")}, "flag.holdout.share"),
        (HOLDOUT, {"shares": 1}, "flag.holdout.shares"),
        (HOLDOUT, {"organisations": "acme"}, "flag.holdout.organisations"),
        ("model.chat", 5, "model.chat"),
        ("model.chat", "", "model.chat"),
        ("model.chat", "a b\x00", "model.chat"),
        ("model.chat", "x" * 201, "model.chat"),
    ],
)
def test_other_names_and_types_are_refused(name: str, value: object, said: str):
    """With the name that was meant, or the field at fault."""
    with pytest.raises(InvalidInput, match=said):
        checked(name, value)  # pyright: ignore[reportArgumentType]  what a caller might send


def test_the_installations_model_serves_where_the_organisation_names_none():
    """After the organisation's own; passed over where there is no key to its provider."""
    keys = {"OPENAI_API_KEY": SecretStr("a")}
    default = {Role.GENERATION: "openai/gpt-5-site"}

    def chosen(role: Role, defaults: dict[Role, str], **config: object) -> str:
        choice = choose_model(TenantConfig.model_validate(config), role, keys, defaults)
        assert choice is not None
        return choice.model

    for role in (Role.GENERATION, Role.EVALUATION, Role.CHAT):
        assert chosen(role, default) == "openai/gpt-5-site"
    assert chosen(Role.PRE_RETRIEVAL, default) == chosen(Role.PRE_RETRIEVAL, {})
    named = {"generation_model_name": "openai/gpt-own"}
    assert chosen(Role.GENERATION, default, llm_config=named) == "openai/gpt-own"
    unreachable = {Role.GENERATION: "anthropic/claude-site"}
    assert chosen(Role.GENERATION, unreachable) == chosen(Role.GENERATION, {})


def test_a_flag_that_is_no_object_is_told_what_one_looks_like() -> None:
    """In words of the API, not by the name of a class."""
    with pytest.raises(InvalidInput, match=r'flag\.holdout: must be an object, such as {"enabled": true'):
        checked(HOLDOUT, 7)
