"""With a model key: what a model proposes is learned, and whatever it does instead is survived and shown."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.program import sagacity
from support.scripted_llm import (
    Answer,
    ChatRequest,
    ScriptedLLM,
    extracted,
    garbage,
    half_json,
    never,
    scripted_llm,
    status,
)
from support.server import ServerProcess, running_server

FAST = {
    "SAGACITY_LEARN_ATTEMPTS": "2",
    "SAGACITY_RETRY_BASE_SECONDS": "0.2",
    "SAGACITY_MODEL_ATTEMPTS": "2",
    "SAGACITY_SWEEP_SECONDS": "0.5",
    "SAGACITY_MODEL_TIMEOUT_SECONDS": "60",  # a busy machine is no silence
}
IMPATIENT = FAST | {"SAGACITY_MODEL_TIMEOUT_SECONDS": "1"}
PROFILE = {
    "evidence": [1],
    "content": "Grows tomatoes on a balcony in Lisbon.",
    "slot": "",
    "time_to_live": "one_year",
}
PLAYBOOK = {
    "evidence": [1],
    "rationale": "The user asked for metric units.",
    "trigger": "When giving measurements",
    "content": "Use metric units.",
}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, model: ScriptedLLM) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("home"), FAST) as process:
        use(process, model)
        yield process


def use(server: ServerProcess, model: ScriptedLLM) -> None:
    """Let a server learn by the scripted model."""
    endpoint = {"model": "scripted", "api_key": "sk-very-secret", "api_base": model.base_url}
    config = call(server, "GET", "/api/get_config")
    config["api_key_config"] = {"custom_endpoint": endpoint}
    assert call(server, "POST", "/api/set_config", config)["success"]


def call(server: ServerProcess, method: str, path: str, body: Any = None) -> Any:
    """One call that has to succeed."""
    reply = httpx.request(method, server.url + path, json=body, timeout=60)
    assert reply.is_success, reply.text
    return reply.json()


def publish(server: ServerProcess, user_id: str) -> str:
    """Publish one turn that has to be learned at once; returns the request id."""
    turn = {"content": f"I ({user_id}) grow tomatoes on my balcony in Lisbon; please use metric units."}
    body = {"user_id": user_id, "force_extraction": True, "interaction_data_list": [turn]}
    return call(server, "POST", "/api/publish_interaction", body)["request_id"]


def receipt_when(server: ServerProcess, request_id: str, wanted: Callable[[Any], bool]) -> Any:
    """Read the receipt until it is as wanted."""
    deadline = time.monotonic() + 60
    while True:
        receipt = call(server, "GET", f"/api/receipts/{request_id}")
        if wanted(receipt):
            return receipt
        assert time.monotonic() < deadline, receipt
        time.sleep(0.1)


def is_learned(receipt: Any) -> bool:
    return receipt["state"] == "learned"


def is_parked(receipt: Any) -> bool:
    return [one["state"] for one in receipt["learners"]] == ["parked", "parked"]


def proposals(request: ChatRequest) -> Answer:
    """What a good model says: the first turn taught a profile and a playbook."""
    cited = {"evidence": [int(re.findall(r"#(\d+)", request.prompt)[-1])]}
    return extracted(request, profiles=[PROFILE | cited], playbooks=[PLAYBOOK | cited])


def profiles(server: ServerProcess, user_id: str) -> list[Any]:
    return call(server, "POST", "/api/get_profiles", {"user_id": user_id})["user_profiles"]


def test_what_the_model_proposes_is_learned_with_its_origin(
    server: ServerProcess, model: ScriptedLLM
) -> None:
    """Profiles and playbooks carry the model, the prompt and the turns that they come from."""
    model.answer_with(proposals)
    request_id = publish(server, "good")
    receipt = receipt_when(server, request_id, is_learned)
    [profile] = profiles(server, "good")
    assert profile["content"] == PROFILE["content"]
    assert profile["profile_time_to_live"] == "one_year"
    assert profile["generated_from_request_id"] == request_id
    origin = profile["provenance"]
    assert (origin["method"], origin["prompt_version"]) == ("model", "conversation_extraction/v1")
    assert origin["model"].endswith("scripted")
    playbooks = call(server, "POST", "/api/get_user_playbooks", {"user_id": "good"})["user_playbooks"]
    assert [(one["trigger"], one["content"]) for one in playbooks] == [
        ("When giving measurements", "Use metric units.")
    ]
    assert {memory["content"] for memory in receipt["memories"]} == {PROFILE["content"], "Use metric units."}


def test_window_takes_one_call(server: ServerProcess, model: ScriptedLLM) -> None:
    """For both kinds, where nothing near is known of the user."""
    model.answer_with(proposals)
    before = len(model.requests)
    receipt_when(server, publish(server, "thrifty"), is_learned)
    # A process that waits for a processor longer than a time limit repeats a call: what is asked is still one thing.
    asked = [request for request in model.requests[before:] if "I (thrifty)" in request.prompt]
    assert {tuple((request.schema or {})["properties"]) for request in asked} == {("profiles", "playbooks")}
    assert len({request.prompt for request in asked}) == 1


@pytest.mark.parametrize(
    "first", [status(429, retry_after=0), status(500), half_json({"profiles": []}), garbage()]
)
def test_passing_trouble_is_survived(
    server: ServerProcess, model: ScriptedLLM, first: Answer, request: pytest.FixtureRequest
) -> None:
    """One bad answer, then good ones: everything is learned."""
    bad = [first]

    def script(asked: ChatRequest) -> Answer:
        return bad.pop() if bad else proposals(asked)

    model.answer_with(script)
    user_id = request.node.name
    receipt_when(server, publish(server, user_id), is_learned)
    assert [one["content"] for one in profiles(server, user_id)] == [PROFILE["content"]]


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (garbage(), "MalformedOutput"),
        (status(500), "ProviderError"),
        (status(401), "ProviderRefused"),
    ],
    ids=["garbage", "broken", "refused"],
)
def test_lasting_trouble_is_parked_and_can_be_replayed(
    server: ServerProcess, model: ScriptedLLM, trouble: Answer, kind: str
) -> None:
    """After the last try the window is a dead letter with its error; replayed with a good model it is learned."""
    user_id = f"parked-{kind}"
    request_id, letters = parked(server, model, trouble, user_id)
    assert {(one["status"], one["error_kind"]) for one in letters} == {("parked", kind)}
    learned_by_replay(server, model, user_id, request_id, letters)


@pytest.mark.full
def test_silence_is_parked_and_can_be_replayed(tmp_path: Path, model: ScriptedLLM) -> None:
    """A model that never answers is given up, and what it was asked waits; a server with patience learns it."""
    with running_server(tmp_path, IMPATIENT) as impatient:
        use(impatient, model)
        request_id, letters = parked(impatient, model, never(), "silenced")
        assert {(one["status"], one["error_kind"]) for one in letters} == {("parked", "ProviderTimeout")}
    with running_server(tmp_path, FAST) as patient:
        learned_by_replay(patient, model, "silenced", request_id, letters)


def parked(server: ServerProcess, model: ScriptedLLM, trouble: Answer, user_id: str) -> tuple[str, list[Any]]:
    """Publish to a model in lasting trouble; returns the request's id and the dead letters."""
    model.answer_with(lambda _: trouble)
    request_id = publish(server, user_id)
    receipt = receipt_when(server, request_id, is_parked)
    assert receipt["state"] == "failed"
    assert all(one["error"] and "sk-very-secret" not in one["error"] for one in receipt["learners"])
    letters = call(server, "GET", f"/api/dead_letters?user_id={user_id}")["dead_letters"]
    return request_id, letters


