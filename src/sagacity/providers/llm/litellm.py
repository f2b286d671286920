"""Any chat model that LiteLLM can call; time, attempts and what errors reveal are limited."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any, NamedTuple, TypeVar

import structlog
from pydantic import ValidationError

from sagacity.domain.errors import MalformedOutput, ProviderError, ProviderRefused, ProviderTimeout
from sagacity.providers.base import ChatMessage, Completion, OnCall, Output, TokenUsage, ignore_call
from sagacity.providers.checked_connections import public_addresses_only
from sagacity.providers.choice import ModelChoice
from sagacity.providers.litellm_seam import (
    NO_KEY,
    NoReplyError,
    WireChoice,
    WireMessage,
    WireReply,
    WireUsage,
    chunks_of,
    ignore_stream_warnings,
    load_litellm,
    loaded_litellm,
    read_reply,
)
from sagacity.providers.llm.estimate import prompt_tokens
from sagacity.providers.llm.metered import Meter, SentRequest
from sagacity.providers.llm.prices import cost_usd
from sagacity.providers.llm.structured import (
    Salvaged,
    completed,
    go_on_messages,
    json_schema_format,
    mend_messages,
    parse,
    salvage,
    schema_message,
)
from sagacity.providers.llm.thoughts import ThoughtFilter
from sagacity.providers.retry_policy import BAD_REQUEST, Failure, Limits, Sleep, judge, retrying

BACKSTOP_SECONDS = 1.0
"""How much later than ours LiteLLM's own time limit is, because only ours tells a timeout from other failures."""
_CUT_OFF = "length"
"""LiteLLM's finish reason, for all providers, if an answer reached the limit of tokens."""
_FILTERED = "content_filter"
"""LiteLLM's finish reason if the provider cut off an answer for its content, or refused to give one."""
MOST_CHARACTERS = 512_000
"""
The most characters of an answer that are parsed as JSON; a longer answer counts as cut off there.

No model writes more: 128,000 tokens, of four characters each. Parsing holds up all other threads.
"""
MOST_TOKENS = 100_000_000
"""The largest plausible number of tokens; a provider that reports more is wrong."""

_log = structlog.get_logger(__name__)
T = TypeVar("T")


