"""Whole conversations, published to a real application: what is learned, what is replaced, what is not doubled."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from support.api import client_of, profiles_of, running, settings_in
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, as_json, extracted, scripted_llm

DATA = Path(__file__).parent.parent / "data" / "scenarios"
SCENARIOS = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*.yaml"))]
CONTRADICTIONS = {
    one["name"]: one
    for one in json.loads((DATA / "contradictions.json").read_text(encoding="utf-8"))["scenarios"]
}

# What a reader of a conversation would expect to be learned: texts that have to be in a profile, or in a playbook.
EXPECTED: dict[str, tuple[list[str], list[str]]] = {
    "developer-support/elena": (
        [
            "Elena Rodriguez",
            "senior backend engineer at FinServe Corp",
            "TypeScript and Node.js",
            "pnpm",
            "fintech",
        ],
        [
            "pnpm",
            "TypeScript in all examples",
            "code examples rather than descriptions",
            "introductory explanations",
        ],
    ),
    "developer-support/raj": (
        ["Raj Patel", "developer at NovaTech", "Python with Flask", "self-taught"],
        ["comments explaining what each line does", "before jumping into code"],
    ),
    "ecommerce_refund/priya": (
        ["Priya Sharma", "fashion buyer at Harrods", "London", "email rather than phone"],
        ["numbered list with ETAs", "ALL the items", "sizing"],
    ),
    "ecommerce_refund/marcus": (
        ["Marcus Johnson", "freelance designer", "SMS", "gold tier"],
        ["under 3 sentences", "tracking tool", "offer compensation"],
    ),
    "saas_onboarding/elena": (
        ["Elena Rodriguez", "senior backend engineer at FinServe", "GraphQL", "pnpm"],
        ["problem, solution, code, gotchas", "verify compatibility", "specific search terms"],
    ),
    "saas_onboarding/raj": (
        ["Raj Patel", "junior developer at NovaTech", "Python with Flask"],
        ["comments in all code examples", "security risks upfront", "if they are ready"],
    ),
}
CONVERSATIONS = {
    f"{scenario['id']}/{name}": (scenario, conversation)
    for scenario in SCENARIOS
    for name, conversation in scenario["conversations"].items()
}
PUBLISHED_AGAIN = {"ecommerce_refund/marcus", "saas_onboarding/elena"}


@pytest.fixture(scope="module")
def model() -> Any:
    with scripted_llm() as server:
        yield server


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with running(settings_in(tmp_path)) as app, client_of(app) as client:
        yield client


async def publish(
    api: httpx.AsyncClient, user_id: str, turns: list[dict[str, Any]], request_id: str, **fields: Any
) -> None:
    """Publish, and wait until it is learned."""
    body = {
        "user_id": user_id,
        "request_id": request_id,
        "interaction_data_list": turns,
        "force_extraction": True,
    }
    reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body | fields, timeout=60)
    assert reply.status_code == 200, reply.text
    receipt = (await api.get(f"/api/receipts/{request_id}")).json()
    assert [one["state"] for one in receipt["learners"]] == ["learned", "learned"], receipt


def turns_of(scenario: dict[str, Any], conversation: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "role": scenario["participants"][turn["speaker"]]["role"],
            "content": turn["content"],
            "tools_used": [
                {"tool_name": call["name"], "tool_data": {"input": call["input"], "output": call["output"]}}
                for call in turn.get("tool_calls", [])
            ],
        }
        for turn in conversation["turns"]
    ]


async def learned(api: httpx.AsyncClient, user_id: str) -> tuple[list[str], list[str]]:
    """The texts of a user's current profiles and playbooks, in order of the alphabet."""
    profiles = [one["content"] for one in await profiles_of(api, user_id, top_k=100)]
    body = {"user_id": user_id, "status_filter": [None]}
    found = (await api.post("/api/get_user_playbooks", json=body)).json()["user_playbooks"]
    return sorted(profiles), sorted(f"{one.get('trigger', '')}: {one['content']}" for one in found)


def missing(wanted: list[str], texts: list[str]) -> list[str]:
    return [one for one in wanted if not any(one.casefold() in text.casefold() for text in texts)]


async def contents(api: httpx.AsyncClient, user_id: str, status: str | None) -> list[str]:
    return [one["content"] for one in await profiles_of(api, user_id, top_k=100, status_filter=[status])]


async def history_of(
    api: httpx.AsyncClient, user_id: str, text: str, status: str | None = None
) -> dict[str, Any]:
    found = await profiles_of(api, user_id, top_k=100, status_filter=[status])
    uid = next(one["profile_id"] for one in found if text in one["content"])
    reply = await api.get(f"/api/memories/{uid}/history")
    assert reply.status_code == 200
    return reply.json()


