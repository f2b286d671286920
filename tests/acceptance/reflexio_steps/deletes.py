"""Every deletion: at once, fire and forget, by ids, and all of a kind."""

from typing import Any

from reflexio_steps.world import Step, World, contents, dumped, refusal, until


def delete_profile(world: World) -> Any:
    waited = world.client.delete_profile("bob", profile_id="p-oboe", wait_for_response=True)
    by_words = world.client.delete_profile("bob", search_query="cargo bicycle", wait_for_response=True)
    forgotten = world.client.delete_profile("bob", profile_id="p-hens")
    left = until(lambda: world.profiles("bob"), lambda found: not any("hens" in content for content in found))
    return {
        "waited": dumped(waited),
        "by_words": dumped(by_words),
        "forgotten": forgotten,
        "left": sorted(left),
        "found": contents(
            world.client.search_profiles(user_id="bob", query="bassoon hens", search_mode="fts").user_profiles
        ),
        "of_another_user": refusal(
            lambda: world.client.delete_profile("ada", profile_id="p-speaks", wait_for_response=True)
        ),
    }


def delete_profiles_by_ids(world: World) -> Any:
    reply = world.client.delete_profiles_by_ids([world.profile_ids["kettles"], "p-unknown"])
    return {"reply": dumped(reply), "left": world.profiles("bob")}


def delete_interaction(world: World) -> Any:
    def turns() -> list[Any]:
        return world.client.get_interactions(user_id="ada").interactions

    ids = {one.content: one.interaction_id for one in turns()}
    peanuts, swim = "I am allergic to peanuts.", "Nice to meet you, Ada. The swim was 3 miles."
    waited = world.client.delete_interaction("ada", ids[peanuts], wait_for_response=True)
    forgotten = world.client.delete_interaction("ada", ids[swim])
    left = until(lambda: contents(turns()), lambda found: swim not in found)
    return {
        "waited": dumped(waited),
        "forgotten": forgotten,
        "left": left,
        "found": contents(
            world.client.search_interactions(user_id="ada", query="peanuts", search_mode="fts").interactions
        ),
        "again": refusal(
            lambda: world.client.delete_interaction("ada", ids[peanuts], wait_for_response=True)
        ),
    }


def delete_request(world: World) -> Any:
    waited = world.client.delete_request(world.request_ids["s-2"], wait_for_response=True)
    sent = world.client.publish_interaction("carl", [{"content": "Forget this."}], session_id="s-4")
    forgotten = world.client.delete_request(sent.request_id or "")
    left = until(
        lambda: contents(world.client.get_interactions(user_id="carl").interactions), lambda found: not found
    )
    return {
        "waited": dumped(waited),
        "ada": contents(world.client.get_interactions(user_id="ada").interactions),
        "forgotten": forgotten,
        "carl": left,
        "again": refusal(
            lambda: world.client.delete_request(world.request_ids["s-2"], wait_for_response=True)
        ),
    }


def delete_requests_by_ids(world: World) -> Any:
    sent = [world.client.publish_interaction("carl", [{"content": f"Note {n}."}]) for n in (1, 2)]
    reply = world.client.delete_requests_by_ids([one.request_id or "" for one in sent] + ["r-unknown"])
    left = world.client.get_interactions(user_id="carl").interactions
    return {"reply": dumped(reply), "left": contents(left)}


def delete_session(world: World) -> Any:
    waited = world.client.delete_session("s-1", wait_for_response=True)
    for content in ("One.", "Two."):
        world.client.publish_interaction("carl", [{"content": content}], session_id="s-5")
    forgotten = world.client.delete_session("s-5")
    left = until(
        lambda: contents(world.client.get_interactions(user_id="carl").interactions), lambda found: not found
    )
    return {
        "waited": dumped(waited),
        "ada": contents(world.client.get_interactions(user_id="ada").interactions),
        "forgotten": forgotten,
        "carl": left,
    }


def delete_user_playbook(world: World) -> Any:
    ids = world.user_playbook_ids
    waited = world.client.delete_user_playbook(ids["letters"], wait_for_response=True)
    forgotten = world.client.delete_user_playbook(ids["invoices"])
    left = until(
        lambda: contents(world.client.get_user_playbooks(user_id="bob").user_playbooks),
        lambda found: len(found) == 2,
    )
    again = refusal(lambda: world.client.delete_user_playbook(ids["letters"], wait_for_response=True))
    return {"waited": dumped(waited), "forgotten": forgotten, "left": sorted(left), "again": again}


