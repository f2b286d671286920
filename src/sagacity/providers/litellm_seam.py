"""A typed interface to the part of LiteLLM that is used: imported once, and kept offline."""

import asyncio
import gc
import importlib
import logging
import os
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache, wraps
from json import JSONDecodeError
from ssl import SSLContext
from threading import Thread
from types import ModuleType
from typing import Any, NamedTuple, Protocol, cast

import httpx
from pydantic import BaseModel, ConfigDict

from sagacity.providers.checked_connections import TransportByCall
from sagacity.providers.llm.prices import price_list

OFFLINE = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "MAX_IMAGE_URL_DOWNLOAD_SIZE_MB": "0",
    "LITELLM_DISABLE_REDACT_SECRETS": "true",
}
"""
Settings that keep LiteLLM offline.

Without them it fetches its price list at import, a list of headers at the first call to Anthropic, and images. The
address of an image comes from a user: the provider may fetch it, but nothing inside this network may.

LiteLLM would also search the text of each error for secrets six times, which takes 10 ms per KB on the event loop. We
do not need that: its loggers are silent, and we report only an error's class and status.
"""
NO_KEY = "none"
"""Sent if no key is configured; LiteLLM would otherwise take one from the environment that is meant for other uses."""
LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx")
"""Loggers that would log prompts, answers, or addresses that contain a key."""


class Wire(BaseModel):
    """A part of a reply; fields that are not declared are dropped."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class WireText(Wire):
    """A message, or a piece of one."""

    content: str | None = None


class WireChoice(Wire):
    """One answer: `message` if complete, `delta` in a stream."""

    message: WireText = WireText()
    delta: WireText = WireText()
    finish_reason: str | None = None
    """Why the answer ended; `length` means that it was cut off."""

    @property
    def text(self) -> str:
        """The text of a complete answer."""
        return self.message.content or ""


class WireCached(Wire):
    """Details of a prompt's tokens."""

    cached_tokens: int | None = None


class WireUsage(Wire):
    """Tokens of one call."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: WireCached | None = None


class WireReply(Wire):
    """A reply, or a chunk of a streamed one."""

    choices: tuple[WireChoice, ...] = ()
    usage: WireUsage | None = None


WireMessage = Mapping[str, Any]
"""A message in OpenAI's format: its content is a text, or a list of parts."""


class Completions(Protocol):
    """The one call of LiteLLM that we make for chat."""

    async def __call__(
        self, *, model: str, messages: Sequence[WireMessage], stream: bool, **options: Any
    ) -> Any:
        """Request a completion; returns a reply, or an iterator of chunks."""
        ...


class NoReplyError(Exception):
    """There is no readable reply: LiteLLM returns None if a provider refuses the parameters twice."""

    status_code = 422


class LoadedLiteLLM(NamedTuple):
    """What we use of LiteLLM."""

    acompletion: Completions
    aembedding: Callable[..., Awaitable[Any]]
    arerank: Callable[..., Awaitable[Any]]
    supports_response_schema: Callable[[str], bool]
    errors: tuple[type[Exception], ...]
    """The errors that a call may raise, including `timeouts`."""
    timeouts: tuple[type[Exception], ...]


@cache
def load_litellm() -> LoadedLiteLLM:
    """
    Import LiteLLM, which takes seconds, and silence it.

    Its loggers, callbacks and printed advice would reveal prompts and answers. Prices come from the list in the
    package, not from the internet.
    """
    os.environ.update(OFFLINE)  # noqa: TID251  LiteLLM reads these at import and has no other switch
    with _kept_from_collection():
        litellm: Any = importlib.import_module("litellm")
        openai: Any = importlib.import_module("openai")
        _load_the_rest(litellm, openai)
    _stay_where_sent()
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.CRITICAL + 1)
    for name in ("callbacks", "input_callback", "success_callback", "failure_callback", "service_callback"):
        setattr(litellm, name, [])
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.drop_params = True  # omit parameters that a model does not take, such as a temperature
    litellm.DEFAULT_MAX_RETRIES = 0  # its embedding call reads "0 retries" as "not set" and then uses this
    return LoadedLiteLLM(
        acompletion=litellm.acompletion,
        aembedding=litellm.aembedding,
        arerank=litellm.arerank,
        supports_response_schema=litellm.supports_response_schema,
        errors=(openai.OpenAIError, httpx.HTTPError, NoReplyError),
        timeouts=(openai.APITimeoutError, httpx.TimeoutException),
    )


@contextmanager
def _kept_from_collection() -> Generator[None]:
    """
    Exclude what the block loads from garbage collection, if the process froze what it had loaded before, as servers do.

    LiteLLM's objects are as many as all others together: one collection of them stops all calls for 150 ms.
    """
    if not gc.get_freeze_count():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def loaded_litellm() -> LoadedLiteLLM:
    """Return LiteLLM. The first caller loads it in a thread, and callers meanwhile wait for the same thread."""
    if load_litellm.cache_info().currsize:
        return load_litellm()
    return await asyncio.wrap_future(_loading())