def test_doctor_tells_of_what_was_given_up(tmp_path: Path, model: ScriptedLLM) -> None:
    """Until it is replayed with success."""

    def learning(url: str) -> list[tuple[bool, str]]:
        checks = sagacity("doctor", "--json", home=tmp_path, url=url).data["checks"]
        return [(one["ok"], one["found"]) for one in checks if one["name"] == "learning"]

    with running_server(tmp_path, FAST) as ill:
        use(ill, model)
        request_id, letters = parked(ill, model, status(401), "unheard")
        assert learning(ill.url) == [(False, "2 dead letters: turns that were given up after the last try")]
        learned_by_replay(ill, model, "unheard", request_id, letters)
        assert learning(ill.url) == []


def learned_by_replay(
    server: ServerProcess, model: ScriptedLLM, user_id: str, request_id: str, letters: list[Any]
) -> None:
    """Replay the letters with a good model: all is learned, once."""
    model.answer_with(proposals)
    for letter in letters:
        call(server, "POST", f"/api/dead_letters/{letter['dead_letter_id']}/replay")
    receipt_when(server, request_id, is_learned)
    assert [one["content"] for one in profiles(server, user_id)] == [PROFILE["content"]]


def test_trouble_of_one_user_holds_up_no_other(server: ServerProcess, model: ScriptedLLM) -> None:
    """While one user's windows fail, another's are learned; later windows of the first are learned too."""
    model.answer_with(lambda asked: garbage() if "cucumbers" in asked.prompt else proposals(asked))
    turn = {"content": "I grow cucumbers, and poison is in this window."}
    bad = call(
        server,
        "POST",
        "/api/publish_interaction",
        {"user_id": "poisoned", "force_extraction": True, "interaction_data_list": [turn]},
    )["request_id"]
    receipt_when(server, publish(server, "healthy"), is_learned)
    receipt_when(server, bad, is_parked)


def test_the_key_is_never_shown(server: ServerProcess) -> None:
    """Neither by the configuration nor in the log."""
    assert "sk-very-secret" not in httpx.get(server.url + "/api/get_config").text
    assert "sk-very-secret" not in server.logs