def delete_user_playbooks_by_ids(world: World) -> Any:
    reply = world.client.delete_user_playbooks_by_ids([world.user_playbook_ids["sums"], 987654])
    left = world.client.get_user_playbooks(user_id="bob").user_playbooks
    return {"reply": dumped(reply), "left": contents(left)}


def delete_agent_playbook(world: World) -> Any:
    ids = world.agent_playbook_ids
    waited = world.client.delete_agent_playbook(ids["tone-v1"], wait_for_response=True)
    forgotten = world.client.delete_agent_playbook(ids["refunds-v2"])
    left = until(
        lambda: contents(world.client.get_agent_playbooks(force_refresh=True).agent_playbooks),
        lambda found: len(found) == 1,
    )
    again = refusal(lambda: world.client.delete_agent_playbook(ids["tone-v1"], wait_for_response=True))
    return {"waited": dumped(waited), "forgotten": forgotten, "left": left, "again": again}


def delete_agent_playbooks_by_ids(world: World) -> Any:
    reply = world.client.delete_agent_playbooks_by_ids([world.agent_playbook_ids["refunds-v1"], 987654])
    left = world.client.get_agent_playbooks(force_refresh=True).agent_playbooks
    return {"reply": dumped(reply), "left": contents(left)}


def delete_all_interactions(world: World) -> Any:
    before = len(world.client.get_all_interactions(limit=1000).interactions)
    reply = world.client.delete_all_interactions()
    return {
        "reply": dumped(reply),
        "before": before,
        "left": contents(world.client.get_all_interactions().interactions),
        "sessions_left": len(world.client.get_requests().sessions),
    }


def delete_all_profiles(world: World) -> Any:
    world.client.add_user_profile([{"user_id": "dora", "content": "Owns a loom.", "status": "pending"}])
    before = _count_profiles(world)
    reply = world.client.delete_all_profiles()
    return {
        "reply": dumped(reply),
        "before": before,
        "left": _count_profiles(world),
        "found": contents(world.client.search_profiles(user_id="ada", query="Lisbon").user_profiles),
    }


def _count_profiles(world: World) -> dict[str, int]:
    return {
        status: len(world.client.get_all_profiles(limit=1000, status_filter=status).user_profiles)
        for status in ("current", "pending", "archived")
    }


def delete_all_user_playbooks(world: World) -> Any:
    _add_playbooks(world)
    reply = world.client.delete_all_user_playbooks()
    return {"reply": dumped(reply)} | _playbooks_left(world)


def delete_all_agent_playbooks(world: World) -> Any:
    _add_playbooks(world)
    reply = world.client.delete_all_agent_playbooks()
    return {"reply": dumped(reply)} | _playbooks_left(world)


def delete_all_playbooks(world: World) -> Any:
    _add_playbooks(world)
    reply = world.client.delete_all_playbooks()
    return {"reply": dumped(reply)} | _playbooks_left(world)


def _add_playbooks(world: World) -> None:
    world.client.add_user_playbook(
        [{"user_id": "carl", "agent_version": "v1", "request_id": "r", "content": "Be brief."}]
    )
    world.client.add_agent_playbooks(
        [
            {
                "agent_version": "v1",
                "content": "Be kind.",
                "playbook_status": "approved",
                "playbook_metadata": "",
            }
        ]
    )


def _playbooks_left(world: World) -> dict[str, list[str]]:
    of_agents = world.client.get_agent_playbooks(force_refresh=True).agent_playbooks
    return {
        "of_users": sorted(contents(world.client.get_user_playbooks().user_playbooks)),
        "of_agents": contents(of_agents),
    }


STEPS: tuple[Step, ...] = (
    delete_profile,
    delete_profiles_by_ids,
    delete_interaction,
    delete_request,
    delete_requests_by_ids,
    delete_session,
    delete_user_playbook,
    delete_user_playbooks_by_ids,
    delete_agent_playbook,
    delete_agent_playbooks_by_ids,
    delete_all_interactions,
    delete_all_profiles,
    delete_all_user_playbooks,
    delete_all_agent_playbooks,
    delete_all_playbooks,
)