async def publish_conversation(
    api: httpx.AsyncClient, name: str, number: int = 1
) -> tuple[list[str], list[str]]:
    """Publish a conversation under a request id of its own; what is learned by then."""
    scenario, conversation = CONVERSATIONS[name]
    fields = {key: conversation[key] for key in ("source", "agent_version", "session_id")}
    await publish(api, name, turns_of(scenario, conversation), f"{name.replace('/', '-')}-{number}", **fields)
    return await learned(api, name)


async def test_rules_learn_what_the_scenarios_teach(api: httpx.AsyncClient) -> None:
    """Every expected profile and playbook is there, and what is published again doubles nothing."""
    for name, (profiles, playbooks) in EXPECTED.items():
        once = await publish_conversation(api, name)
        assert (missing(profiles, once[0]), missing(playbooks, once[1])) == ([], []), name
        if name in PUBLISHED_AGAIN:
            assert await publish_conversation(api, name, 2) == once, name


def test_every_conversation_has_its_expectations() -> None:
    """None is left out."""
    assert EXPECTED.keys() == CONVERSATIONS.keys()


async def test_rules_let_the_newest_win(api: httpx.AsyncClient) -> None:
    """After the second batch only the newest value is current; the older one is history with its turns."""
    for name, scenario in CONTRADICTIONS.items():
        await publish(api, name, scenario["batch_1"], f"{name}-1")
        before = " ".join(await contents(api, name, None)).casefold()
        assert any(term in before for term in scenario["batch_1_sanity_terms"]), before
        await publish(api, name, scenario["batch_2"], f"{name}-2")
        await expect_newest(api, name, scenario)
    told = await history_of(api, "location_move", "Austin")
    [former] = told["predecessors"]
    assert "San Francisco" in former["content"]
    assert {turn["request_id"] for turn in told["sources"]} == {"location_move-2", "location_move-again"}
    told = await history_of(api, "location_move", "San Francisco", "archived")
    assert {turn["request_id"] for turn in told["sources"]} == {"location_move-1"}
    assert "Austin" in told["successor"]["content"]


async def expect_newest(api: httpx.AsyncClient, name: str, scenario: dict[str, Any]) -> None:
    """The new value is current and the old one is not; also when the same is published once more."""
    former = {"diet_reversal": "Beef", "location_move": "San Francisco"}[name]
    for request_id in (None, f"{name}-again"):
        if request_id is not None:
            await publish(api, name, scenario["batch_2"], request_id)
        current = await contents(api, name, None)
        assert missing(scenario["expected_keywords"], current) == [], current
        assert len([one for one in current if scenario["expected_keywords"][0] in one.casefold()]) == 1
        assert [one for one in current if former.casefold() in one.casefold()] == []
        for words in scenario["should_not_contain"]:
            assert not any(words.casefold() in one.casefold() for one in current), (words, current)
        assert missing([former], await contents(api, name, "archived")) == []


# --- with a model, by script: what a good one would say of each turn that it is shown ---------------------------------


