"""A user is erased while a model works for them: what the model says comes too late, and names nobody."""

import asyncio
import threading

import httpx
import pytest
from fastapi import FastAPI

from support.api import turns
from support.chatting import ending_of, sent
from support.planted import dump, tables_with
from support.promises import HERE, ask, choose
from support.scripted_llm import ChatRequest, ScriptedLLM
from support.waiting import until

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.both_databases]
WHO = "zqx-person@example.com"


class _Working(ScriptedLLM):
    """A model that answers once `finish` is called."""

    def __init__(self, answer: str) -> None:
        super().__init__()
        self._gate = threading.Event()
        self._answer = answer
        self.answer_with(self._in_time)

    def _in_time(self, _request: ChatRequest) -> str:
        self.wait_for(self._gate)
        return self._answer

    async def is_asked(self) -> None:
        async def asked() -> bool:
            return bool(self.requests)

        await until(asked)

    def finish(self) -> None:
        self._gate.set()


async def _erase(api: httpx.AsyncClient) -> None:
    gone = await api.delete(f"/api/users/{WHO}", params={"wait_for_response": True})
    assert gone.status_code == 200, gone.text


async def _is_forgotten(app: FastAPI) -> None:
    runtime = app.state.runtime
    await runtime.analytics.flush()
    await runtime.usage.flush()
    assert await _tables(app) == {}


async def _tables(app: FastAPI) -> dict[str, int]:
    """How many rows of each table name the user."""
    return tables_with(await dump(app.state.runtime.storage.backend, HERE), WHO)


async def test_an_answer_to_somebody_who_is_gone_leaves_no_record(
    api: httpx.AsyncClient, app: FastAPI
) -> None:
    """Neither of the call nor of its cost, nor of the memories that it was given."""
    with _Working("You like tea.") as model:
        await ask(api, "add_user_profile", user_profiles=[{"user_id": WHO, "content": "Likes tea."}])
        await choose(api, model)
        answering = asyncio.create_task(sent(api, "What do I like?", user=WHO))
        await model.is_asked()
        await _erase(api)
        model.finish()
        assert ending_of(await answering).data["error_kind"] == "NotFound"
    await _is_forgotten(app)


async def test_what_a_learner_asked_for_somebody_who_is_gone_is_paid_without_a_name(
    api: httpx.AsyncClient, app: FastAPI
) -> None:
    """The ledger keeps what the call cost, and does not say for whom it was."""
    with _Working("{}") as model:
        await choose(api, model)
        await ask(api, "publish_interaction", **turns("I like tea.", user_id=WHO, force_extraction=True))
        await model.is_asked()
        await _erase(api)
        model.finish()

        async def paid() -> bool:
            return len((await api.get("/api/model_calls")).json()["model_calls"]) == len(model.requests)

        async def ended() -> bool:
            return "leases" not in await _tables(app)

        await until(paid)
        await until(ended)  # the learner pays first, and then gives its lease back
    await _is_forgotten(app)
