"""
Calls every method of the newest reflexio-client against a server and prints what came of it, as one JSON object.

    PYTHONPATH=.venv-reflexio/newest .venv-reflexio/bin/python tests/acceptance/reflexio_newest.py URL

It runs in that client's own environment and imports nothing of ours. Whatever the server holds of its users "nora" and
"omar" is erased first, and the configuration is reset.
"""

import asyncio
import inspect
import json
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

import aiohttp
import requests
from reflexio import ReflexioClient

THEN, SOON = datetime(2020, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)
VERSION, NAME = "newest-v1", "rules"
EXTRACTORS = {
    "profile_extractor_configs": [
        {
            "extractor_name": "facts",
            "extraction_definition_prompt": "Facts.",
            "metadata_definition_prompt": "Since when.",
        },
        {"extractor_name": "tastes", "extraction_definition_prompt": "Tastes.", "manual_trigger": True},
    ],
    "user_playbook_extractor_configs": [
        {
            "extractor_name": NAME,
            "extraction_definition_prompt": "Rules.",
            "batch_size_override": 7,
            "skill_generator_config": {"cooldown_hours": 3},
        }
    ],
    "agent_success_configs": [{"evaluation_name": "solved", "success_definition_prompt": "It is solved."}],
    "batch_size": 12,
    "chat_budgets": {"total_tokens": 3000},
    "holdout_share": 0.1,
    "llm_config": {"chat_model_name": "openai/any"},
    "api_key_config": {
        "openai": {"azure_config": {"api_key": "sk-of-azure", "endpoint": "https://any.openai.azure.com/"}}
    },
}
"""What older names say and no word of the client's does."""
Calls = Iterator[tuple[str, Callable[[], Any]]]


def outcome(call: Callable[[], Any]) -> dict[str, Any]:
    """What a call replied, as JSON, or the status by which the server refused it."""
    try:
        reply = call()
        reply = asyncio.run(reply) if inspect.iscoroutine(reply) else reply
    except requests.HTTPError as error:
        return {"status": error.response.status_code}
    except aiohttp.ClientResponseError as error:
        return {"status": error.status}
    except Exception:  # noqa: BLE001  the test shows it, whatever it is
        return {"crashed": traceback.format_exc()}
    return {"reply": reply.model_dump(mode="json") if hasattr(reply, "model_dump") else reply}


def talks(client: ReflexioClient) -> Calls:
    """Publishing, and what becomes of it."""
    said = [
        {"content": "My name is Nora Lind and I live in Bergen."},
        {"content": "No, please always answer in miles."},
    ]
    publish = partial(client.publish_interaction, "nora", source="chat", agent_version=VERSION)
    yield (
        "publish_interaction",
        lambda: publish(said, session_id="n-1", wait_for_response=True, force_extraction=True),
    )
    more = [{"content": "I work as a glazier."}]
    yield (
        "publish_interaction_async",
        lambda: client.publish_interaction_async("nora", more, session_id="n-2"),
    )
    [request] = client.get_requests({"user_id": "nora", "session_id": "n-2"}).sessions[0].requests
    while client.get_learning_status(request.request.request_id) in {"pending", "processing"}:
        time.sleep(0.02)
    yield "get_learning_status", lambda: client.get_learning_status(request.request.request_id)
    yield "get_interactions", lambda: client.get_interactions(user_id="nora", start_time=THEN)
    yield "get_all_interactions", client.get_all_interactions
    yield "get_requests", lambda: client.get_requests(user_id="nora", start_time=THEN, end_time=SOON)
    yield "get_profiles", lambda: client.get_profiles(user_id="nora", start_time=THEN)
    yield "get_all_profiles", lambda: client.get_all_profiles(user_id="nora", query="Bergen")
    yield "get_profile_change_log", client.get_profile_change_log
    yield (
        "search_interactions",
        lambda: client.search_interactions(user_id="nora", query="Bergen", start_time=THEN),
    )
    yield (
        "mark_session_outcome",
        lambda: client.mark_session_outcome(session_id="n-1", outcome="success", occurred_at=1),
    )
    yield "get_session_outcomes", client.get_session_outcomes
    yield "get_agent_success_evaluation_results", client.get_agent_success_evaluation_results
    yield "get_retrieved_learning_evaluation_results", client.get_retrieved_learning_evaluation_results
    yield "regenerate_evaluations", lambda: client.regenerate_evaluations(from_ts=1, to_ts=2)
    yield "get_evaluation_regeneration_status", lambda: client.get_evaluation_regeneration_status("any")
    yield "cancel_evaluation_regeneration", lambda: client.cancel_evaluation_regeneration("any")
    yield "grade_on_demand", lambda: client.grade_on_demand(session_id="n-1", agent_version=VERSION)


