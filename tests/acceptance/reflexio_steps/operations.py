"""Aggregating, learning again, and taking what was learned again into use. They begin with a server without data."""

from typing import Any

from reflexio_steps.world import Step, World, contents, dumped, refusal, until

ERIN = ["I live in Oslo.", "I play the cello.", "No, please always answer in French, not in English."]
FINN = ["I live in Turin.", "No, please always answer in French, not in Italian."]
NAME, VERSION = "default_playbook_extractor", "v7"
UNUSED = "agent-v0"
"""What an agent goes by that nobody named; here all are named."""
PROFILES, PLAYBOOKS = "profile_generation", "playbook_generation"


def run_playbook_aggregation(world: World) -> Any:
    _teach(world)
    names = {"agent_version": VERSION, "playbook_name": NAME}
    waited = world.client.run_playbook_aggregation(**names, wait_for_response=True)
    made = world.client.get_agent_playbooks(**names, force_refresh=True).agent_playbooks
    before = _newest(world, "playbook_aggregation")
    forgotten = world.client.run_playbook_aggregation(**names)
    run = _ended(world, "playbook_aggregation", before)
    again = world.client.get_agent_playbooks(**names, force_refresh=True).agent_playbooks
    unknown = {"agent_version": VERSION, "playbook_name": "no-such"}
    return {
        "waited": dumped(waited),
        "made": [[one.content, one.playbook_status, one.agent_version] for one in made],
        "forgotten": forgotten,
        "run": run["status"],
        "same_afterwards": [dumped(one) for one in again] == [dumped(one) for one in made],
        "unknown": refusal(lambda: world.client.run_playbook_aggregation(**unknown, wait_for_response=True)),
    }


def rerun_profile_generation(world: World) -> Any:
    before = _newest(world, PROFILES)
    forgotten = world.client.rerun_profile_generation(source="mail")
    run = _ended(world, PROFILES, before)
    of_mail = {user: _profiles(world, user, "pending") for user in ("erin", "finn")}
    waited = world.client.rerun_profile_generation(user_id="erin", wait_for_response=True)
    own = _operation(world, PROFILES)
    return {
        "forgotten": forgotten,
        "run": run["request_params"],
        "of_mail": of_mail,
        "waited": dumped(waited),
        "is_of_this_run": own["operation_id"] != run["operation_id"],
        "users": own["processed_user_ids"],
        "generated": own["stats"]["total_generated"],
        "pending": _profiles(world, "erin", "pending"),
        "current": _profiles(world, "erin", None),
        "unknown_user": refusal(
            lambda: world.client.rerun_profile_generation(user_id="nobody", wait_for_response=True)
        ),
        "unknown_extractor": refusal(
            lambda: world.client.rerun_profile_generation(extractor_names=["no"], wait_for_response=True)
        ),
    }


def rerun_playbook_generation(world: World) -> Any:
    before = _newest(world, PLAYBOOKS)
    forgotten = world.client.rerun_playbook_generation(agent_version=VERSION, playbook_name=NAME)
    run = _ended(world, PLAYBOOKS, before)
    pending = _playbooks(world, "pending")
    waited = world.client.rerun_playbook_generation(agent_version=VERSION, wait_for_response=True)
    own = _operation(world, PLAYBOOKS)
    return {
        "forgotten": forgotten,
        "generated": run["stats"]["total_generated"],
        "pending": pending,
        "current": _playbooks(world, None),
        "waited": dumped(waited),
        "is_of_this_run": own["operation_id"] != run["operation_id"],
        "generated_again": own["stats"]["total_generated"],
        "pending_afterwards": _playbooks(world, "pending"),
        "of_another_version": refusal(
            lambda: world.client.rerun_playbook_generation(agent_version=UNUSED, wait_for_response=True)
        ),
        "unknown": refusal(
            lambda: world.client.rerun_playbook_generation(playbook_name="no", wait_for_response=True)
        ),
        "unknown_version": refusal(
            lambda: world.client.rerun_playbook_generation(agent_version="v8", wait_for_response=True)
        ),
    }


def upgrade_profiles(world: World) -> Any:
    current, pending = _profile_ids(world, None), _profile_ids(world, "pending")
    reply = world.client.upgrade_profiles(user_id="erin")
    after = {"archived": _profile_ids(world, "archived"), "current": _profile_ids(world, None)}
    others = world.client.upgrade_profiles()
    nothing = world.client.upgrade_profiles()
    back = _post(world, "downgrade_all_profiles", user_id="erin")
    return {
        "reply": dumped(reply),
        "promoted_are_current": after["current"] == pending,
        "former_are_archived": after["archived"] == current,
        "pending": _profile_ids(world, "pending"),
        "others": dumped(others),
        "finn": [_profiles(world, "finn", status) for status in (None, "archived", "pending")],
        "nothing_pending": dumped(nothing),
        "back": back,
        "restored": _profile_ids(world, None) == current,
    }


