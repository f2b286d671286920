"""Learning again, swapping generations, aggregating: routes that the server does not have."""

from typing import Any

from reflexio_steps.world import Step, World, refusal


def rerun_profile_generation(world: World) -> Any:
    waited = refusal(lambda: world.client.rerun_profile_generation(user_id="ada", wait_for_response=True))
    return {"waited": waited, "forgotten": world.client.rerun_profile_generation(user_id="ada")}


def rerun_playbook_generation(world: World) -> Any:
    waited = refusal(
        lambda: world.client.rerun_playbook_generation(agent_version="v1", wait_for_response=True)
    )
    return {"waited": waited, "forgotten": world.client.rerun_playbook_generation(agent_version="v1")}


def manual_profile_generation(world: World) -> Any:
    # The client waits for no answer here, so that the route is asked by itself.
    answer = refusal(lambda: world.client._make_request("POST", "/api/manual_profile_generation", json={}))
    return {"forgotten": world.client.manual_profile_generation(user_id="ada"), "waited": answer}


def manual_playbook_generation(world: World) -> Any:
    answer = refusal(lambda: world.client._make_request("POST", "/api/manual_playbook_generation", json={}))
    return {"forgotten": world.client.manual_playbook_generation(agent_version="v1"), "waited": answer}


def run_playbook_aggregation(world: World) -> Any:
    names = {"agent_version": "v1", "playbook_name": "invoices"}
    waited = refusal(lambda: world.client.run_playbook_aggregation(**names, wait_for_response=True))
    return {"waited": waited, "forgotten": world.client.run_playbook_aggregation(**names)}


def upgrade_profiles(world: World) -> Any:
    return {"waited": refusal(lambda: world.client.upgrade_profiles(user_id="ada"))}


def upgrade_user_playbooks(world: World) -> Any:
    return {"waited": refusal(lambda: world.client.upgrade_user_playbooks(agent_version="v1"))}


STEPS: tuple[Step, ...] = (
    rerun_profile_generation,
    rerun_playbook_generation,
    manual_profile_generation,
    manual_playbook_generation,
    run_playbook_aggregation,
    upgrade_profiles,
    upgrade_user_playbooks,
)