def memories(client: ReflexioClient) -> Calls:
    """Memories written, found, and changed."""
    chess, nuts = (
        {"user_id": "omar", "content": content, "profile_id": uid}
        for uid, content in (("o-1", "Plays chess."), ("o-2", "Is allergic to peanuts."))
    )
    brief = {"user_id": "omar", "agent_version": VERSION, "request_id": "", "content": "Be brief."}
    yield "add_user_profile", lambda: client.add_user_profile([chess, nuts])
    yield "add_user_playbook", lambda: client.add_user_playbook([brief])
    kind = {"agent_version": VERSION, "content": "Be kind.", "playbook_name": NAME}
    yield "add_agent_playbooks", lambda: client.add_agent_playbooks([kind])
    yield "storage_stats", lambda: client.storage_stats("omar")
    # With their words they are found before their vectors are there.
    ids = ["o-1", "o-2", "no-such"]
    yield (
        "rerank_user_profiles",
        lambda: client.rerank_user_profiles(user_id="omar", query="chess or peanuts", profile_ids=ids),
    )
    yield "search", lambda: client.search(query="peanuts", user_id="omar", entity_types=["profiles"])
    yield "search_async", lambda: client.search_async(query="peanuts", user_id="omar")
    yield "search_profiles", lambda: client.search_profiles(user_id="omar", query="peanuts")
    yield (
        "search_user_profiles",
        lambda: client.search_user_profiles(user_id="omar", query="peanuts", start_time=THEN),
    )
    yield (
        "search_user_playbooks",
        lambda: client.search_user_playbooks(query="brief", user_id="omar", end_time=SOON),
    )
    yield "search_agent_playbooks", lambda: client.search_agent_playbooks(query="kind", start_time=THEN)
    yield (
        "get_user_playbooks",
        lambda: client.get_user_playbooks(user_id="omar", query="brief", start_time=THEN),
    )
    yield "get_agent_playbooks", lambda: client.get_agent_playbooks(agent_version=VERSION)
    [playbook] = client.get_user_playbooks(user_id="omar").user_playbooks
    [shared] = client.get_agent_playbooks(agent_version=VERSION).agent_playbooks
    own, its = playbook.user_playbook_id, shared.agent_playbook_id
    yield (
        "update_user_playbook",
        lambda: client.update_user_playbook(user_playbook_id=own, content="Be very brief."),
    )
    yield (
        "update_agent_playbook",
        lambda: client.update_agent_playbook(agent_playbook_id=its, content="Be very kind."),
    )
    yield (
        "update_agent_playbook_status",
        lambda: client.update_agent_playbook_status(agent_playbook_id=its, playbook_status="approved"),
    )
    yield "review_user_playbooks", lambda: client.review_user_playbooks(start_time=THEN, end_time=SOON)


def configuration(client: ReflexioClient) -> Calls:
    """The configuration: read and written back it is the same, and changed it is as it was changed."""
    post = partial(client._make_request, "POST", "/api/set_config")
    read = partial(client._make_request, "GET", "/api/get_config")
    post(json=EXTRACTORS)
    before = read()
    yield "get_config", client.get_config
    client.set_config(client.get_config())
    same = read() == before

    def change() -> dict[str, Any]:
        config = client.get_config()
        config.window_size, config.retrieval_floor.enabled = 20, True
        config.profile_extractor_config.extraction_definition_prompt = "Only facts."
        config.user_playbook_extractor_config = config.agent_success_config = None
        told, after = client.set_config(config), read()
        return {
            "same": same,
            "told": told["msg"],
            "changed": {name: after[name] for name in after if after[name] != before[name]},
        }

    yield "set_config", change
    client.update_config({"user_playbook_extractor_config": {"extraction_definition_prompt": "Rules again."}})
    yield "update_config", lambda: client.update_config({"stride_size": 6}) | {"after": read()}
    post(json={})
    yield "whoami", client.whoami
    yield "get_my_config", client.get_my_config
    yield "invalidate_cache", client.invalidate_cache
    yield "list_retrieval_experiments", client.list_retrieval_experiments
    yield "start_retrieval_experiment", lambda: client.start_retrieval_experiment("any", 10)
    yield "stop_retrieval_experiment", lambda: client.stop_retrieval_experiment("any")
    yield "get_retrieval_experiment_results", lambda: client.get_retrieval_experiment_results("any")