def draft(said: str, content: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return said, {"content": content, "time_to_live": "infinity", **fields}


def rule(said: str, trigger: str, content: str) -> tuple[str, dict[str, Any]]:
    return said, {"rationale": "The user asked for it.", "trigger": trigger, "content": content}


HOME = {"slot": "location.home", "exclusive": True}
DIET = {"slot": "diet", "exclusive": True}
PROFILES = [
    draft("my favorite protein", "Loves beef and eats meat.", slot="food.favorite"),
    draft("had to go fully vegetarian", "Is vegetarian.", **DIET),
    draft("completely off all meat", "Eats no meat at all; is a vegetarian.", **DIET),
    draft("Living in San Francisco", "Lives in San Francisco.", **HOME),
    draft("just moved to Austin", "Lives in Austin, Texas.", **HOME),
    draft("place in East Austin", "Lives in East Austin.", **HOME),
    draft("I'm Elena Rodriguez", "Name is Elena Rodriguez.", slot="name", exclusive=True),
    draft("we use pnpm, not npm", "Uses pnpm as package manager."),
    draft("We use pnpm as our package manager", "Their team uses pnpm."),
    draft("we're in fintech", "Works in fintech."),
]
PLAYBOOKS = [
    rule("use pnpm", "When showing CLI commands", "Use pnpm, never npm."),
    rule("always provide code examples", "When explaining how something works", "Show code, not prose."),
]


def good_model(request: ChatRequest) -> Answer:
    """Propose what the shown turns say; and judge: what says the same is one, another value replaces the old one."""
    keys = (request.schema or {}).get("properties", {})
    if "verdicts" in keys:
        return as_json({"verdicts": verdicts(request.prompt)})
    turns = turns_in(request.prompt)

    def proposed(drafts: list[Any]) -> list[Any]:
        cited = [(fields, [int(number) for number, text in turns if said in text]) for said, fields in drafts]
        return [fields | {"evidence": numbers} for fields, numbers in cited if numbers]

    return extracted(request, profiles=proposed(PROFILES), playbooks=proposed(PLAYBOOKS))


def turns_in(prompt: str) -> list[tuple[str, str]]:
    """The numbered turns of a prompt, each with its text in one line."""
    found = re.findall(r"^\[#(\d+) [^\n]*(?:\n(?!\[#).*)*", prompt, re.MULTILINE)
    texts = re.split(r"^\[#\d+ ", prompt, flags=re.MULTILINE)[1:]
    return [(number, " ".join(text.split())) for number, text in zip(found, texts, strict=True)]


def verdicts(prompt: str) -> list[dict[str, Any]]:
    items = re.findall(
        r"^(N\d+) \(new.*?resembles (.*?)\)\n(.*?)(?=^[NE]\d+ \(|\Z)", prompt, re.MULTILINE | re.DOTALL
    )
    said = dict(re.findall(r"^([NE]\d+) \(.*?\)\n(.*?)(?=^[NE]\d+ \(|\Z)", prompt, re.MULTILINE | re.DOTALL))
    return [verdict(label, resembles.split(", "), text, said) for label, resembles, text in items]


def verdict(label: str, resembles: list[str], text: str, said: dict[str, str]) -> dict[str, Any]:
    earlier = [other for other in resembles if other.startswith("E") or other < label]
    for word in ("egetarian", "Austin"):
        if alike := [other for other in earlier if word in text and word in said[other]]:
            return {"item": label, "action": "same", "targets": alike[:1], "reason": "in other words"}
    for other in resembles:
        if "egetarian" in text and "beef" in said.get(other, ""):
            return {"item": label, "action": "replace", "targets": [other], "reason": "eats no meat any more"}
        if "Austin" in text and "San Francisco" in said[other]:
            return {"item": label, "action": "replace", "targets": [other], "reason": "moved"}
        if "pnpm" in text and "pnpm" in said.get(other, ""):
            merged = {"merged_content": "Uses pnpm as package manager, with their team."}
            return {"item": label, "action": "merge", "targets": [other], "reason": "one tool", **merged}
    return {"item": label, "action": "add", "reason": "another thing"}


@pytest.fixture
async def with_model(api: httpx.AsyncClient, model: ScriptedLLM) -> httpx.AsyncClient:
    """The application with a model that says what a good one would."""
    model.answer_with(good_model)
    config = (await api.get("/api/get_config")).json()
    endpoint = {"model": "scripted", "api_key": "sk-x", "api_base": model.base_url}
    config["api_key_config"] = {"custom_endpoint": endpoint}
    assert (await api.post("/api/set_config", json=config)).json()["success"]
    return api


async def test_models_newest_value_wins(with_model: httpx.AsyncClient) -> None:
    """The same promise with what a model proposes: one current value, the older in the history with its turns."""
    for name, scenario in CONTRADICTIONS.items():
        await publish(with_model, name, scenario["batch_1"], f"{name}-1")
        await publish(with_model, name, scenario["batch_2"], f"{name}-2")
        await expect_newest(with_model, name, scenario)
    told = await history_of(with_model, "location_move", "San Francisco", "archived")
    assert {turn["request_id"] for turn in told["sources"]} == {"location_move-1"}
    assert [event["action"] for event in told["events"]] == ["added", "removed"]
    assert told["events"][1]["actor"] == "profile:default_profile_extractor"
    assert told["memory"]["provenance"]["method"] == "model"


async def test_what_a_model_proposes_again_is_not_doubled(with_model: httpx.AsyncClient) -> None:
    """The conversation read twice gives the same memories; they rest on the turns of both publishes."""
    once = await publish_conversation(with_model, "developer-support/elena")
    assert missing(["Elena Rodriguez", "pnpm", "fintech"], once[0]) == []
    assert missing(["never npm", "not prose"], once[1]) == []
    assert await publish_conversation(with_model, "developer-support/elena", 2) == once
    told = await history_of(with_model, "developer-support/elena", "fintech")
    assert {turn["request_id"] for turn in told["sources"]} == {
        "developer-support-elena-1",
        "developer-support-elena-2",
    }
