"""What one version of memories has that another has not, and which became which."""

import itertools

import numpy as np
import pytest

from sagacity.domain.memory import Memory, MemoryKind
from sagacity.memories.diff import diff_versions
from support.parts import ANNA, BEN, new_memory, unit_rows
from support.work import counted

_numbers = itertools.count(1)


def memory(content: str, **fields) -> Memory:
    return Memory(**dict(new_memory(content, **fields)), memory_id=next(_numbers))


def towards(vector, cosine: float, *, seed: int = 1):
    """A unit vector whose cosine with *vector* is *cosine*."""
    [other] = unit_rows(1, len(vector), seed=seed)
    aside = other - (other @ vector) * vector
    return (cosine * vector + np.sqrt(1 - cosine**2) * aside / np.linalg.norm(aside)).astype(np.float32)


def shown(found) -> dict[str, list]:
    return {
        "added": [one.content for one in found.added],
        "lost": [one.content for one in found.lost],
        "changed": [(one.before.content, one.after.content) for one in found.changed],
        "unchanged": found.unchanged_count,
    }


def test_what_says_the_same_is_unchanged() -> None:
    """Case, spaces, punctuation and articles tell nothing apart; words do."""
    before = [memory("Lives in Lyon."), memory("The user has a dog")]
    after = [memory("has   a DOG!"), memory("Lives in Nice.")]
    assert shown(diff_versions(before, after, {})) == {
        "added": ["Lives in Nice."],
        "lost": ["Lives in Lyon."],
        "changed": [],
        "unchanged": 1,
    }


def test_equal_memories_are_paired_one_to_one() -> None:
    """Two of the same against one: one is unchanged, the other lost."""
    before = [memory("Has a dog."), memory("Has a dog.")]
    found = diff_versions(before, [memory("Has a dog.")], {})
    assert (found.unchanged_count, [one.memory_id for one in found.lost]) == (1, [before[1].memory_id])
    assert found.added == found.changed == ()


def test_a_slot_of_one_is_changed_and_a_slot_of_many_is_not() -> None:
    """Who moved has another home; of several likings none took another's place."""
    before = [memory("Lives in Lyon.", slot="home"), *(memory(f"Likes {it}.", slot="like") for it in "ab")]
    after = [memory("Lives in Nice.", slot="home"), *(memory(f"Likes {it}.", slot="like") for it in "cd")]
    assert shown(diff_versions(before, after, {})) == {
        "added": ["Likes c.", "Likes d."],
        "lost": ["Likes a.", "Likes b."],
        "changed": [("Lives in Lyon.", "Lives in Nice.")],
        "unchanged": 0,
    }


def test_the_nearest_are_paired_first() -> None:
    """Best first, one to one: who is nearer to a partner gets it, and the other takes the next."""
    [axis] = unit_rows(1)
    before = [memory("former 1"), memory("former 2")]
    after = [memory("second"), memory("first")]
    vectors = {
        before[0].memory_id: axis,
        after[1].memory_id: towards(axis, 0.98),
        after[0].memory_id: towards(axis, 0.9, seed=2),
        before[1].memory_id: towards(axis, 0.85, seed=2),
    }
    found = diff_versions(before, after, vectors)
    assert shown(found)["changed"] == [("former 2", "second"), ("former 1", "first")]
    assert found.changed[1].similarity == pytest.approx(0.98, abs=1e-5)
    assert found.added == found.lost == ()


@pytest.mark.parametrize(("cosine", "changed"), [(0.76, 1), (0.74, 0)])
def test_too_far_apart_is_added_and_lost(cosine: float, changed: int) -> None:
    """From three quarters on they are one memory in two versions."""
    [axis] = unit_rows(1)
    before, after = memory("one"), memory("other")
    vectors = {before.memory_id: axis, after.memory_id: towards(axis, cosine)}
    found = diff_versions([before], [after], vectors)
    assert (len(found.changed), len(found.added), len(found.lost)) == (changed, 1 - changed, 1 - changed)


def test_users_and_playbooks_of_other_versions_and_names_are_never_paired() -> None:
    """The same words of another user, agent version or name are another memory; a profile knows no version."""
    assert diff_versions([memory("x")], [memory("x", user_id=BEN)], {}).unchanged_count == 0
    playbook = {"kind": MemoryKind.USER_PLAYBOOK, "agent_version": "v1", "name": "n"}
    for other in ({"agent_version": "v2"}, {"name": "m"}, {"user_id": BEN}):
        found = diff_versions([memory("x", **playbook)], [memory("x", **playbook | other)], {})
        assert (found.unchanged_count, len(found.added), len(found.lost)) == (0, 1, 1), other
    profiles = [memory("x", agent_version="v1")], [memory("x", agent_version="v2")]
    assert diff_versions(*profiles, {}).unchanged_count == 1


