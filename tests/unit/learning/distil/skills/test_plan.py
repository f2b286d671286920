"""Which clusters are written up, when, and as which version."""

from datetime import timedelta

import pytest

from sagacity.config.extractor_config import SkillGeneratorConfig
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Attributes, Memory, MemoryKind, Provenance, SkillFacts
from sagacity.learning.distil.skills.plan import is_due, reason_to_skip, written_by
from support.parts import START, new_memory

ON = SkillGeneratorConfig(enabled=True, auto_generate_on_aggregation=True, cooldown_hours=24)
WITHOUT_COOLDOWN = ON.model_copy(update={"cooldown_hours": 0})
ONLY_WHEN_ASKED = SkillGeneratorConfig(enabled=True)


def known(fingerprint: str = "model:a") -> PlaybookCluster:
    return PlaybookCluster(
        cluster_id="c", learner="skills", name="n", agent_version="v", fingerprint=fingerprint,
        created_at=START - timedelta(days=9), updated_at=START - timedelta(hours=1),
    )  # fmt: skip


def skill(method: str) -> Memory:
    new = new_memory("x", kind=MemoryKind.SKILL, user_id=None, provenance=Provenance(method=method))
    return Memory(**dict(new), memory_id=MemoryId(1))


def book(content: str, number: int) -> Memory:
    return Memory(**dict(new_memory(content, kind=MemoryKind.USER_PLAYBOOK)), memory_id=MemoryId(number))


@pytest.mark.parametrize(
    ("options", "hours_ago", "requested", "skipped"),
    [
        (SkillGeneratorConfig(), None, False, "not enabled"),
        (SkillGeneratorConfig(), 1, True, ""),
        (ON, None, False, ""),
        (ON, 23.9, False, "ends at 2026-05-01 10:06 UTC"),
        (ON, 24, False, ""),
        (ON, 1, False, "cooldown of 24 h"),
        (ON, 1, True, ""),
        (WITHOUT_COOLDOWN, 0, False, ""),
        (ONLY_WHEN_ASKED, None, False, "auto_generate_on_aggregation is off"),
        (ONLY_WHEN_ASKED, None, True, ""),
    ],
)
def test_the_decision_to_run(options, hours_ago, requested, skipped):
    """Asked for: always. Else not unless enabled, and not within the cooldown, which says when it ends."""
    last = None if hours_ago is None else START - timedelta(hours=hours_ago)
    said = reason_to_skip(options, last, requested=requested, now=START)
    assert (skipped in said) if skipped else said == ""


@pytest.mark.parametrize(
    ("before", "now", "made", "requested", "has_model", "due"),
    [
        ("rules:a", "rules:a", "rules", True, False, False),
        ("rules:a", "rules:b", "rules", False, False, True),
        ("rules:a", "model:a", "rules", False, True, True),
        ("model:a", "model:a", "rules", True, True, False),
        ("model:a", "model:b", "model", False, True, True),
        ("model:a", "rules:b", "model", True, False, False),
        ("model:a", "rules:a", None, False, False, False),
        ("model:a", "rules:a", None, True, False, True),
        ("model:a", "model:b", None, False, True, True),
        ("model:a", "model:a", None, False, True, False),
    ],
)
def test_which_clusters_are_due(before, now, made, requested, has_model, due):
    """New and changed ones; what rules wrote, once a model is there; never a model's words when it is gone."""
    cluster = known(before)
    stands = None if made is None else skill(made)
    assert is_due(cluster, now, stands, overlap=0.9, requested=requested, has_model=has_model) is due


@pytest.mark.parametrize(
    ("approval", "overlap", "due"),
    [("rejected", 1.0, False), ("rejected", 0.5, False), ("rejected", 0.49, True), ("approved", 0.9, True)],
)
@pytest.mark.parametrize("requested", [True, False])
def test_a_rejected_one_is_due_when_more_than_half_of_it_is_others(approval, overlap, due, requested):
    """Whoever asks, and also where a model could now write what rules wrote."""
    stands = skill("rules").model_copy(update={"approval": Approval(approval)})
    now = "model:b"
    assert is_due(known(), now, stands, overlap=overlap, requested=requested, has_model=True) is due


def test_the_fingerprint_follows_members_and_what_they_say():
    """In any order; and it says who writes."""
    first = written_by({1: "a", 2: "b"}, has_model=True)
    assert written_by({2: "b", 1: "a"}, has_model=True) == first
    assert written_by({1: "a"}, has_model=True) != first
    assert written_by({1: "a", 2: "c"}, has_model=True) != first
    assert written_by({1: "a", 2: "b"}, has_model=False).partition(":")[2] == first.partition(":")[2]


@pytest.mark.parametrize(
    ("version", "minor", "patch"),
    [("1.0.0", "1.1.0", "1.0.1"), ("1.9.3", "1.10.0", "1.9.4"), ("0.0.999999", "0.1.0", "0.0.1000000")],
)
def test_versions_count(version, minor, patch):
    facts = SkillFacts(version=version)
    assert (facts.next_minor, facts.next_patch) == (minor, patch)
    assert Attributes(skill=SkillFacts(version=facts.next_minor)).skill is not None


@pytest.mark.parametrize(
    "version", ["1.0", "1.0.0.0", "v1.0.0", "01.0.0", "1.0.0-rc1", "", "١.٠.٠", "1.0.0\n"]
)
def test_other_versions_are_refused(version):
    with pytest.raises(ValueError, match="should match pattern"):
        SkillFacts(version=version)