def upgrade_user_playbooks(world: World) -> Any:
    names = {"agent_version": VERSION, "playbook_name": NAME}
    current, pending = _playbook_ids(world, None), _playbook_ids(world, "pending")
    other_version = world.client.upgrade_user_playbooks(agent_version=UNUSED)
    reply = world.client.upgrade_user_playbooks(**names)
    after = {"archived": _playbook_ids(world, "archived"), "current": _playbook_ids(world, None)}
    back = _post(world, "downgrade_all_raw_feedbacks", agent_version=VERSION, feedback_name=NAME)
    return {
        "other_version": dumped(other_version),
        "reply": dumped(reply),
        "promoted_are_current": after["current"] == pending,
        "former_are_archived": after["archived"] == current,
        "back": back,
        "restored": _playbook_ids(world, None) == current,
    }


def manual_profile_generation(world: World) -> Any:
    world.client.delete_profiles_by_ids(_profile_ids(world, None))
    before = _newest(world, PROFILES)
    forgotten = world.client.manual_profile_generation(user_id="erin")
    run = _ended(world, PROFILES, before)
    return {
        "forgotten": forgotten,
        "mode": run["mode"],
        "generated": run["stats"]["total_generated"],
        "current": _profiles(world, "erin", None),
        "pending": _profiles(world, "erin", "pending"),
        "refused": world.client.manual_profile_generation(user_id="nobody"),
    }


def manual_playbook_generation(world: World) -> Any:
    world.client.delete_user_playbooks_by_ids(_playbook_ids(world, None))
    before = _newest(world, PLAYBOOKS)
    forgotten = world.client.manual_playbook_generation(agent_version=VERSION, source="chat")
    run = _ended(world, PLAYBOOKS, before)
    return {
        "forgotten": forgotten,
        "mode": run["mode"],
        "generated": run["stats"]["total_generated"],
        "current": _playbooks(world, None),
        "pending": _playbooks(world, "pending"),
    }


def _teach(world: World) -> None:
    """Two users, one by chat and one by mail; nothing is aggregated of it by itself."""
    for user_id, said, source in (("erin", ERIN, "chat"), ("finn", FINN, "mail")):
        world.client.publish_interaction(
            user_id,
            [{"role": "User", "content": content} for content in said],
            source=source,
            agent_version=VERSION,
            wait_for_response=True,
            skip_aggregation=True,
            force_extraction=True,
        )


def _post(world: World, route: str, **body: Any) -> Any:
    """What a route answers for which the client has no method."""
    return world.client._make_request("POST", f"/api/{route}", json=body)


def _operation(world: World, service: str) -> dict[str, Any]:
    """How the newest run of a service stands; empty if it never ran."""
    params = {"service_name": service}
    reply = world.client._make_request("GET", "/api/get_operation_status", params=params)
    return reply.get("operation_status", {})


def _newest(world: World, service: str) -> str:
    return _operation(world, service).get("operation_id", "")


def _ended(world: World, service: str, before: str) -> dict[str, Any]:
    """How the run ended that began after the one called *before*."""
    return until(
        lambda: _operation(world, service),
        lambda run: run.get("operation_id", before) != before and run["status"] != "in_progress",
    )


def _profiles(world: World, user_id: str, status: str | None) -> list[str]:
    found = world.client.get_profiles(user_id=user_id, status_filter=[status], force_refresh=True)
    return sorted(contents(found.user_profiles))


def _profile_ids(world: World, status: str | None) -> list[str]:
    found = world.client.get_profiles(user_id="erin", status_filter=[status], force_refresh=True)
    return sorted(one.profile_id for one in found.user_profiles)


def _playbooks(world: World, status: str | None) -> list[list[str]]:
    found = world.client.get_user_playbooks(agent_version=VERSION, status_filter=[status]).user_playbooks
    return sorted([one.user_id, one.content] for one in found)


def _playbook_ids(world: World, status: str | None) -> list[int]:
    found = world.client.get_user_playbooks(agent_version=VERSION, status_filter=[status]).user_playbooks
    return sorted(one.user_playbook_id for one in found)


STEPS: tuple[Step, ...] = (
    run_playbook_aggregation,
    rerun_profile_generation,
    rerun_playbook_generation,
    upgrade_profiles,
    upgrade_user_playbooks,
    manual_profile_generation,
    manual_playbook_generation,
)
