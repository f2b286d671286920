"""The only way to call chat models: it chooses prompt version and model, records the cost, and enforces the cap."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Generic, TypeVar

import structlog

from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.clock import Clock
from sagacity.domain.errors import ProviderError, ProviderRefused, StorageError
from sagacity.domain.ids import ORGANISATION, OrgId, UserId
from sagacity.domain.ledger import ModelCallRecord
from sagacity.domain.tenant import Tenant
from sagacity.learning.spending import RunningSums
from sagacity.learning.windows.images import Sight
from sagacity.prompts.load import Prompt, active_version, load_prompt, reference, render
from sagacity.providers.base import LLM, ChatMessage, ModelCall, OnCall, Output, ignore_call
from sagacity.providers.llm.prices import price_of
from sagacity.storage.transaction import Storage

_NOBODY = UserId("")
_log = structlog.get_logger(__name__)
Given = TypeVar("Given")
_NEWEST: Mapping[str, int] = MappingProxyType({})

Models = Callable[[TenantConfig, Role], LLM | None]
"""Returns a tenant's model for a role; None if there is no key."""

Record = Callable[[str, ModelCall], Awaitable[None]]
"""Records a request that was made with a prompt, named `name/vN`."""


Count = Callable[[ModelCallRecord], None]
"""Counts a request; never fails and never waits."""


def count_nothing(_record: ModelCallRecord) -> None:
    """Count no request."""


async def know_already() -> None:
    """Do nothing: the installation has no default models to reload."""


async def record_nothing(_prompt: str, _call: ModelCall) -> None:
    """Keep no ledger."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[Given]):
    """A model's answer, with its provenance."""

    value: Given
    prompt_version: str
    """Name and version of the prompt, such as `profile_extraction/v2`."""
    model: str
    instructions: str = ""
    """The prompt's instructions, without the values of its variables."""


class PromptRunner:
    """Runs prompts with one model on behalf of one learner."""

    def __init__(
        self,
        llm: LLM,
        *,
        versions: Mapping[str, int] = _NEWEST,
        record: Record = record_nothing,
        sight: Sight | None = None,
    ) -> None:
        """
        Run prompts with *llm*.

        Args:
            llm: the model.
            versions: the version of each prompt that does not use its newest one.
            record: called after every request.
            sight: whether the model accepts images, as far as known; without it, each image is tried.
        """
        self._llm = llm
        self._versions = versions
        self._record = record
        self._sight = sight

    @property
    def model(self) -> str:
        """The model's name for provenance."""
        return self._llm.model

    async def ask(
        self, prompt: str, variables: Mapping[str, str], output: type[Output], *, image: str = ""
    ) -> Answer[Output]:
        """
        Run the active version of *prompt*.

        If a call with an image fails for any reason, it is repeated without the image: some models accept none, some
        providers cannot open this one, and the text must not be lost because of it. After some refusals in a row,
        images are left out at once for a while.

        Args:
            prompt: the prompt's name.
            variables: the variables of the newest version; an older one uses those that it knows.
            output: the type to parse the answer into.
            image: an image to show with the user part, as an address or a `data:` URL.

        Raises:
            ValueError: there is no such prompt, or a variable is missing.
            ProviderError: the model failed.
        """
        sight = self._sight if image else None
        shown = "" if sight is not None and not sight.is_open else image
        filled, messages, on_call = self._prepared(prompt, variables, shown)
        try:
            value, _usage = await self._llm.structured(messages, output, on_call=on_call)
        except ProviderError as error:
            if not shown:
                raise
            _log.info(
                "models.asked_without_image", prompt=filled, model=self.model, kind=type(error).__name__
            )
            answer = await self.ask(prompt, variables, output)
            if sight is not None and isinstance(error, ProviderRefused):
                sight.note(refused=True)  # only now, because success without it shows that it was the image
            return answer
        if sight is not None and shown:
            sight.note(refused=False)
        template = load_prompt(prompt, active_version(prompt, self._versions))
        return Answer(value, filled, self.model, template.system)

    async def text(self, prompt: str, variables: Mapping[str, str]) -> Answer[str]:
        """
        Return an answer as plain text; see `ask`.

        Raises:
            ValueError: there is no such prompt, or a variable is missing.
            ProviderError: the model failed.
        """
        filled, messages, on_call = self._prepared(prompt, variables)
        completion = await self._llm.complete(messages, on_call=on_call)
        return Answer(completion.text, filled, self.model)

    async def stream(
        self,
        prompt: str,
        variables: Mapping[str, str],
        *,
        history: Sequence[ChatMessage] = (),
        max_tokens: int | None = None,
        temperature: float | None = None,
        told: OnCall = ignore_call,
    ) -> AsyncGenerator[str]:
        """
        Yield an answer as plain text, piece by piece; see `ask`.

        Args:
            prompt: the prompt's name.
            variables: as in `ask`.
            history: messages between the system part and the user part.
            max_tokens: the most tokens of the answer.
            temperature: 0..2; None for the model's own.
            told: called for every request, besides the ledger.

        Raises:
            ValueError: there is no such prompt, or a variable is missing.
            ProviderError: the model failed. After the first piece, the call is not retried.
        """
        _, (system, user), record = self._prepared(prompt, variables)

        async def on_call(call: ModelCall) -> None:
            await record(call)
            await told(call)

        pieces = self._llm.stream(
            (system, *history, user), max_tokens=max_tokens, temperature=temperature, on_call=on_call
        )
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece

    def _prepared(
        self, prompt: str, variables: Mapping[str, str], image: str = ""
    ) -> tuple[str, tuple[ChatMessage, ChatMessage], OnCall]:
        filled = rendered(prompt, active_version(prompt, self._versions), variables)
        name = reference(filled.name, filled.version)

        async def on_call(call: ModelCall) -> None:
            await self._record(name, call)

        messages = (
            ChatMessage(role="system", content=filled.system),
            ChatMessage(role="user", content=filled.user, image=image),
        )
        return name, messages, on_call


