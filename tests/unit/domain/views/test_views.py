"""The wire shapes of memories."""

from datetime import timedelta

from sagacity.domain.change import ChangeLog
from sagacity.domain.memory import Approval, Attributes, Memory, MemoryKind, Provenance, Status, TimeToLive
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.change_log import aggregation_change_log_view, profile_change_log_view
from sagacity.domain.views.profile import ProfileView, profile_view
from sagacity.domain.views.user_playbook import user_playbook_view
from support.parts import START, new_memory

EPOCH = int(START.timestamp())


def stored(content: str, number: int = 7, **fields) -> Memory:
    return Memory(**new_memory(content, **fields).model_dump(), memory_id=number)


def test_profile_view_shows_seconds_and_null_for_current():
    """Times are whole seconds since 1970; what never expires does so in 2100."""
    memory = stored(
        "Lives in Lisbon.",
        uid="p1",
        source_request_ids=("r1", "r2"),
        source_interaction_ids=(4, 5),
        provenance=Provenance(
            learner="profile:x", method="model", model="m", prompt_version="v2", run_id="run"
        ),
    )
    shown = profile_view(memory)
    assert shown.model_dump(exclude_none=True) == {
        "profile_id": "p1",
        "user_id": "anna",
        "content": "Lives in Lisbon.",
        "last_modified_timestamp": EPOCH,
        "generated_from_request_id": "r1",
        "profile_time_to_live": "infinity",
        "expiration_timestamp": 4_102_444_800,
        "source_interaction_ids": (4, 5),
        "provenance": {
            "learner": "profile:x",
            "method": "model",
            "model": "m",
            "prompt_version": "v2",
            "run_id": "run",
        },
    }


def test_profile_view_shows_expiry_status_and_features():
    """An expiry, a status and custom features are shown where there are any."""
    memory = stored(
        "x",
        name="mine",
        status=Status.ARCHIVED,
        expires_at=START + timedelta(days=1),
        attributes=Attributes(time_to_live=TimeToLive.ONE_DAY, custom_features={"a": 1}),
    )
    shown = profile_view(memory)
    assert (shown.expiration_timestamp, shown.status) == (EPOCH + 86_400, Status.ARCHIVED)
    assert (shown.profile_time_to_live, shown.custom_features) == (TimeToLive.ONE_DAY, {"a": 1})
    assert (shown.extractor_names, shown.generated_from_request_id) == (("mine",), "")


def test_a_view_ignores_what_a_newer_server_adds():
    """A client of this release reads replies of the next one."""
    shown = profile_view(stored("x"))
    assert ProfileView.model_validate(shown.model_dump(mode="json") | {"mood": "new"}) == shown


def test_playbook_views_keep_their_numbers_and_texts():
    """The number is the wire id; metadata is text."""
    memory = stored(
        "c", kind=MemoryKind.USER_PLAYBOOK, trigger="t", metadata={"playbook_metadata": "m"}, name="n"
    )
    user = user_playbook_view(memory)
    assert (user.user_playbook_id, user.content, user.trigger, user.playbook_metadata) == (7, "c", "t", "m")
    assert (user.status, user.request_id, user.created_at, user.playbook_name) == (None, "", EPOCH, "n")
    agent = agent_playbook_view(
        stored("c", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None, approval=Approval.APPROVED)
    )
    assert (agent.agent_playbook_id, agent.playbook_status, agent.playbook_metadata) == (
        7,
        Approval.APPROVED,
        "",
    )


def log(added=(), removed=(), kind=MemoryKind.AGENT_PLAYBOOK) -> ChangeLog:
    return ChangeLog(
        change_log_id=1,
        run_id="run",
        kind=kind,
        user_id=None,
        request_id=None,
        created_at=START,
        added=added,
        removed=removed,
    )


def test_change_logs_tell_added_removed_and_updated_apart():
    """Row 8: before and after are paired by the playbook itself, never by position."""

    def playbook(content: str, number: int, name: str = "n") -> Memory:
        return stored(
            content, number, kind=MemoryKind.AGENT_PLAYBOOK, user_id=None, name=name, agent_version="v"
        )

    run = log(
        added=(playbook("new", 1), playbook("after", 2), playbook("foreign", 9, "other")),
        removed=(playbook("before", 2), playbook("old", 3)),
    )
    shown = aggregation_change_log_view(run, playbook_name="n", agent_version="v")
    assert [one.content for one in shown.added_agent_playbooks] == ["new"]
    assert [one.content for one in shown.removed_agent_playbooks] == ["old"]
    assert [(one.before.content, one.after.content) for one in shown.updated_agent_playbooks] == [
        ("before", "after")
    ]
    assert aggregation_change_log_view(run, playbook_name="n", agent_version="w") is None


def test_profile_change_log_names_nobody_where_nobody_is_known():
    """Missing ids are empty texts, as clients expect."""
    shown = profile_change_log_view(log(added=(stored("x"),), kind=MemoryKind.PROFILE))
    assert (shown.user_id, shown.request_id, shown.mentioned_profiles) == ("", "", ())
    assert [one.content for one in shown.added_profiles] == ["x"]
