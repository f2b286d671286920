"""Short calls of the API for the tests of the promises."""

import httpx

from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import turns
from support.scripted_llm import ScriptedLLM

HERE = Tenant(org_id=LOCAL_ORG)
NAME, VERSION = "default_playbook_extractor", "agent-v0"
RERUN = "?wait_for_response=true"


async def ask(api: httpx.AsyncClient, path: str, **body) -> dict:
    """Post to a route of the API, which must succeed, and return its reply."""
    reply = await api.post(f"/api/{path}", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def teach(api: httpx.AsyncClient, *contents: str, user_id: str = "anna", **fields) -> dict:
    """Publish turns that are learned from at once, and return the reply."""
    body = turns(*contents, user_id=user_id, force_extraction=True, **fields)
    return await ask(api, "publish_interaction?wait_for_response=true", **body)


BY_HAND = {
    "user_playbook_extractor_configs": [
        {
            "extractor_name": NAME,
            "extraction_definition_prompt": "how to act",
            "aggregation_config": {"reaggregation_trigger_count": 1_000},
        }
    ]
}
"""A configuration with which nothing is aggregated automatically."""


async def taught_playbooks(api: httpx.AsyncClient, *said: tuple[str, str], **fields) -> None:
    """Store user playbooks, each given as (user, content)."""
    known = {"playbook_name": NAME, "agent_version": VERSION} | fields
    playbooks = [{"user_id": user, "content": content} | known for user, content in said]
    done = await ask(api, "add_user_playbook", user_playbooks=playbooks)
    assert done["added_count"] == len(said)


async def aggregate(api: httpx.AsyncClient) -> dict:
    """Aggregate all user playbooks, and return the result of the run."""
    return await ask(api, "run_playbook_aggregation", playbook_name=NAME)


async def shared(api: httpx.AsyncClient, **wanted) -> list[dict]:
    """The playbooks for all users."""
    return (await ask(api, "get_agent_playbooks", **wanted))["agent_playbooks"]


async def log_of(api: httpx.AsyncClient, user_id: str = "anna") -> list[dict]:
    """A user's turns, newest first."""
    return (await ask(api, "get_interactions", user_id=user_id, top_k=1_000))["interactions"]


async def receipt(api: httpx.AsyncClient, request_id: str) -> dict:
    """Return the receipt of one publish."""
    reply = await api.get(f"/api/receipts/{request_id}")
    assert reply.status_code == 200, reply.text
    return reply.json()


async def choose(api: httpx.AsyncClient, model: ScriptedLLM | None = None, **config) -> None:
    """Configure the organisation, with the test's model if there is one."""
    keys = {}
    if model is not None:
        endpoint = {"model": "scripted", "api_key": "k", "api_base": model.base_url}
        keys = {"api_key_config": {"custom_endpoint": endpoint}}
    await ask(api, "set_config", **keys, **config)
