"""Every search."""

from typing import Any

from reflexio import PlaybookStatus, Status

from reflexio_steps.world import Step, World, contents, until


def search_interactions(world: World) -> Any:
    by_word = world.client.search_interactions(user_id="ada", query="peanuts", search_mode="fts")
    by_meaning = until(
        lambda: contents(
            world.client.search_interactions(
                user_id="ada", query="what is her profession?", search_mode="vector", top_k=1
            ).interactions
        ),
        lambda found: found == ["I work as a marine biologist."],
    )
    newest = world.client.search_interactions(user_id="ada", most_recent_k=1)
    of_request = world.client.search_interactions(
        {"user_id": "ada", "query": "kilometres", "request_id": world.request_ids["s-2"]}
    )
    return {
        "by_word": contents(by_word.interactions),
        "by_meaning": by_meaning,
        "newest": contents(newest.interactions),
        "of_another_request": [one for one in contents(of_request.interactions) if "kilometres" in one],
        "of_another_user": contents(
            world.client.search_interactions(user_id="bob", query="peanuts", search_mode="fts").interactions
        ),
    }


def search_profiles(world: World) -> Any:
    by_meaning = world.client.search_profiles(
        user_id="ada", query="food allergies", search_mode="vector", threshold=0.2
    )
    strict = world.client.search_profiles(
        user_id="ada", query="profession", search_mode="vector", threshold=1.0
    )
    by_feature = world.client.search_profiles(user_id="bob", custom_feature="kettles")
    return {
        "by_meaning": contents(by_meaning.user_profiles),
        "above_threshold_one": contents(strict.user_profiles),
        "by_word": contents(
            world.client.search_profiles(user_id="ada", query="peanut", search_mode="fts").user_profiles
        ),
        "by_feature": contents(by_feature.user_profiles),
        "by_source": contents(world.client.search_profiles(user_id="ada", source="mail").user_profiles),
        "of_request": sorted(
            contents(
                world.client.search_profiles(
                    user_id="ada", generated_from_request_id=world.request_ids["s-1"]
                ).user_profiles
            )
        ),
        "top_one": len(world.client.search_profiles(user_id="ada", query="Ada", top_k=1).user_profiles),
    }


def search_user_playbooks(world: World) -> Any:
    by_meaning = world.client.search_user_playbooks(query="units of distance", user_id="ada", threshold=0.1)
    pending = world.client.search_user_playbooks(query="letters", status_filter=[Status.PENDING])
    return {
        "by_meaning": contents(by_meaning.user_playbooks)[:1],
        "by_word": contents(
            world.client.search_user_playbooks(query="invoice", search_mode="fts").user_playbooks
        ),
        "pending_by_default": contents(
            world.client.search_user_playbooks(query="letters", search_mode="fts").user_playbooks
        ),
        "pending_asked_for": contents(pending.user_playbooks),
        "other_version": contents(
            world.client.search_user_playbooks(
                query="invoice", agent_version="v2", search_mode="fts"
            ).user_playbooks
        ),
        "by_name": contents(world.client.search_user_playbooks(playbook_name="invoices").user_playbooks),
    }


def search_agent_playbooks(world: World) -> Any:
    found = world.client.search_agent_playbooks(query="refund", search_mode="fts")
    approved = world.client.search_agent_playbooks(
        query="refund", search_mode="fts", playbook_status_filter=PlaybookStatus.APPROVED
    )
    return {
        "by_word": sorted(contents(found.agent_playbooks)),
        "approved": contents(approved.agent_playbooks),
        "by_meaning": contents(
            world.client.search_agent_playbooks(
                query="How to address people?", search_mode="vector", threshold=0.1, top_k=1
            ).agent_playbooks
        ),
    }


def search(world: World) -> Any:
    ada = world.client.search(query="peanut allergy or kilometres or refund", user_id="ada", top_k=3)
    anyone = world.client.search(query="peanut allergy or kilometres or refund", top_k=3)
    history = world.client.search(
        query="invoice",
        user_id="bob",
        search_mode="fts",
        enable_reformulation=True,
        conversation_history=[{"role": "user", "content": "I ask about a bill."}],
    )
    return {
        "profile": contents(ada.profiles)[:1],
        "user_playbook": contents(ada.user_playbooks)[:1],
        "agent_playbook": contents(ada.agent_playbooks)[:1],
        "rejected": [one for one in contents(ada.agent_playbooks) if "receipt" in one],
        "without_user": [contents(anyone.profiles), contents(anyone.user_playbooks)],
        "without_user_agent_playbook": contents(anyone.agent_playbooks)[:1],
        "with_history": contents(history.user_playbooks)[:1],
    }


STEPS: tuple[Step, ...] = (
    search_interactions,
    search_profiles,
    search_user_playbooks,
    search_agent_playbooks,
    search,
)
