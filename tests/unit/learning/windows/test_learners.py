"""A configuration becomes learners: which run, by whom they are read, and what they are compared with."""

import pytest

from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.profile import ModelProfileExtractor
from sagacity.learning.extractors.rules import RuleProfileExtractor, RuleUserPlaybookExtractor
from sagacity.learning.extractors.user_playbook import ModelUserPlaybookExtractor
from sagacity.learning.prompt_runner import ModelSession, PromptRunner
from sagacity.learning.windows.learners import learner_groups
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm

PROFILES = [
    {"extractor_name": "health", "extraction_definition_prompt": "health"},
    {"extractor_name": "work", "extraction_definition_prompt": "work", "manual_trigger": True},
]
PLAYBOOKS = [
    {
        "extractor_name": "tone",
        "extraction_definition_prompt": "tone",
        "deduplication_config": {"search_top_k": 25, "search_threshold": 0.7},
    },
    {"extractor_name": "tools", "extraction_definition_prompt": "tools"},
]


class Asked:
    """Calls that open a model for everybody, and remember who asked for one."""

    def __init__(self) -> None:
        self.asked: list[tuple[Role, str]] = []
        self.calls = ModelSession(self._open)

    def _open(self, role: Role, learner: str) -> PromptRunner:
        self.asked.append((role, learner))
        return PromptRunner(open_llm(ModelChoice(model="openai/never-called")))


def groups(calls: ModelSession | None = None, *, by_hand: bool = False, names=(), **fields):
    config = TenantConfig.model_validate(
        {"profile_extractor_configs": PROFILES, "user_playbook_extractor_configs": PLAYBOOKS, **fields}
    )
    return learner_groups(config, calls or ModelSession(), by_hand=by_hand, names=names)


def names_of(found) -> dict[str, list[str]]:
    return {group.kind: [learner.extractor_name for learner in group.learners] for group in found}


def test_what_waits_to_be_asked_for_runs_by_hand_only():
    """And a name picks among those that may run."""
    assert names_of(groups()) == {"profile": ["health"], "user_playbook": ["tone", "tools"]}
    assert names_of(groups(by_hand=True)) == {
        "profile": ["health", "work"],
        "user_playbook": ["tone", "tools"],
    }
    assert names_of(groups(by_hand=True, names={"work", "tools"})) == {
        "profile": ["work"],
        "user_playbook": ["tools"],
    }
    assert names_of(groups(names={"work"})) == {}


def test_without_a_model_rules_learn():
    profile, playbook = groups()
    assert isinstance(profile.learners[0].extractor, RuleProfileExtractor)
    assert isinstance(playbook.learners[0].extractor, RuleUserPlaybookExtractor)
    assert (profile.gate, profile.judge, profile.expander) == (None, None, None)


def test_with_a_model_each_learner_calls_in_its_own_name():
    """So that the ledger tells them apart; the judge is shared by a kind. No gate and no expansion by default."""
    asked = Asked()
    profile, playbook = groups(asked.calls)
    assert isinstance(profile.learners[0].extractor, ModelProfileExtractor)
    assert isinstance(playbook.learners[1].extractor, ModelUserPlaybookExtractor)
    assert (profile.gate, profile.expander, playbook.gate) == (None, None, None)
    assert profile.judge is not None
    assert sorted(asked.asked) == [
        (Role.GENERATION, "deduplication:profile"),
        (Role.GENERATION, "deduplication:user_playbook"),
        (Role.GENERATION, "extraction"),
        (Role.GENERATION, "profile:health"),
        (Role.GENERATION, "user_playbook:tone"),
        (Role.GENERATION, "user_playbook:tools"),
    ]


def test_each_extractor_has_its_own_neighbourhood():
    """None takes the first one's; a kind looks for as many as the one that wants most."""
    profile, playbook = groups()
    assert [(one.neighbour_count, one.neighbour_threshold) for one in playbook.learners] == [
        (25, 0.7),
        (10, 0.0),
    ]
    assert (playbook.neighbour_count, profile.neighbour_count) == (25, 10)


@pytest.mark.parametrize(
    ("fields", "by_hand", "gates"),
    [
        (
            {"llm_config": {"should_run_model_name": "openai/x"}},
            False,
            ["gate:profile", "gate:user_playbook"],
        ),
        ({"llm_config": {"should_run_model_name": "openai/x"}}, True, []),
        ({"llm_config": {"should_run_model_name": "openai/x"}, "skip_should_run_check": True}, False, []),
        (
            {
                "profile_extractor_configs": [
                    PROFILES[0] | {"should_extract_profile_prompt_override": "a pain is named"}
                ]
            },
            False,
            ["gate:profile"],
        ),
    ],
    ids=["a model was named", "asked for by hand", "the check is skipped", "its question was given"],
)
def test_gate_is_asked_where_it_was_chosen(fields, by_hand, gates):
    """It costs a call a window, so it needs its own model or its own question; who asks by hand passes."""
    asked = Asked()
    found = groups(asked.calls, by_hand=by_hand, **fields)
    assert [learner for role, learner in asked.asked if role is Role.SHOULD_RUN] == gates
    assert [f"gate:{group.kind}" for group in found if group.gate is not None] == gates


def test_contact_data_is_the_tenants_choice():
    assert not any(group.contact_data for group in groups(Asked().calls))
    assert all(group.contact_data for group in groups(Asked().calls, contact_data_enabled=True))


def test_expansion_and_order_are_the_tenants_choice():
    asked = Asked()
    found = groups(asked.calls, enable_document_expansion=True, incremental_extraction=True)
    assert all(group.expander is not None and group.incremental for group in found)
    assert (Role.GENERATION, f"expansion:{MemoryKind.PROFILE}") in asked.asked
