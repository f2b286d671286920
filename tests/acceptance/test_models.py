"""What models cost, on a real server: calls are counted, capped and shown, and prompts are chosen."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sagacity.cli import main
from support.program import QUIET
from support.scripted_llm import (
    Answer,
    ChatRequest,
    ScriptedLLM,
    as_json,
    extracted,
    scripted_llm,
)
from support.server import ServerProcess, running_server

A_CALL = 18
FACT = "Grows tomatoes on a balcony in Lisbon."
NEAR = "Grows tomatoes and basil on a balcony in Lisbon."
RULE = {"rationale": "Asked for.", "trigger": "When giving measurements", "content": "Use metric units."}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("home"), QUIET) as process:
        yield process


@pytest.fixture(autouse=True)
def configured(server: ServerProcess, model: ScriptedLLM) -> None:
    """The model is there, without a cap, and proposes the fact and the rule."""
    configure(server, model)
    model.answer_with(proposing(FACT))


def configure(server: ServerProcess, model: ScriptedLLM, **fields: Any) -> None:
    endpoint = {"model": "scripted", "api_key": "k", "api_base": model.base_url}
    # Playbooks stay with their users, as their aggregation would call the model when it likes.
    playbooks = [{"extractor_name": "default_playbook_extractor", "extraction_definition_prompt": "rules"}]
    chosen = {"api_key_config": {"custom_endpoint": endpoint}, "user_playbook_extractor_configs": playbooks}
    call(server, "POST", "/api/set_config", chosen | fields)


def call(server: ServerProcess, method: str, path: str, body: Any = None, **more: Any) -> Any:
    """One call that has to succeed."""
    reply = httpx.request(method, server.url + path, json=body, timeout=60, **more)
    assert reply.is_success, reply.text
    return reply.json()


def proposing(fact: str):
    def script(request: ChatRequest) -> Answer:
        fields = (request.schema or {}).get("properties", {})
        if "verdicts" in fields:
            return as_json({"verdicts": [{"item": "N1", "reason": "other plants", "action": "add"}]})
        if "memories" in fields:
            return as_json({"memories": [{"item": "N1", "words": ["horticulture"]}]})
        turn = int(re.findall(r"#(\d+)", request.prompt)[-1])
        return extracted(
            request,
            profiles=[{"evidence": [turn], "content": fact}],
            playbooks=[{**RULE, "evidence": [turn]}],
        )

    return script


def learn(server: ServerProcess, user_id: str, *contents: str) -> Any:
    """Publish and wait until it is learned; returns the reply."""
    turns = [{"content": one} for one in contents or ("I grow tomatoes on my balcony; use metric units.",)]
    body = {"user_id": user_id, "force_extraction": True, "interaction_data_list": turns}
    return call(server, "POST", "/api/publish_interaction", body, params={"wait_for_response": True})


def ledger(server: ServerProcess, user_id: str) -> list[tuple[str, str]]:
    """Who called, by which prompt, oldest first."""
    page = call(server, "GET", "/api/model_calls", params={"user_id": user_id})
    assert all(one["outcome"] == "ok" and one["attempt"] == 1 for one in page["model_calls"])
    return [(one["learner"], one["prompt"]) for one in reversed(page["model_calls"])]


def profiles(server: ServerProcess, user_id: str) -> list[Any]:
    return call(server, "POST", "/api/get_profiles", {"user_id": user_id})["user_profiles"]


EXTRACTION = ("extraction", "conversation_extraction/v1")


def test_window_costs_one_call_and_one_more_where_something_near_is_known(
    server: ServerProcess, model: ScriptedLLM
) -> None:
    """One for profiles and playbooks; a judge only where words do not settle what is near."""
    learn(server, "thrifty")
    assert ledger(server, "thrifty") == [EXTRACTION]
    model.answer_with(proposing(NEAR))
    learn(server, "thrifty")
    assert ledger(server, "thrifty")[1:] == [
        EXTRACTION,
        ("deduplication:profile", "profile_deduplication/v2"),
    ]
    assert {one["content"] for one in profiles(server, "thrifty")} == {FACT, NEAR}


def test_thanks_cost_nothing(server: ServerProcess) -> None:
    """A window without anything to learn from is not shown to a model."""
    learn(server, "polite", "Thanks a lot!")
    assert ledger(server, "polite") == []


def test_reached_cap_leaves_the_rules_and_says_so(server: ServerProcess, model: ScriptedLLM) -> None:
    """In the publish's reply, its receipt, the ledger and the log; without the cap the model is back."""
    spent = call(server, "GET", "/api/model_call_totals", params={"by": "day"})["totals"]
    tokens = sum(day["prompt_tokens"] + day["completion_tokens"] for day in spent)
    configure(server, model, spending_cap={"max_tokens": tokens + 1})
    learn(server, "capped")
    assert ledger(server, "capped") == [EXTRACTION]
    asked = len(model.requests)

    reply = learn(server, "capped", "I live in Lyon.")
    assert len(model.requests) == asked
    [warning] = reply["warnings"]
    assert warning.startswith(
        f"the spending cap of {tokens + 1} tokens a day is reached: learned by rules until 20"
    )
    by_rules = [one for one in profiles(server, "capped") if one["provenance"]["method"] == "rules"]
    assert ["Lyon" in one["content"] for one in by_rules] == [True]
    assert call(server, "GET", f"/api/receipts/{reply['request_id']}")["warnings"] == [warning]
    page = call(server, "GET", "/api/model_calls")
    assert (page["warnings"], page["spending_cap"]["is_reached"]) == ([warning], True)
    assert server.logs.count("models.spending_cap_reached") == 1

    configure(server, model)
    assert learn(server, "capped", "I moved to Nice.")["warnings"] == []
    assert len(model.requests) > asked