def rendered(prompt: str, version: int, variables: Mapping[str, str]) -> Prompt:
    """
    Render one version of a prompt with those of *variables* that it uses.

    Raises:
        ValueError: there is no such prompt, or a variable is missing.
    """
    declared = load_prompt(prompt, version).front.variables
    return render(prompt, version, {name: text for name, text in variables.items() if name in declared})


def _no_model(_role: Role, _learner: str) -> PromptRunner | None:
    return None


@dataclass(frozen=True, slots=True)
class ModelSession:
    """The models that may be called for one scope. Without arguments: none, so rules learn."""

    open: Callable[[Role, str], PromptRunner | None] = _no_model
    note: str = ""
    """Why rules learn although a model is configured; empty if none is configured or the model learns."""

    def prompt_runner(self, role: Role, learner: str) -> PromptRunner | None:
        """Return the prompt runner of *learner*; None if rules must learn: there is no model, or the cap is reached."""
        return self.open(role, learner)


class ModelGateway:
    """Decides which models may be called, and records every request in the ledger."""

    def __init__(
        self,
        storage: Storage,
        models: Models,
        clock: Clock,
        *,
        count: Count = count_nothing,
        refresh: Callable[[], Awaitable[None]] = know_already,
    ) -> None:
        """
        Prepare to open models.

        Args:
            storage: the storage of the ledger.
            models: opens the models.
            clock: the time of each request.
            count: called for every request of any tenant.
            refresh: reloads the installation's default models; never fails.
        """
        self._refresh = refresh
        self._storage = storage
        self._count = count
        self._models = models
        self._clock = clock
        self._sums = RunningSums(storage, clock)
        self._told: dict[OrgId, datetime] = {}
        self._sights: dict[tuple[OrgId, str], Sight] = {}

    async def of(
        self, tenant: Tenant, config: TenantConfig, user_id: UserId | None = ORGANISATION
    ) -> ModelSession:
        """
        Return the models that may be called now; call it for each window, because the cap may be reached meanwhile.

        Args:
            tenant: the organisation, for the ledger.
            config: its configuration, which chooses models and prompts.
            user_id: the user whose log is processed; None for the organisation's own work.
        """
        note = await self.note(tenant, config)
        if note:
            return ModelSession(note=note)

        def opened(role: Role, learner: str) -> PromptRunner | None:
            llm = self._models(config, role)
            if llm is None:
                return None

            async def record(prompt: str, call: ModelCall) -> None:
                await self._write(tenant, learner, user_id, prompt, call)

            sight = self._sights.setdefault((tenant.org_id, llm.model), Sight(self._clock))
            return PromptRunner(llm, versions=config.prompt_versions, record=record, sight=sight)

        return ModelSession(opened)

    async def note(self, tenant: Tenant, config: TenantConfig) -> str:
        """Return why no model is called although one is configured; empty if one is called or none is configured."""
        await self._refresh()
        cap = config.spending_cap
        if cap is None or self._models(config, Role.GENERATION) is None:
            return ""
        spent = await self._sums.of(tenant, cap)
        if not cap.is_reached(spent):
            return ""
        now = self._clock.now()
        note = cap.note(spent, now)
        if self._told.get(tenant.org_id) != cap.start(now):
            self._told[tenant.org_id] = cap.start(now)
            _log.warning("models.spending_cap_reached", org_id=tenant.org_id, note=note)
        return note

    def unpriced(self, config: TenantConfig) -> list[str]:
        """Return the models of *config* without a known price; reads a file at the first call."""
        opened = (self._models(config, role) for role in Role)
        names = {llm.model for llm in opened if llm is not None and llm.model}
        return sorted(name for name in names if price_of(name) is None)

    async def _write(
        self, tenant: Tenant, learner: str, user_id: UserId | None, prompt: str, call: ModelCall
    ) -> None:
        """
        Record one request in the ledger, without the name of a user who was erased meanwhile.

        A failure to write does not stop learning.
        """
        record = ModelCallRecord(
            learner=learner,
            user_id=user_id or _NOBODY,
            model=call.model,
            prompt=prompt,
            attempt=call.attempt,
            prompt_tokens=call.usage.prompt_tokens,
            completion_tokens=call.usage.completion_tokens,
            cached_tokens=call.usage.cached_tokens,
            cost_usd=call.cost_usd,
            duration_ms=round(call.duration_seconds * 1000),
            outcome=call.outcome,
            created_at=self._clock.now(),
        )
        self._sums.add(tenant, record)
        self._count(record)

        async def write() -> None:
            async with self._storage.begin(tenant) as transaction:
                is_known = user_id is None or await transaction.logs.exists(user_id)
                named = record if is_known else record.model_copy(update={"user_id": _NOBODY})
                await transaction.model_calls.add(named)

        try:
            await self._storage.retry(write)
        except StorageError as error:
            _log.warning(
                "ledger.write_failed",
                org_id=tenant.org_id,
                learner=learner,
                kind=type(error).__name__,
                tokens=call.usage.prompt_tokens + call.usage.completion_tokens,
            )
