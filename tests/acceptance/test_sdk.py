"""Both clients against a real server, over a real network."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from sagacity.client import AsyncSagacity, Sagacity
from sagacity.client.errors import ServerError
from sagacity.domain.errors import Conflict, InvalidInput, NotFound
from sagacity.domain.memory import Approval
from sagacity.domain.views.receipt import Receipt, ReceiptState
from support.server import ServerProcess, running_server

TURNS = [
    {"role": "User", "content": "I work as a nurse in Lisbon. From now on, always use bullet points."},
    {"role": "Assistant", "content": "I will."},
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    env = {"SAGACITY_QUIET_SECONDS": "0", "SAGACITY_RATE_LIMITS": "false"}
    with running_server(tmp_path_factory.mktemp("home"), env) as process:
        yield process


@pytest.fixture
def sagacity(server: ServerProcess) -> Iterator[Sagacity]:
    with Sagacity(server.url) as client:
        yield client


def published(sagacity: Sagacity, user_id: str) -> Receipt:
    reply = sagacity.publish_interaction(user_id, TURNS, session_id=f"s-{user_id}", force_extraction=True)
    assert reply.message == "queued"
    return sagacity.wait_for_receipt(reply.request_id)


def test_publish_is_learned_from_and_found(sagacity: Sagacity) -> None:
    """The way of one fact: published, learned, searched, with its scores and its source."""
    receipt = published(sagacity, "ana")
    assert receipt.state is ReceiptState.LEARNED
    page = sagacity.search("what is her job?", user_id="ana")
    best = page.profiles[0]
    assert "nurse" in best.content
    assert best.generated_from_request_id == receipt.request_id
    assert best.score is not None
    assert 0 < best.score <= 1
    assert best.score_components
    rules = sagacity.search("how to use bullet points", user_id="ana").user_playbooks
    assert "bullet points" in rules[0].content


async def test_async_client_does_the_same(server: ServerProcess) -> None:
    """The same few lines with `await`."""
    async with AsyncSagacity(server.url) as sagacity:
        reply = await sagacity.publish_interaction("bo", TURNS, force_extraction=True)
        steps: list[ReceiptState] = []
        receipt = await sagacity.wait_for_receipt(
            reply.request_id, on_progress=lambda one: steps.append(one.state)
        )
        found = await sagacity.search_profiles("bo", "nurse in Lisbon")
    assert receipt.state is ReceiptState.LEARNED
    assert steps[-1] is ReceiptState.LEARNED
    assert "nurse" in found.user_profiles[0].content


def test_waiting_publish_counts_what_was_learned(sagacity: Sagacity) -> None:
    """`wait_for_response` answers after learning, with the counts."""
    reply = sagacity.publish_interaction("cy", TURNS, wait_for_response=True, force_extraction=True)
    assert reply.warnings == ()
    assert (reply.profiles_added or 0) >= 1
    assert (reply.playbooks_added or 0) >= 1


def test_time_filters_take_datetimes(sagacity: Sagacity) -> None:
    """Times work with every zone, on both sides."""
    published(sagacity, "dee")
    now = datetime.now(UTC)
    hour = timedelta(hours=1)
    assert len(sagacity.get_interactions("dee", start_time=now - hour, end_time=now + hour).interactions) == 2
    assert sagacity.get_interactions("dee", start_time=now + hour).interactions == ()
    assert sagacity.search_interactions("dee", "nurse", end_time=now - hour).interactions == ()
    assert len(sagacity.search_interactions("dee", "nurse", start_time=now - hour).interactions) == 2
    assert sagacity.get_profiles("dee", start_time=now + hour).user_profiles == ()


def test_same_request_id_is_one_publish(sagacity: Sagacity) -> None:
    """Sent twice it is stored once; with other turns it is refused."""
    for _ in range(2):
        assert sagacity.publish_interaction("eve", TURNS, request_id="eve-1").request_id == "eve-1"
    assert len(sagacity.get_interactions("eve").interactions) == 2
    with pytest.raises(Conflict):
        sagacity.publish_interaction("eve", TURNS[:1], request_id="eve-1")


def test_requests_come_by_session(sagacity: Sagacity) -> None:
    """Publishes of one conversation stand together, and go together."""
    published(sagacity, "flo")
    (group,) = sagacity.get_requests(user_id="flo").sessions
    assert group.session_id == "s-flo"
    assert [len(one.interactions) for one in group.requests] == [2]
    assert sagacity.delete_session("s-flo").deleted_requests_count == 1
    assert sagacity.get_requests(user_id="flo").sessions == ()


def test_profile_lives_its_life(sagacity: Sagacity) -> None:
    """Written, edited, found by its new words, deleted by number."""
    added = sagacity.add_user_profile(
        [{"profile_id": "p-gil", "user_id": "gil", "content": "Gil likes tea."}]
    )
    assert added.added_count == 1
    sagacity.update_user_profile("gil", "p-gil", content="Gil likes coffee.", custom_features={"cups": 2})
    (found,) = sagacity.search_profiles("gil", "coffee").user_profiles
    assert (found.content, found.custom_features) == ("Gil likes coffee.", {"cups": 2})
    assert sagacity.delete_profiles_by_ids(["p-gil", "p-none"]).deleted_count == 1
    with pytest.raises(NotFound):
        sagacity.update_user_profile("gil", "p-gil", content="x")


def test_playbooks_live_their_lives(sagacity: Sagacity) -> None:
    """Both sorts, by hand: written, edited, reviewed, deleted."""
    sagacity.add_user_playbook(
        [{"user_id": "hal", "trigger": "asked to hurry", "content": "Answer in one line."}]
    )
    (mine,) = sagacity.get_user_playbooks(user_id="hal").user_playbooks
    sagacity.update_user_playbook(mine.user_playbook_id, rationale="They said so.")
    assert sagacity.get_user_playbooks(user_id="hal").user_playbooks[0].rationale == "They said so."
    assert sagacity.delete_user_playbooks_by_ids([mine.user_playbook_id]).deleted_count == 1
    sagacity.add_agent_playbooks(
        [{"content": "Greet first.", "playbook_name": "manners", "agent_version": "v1"}]
    )
    (ours,) = sagacity.get_agent_playbooks(playbook_name="manners").agent_playbooks
    assert ours.playbook_status is Approval.PENDING
    sagacity.update_agent_playbook_status(ours.agent_playbook_id, "approved")
    approved = sagacity.get_agent_playbooks(playbook_name="manners", playbook_status_filter="approved")
    assert len(approved.agent_playbooks) == 1
    sagacity.delete_agent_playbook(ours.agent_playbook_id)
    assert sagacity.get_agent_playbooks(playbook_name="manners").agent_playbooks == ()


def test_configuration_keeps_its_secrets(sagacity: Sagacity) -> None:
    """A key goes in and never comes out; sent back masked, it stays."""
    config = sagacity.get_config()
    sagacity.set_config(config | {"api_key_config": {"anthropic": {"api_key": "sk-secret-1"}}})
    masked = sagacity.get_config()
    assert "sk-secret-1" not in str(masked)
    sagacity.set_config(masked)
    assert sagacity.get_config() == masked
    with pytest.raises(InvalidInput, match="batch"):
        sagacity.set_config(masked | {"batch_size": -1})
    sagacity.set_config(config)


def test_server_tells_about_itself(sagacity: Sagacity) -> None:
    """Health, readiness, release, owner, figures, and nothing given up."""
    assert sagacity.health().status == "healthy"
    assert all(check.ok for check in sagacity.ready().checks)
    assert sagacity.version().server_version == "0.1.0"
    assert sagacity.whoami().org_id == "self-host-org"
    assert sagacity.get_my_config().success is False
    assert sagacity.list_dead_letters(status="parked").dead_letters == ()
    assert sagacity.get_agent_success_evaluation_results().agent_success_evaluation_results == ()
    stats = sagacity.get_dashboard_stats(days_back=7).stats
    assert stats is not None
    assert stats.current_period.total_interactions == len(sagacity.get_all_interactions(1000).interactions)
    assert sagacity.get_profile_statistics().current_count == len(
        sagacity.get_all_profiles(1000).user_profiles
    )
    assert sagacity.get_profile_change_log().success is True
    assert sagacity.get_playbook_aggregation_change_logs("manners", "v1").change_logs == ()


def test_hostile_ids_reach_no_other_route(sagacity: Sagacity) -> None:
    """An id is an id, whatever stands in it."""
    for request_id in ("../whoami", "a/b", "x?y=1#z", "%2e%2e", "日本", " "):
        with pytest.raises((NotFound, InvalidInput, ServerError)) as raised:
            sagacity.get_receipt(request_id)
        assert not isinstance(raised.value, ServerError)


def test_deleting_all_counts_what_was_there(sagacity: Sagacity) -> None:
    """The last word of this server: everything goes, and the counts are true."""
    for name, rows in (
        ("profiles", lambda: sagacity.get_all_profiles(1000).user_profiles),
        ("interactions", lambda: sagacity.get_all_interactions(1000).interactions),
        ("user_playbooks", lambda: sagacity.get_user_playbooks(limit=1000).user_playbooks),
    ):
        before = len(rows())
        assert getattr(sagacity, f"delete_all_{name}")().deleted_count >= before
        assert rows() == ()
    sagacity.delete_all_agent_playbooks()  # what the server made of the users' by itself, if it came to it
    assert sagacity.delete_all_playbooks().deleted_count == 0


def test_entities_and_relationships_are_made_and_mended(sagacity: Sagacity) -> None:
    """Each call takes and gives values; ids of another user are not found."""
    ana = sagacity.add_entity(
        "Ana", user_id="mia", entity_type="person", aliases=["Annie"], attributes={"age": 7}
    )
    oslo = sagacity.add_entity("Oslo", user_id="mia")
    tie = sagacity.add_relationship(ana.entity_id, "lives in", oslo.entity_id, user_id="mia", confidence=0.5)
    assert (tie.relationship_type, tie.target_name) == ("lives_in", "Oslo")
    assert sagacity.get_relationship(tie.relationship_id, user_id="mia") == tie
    assert sagacity.list_relationships(user_id="mia", entity_id=oslo.entity_id).relationships == (tie,)
    surer = sagacity.update_relationship(tie.relationship_id, user_id="mia", confidence=0.75)
    assert surer.confidence == pytest.approx(0.75)
    graph = sagacity.get_entity_graph(ana.entity_id, user_id="mia")
    assert {entity.name for entity in graph.entities} == {"Ana", "Oslo"}
    assert sagacity.update_entity(oslo.entity_id, user_id="mia", name="Kristiania").aliases == ("Oslo",)
    assert sagacity.list_entities(user_id="mia", query="annie").entities[0].attributes == {"age": 7}
    merged = sagacity.merge_entities(ana.entity_id, [oslo.entity_id], user_id="mia")
    assert merged.aliases == ("Annie", "Kristiania", "Oslo")
    assert sagacity.list_relationships(user_id="mia").total == 0
    with pytest.raises(NotFound):
        sagacity.get_entity(ana.entity_id, user_id="m&user_id=mia")
    with pytest.raises(NotFound):
        sagacity.delete_entity(ana.entity_id, user_id="m&user_id=mia")
    assert sagacity.delete_entity(ana.entity_id, user_id="mia").success
