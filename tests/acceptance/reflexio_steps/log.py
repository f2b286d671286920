"""Publishing, and reading back what was published and learned."""

from typing import Any

from reflexio import InteractionData, Status, ToolUsed, UserActionType

from reflexio_steps.world import Step, World, contents, dumped, until


def publish_interaction(world: World) -> Any:
    waited = world.client.publish_interaction(
        "ada",
        [
            {"role": "User", "content": "My name is Ada Marsh and I live in Lisbon."},
            {"role": "Agent", "content": "Nice to meet you, Ada. The swim was 3 miles."},
            {"role": "User", "content": "No, please always answer in kilometres, not in miles."},
            {"role": "User", "content": "I am allergic to peanuts."},
        ],
        source="chat",
        agent_version="v1",
        session_id="s-1",
        wait_for_response=True,
        force_extraction=True,
    )
    queued = world.client.publish_interaction(
        "ada",
        [{"role": "User", "content": "I work as a marine biologist."}],
        source="mail",
        session_id="s-2",
    )
    world.client.publish_interaction(
        "bob",
        [
            InteractionData(
                role="Agent",
                content="Your invoice is open.",
                shadow_content="Here is the invoice.",
                expert_content="Invoice 17 is open since May.",
                user_action=UserActionType.CLICK,
                user_action_description="opened the invoice page",
                interacted_image_url="https://example.org/invoice.png",
                tools_used=[ToolUsed(tool_name="find_invoice", tool_data={"number": 17})],
            )
        ],
        session_id="s-3",
    )
    learned = until(lambda: world.profiles("ada"), lambda found: "biologist" in " ".join(found))
    of_expert = until(
        lambda: contents(world.client.get_user_playbooks(user_id="bob").user_playbooks), lambda found: found
    )
    world.request_ids["s-1"] = waited.request_id or ""
    return {
        "waited": dumped(waited),
        "queued": dumped(queued),
        "learned_later": sorted(learned),
        "learned_from_expert": of_expert,
    }


def get_interactions(world: World) -> Any:
    (bobs,) = world.client.get_interactions(user_id="bob").interactions
    return {
        "ada": contents(world.client.get_interactions(user_id="ada").interactions),
        "newest_two": contents(world.client.get_interactions({"user_id": "ada", "top_k": 2}).interactions),
        "bob": dumped(bobs),
        "nobody": contents(world.client.get_interactions(user_id="nobody").interactions),
    }


def get_all_interactions(world: World) -> Any:
    return {
        "users": [one.user_id for one in world.client.get_all_interactions().interactions],
        "newest": contents(world.client.get_all_interactions(limit=1).interactions),
    }


def get_requests(world: World) -> Any:
    everything = world.client.get_requests(user_id="ada")
    (first,) = world.client.get_requests(request_id=world.request_ids["s-1"]).sessions
    page = world.client.get_requests({"user_id": "ada", "top_k": 1, "offset": 1})
    for group in world.client.get_requests().sessions:
        world.request_ids[group.session_id] = group.requests[0].request.request_id
    return {
        "sessions": [group.session_id for group in everything.sessions],
        "has_more": everything.has_more,
        "first": dumped(first.requests[0].request) | {"created_at": 0},
        "first_turns": contents(first.requests[0].interactions),
        "second_page": [group.session_id for group in page.sessions],
        "second_page_has_more": page.has_more,
        "first_page_has_more": world.client.get_requests(user_id="ada", top_k=1).has_more,
    }


def get_profiles(world: World) -> Any:
    found = world.client.get_profiles(user_id="ada", force_refresh=True).user_profiles
    lisbon = next(one for one in found if "Lisbon" in one.content)
    return {
        "ada": sorted(contents(found)),
        "lisbon": dumped(lisbon),
        "first_request": world.request_ids["s-1"],
        "current": len(world.client.get_profiles(user_id="ada", status_filter=[None]).user_profiles),
        "current_by_enum": len(
            world.client.get_profiles(user_id="ada", status_filter=[Status.CURRENT]).user_profiles
        ),
        "archived": contents(
            world.client.get_profiles(user_id="ada", status_filter=["archived"]).user_profiles
        ),
        "bob": contents(world.client.get_profiles(user_id="bob").user_profiles),
    }


def get_all_profiles(world: World) -> Any:
    return {
        "users": sorted({one.user_id for one in world.client.get_all_profiles().user_profiles}),
        "one": len(world.client.get_all_profiles(limit=1).user_profiles),
        "pending": contents(world.client.get_all_profiles(status_filter="pending").user_profiles),
    }


def get_profile_change_log(world: World) -> Any:
    logs = world.client.get_profile_change_log().profile_change_logs
    return {
        "users": sorted({log.user_id for log in logs}),
        "added": sorted(text for log in logs for text in contents(log.added_profiles)),
    }


def get_user_playbooks(world: World) -> Any:
    found = world.client.get_user_playbooks(user_id="ada").user_playbooks
    world.user_playbook_ids["learned"] = found[0].user_playbook_id
    return {
        "ada": dumped(found[0]) | {"created_at": 0},
        "count": len(found),
        "first_request": world.request_ids["s-1"],
        "other_version": len(world.client.get_user_playbooks(agent_version="v9").user_playbooks),
        "pending": len(world.client.get_user_playbooks(status_filter=[Status.PENDING]).user_playbooks),
    }


def get_agent_success_evaluation_results(world: World) -> Any:
    return dumped(world.client.get_agent_success_evaluation_results(agent_version="v1", limit=5))


STEPS: tuple[Step, ...] = (
    publish_interaction,
    get_interactions,
    get_all_interactions,
    get_requests,
    get_profiles,
    get_all_profiles,
    get_profile_change_log,
    get_user_playbooks,
    get_agent_success_evaluation_results,
)
