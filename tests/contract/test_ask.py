"""The door to models: each request is in the ledger, the tenant's prompts are used, and the cap closes it."""

from datetime import UTC, datetime

import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs

from sagacity.config.model_choice import Role
from sagacity.config.settings import Settings
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import MalformedOutput, ProviderError
from sagacity.domain.ledger import CallFilter, ModelCallRecord
from sagacity.learning.extractors.outputs import ProfileExtraction
from sagacity.learning.models import open_models
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.spending import FRESH
from sagacity.storage.transaction import Storage
from support.faults import Faulty
from support.parts import ANNA, ORG, OTHER_ORG, START, StoppedClock, said
from support.pictures import DATA_URL, images_in
from support.scripted_llm import (
    COMPLETION_TOKENS,
    PROMPT_TOKENS,
    Answer,
    ChatRequest,
    ScriptedLLM,
    as_json,
    garbage,
    scripted_llm,
    status,
)

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]

VARIABLES = dict.fromkeys(
    ("agent_context", "definition", "metadata_definition", "limit", "user", "known", "conversation"),
    "some text",
)
A_CALL = PROMPT_TOKENS + COMPLETION_TOKENS
NOTHING = as_json({"profiles": []})


@pytest.fixture
def server():
    with scripted_llm() as running:
        running.answer_with(NOTHING)
        yield running


@pytest.fixture
def access(storage: Storage, clock: StoppedClock) -> ModelGateway:
    return accessing(storage, clock)


def accessing(storage: Storage, clock: StoppedClock) -> ModelGateway:
    settings = Settings(model_attempts=2, model_timeout_seconds=20)
    return ModelGateway(storage, open_models(settings, {}), clock)


def config(server: ScriptedLLM, *, model: str = "scripted", **fields) -> TenantConfig:
    endpoint = {"model": model, "api_key": "k", "api_base": server.base_url}
    return TenantConfig.model_validate({"api_key_config": {"custom_endpoint": endpoint}, **fields})


async def ask(access: ModelGateway, chosen: TenantConfig, *, tenant=ORG, image=""):
    """One question on Anna's behalf."""
    calls = await access.of(tenant, chosen, ANNA)
    prompt_runner = calls.prompt_runner(Role.GENERATION, "profile:x")
    assert prompt_runner is not None, calls.note
    return await prompt_runner.ask("profile_extraction", VARIABLES, ProfileExtraction, image=image)


async def ledger(storage: Storage, tenant=ORG) -> list[ModelCallRecord]:
    """Oldest first."""
    async with storage.read(tenant) as snapshot:
        return (await snapshot.model_calls.list_newest(CallFilter()))[::-1]


async def test_request_is_in_the_ledger_with_all_that_it_was_for(access, storage, server) -> None:
    """Learner, user, model, prompt with its version, tokens, price, time: and only in this tenant's."""
    await storage.append(ORG, said("hello"))
    answer = await ask(access, config(server, model="gpt-4o-mini"))
    assert (answer.value, answer.prompt_version, answer.model) == (
        ProfileExtraction(profiles=()),
        "profile_extraction/v5",
        "openai/gpt-4o-mini",
    )
    (entry,) = await ledger(storage)
    assert entry.cost_usd == pytest.approx(PROMPT_TOKENS * 0.15e-6 + COMPLETION_TOKENS * 0.6e-6)
    assert entry.duration_ms > 0
    assert entry.model_dump(exclude={"call_id", "cost_usd", "duration_ms"}) == {
        "learner": "profile:x",
        "user_id": ANNA,
        "model": "openai/gpt-4o-mini",
        "prompt": "profile_extraction/v5",
        "attempt": 1,
        "prompt_tokens": PROMPT_TOKENS,
        "completion_tokens": COMPLETION_TOKENS,
        "cached_tokens": 0,
        "outcome": "ok",
        "created_at": START,
    }
    assert await ledger(storage, OTHER_ORG) == []


