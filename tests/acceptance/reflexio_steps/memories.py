"""Memories that a client writes itself."""

from typing import Any

from reflexio import PlaybookStatus, Status, UserPlaybook

from reflexio_steps.world import Step, World, contents, dumped, refusal


def add_user_profile(world: World) -> Any:
    added = world.client.add_user_profile(
        [
            {
                "user_id": "bob",
                "content": "Collects enamel kettles.",
                "custom_features": {"hobby": "kettles"},
            },
            {"user_id": "bob", "content": "Plays the oboe.", "profile_id": "p-oboe"},
            {"user_id": "bob", "content": "Rides a cargo bicycle.", "profile_id": "p-bicycle"},
            {"user_id": "bob", "content": "Keeps three hens.", "profile_id": "p-hens"},
            {"user_id": "bob", "content": "Speaks Portuguese.", "profile_id": "p-speaks"},
        ]
    )
    replaced = world.client.add_user_profile(
        [{"user_id": "bob", "content": "Plays the bassoon.", "profile_id": "p-oboe"}]
    )
    taken = refusal(
        lambda: world.client.add_user_profile([{"user_id": "ada", "content": "x", "profile_id": "p-oboe"}])
    )
    stored = {one.content: one for one in world.stored_profiles("bob")}
    world.profile_ids["kettles"] = stored["Collects enamel kettles."].profile_id
    return {
        "added": dumped(added),
        "replaced": dumped(replaced),
        "taken_by_another_user": taken,
        "bob": sorted(stored),
        "kettles": dumped(stored["Collects enamel kettles."]) | {"last_modified_timestamp": 0},
    }


def add_user_playbook(world: World) -> Any:
    added = world.client.add_user_playbook(
        [
            {
                "user_id": "bob",
                "agent_version": "v1",
                "request_id": "r-1",
                "playbook_name": "invoices",
                "content": "State the invoice number first.",
                "trigger": "When asked about an invoice",
                "rationale": "Bob files by number.",
                "blocking_issue": {"kind": "missing_tool", "details": "no export"},
            },
            UserPlaybook(
                user_id="bob",
                agent_version="v2",
                request_id="r-2",
                content="Draft letters in blue ink.",
                status=Status.PENDING,
            ),
            {"user_id": "bob", "agent_version": "v2", "request_id": "r-3", "content": "Round all sums up."},
        ]
    )
    found = world.client.get_user_playbooks(user_id="bob", limit=10).user_playbooks
    for name, word in (("invoices", "invoice"), ("letters", "letters"), ("sums", "sums")):
        world.user_playbook_ids[name] = next(one.user_playbook_id for one in found if word in one.content)
    (invoices,) = world.client.get_user_playbooks(playbook_name="invoices").user_playbooks
    pending = world.client.get_user_playbooks(user_id="bob", status_filter=[Status.PENDING]).user_playbooks
    return {
        "added": dumped(added),
        "invoices": dumped(invoices) | {"user_playbook_id": 0, "created_at": 0},
        "pending": contents(pending),
    }


def add_agent_playbooks(world: World) -> Any:
    added = world.client.add_agent_playbooks(
        [
            {
                "agent_version": version,
                "playbook_name": name,
                "content": content,
                "playbook_status": status,
                "playbook_metadata": "",
            }
            for version, name, content, status in (
                ("v1", "refunds", "Offer a refund before a voucher.", "approved"),
                ("v1", "tone", "Greet customers by their first name.", "pending"),
                ("v2", "refunds", "Refunds need the receipt number.", "rejected"),
            )
        ]
    )
    return {"added": dumped(added)}


def get_agent_playbooks(world: World) -> Any:
    found = world.client.get_agent_playbooks(force_refresh=True).agent_playbooks
    world.agent_playbook_ids = {
        f"{one.playbook_name}-{one.agent_version}": one.agent_playbook_id for one in found
    }
    approved = world.client.get_agent_playbooks(playbook_status_filter=PlaybookStatus.APPROVED)
    (tone,) = world.client.get_agent_playbooks(playbook_name="tone", agent_version="v1").agent_playbooks
    return {
        "all": sorted(contents(found)),
        "approved": contents(approved.agent_playbooks),
        "tone": dumped(tone) | {"agent_playbook_id": 0, "created_at": 0},
    }


STEPS: tuple[Step, ...] = (
    add_user_profile,
    add_user_playbook,
    add_agent_playbooks,
    get_agent_playbooks,
)
