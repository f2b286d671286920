"""Chance that is the same each time, and fair over many."""

import pytest

from sagacity.learning.evaluate.sampling import is_sampled, shadow_comes_first

SESSIONS = [f"session-{n}" for n in range(2_000)]


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_share_of_sessions_is_sampled(rate):
    """Over many sessions the share that is judged is the one asked for."""
    sampled = sum(is_sampled("a", session, "helpful", rate) for session in SESSIONS)
    assert sampled == pytest.approx(rate * len(SESSIONS), abs=0.05 * len(SESSIONS))


def test_all_or_none_are_sampled_at_the_ends():
    assert all(is_sampled("a", session, "helpful", 1.0) for session in SESSIONS)
    assert not any(is_sampled("a", session, "helpful", 0.0) for session in SESSIONS)


def test_sampling_is_decided_once_a_session():
    """Asked again it says the same; a higher rate takes in all that a lower one did; each evaluator draws its own."""
    low = {session for session in SESSIONS if is_sampled("a", session, "helpful", 0.3)}
    assert low == {session for session in SESSIONS if is_sampled("a", session, "helpful", 0.3)}
    assert low < {session for session in SESSIONS if is_sampled("a", session, "helpful", 0.6)}
    assert low != {session for session in SESSIONS if is_sampled("a", session, "polite", 0.3)}
    assert low != {session for session in SESSIONS if is_sampled("b", session, "helpful", 0.3)}


def test_each_transcript_comes_first_in_half_of_the_sessions():
    first = [shadow_comes_first("a", session, "helpful") for session in SESSIONS]
    assert sum(first) == pytest.approx(len(SESSIONS) / 2, abs=100)
    assert first == [shadow_comes_first("a", session, "helpful") for session in SESSIONS]


def test_hostile_names_are_drawn_too():
    """A lone surrogate in a name stops nothing."""
    assert is_sampled("a", "\ud800", "\x00", 1.0)
