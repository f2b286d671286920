"""Evaluation put together for a test: the real pipeline, with rules or a scripted model as its judge."""

import re

from pydantic import SecretStr

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.clock import Clock
from sagacity.domain.evaluation import Evaluation
from sagacity.domain.ids import IdSource, RequestId, SessionId, UserId
from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.domain.tenant import Tenant
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm
from sagacity.storage.transaction import Storage
from support.configs import kept_configs
from support.learning import WordEmbedder, Worker, reading, task_parts
from support.parts import ANNA, ORG
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, as_json

DELAY_SECONDS = 600.0
SOLVED = ("How do I reset my password?", "Open the settings.", "Thanks, that worked!")
LOST = ("Where is my parcel?", "It is on its way.", "I want to speak to a human.")
GOOD = {"is_success": True, "is_escalated": False, "failure_type": None, "failure_reason": None}
BAD = {"is_success": False, "is_escalated": False, "failure_type": "wrong_answer", "failure_reason": "Wrong."}


def worker(
    storage: Storage,
    clock: Clock,
    ids: IdSource,
    model: ScriptedLLM | None = None,
    *,
    delay: float = DELAY_SECONDS,
) -> Worker:
    """One worker that has nothing to learn, so that it only judges: by rules without a model."""
    llm = None
    if model is not None:
        key = SecretStr("k")
        llm = open_llm(ModelChoice(model="openai/scripted", api_base=model.base_url, api_key=key), attempts=1)
    parts = task_parts(
        storage,
        WordEmbedder(),
        clock,
        ids,
        groups=reading(),
        models=lambda config, role: llm,
        evaluation_delay_seconds=delay,
    )
    return Worker(parts)


async def configure(storage: Storage, *names: str, tenant: Tenant = ORG, **fields) -> None:
    """Set up an evaluator for each of *names*."""
    evaluators = [
        {"evaluation_name": name, "success_definition_prompt": "Solved."} | fields for name in names
    ]
    config = TenantConfig.model_validate({"agent_success_configs": evaluators})
    await kept_configs(storage).set(tenant, config)


def talk(
    request_id: str, *said: str | NewInteraction, session: str | None = "s1", user_id: str = ANNA, **fields
) -> NewRequest:
    """One request of a session; texts alternate between the user and the agent."""
    turns = (
        one if isinstance(one, NewInteraction) else NewInteraction(role=("User", "Agent")[n % 2], content=one)
        for n, one in enumerate(said)
    )
    return NewRequest(
        request_id=RequestId(request_id),
        user_id=UserId(user_id),
        session_id=None if session is None else SessionId(session),
        interactions=tuple(turns),
        **fields,
    )


async def results(storage: Storage, tenant: Tenant = ORG) -> list[Evaluation]:
    """All results, oldest first."""
    async with storage.read(tenant) as snapshot:
        return (await snapshot.evaluations.list_newest(limit=100))[::-1]


def judging(right: str):
    """A judge that calls a transcript a success if it holds *right*, and better for it."""

    def answer(request: ChatRequest) -> Answer:
        texts = [_block(request, name) for name in ("transcript_a", "transcript_b")]
        if texts[0] is None:
            return as_json(GOOD if right in (_block(request, "conversation") or "") else BAD)
        a, b = (right in (text or "") for text in texts)
        better = "tie" if a == b else "A" if a else "B"
        verdicts = {"a": GOOD if a else BAD, "b": GOOD if b else BAD}
        reason = "Only one names it."
        return as_json(
            verdicts | {"better": better, "is_significantly_better": True, "comparison_reason": reason}
        )

    return answer


def _block(request: ChatRequest, name: str) -> str | None:
    found = re.search(
        rf"^<<<{name} (\w+)>>>$(.*?)^<<<end {name} \1>>>$", request.prompt, re.MULTILINE | re.DOTALL
    )
    return found[2] if found else None
