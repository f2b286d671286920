"""Texts, times, nulls and older names, as every body takes them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sagacity.domain.memory import Status
from sagacity.schemas.base import MOST_VALUES, OLDER_NAMES, refuse_unstorable
from sagacity.schemas.interactions import PublishBody
from sagacity.schemas.playbooks import AddUserPlaybooksBody, UpdateUserPlaybookBody
from sagacity.schemas.profiles import GetProfilesBody, ProfileData

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
STORABLE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(STORABLE)
def test_what_can_be_kept_is_let_through(value):
    """Any value of JSON without NUL, lone surrogate or endless number."""
    refuse_unstorable(value)


@given(STORABLE, st.sampled_from(["a\x00b", "\ud800", "x\udfff", float("nan"), float("-inf")]))
def test_what_can_not_be_kept_is_refused_at_any_depth(value, bad):
    """As a value and, where it is a text, as a key."""
    with pytest.raises(ValueError, match=r"must not contain|must be finite"):
        refuse_unstorable([value, {"k": (value, [bad])}])
    if isinstance(bad, str):
        with pytest.raises(ValueError, match="must not contain"):
            refuse_unstorable({"k": [{bad: value}]})


def test_a_deep_value_is_walked_without_recursion():
    """A body nested a hundred thousand times is no danger."""
    value: object = "a\x00b"
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ValueError, match="NUL"):
        refuse_unstorable(value)


@pytest.mark.parametrize("many", [[1] * MOST_VALUES, {str(place): 1 for place in range(MOST_VALUES // 2)}])
def test_more_than_is_looked_at_is_refused_before_it_is(many: object):
    """Wherever it stands; the values of one list or object are counted before any is read."""
    with pytest.raises(ValueError, match="at most 150,000 names and values"):
        refuse_unstorable({"metadata": many})


def test_a_null_is_a_field_not_given():
    """Clients send null for all that they leave open."""
    body = GetProfilesBody.model_validate({"user_id": "anna", "top_k": None, "start_time": None})
    assert (body.top_k, body.start_time, body.status_filter) == (30, None, None)
    with pytest.raises(ValidationError, match="user_id"):
        GetProfilesBody.model_validate({"user_id": None})


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("2026-05-01T10:00:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00Z", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00+02:00", datetime(2026, 5, 1, 8, tzinfo=UTC)),
    ],
)
def test_times_are_utc(given_, expected):
    """A time without a zone is UTC, any other is turned into it."""
    assert GetProfilesBody(user_id="anna", start_time=given_).start_time == expected


@pytest.mark.parametrize("end", ["2026-05-01T10:00:00", "2026-05-01T09:59:59", "2026-05-01T11:00:00+02:00"])
def test_an_end_has_to_be_later_than_its_start(end):
    """Strictly later, zones considered."""
    with pytest.raises(ValidationError, match="later than start_time"):
        GetProfilesBody(user_id="anna", start_time="2026-05-01T10:00:00", end_time=end)


def test_statuses_go_over_the_wire_as_null():
    """What is current is null, older clients say "None"; the dump says null again."""
    body = GetProfilesBody.model_validate({"user_id": "anna", "status_filter": [None, "None", "pending"]})
    assert body.status_filter == (Status.CURRENT, Status.CURRENT, Status.PENDING)
    assert body.model_dump(mode="json")["status_filter"] == [None, None, "pending"]
    assert GetProfilesBody.model_validate(body.model_dump(mode="json")) == body


def test_older_names_are_read_and_current_ones_go_first():
    """Each older name is known to some body; with both given the current one counts."""
    body = AddUserPlaybooksBody.model_validate(
        {
            "raw_feedbacks": [
                {"feedback_name": "old", "feedback_content": "c", "content": "new", "trigger": "t"}
            ]
        }
    )
    (playbook,) = body.user_playbooks
    assert (playbook.playbook_name, playbook.content, playbook.trigger) == ("old", "new", "t")
    assert UpdateUserPlaybookBody.model_validate({"raw_feedback_id": 4}).user_playbook_id == 4
    assert ProfileData.model_validate({"user_id": "a", "profile_content": "c"}).content == "c"
    assert set(OLDER_NAMES) & set(OLDER_NAMES.values()) == set()


def test_ids_are_stripped_and_bounded():
    """Blank and endless ids are refused."""
    turn = {"content": " kept as it is "}
    body = PublishBody.model_validate({"user_id": "  anna ", "interaction_data_list": [turn]})
    assert body.user_id == "anna"
    assert body.interaction_data_list[0].content == " kept as it is "
    for bad in ("", "   ", "x" * 513, 5):
        with pytest.raises(ValidationError):
            PublishBody.model_validate({"user_id": bad, "interaction_data_list": [turn]})