class LiteLLM:
    """
    One chat model.

    Neither prompts, answers nor keys reach a log or the text of an error. A provider's error may quote them, so only
    its class and status are reported, and it is not chained.
    """

    def __init__(
        self,
        choice: ModelChoice,
        limits: Limits,
        *,
        block_private: bool = False,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """
        Describe the model; nothing connects yet.

        Args:
            choice: which model, where, and with which key.
            limits: time limit and attempts for each call.
            block_private: refuse private addresses, if the choice names an address.
            sleep: waits between tries.
        """
        self._choice = choice
        self._block_private = block_private and choice.api_base is not None
        self._limits = limits
        self._sleep = sleep
        self._refuses_schemas = False

    @property
    def model(self) -> str:
        """The model in LiteLLM's naming."""
        return self._choice.model

    async def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None, on_call: OnCall = ignore_call
    ) -> Completion:
        """Return one answer as text."""
        meter = self._meter(on_call)
        text = _unless_failed(await self._answer(messages, meter, {"max_tokens": max_tokens}, _text_of))
        return Completion(text=text, model=self.model, usage=meter.usage)

    async def structured(
        self,
        messages: Sequence[ChatMessage],
        output: type[Output],
        *,
        max_tokens: int | None = None,
        on_call: OnCall = ignore_call,
    ) -> tuple[Output, TokenUsage]:
        """
        Return one answer parsed into *output*.

        If the answer was cut off, the missing entries are requested. The result has the complete entries of both
        answers, even if the second is cut off too, or refused. If the second fails temporarily, so does the call,
        because a later attempt may return everything.

        Raises:
            MalformedOutput: it did not parse, and neither did a second answer after the model was shown the error.
        """
        asked = tuple(messages)
        meter = self._meter(on_call)
        begun: list[str] = []
        kept: Salvaged[Output] | None = None
        for _ in range(2):
            try:
                answer = await self._json_answer(asked, output, meter, max_tokens)
            except ProviderError as error:
                if kept is None or error.retryable:
                    raise
                break
            if not isinstance(answer, _Unreadable):
                return completed(kept.value, answer) if begun and kept else answer, meter.usage
            whole = await asyncio.to_thread(salvage, (*begun, answer.text), output)
            kept = max((one for one in (kept, whole) if one), key=lambda one: one.entries, default=None)
            if answer.is_cut_off:
                begun.append(answer.text)
                asked = (*messages, *go_on_messages(answer.text, kept))
            else:
                asked = (*messages, *mend_messages(answer.text, answer.fault))
        if kept is not None:
            _log.warning(
                "models.answer_cut_off", model=self.model, output=output.__name__, entries=kept.entries
            )
            return kept.value, meter.usage
        raise MalformedOutput(f"{self.model}: neither of two answers reads as {output.__name__}")

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        on_call: OnCall = ignore_call,
    ) -> AsyncGenerator[str]:
        """
        Yield the answer piece by piece.

        A failure is retried only before the first piece. The first piece has a time limit, and so has each later one.
        """
        options: dict[str, Any] = {"max_tokens": max_tokens, "stream_options": {"include_usage": True}}
        if temperature is not None:
            options["temperature"] = self._choice.temperature_near(temperature)
        meter, asked = self._meter(on_call), prompt_tokens(messages)

        async def attempt() -> _Opened | Failure:
            async with AsyncExitStack() as stack:
                sent = await stack.enter_async_context(meter.request(asked_tokens=asked))
                outcome = await self._guarded(
                    lambda: self._try_stream(messages, self._traced(options, sent)), self._limits.silences[0]
                )
                if isinstance(outcome, Failure):
                    sent.outcome = outcome.error.__name__
                    return outcome
                return _Opened(outcome, sent, stack.pop_all())

        await loaded_litellm()  # before the clock of the first request starts
        opened = _unless_failed(await retrying(attempt, self._limits.retry, sleep=self._sleep))
        async with opened.request, aclosing(self._pieces(opened.stream, opened.sent)) as pieces:
            async for piece in pieces:
                yield piece

    async def _pieces(self, opened: "_Stream", sent: SentRequest) -> AsyncGenerator[str]:
        """Yield the stream's text, and record its tokens."""
        chunk, is_empty, is_filtered, is_over = opened.first, True, False, False
        limit, thoughts = self._limits.silences[1], ThoughtFilter()
        try:
            while chunk is not None:
                sent.usage = _most(sent.usage, _usage(chunk))
                if is_over and chunk.usage is not None:
                    break  # LiteLLM would now assemble the answer again, for logs that nobody reads
                choice = chunk.choices[0] if chunk.choices else WireChoice()
                is_over = is_over or choice.finish_reason is not None
                is_filtered = is_filtered or choice.finish_reason == _FILTERED
                if piece := choice.delta.content:
                    sent.answer.append(piece)
                    if shown := thoughts.read(piece):
                        is_empty = is_empty and not shown.strip()
                        yield shown
                chunk = _unless_failed(await self._guarded(lambda: anext(opened.rest, None), limit))
        finally:
            await opened.rest.aclose()
        if rest := thoughts.finish():
            is_empty = is_empty and not rest.strip()
            yield rest
        if is_filtered:
            raise ProviderRefused(f"{self.model}: the provider's content filter ended the answer")
        if is_empty:
            raise ProviderError(f"{self.model}: the stream ended without an answer")

    def _meter(self, on_call: OnCall) -> Meter:
        return Meter(self.model, on_call, price=self._price)

    def _price(self, usage: TokenUsage) -> float | None:
        return cost_usd(self.model, usage)

    async def _json_answer(
        self, messages: Sequence[ChatMessage], output: type[Output], meter: Meter, max_tokens: int | None
    ) -> "Output | _Unreadable":
        """Request structured output, by schema if the model takes one, else in words."""

        async def read(choice: WireChoice) -> Output | _Unreadable:
            text = choice.text[:MOST_CHARACTERS]
            is_cut_off = choice.finish_reason == _CUT_OFF or len(choice.text) > len(text)
            try:
                return await asyncio.to_thread(parse, text, output)  # some models write a great deal
            except ValueError as error:
                return _Unreadable(text, str(error), is_cut_off=is_cut_off)

        in_words = _with_schema(messages, output)
        if self._refuses_schemas:
            return _unless_failed(await self._answer(in_words, meter, {"max_tokens": max_tokens}, read))
        if not await self._takes_schemas():
            options = {"max_tokens": max_tokens, "response_format": {"type": "json_object"}}
            return _unless_failed(await self._answer(in_words, meter, options, read))
        options = {"max_tokens": max_tokens, "response_format": json_schema_format(output)}
        outcome = await self._answer(messages, meter, options, read)
        if isinstance(outcome, Failure) and outcome.status == BAD_REQUEST:
            # Some servers that speak OpenAI's protocol refuse the schema, and answer as well if told in words.
            answer = _unless_failed(await self._answer(in_words, meter, {"max_tokens": max_tokens}, read))
            self._refuses_schemas = True
            return answer
        return _unless_failed(outcome)

    async def _takes_schemas(self) -> bool:
        if self._choice.api_base is not None and self.model.startswith(("openai/", "azure/")):
            return True  # not in LiteLLM's list; nearly all models do
        litellm = await loaded_litellm()
        return litellm.supports_response_schema(self.model)

    async def _answer(
        self,
        messages: Sequence[ChatMessage],
        meter: Meter,
        options: dict[str, Any],
        read: Callable[[WireChoice], Awaitable[T]],
    ) -> T | Failure:
        """Call until an attempt succeeds, fails for good, or was the last; returns what *read* makes of the answer."""
        asked = prompt_tokens(messages, options.get("response_format"))

        async def attempt() -> T | Failure:
            async with meter.request(asked_tokens=asked) as sent:
                outcome = await self._guarded(
                    lambda: self._try_reply(messages, self._traced(options, sent)),
                    self._limits.timeout_seconds,
                )
                if not isinstance(outcome, Failure):
                    sent.usage = _usage(outcome)
                    choice = outcome.choices[0] if outcome.choices else WireChoice()
                    sent.answer.append(choice.text)
                    answer = await read(choice)
                    if isinstance(answer, _Unreadable):
                        sent.outcome = MalformedOutput.__name__
                    return answer
                sent.outcome = outcome.error.__name__
                return outcome

        await loaded_litellm()  # before the clock of the first request starts
        return await retrying(attempt, self._limits.retry, sleep=self._sleep)

    async def _guarded(self, attempt: Callable[[], Awaitable[T]], seconds: float) -> T | Failure:
        """Make one attempt within a time limit, and turn a failure into a value."""
        litellm = (
            load_litellm()
        )  # the caller has loaded it; a thread for each piece would cost more than the piece
        try:
            # Some calls are only sent when the first piece of their stream is read, so that is an attempt, too.
            with public_addresses_only(block_private=self._block_private):
                async with asyncio.timeout(seconds):
                    return await attempt()
        except (TimeoutError, *litellm.timeouts):
            return Failure(error=ProviderTimeout, told=f"{self.model}: no answer in time")
        except ValidationError:
            return Failure(error=ProviderError, told=f"{self.model}: the reply is not a completion")
        except litellm.errors as error:
            return judge(self.model, error)

    def _traced(self, options: dict[str, Any], sent: SentRequest) -> dict[str, Any]:
        """Pass the trace on to a server that the configuration names; others get no trace headers."""
        if not sent.traceparent or self._choice.api_base is None:
            return options
        return options | {"extra_headers": {"traceparent": sent.traceparent}}

    async def _try_reply(self, messages: Sequence[ChatMessage], options: dict[str, Any]) -> WireReply:
        return read_reply(await self._call(messages, options, stream=False))

    async def _try_stream(self, messages: Sequence[ChatMessage], options: dict[str, Any]) -> "_Stream":
        ignore_stream_warnings()
        chunks = chunks_of(await self._call(messages, options, stream=True))
        return _Stream(first=await anext(chunks, None), rest=chunks)

    async def _call(self, messages: Sequence[ChatMessage], options: dict[str, Any], *, stream: bool) -> Any:
        choice, limits = self._choice, self._limits
        sent = {
            "api_key": choice.api_key.get_secret_value() if choice.api_key else NO_KEY,
            "api_base": choice.api_base,
            "api_version": choice.api_version,
            "temperature": choice.temperature,
            "timeout": (max(limits.silences) if stream else limits.timeout_seconds) + BACKSTOP_SECONDS,
            **options,
        }
        reply = await load_litellm().acompletion(
            model=choice.model,
            messages=[_wired(message) for message in messages],
            stream=stream,
            # This class counts and paces the attempts, so LiteLLM makes none of its own.
            num_retries=0,
            max_retries=0,
            **{name: value for name, value in sent.items() if value is not None},
        )
        if reply is None:
            raise NoReplyError
        return reply