def questions(client: ReflexioClient) -> Calls:
    """Learning that asks people, or stands still."""
    yield "get_stall_state", client.get_stall_state
    yield "mark_stall_notified", client.mark_stall_notified
    yield "list_pending_tool_calls", client.list_pending_tool_calls
    yield "get_pending_tool_call", lambda: client.get_pending_tool_call("any")
    yield "resolve_pending_tool_call", lambda: client.resolve_pending_tool_call("any", answer="Yes.")
    yield "update_pending_tool_call_answer", lambda: client.update_pending_tool_call_answer("any", "No.")
    yield "mark_pending_tool_call_not_applicable", lambda: client.mark_pending_tool_call_not_applicable("any")
    yield "cancel_pending_tool_call", lambda: client.cancel_pending_tool_call("any")


def operations(client: ReflexioClient) -> Calls:
    """Learning again; waiting looks more often than the client would by itself."""
    client._poll_operation_status = partial(client._poll_operation_status, poll_interval=0.05)
    name, waits = "default_playbook_extractor", {"wait_for_response": True}
    yield "rerun_profile_generation", lambda: client.rerun_profile_generation(user_id="nora", **waits)
    yield (
        "rerun_playbook_generation",
        lambda: client.rerun_playbook_generation(agent_version=VERSION, **waits),
    )
    yield "upgrade_profiles", lambda: client.upgrade_profiles(user_id="nora")
    yield "upgrade_user_playbooks", lambda: client.upgrade_user_playbooks(agent_version=VERSION)
    yield (
        "run_playbook_aggregation",
        lambda: client.run_playbook_aggregation(agent_version=VERSION, playbook_name=name, **waits),
    )
    yield "manual_profile_generation", lambda: client.manual_profile_generation(user_id="nora")
    yield "manual_playbook_generation", lambda: client.manual_playbook_generation(agent_version=VERSION)


def deletes(client: ReflexioClient) -> Calls:
    """What is there goes, one by one, and then all."""
    waits = {"wait_for_response": True}
    turn = client.get_interactions(user_id="nora").interactions[-1]
    [playbook] = client.get_user_playbooks(user_id="omar").user_playbooks
    [shared] = client.get_agent_playbooks(agent_version=VERSION, force_refresh=True).agent_playbooks
    yield "delete_profile", lambda: client.delete_profile(user_id="omar", profile_id="o-1", **waits)
    yield (
        "delete_interaction",
        lambda: client.delete_interaction(user_id="nora", interaction_id=turn.interaction_id, **waits),
    )
    yield "delete_request", lambda: client.delete_request(request_id=turn.request_id, **waits)
    yield "delete_session", lambda: client.delete_session(session_id="n-2", **waits)
    yield (
        "delete_user_playbook",
        lambda: client.delete_user_playbook(user_playbook_id=playbook.user_playbook_id, **waits),
    )
    yield (
        "delete_agent_playbook",
        lambda: client.delete_agent_playbook(agent_playbook_id=shared.agent_playbook_id, **waits),
    )
    yield "delete_requests_by_ids", lambda: client.delete_requests_by_ids(["no-such"])
    yield "delete_profiles_by_ids", lambda: client.delete_profiles_by_ids(["o-2", "no-such"])
    yield "delete_user_playbooks_by_ids", lambda: client.delete_user_playbooks_by_ids([9_999])
    yield "delete_agent_playbooks_by_ids", lambda: client.delete_agent_playbooks_by_ids([9_999])
    yield "clear_user_data", lambda: client.clear_user_data("nora")
    for kind in ("interactions", "profiles", "user_playbooks", "agent_playbooks", "playbooks"):
        yield f"delete_all_{kind}", getattr(client, f"delete_all_{kind}")


def main(url: str) -> None:
    """Print one JSON object: the client's methods, and what each call gave."""
    warnings.simplefilter("ignore", DeprecationWarning)
    client = ReflexioClient(url_endpoint=url, timeout=60)
    client._make_request("POST", "/api/set_config", json={})
    for user_id in ("nora", "omar"):
        client.clear_user_data(user_id)
    methods = [name for name in vars(ReflexioClient) if not name.startswith("_")]
    groups = (talks, memories, questions, operations, deletes, configuration)
    calls = {name: outcome(call) for group in groups for name, call in group(client)}
    print(json.dumps({"methods": methods, "calls": calls}))


if __name__ == "__main__":
    main(*sys.argv[1:])