async def test_failed_and_repeated_requests_are_in_the_ledger(access, storage, server) -> None:
    """A try that failed, an answer to be mended and one that was no better: a row each."""
    server.answer_with([status(500), garbage(), garbage()])
    with pytest.raises(MalformedOutput):
        await ask(access, config(server))
    assert [(entry.attempt, entry.outcome, entry.completion_tokens) for entry in await ledger(storage)] == [
        (1, "ProviderError", 0),
        (2, "MalformedOutput", COMPLETION_TOKENS),
        (3, "MalformedOutput", COMPLETION_TOKENS),
    ]


async def test_ledger_that_can_not_be_written_keeps_nobody_from_learning(access, storage, server) -> None:
    """The answer is there all the same, and what is missing from the ledger is in the log."""

    async def always(_connection) -> bool:
        return True

    whole, storage.backend = storage.backend, Faulty(storage.backend, always, after_commit=False)
    with capture_logs() as logs:
        assert (await ask(access, config(server))).value == ProfileExtraction(profiles=())
    storage.backend = whole
    assert [(log["event"], log["learner"], log["tokens"]) for log in logs] == [
        ("ledger.write_failed", "profile:x", A_CALL)
    ]
    assert await ledger(storage) == []


async def test_tenant_chooses_the_version_of_a_prompt(access, storage, server) -> None:
    """An older one, also under an older name, is used and recorded; other prompts keep their newest."""
    chosen = config(server, prompt_versions={"profile_update_main": 1})
    assert chosen.prompt_versions == {"profile_extraction": 1}
    assert (await ask(access, chosen)).prompt_version == "profile_extraction/v1"
    assert (await ask(access, config(server))).prompt_version == "profile_extraction/v5"
    assert [entry.prompt for entry in await ledger(storage)] == [
        "profile_extraction/v1",
        "profile_extraction/v5",
    ]


async def test_reached_cap_leaves_no_model_until_the_period_ends(access, clock, server) -> None:
    """It is said why and until when, once in the log; at midnight UTC it starts anew."""
    chosen = config(server, spending_cap={"max_tokens": 2 * A_CALL})
    assert await access.note(ORG, chosen) == ""
    await ask(access, chosen)
    await ask(access, chosen)
    with capture_logs() as logs:
        closed = await access.of(ORG, chosen, ANNA)
        again = await access.of(ORG, chosen, ANNA)
    note = f"the spending cap of {2 * A_CALL} tokens a day is reached: learned by rules until 2026-05-02T00:00:00Z"
    assert (closed.note, again.note) == (note, note)
    assert closed.prompt_runner(Role.GENERATION, "profile:x") is None
    assert [(log["event"], log["note"]) for log in logs] == [("models.spending_cap_reached", note)]
    assert len(server.requests) == 2

    clock.advance((datetime(2026, 5, 2, tzinfo=UTC) - START).total_seconds())
    assert (await access.of(ORG, chosen, ANNA)).note == ""
    await ask(access, chosen)
    assert len(server.requests) == 3


async def test_cap_in_money_counts_what_is_priced(access, clock, server) -> None:
    """By the month, and with the same words for its end."""
    priced = config(server, model="gpt-4o-mini", spending_cap={"period": "month", "max_cost_usd": 0.00001})
    await ask(access, config(server, spending_cap={"max_cost_usd": 0.00001}))
    await ask(access, priced)
    assert (await access.of(ORG, priced)).note == ""
    clock.advance(86_400 * 3)
    await ask(access, priced)
    assert (await access.of(ORG, priced)).note == (
        "the spending cap of 0.00001 USD a month is reached: learned by rules until 2026-06-01T00:00:00Z"
    )


async def test_cap_of_one_tenant_is_not_anothers(access, server) -> None:
    chosen = config(server, spending_cap={"max_tokens": 1})
    await ask(access, chosen)
    assert (await access.of(ORG, chosen)).note
    assert (await access.of(OTHER_ORG, chosen)).note == ""