def test_cap_holds_within_a_long_log(server: ServerProcess, model: ScriptedLLM) -> None:
    """The windows after the one that reaches it are read by rules, in the same run."""
    spent = call(server, "GET", "/api/model_call_totals", params={"by": "day"})["totals"]
    tokens = sum(day["prompt_tokens"] + day["completion_tokens"] for day in spent)
    configure(server, model, spending_cap={"max_tokens": tokens + 3 * A_CALL}, extraction_preset="standard")
    reply = learn(server, "long", *(f"I bought a red bicycle with {n} gears in Lyon." for n in range(30)))
    assert "is reached" in reply["warnings"][0]
    # Beside each window's call there may be one of the judge.
    assert 3 <= len(ledger(server, "long")) <= 4
    methods = {one["provenance"]["method"] for one in profiles(server, "long")}
    assert methods == {"model", "rules"}


def test_rerun_that_the_cap_sends_to_the_rules_says_so(
    server: ServerProcess, model: ScriptedLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the reply, in the operation, and in the table that the command draws of it."""
    learn(server, "again", "I live in Lyon.")
    configure(server, model, spending_cap={"max_tokens": 1})
    asked = len(model.requests)
    reply = call(
        server,
        "POST",
        "/api/rerun_profile_generation",
        {"user_id": "again"},
        params={"wait_for_response": True},
    )
    assert len(model.requests) == asked
    note = reply["operation_status"]["result"]["note"]
    assert note.startswith("the spending cap of 1 tokens a day is reached: learned by rules until 20")
    assert reply["msg"].endswith(f"; {note}")
    assert reply["profiles_generated"] == 1
    shown = ["operations", "show", reply["operation_id"], "--server-url", server.url]
    assert main.run(main.hoisted(shown)) == 0
    assert "note" in capsys.readouterr().out

    configure(server, model)
    body = {"user_id": "again"}
    call(server, "POST", "/api/rerun_profile_generation", body, params={"wait_for_response": True})
    reply = call(server, "GET", "/api/get_operation_status", params={"service_name": "profile_generation"})
    assert "result" not in reply["operation_status"]
    assert len(model.requests) > asked


def test_commands_show_costs_and_prompts(
    server: ServerProcess, model: ScriptedLLM, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ledger` lists and sums; `prompts` lists, previews and chooses."""

    def run(*arguments: str, code: int = 0) -> str:
        """What a command, run in this process, prints."""
        assert main.run(main.hoisted([*arguments, "--server-url", server.url])) == code
        ran = capsys.readouterr()
        return ran.err if code else ran.out

    learn(server, "shown")
    entries = json.loads(run("ledger", "--user-id", "shown", "--json"))["data"]
    assert [one["learner"] for one in entries["model_calls"]] == ["extraction"]
    assert "11 + 7" in run("ledger", "--user-id", "shown", "--since", "2026-01-01")
    sums = json.loads(run("ledger", "--by", "user", "--user-id", "shown", "--json"))["data"]
    assert [(one["key"], one["call_count"], one["prompt_tokens"]) for one in sums["totals"]] == [
        ("shown", 1, 11)
    ]
    assert "extraction" in run("ledger", "--by", "learner")
    assert sums["totals"][0]["unpriced_count"] == 1
    configure(server, model, spending_cap={"max_cost_usd": 2})
    assert re.search(
        r"spent this day: 0\.0000 of 2 USD \(not counting \d+ calls of unknown price\)", run("ledger")
    )

    assert "profile_extraction" in run("prompts", "list")
    preview = run("prompts", "preview", "query_reformulation", "--data", '{"question": "and in winter?"}')
    assert "and in winter?" in preview
    assert "--- system ---" in preview
    assert "used in version 1" in run("prompts", "use", "profile_extraction", "--version", "1")
    learn(server, "older")
    assert set(ledger(server, "older")) == {
        ("profile:default_profile_extractor", "profile_extraction/v1"),
        ("user_playbook:default_playbook_extractor", "user_playbook_extraction/v2"),
    }
    assert "there is no prompt 'nothing'" in run("prompts", "use", "nothing", code=2)


def test_expansion_finds_a_memory_by_a_word_that_it_does_not_hold(
    server: ServerProcess, model: ScriptedLLM
) -> None:
    """One call more a window, and a search by words alone finds the memory."""
    configure(server, model, enable_document_expansion=True)
    learn(server, "expanded")
    assert ("expansion:profile", "document_expansion/v1") in ledger(server, "expanded")
    body = {"user_id": "expanded", "query": "horticulture", "search_mode": "fts"}
    deadline = time.monotonic() + 20
    while not (found := call(server, "POST", "/api/search_profiles", body)["user_profiles"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert [one["content"] for one in found] == [FACT]