@cache
def _loading() -> Future[LoadedLiteLLM]:
    """
    Begin to load LiteLLM in a thread of its own, so that it is loaded only once.

    The thread is a daemon, so the process can end while it runs; a pool's thread would delay the end by seconds.
    """
    loading: Future[LoadedLiteLLM] = Future()
    loading.set_running_or_notify_cancel()  # one caller that gives up can no longer cancel it for the others

    def load() -> None:
        try:
            loading.set_result(load_litellm())
        except BaseException as error:  # noqa: BLE001  the waiting callers raise it; the next call tries again
            _loading.cache_clear()
            loading.set_exception(error)

    Thread(target=load, name="litellm", daemon=True).start()
    return loading


async def close_clients() -> None:
    """
    Close the connections that LiteLLM keeps for later calls.

    Await this on the event loop that made them, before it ends. LiteLLM itself closes only clients that are too old.
    """
    if load_litellm.cache_info().currsize == 0:
        return
    litellm: Any = importlib.import_module("litellm")
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()
    # LiteLLM makes this client at the first stream from Gemini, and keeps it in no cache.
    apart: Any = vars(cast("ModuleType", litellm)).get("module_level_aclient")
    if apart is not None:
        await apart.close()


def _load_the_rest(litellm: Any, openai: Any) -> None:
    """Do now what LiteLLM defers to its first call, where it would block every other task for a second."""
    types: Any = importlib.import_module("litellm.types.utils")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Item .* on TypedDict class", category=UserWarning)
        for name in ("Message", "Delta", "ModelResponse", "ModelResponseStream"):
            getattr(types, name).model_rebuild()
    _ = openai.AsyncOpenAI(api_key="none").chat.completions
    _ = litellm.encoding
    price_list()


def _stay_where_sent() -> None:
    """
    Make every HTTP client of LiteLLM refuse redirects and check each address; LiteLLM has no setting for it.

    Tenants configure endpoints of their own. By a redirect, or by a name that resolves to an address inside this
    network, such an endpoint could make us send prompts and keys to an address of its choice. Only asynchronous clients
    are changed, because all our calls are asynchronous.
    """
    handlers: Any = importlib.import_module("litellm.llms.custom_httpx.http_handler")
    of_openai: Any = importlib.import_module("litellm.llms.openai.common_utils").BaseOpenAILLM
    for handler in (handlers.AsyncHTTPHandler, handlers.HTTPHandler):
        handler.create_client = _without_redirects(handler.create_client)
    for name in ("_get_async_http_client", "_get_sync_http_client"):
        setattr(of_openai, name, staticmethod(_without_redirects(getattr(of_openai, name))))
    handlers.AsyncHTTPHandler.create_async_transport = staticmethod(_checked_transport)


def _checked_transport(
    *, ssl_context: SSLContext | None = None, ssl_verify: bool | None = None, **_: Any
) -> TransportByCall:
    """Replaces LiteLLM's own."""
    return TransportByCall(verify=ssl_context or ssl_verify is not False)


def _without_redirects(make: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(make)
    def made(*given: Any, **named: Any) -> Any:
        client = make(*given, **named)
        client.follow_redirects = False
        return client

    return made


def ignore_stream_warnings() -> None:
    """
    Ignore Pydantic's deprecation warning, which LiteLLM causes at the end of each stream.

    `catch_warnings` around the stream would not do: at its end it may undo filters that another task has set. Adding
    the filter again has no effect.
    """
    warnings.filterwarnings("ignore", message="Accessing the 'model_(computed_)?fields' attribute")


async def chunks_of(reply: Any) -> AsyncGenerator[WireReply]:
    """
    Yield the chunks of a streamed *reply*; close it to end the request.

    Streams in OpenAI's protocol are read directly from OpenAI's client. LiteLLM would build each chunk three more
    times, and the whole answer at the end, which takes 0.66 ms of processor time per chunk instead of 0.12.

    Raises:
        ValidationError: a chunk has another shape.
        NoReplyError: a chunk is not JSON.
    """
    raw: Any = getattr(reply, "completion_stream", None)
    chunks = raw if isinstance(raw, _openai_stream()) else reply
    try:
        while (chunk := await anext(chunks, None)) is not None:
            yield read_reply(chunk)
    except JSONDecodeError as error:
        raise NoReplyError from error
    finally:
        await (chunks.close() if chunks is raw else chunks.aclose())


@cache
def _openai_stream() -> type:
    return importlib.import_module("openai").AsyncStream


def read_reply(raw: Any) -> WireReply:
    """
    Parse a reply or a chunk from LiteLLM.

    Raises:
        ValidationError: it has the shape of neither.
    """
    return WireReply.model_validate(raw.model_dump(warnings=False) if isinstance(raw, BaseModel) else raw)
