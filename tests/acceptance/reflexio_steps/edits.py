"""Edits, seen by reads and by searches."""

from typing import Any

from reflexio import PlaybookStatus

from reflexio_steps.world import Step, World, contents, dumped, refusal


def update_user_playbook(world: World) -> Any:
    number = world.user_playbook_ids["invoices"]
    reply = world.client.update_user_playbook(
        number, content="Say the due date first.", rationale="Bob pays late."
    )
    (stored,) = world.client.get_user_playbooks(playbook_name="invoices").user_playbooks
    return {
        "reply": dumped(reply),
        "stored": [stored.user_playbook_id == number, stored.content, stored.trigger, stored.rationale],
        "found_by_new_words": contents(
            world.client.search_user_playbooks(query="due date", search_mode="fts").user_playbooks
        ),
        "found_by_old_words": contents(
            world.client.search_user_playbooks(query="state number", search_mode="fts").user_playbooks
        ),
        "unknown": refusal(lambda: world.client.update_user_playbook(987654, content="x")),
    }


def update_agent_playbook(world: World) -> Any:
    reply = world.client.update_agent_playbook(
        world.agent_playbook_ids["tone-v1"], content="Greet customers formally.", playbook_name="greeting"
    )
    (stored,) = world.client.get_agent_playbooks(playbook_name="greeting").agent_playbooks
    return {
        "reply": dumped(reply),
        "stored": [stored.content, str(stored.playbook_status)],
        "found_by_new_words": contents(
            world.client.search_agent_playbooks(query="formally", search_mode="fts").agent_playbooks
        ),
        "found_by_old_words": contents(
            world.client.search_agent_playbooks(query="first name", search_mode="fts").agent_playbooks
        ),
        "unknown": refusal(lambda: world.client.update_agent_playbook(987654, content="x")),
    }


def update_agent_playbook_status(world: World) -> Any:
    number = world.agent_playbook_ids["tone-v1"]
    reply = world.client.update_agent_playbook_status(number, playbook_status=PlaybookStatus.REJECTED)
    (stored,) = world.client.get_agent_playbooks(playbook_name="greeting", force_refresh=True).agent_playbooks
    return {
        "reply": dumped(reply),
        "stored": str(stored.playbook_status),
        "served": contents(world.client.search(query="greet customers", search_mode="fts").agent_playbooks),
    }


STEPS: tuple[Step, ...] = (
    update_user_playbook,
    update_agent_playbook,
    update_agent_playbook_status,
)