def test_a_playbook_for_another_situation_is_another() -> None:
    """What to do is the same, when to do it is not."""
    playbook = {"kind": MemoryKind.USER_PLAYBOOK, "user_id": ANNA}
    before, after = (memory("Ask first.", trigger=trigger, **playbook) for trigger in ("refund", "delivery"))
    assert diff_versions([before], [after], {}).unchanged_count == 0


def test_nothing_against_nothing_and_against_something() -> None:
    """Empty versions are no special case."""
    one = memory("x")
    assert shown(diff_versions([], [], {})) == {"added": [], "lost": [], "changed": [], "unchanged": 0}
    assert diff_versions([one], [], {}).lost == (one,)
    assert diff_versions([], [one], {}).added == (one,)


def test_thousands_of_memories_of_one_user_are_paired_without_comparing_all() -> None:
    """Every one of 4,000 finds the one that it was made from, with more than a block on each side."""
    count = 4_000
    rows = unit_rows(count, 64)
    before = [memory(f"before {number}") for number in range(count)]
    after = [memory(f"after {number}") for number in reversed(range(count))]
    vectors = {one.memory_id: row for one, row in zip(before, rows, strict=True)}
    noise = 0.05 * unit_rows(count, 64, seed=3)
    near = (rows + noise) / np.linalg.norm(rows + noise, axis=1, keepdims=True)
    vectors |= {one.memory_id: row for one, row in zip(reversed(after), near, strict=True)}
    found, calls = counted(lambda: diff_versions(before, after, vectors))
    assert calls < 200 * count
    assert len(found.changed) == count
    assert all(one.before.content.split()[1] == one.after.content.split()[1] for one in found.changed)


def test_many_that_are_alike_are_put_in_order_as_arrays() -> None:
    """While Python puts tuples in order, of which there are 64 for each memory here, nothing else runs."""
    count = 1_000
    before, after = ([memory(f"Owns {side}{number}.") for number in range(count)] for side in "ab")
    [row] = unit_rows(1)
    vectors = {one.memory_id: row for one in (*before, *after)}
    diff_versions(before, after, vectors)  # texts that were taken apart stay so
    found, calls = counted(lambda: diff_versions(before, after, vectors))
    assert len(found.changed) >= 64
    assert calls < 128 * count


def test_what_is_lost_may_be_covered() -> None:
    """One memory covers many, by what it means or by its words, whatever it is paired with; never another user's."""
    [axis, far] = unit_rows(2)
    sandals, boots, swims, sings = (
        memory("Wants to hear about the sandals."), memory("Asks after the boots."),
        memory("Swims."), memory("Sings in a choir."),
    )  # fmt: skip
    parcel, swim, other = (
        memory("Wants to know where sandals and boots are."), memory("Swims on Mondays."),
        memory("Sings in a choir in Rome.", user_id=BEN),
    )  # fmt: skip
    vectors = {
        sandals.memory_id: towards(axis, 0.7),
        boots.memory_id: towards(axis, 0.62, seed=2),
        swims.memory_id: far,
        parcel.memory_id: axis,
    }
    found = diff_versions([sandals, boots, swims, sings], [parcel, swim, other], vectors)
    assert len(found.lost) == 4
    assert [(one.before.content, one.after.content) for one in found.covered] == [
        (sandals.content, parcel.content),
        (boots.content, parcel.content),
        (swims.content, swim.content),
    ]
    assert [round(one.similarity, 2) for one in found.covered] == [0.7, 0.62, 0.0]


def test_what_is_far_covers_nothing() -> None:
    [axis] = unit_rows(1)
    before, after = memory("Sings."), memory("Has a boat.")
    vectors = {before.memory_id: towards(axis, 0.59), after.memory_id: axis}
    assert diff_versions([before], [after], vectors).covered == ()


def test_what_is_covered_is_not_looked_for_in_everything() -> None:
    """Twice as many memories on both sides take about twice the work: each is compared with what begins as it does."""

    def compare(count: int) -> int:
        before = [memory(f"Owns item{count}x{number}.") for number in range(count)]
        after = [memory(f"Owns item{count}x{number} since last year.") for number in range(count)]
        found, calls = counted(lambda: diff_versions(before, after, {}))
        assert len(found.covered) == count
        return calls

    compare(10)
    assert compare(400) < 3 * compare(200)