class _Unreadable(NamedTuple):
    """An answer that does not parse, and what is wrong with it, shown only to the model."""

    text: str
    fault: str
    is_cut_off: bool


class _Stream(NamedTuple):
    """A stream whose first chunk has arrived."""

    first: WireReply | None
    rest: AsyncGenerator[WireReply]


class _Opened(NamedTuple):
    """A stream, and the request that is measured until *request* is closed."""

    stream: _Stream
    sent: SentRequest
    request: AsyncExitStack


async def _text_of(choice: WireChoice) -> str:
    return choice.text


def _unless_failed(outcome: T | Failure) -> T:
    if isinstance(outcome, Failure):
        raise outcome.error(outcome.told)
    return outcome


def _usage(reply: WireReply) -> TokenUsage:
    said = reply.usage or WireUsage()
    prompt = _possible(said.prompt_tokens)
    cached = said.prompt_tokens_details.cached_tokens if said.prompt_tokens_details is not None else None
    return TokenUsage(
        prompt_tokens=prompt,
        completion_tokens=_possible(said.completion_tokens),
        cached_tokens=min(_possible(cached), prompt),
    )


def _most(one: TokenUsage, other: TokenUsage) -> TokenUsage:
    """Return the larger numbers of two chunks: each chunk that has numbers counts the whole request."""
    return TokenUsage(
        prompt_tokens=max(one.prompt_tokens, other.prompt_tokens),
        completion_tokens=max(one.completion_tokens, other.completion_tokens),
        cached_tokens=max(one.cached_tokens, other.cached_tokens),
    )


def _possible(tokens: int | None) -> int:
    """Return *tokens*, or 0 if the number is missing or implausible: it would distort sums or not fit the database."""
    return tokens if tokens is not None and 0 < tokens <= MOST_TOKENS else 0


def _wired(message: ChatMessage) -> WireMessage:
    """Return *message* as it is sent: in parts only if it has an image, because some servers accept only text."""
    if not message.image:
        return {"role": message.role, "content": message.content}
    text = {"type": "text", "text": message.content}
    image = {"type": "image_url", "image_url": {"url": message.image}}
    return {"role": message.role, "content": [text, image]}


def _with_schema(messages: Sequence[ChatMessage], output: type[Output]) -> tuple[ChatMessage, ...]:
    """Add the schema in words to the system message, because many chat templates accept only one such message."""
    asked = schema_message(output)
    if messages and messages[0].role == "system":
        system = ChatMessage(role="system", content=f"{messages[0].content}\n\n{asked.content}")
        return (system, *messages[1:])
    return (asked, *messages)