async def test_what_other_processes_spend_counts_soon(storage, clock, server) -> None:
    """The ledger is asked again after a few seconds, and not before."""
    chosen = config(server, spending_cap={"max_tokens": A_CALL})
    here, there = accessing(storage, clock), accessing(storage, clock)
    assert (await here.of(ORG, chosen)).note == ""
    await ask(there, chosen)
    assert (await here.of(ORG, chosen)).note == ""
    clock.advance(FRESH.total_seconds())
    assert "is reached" in (await here.of(ORG, chosen)).note


async def test_without_a_model_there_is_no_cap_to_speak_of(access, server) -> None:
    """Rules learn because there is no key: the note is for those who pay."""
    chosen = TenantConfig.model_validate({"spending_cap": {"max_tokens": 0}})
    calls = await access.of(ORG, chosen)
    assert (calls.note, calls.prompt_runner(Role.GENERATION, "profile:x")) == ("", None)


def unseeing(request: ChatRequest) -> Answer:
    """A model that refuses images."""
    return status(400, says="image input is not supported") if images_in(request) else NOTHING


async def test_model_that_refuses_images_is_soon_asked_without(access, clock, server) -> None:
    """After three in a row, for ten minutes, and not on behalf of others; each answer is there all the same."""
    server.answer_with(unseeing)
    chosen = config(server)

    async def shown(times: int, *, tenant=ORG) -> list[bool]:
        """Ask with an image; whether each request had it."""
        server.requests.clear()
        for _ in range(times):
            assert (await ask(access, chosen, image=DATA_URL, tenant=tenant)).value.profiles == ()
        return [bool(images_in(request)) for request in server.requests]

    assert await shown(3) == [True, True, False] * 3  # by schema, in words, then the text alone
    assert await shown(2) == [False, False]
    assert await shown(1, tenant=OTHER_ORG) == [True, True, False]
    clock.advance(600)
    assert await shown(1) == [True, True, False]
    assert await shown(1) == [False]
    clock.advance(600)
    server.answer_with(NOTHING)  # it has learned to see
    assert await shown(1) == [True]
    server.answer_with(unseeing)
    assert await shown(2) == [True, True, False] * 2


async def test_image_refused_now_and_then_blinds_nobody(access, server) -> None:
    """Nor does a fault that is none of the image's: a time without answers, or text that is refused as well."""
    chosen = config(server)
    for _ in range(4):
        server.answer_with(unseeing)
        await ask(access, chosen, image=DATA_URL)
        await ask(access, chosen, image=DATA_URL)
        server.answer_with(NOTHING)
        await ask(access, chosen, image=DATA_URL)
    for fault in (400, 500):
        server.answer_with(status(fault))
        for _ in range(3):
            with pytest.raises(ProviderError):
                await ask(access, chosen, image=DATA_URL)
    server.requests.clear()
    server.answer_with(NOTHING)
    await ask(access, chosen, image=DATA_URL)
    assert [bool(images_in(request)) for request in server.requests] == [True]


async def test_models_without_a_price_are_named(access, server) -> None:
    """Those that would be called, whatever for; none where there is no model or its key is missing."""
    assert access.unpriced(config(server)) == ["openai/scripted"]
    assert access.unpriced(config(server, model="gpt-4o-mini")) == []
    assert access.unpriced(TenantConfig()) == []
    keyless = {"llm_config": {"generation_model_name": "anthropic/claude-haiku-4-5"}}
    assert access.unpriced(TenantConfig.model_validate(keyless)) == []


class _Unasked(BaseModel):
    """An answer to nothing."""


async def test_prompt_that_is_not_there_is_no_request(access, storage, server) -> None:
    calls = await access.of(ORG, config(server))
    prompt_runner = calls.prompt_runner(Role.GENERATION, "profile:x")
    assert prompt_runner is not None
    with pytest.raises(ValueError, match="there is no prompt nothing/v1"):
        await prompt_runner.ask("nothing", {}, _Unasked)
    assert (server.requests, await ledger(storage)) == ([], [])
