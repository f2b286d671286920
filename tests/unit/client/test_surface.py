"""Both clients offer the same calls, and those that users of the older client know."""

import inspect

import pytest

from sagacity.client import AsyncSagacity, Sagacity

KNOWN = (
    "publish_interaction",
    "search",
    "search_interactions",
    "search_profiles",
    "search_user_playbooks",
    "search_agent_playbooks",
    "get_interactions",
    "get_all_interactions",
    "get_requests",
    "get_profile_change_log",
    "get_all_profiles",
    "get_profiles",
    "get_user_playbooks",
    "get_agent_playbooks",
    "get_agent_success_evaluation_results",
    "add_user_playbook",
    "add_agent_playbooks",
    "add_user_profile",
    "update_user_playbook",
    "update_agent_playbook",
    "update_agent_playbook_status",
    "update_user_profile",
    "delete_profile",
    "delete_interaction",
    "delete_request",
    "delete_session",
    "delete_agent_playbook",
    "delete_user_playbook",
    "delete_requests_by_ids",
    "delete_profiles_by_ids",
    "delete_agent_playbooks_by_ids",
    "delete_user_playbooks_by_ids",
    "delete_all_interactions",
    "delete_all_profiles",
    "delete_all_playbooks",
    "delete_all_user_playbooks",
    "delete_all_agent_playbooks",
    "get_config",
    "set_config",
    "whoami",
    "get_my_config",
)


def calls(kind: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(member)
        for name, member in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize("name", KNOWN)
def test_known_call_is_there_and_documented(name: str) -> None:
    """Every call of the older client has its name here, in both forms, with a docstring."""
    assert inspect.iscoroutinefunction(getattr(AsyncSagacity, name))
    assert not inspect.iscoroutinefunction(getattr(Sagacity, name))
    assert inspect.getdoc(getattr(Sagacity, name))


def test_both_clients_take_the_same_arguments() -> None:
    """Whoever changes from one to the other changes nothing but `await`."""
    both = [calls(kind) for kind in (AsyncSagacity, Sagacity)]
    renamed = {
        "close" if name == "aclose" else name: list(signature.parameters)
        for name, signature in both[0].items()
    }
    assert renamed == {name: list(signature.parameters) for name, signature in both[1].items()}


def test_waiting_has_the_same_names_in_every_call() -> None:
    """Whatever can be waited for at length takes the same three words, and no call has others for them."""
    taken = {name: set(signature.parameters) for name, signature in calls(Sagacity).items()}
    assert not [name for name, words in taken.items() if words & {"wait", "progress"}]
    lengthy = {name for name, words in taken.items() if "on_progress" in words}
    assert lengthy == {name for name, words in taken.items() if "timeout_seconds" in words} - {"send"}
    started = {name for name in lengthy if "wait_for_response" in taken[name]}
    assert lengthy - started == {"wait_for_receipt", "wait_for_operation"}
    assert {"run_skill_generation", "run_playbook_aggregation", "rerun_profile_generation"} < started
