"""A redirect is never followed: who answers a call of a model does not say where its prompt and key go next."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from sagacity.domain.errors import ProviderRefused
from sagacity.providers.base import ChatMessage
from sagacity.providers.choice import ModelChoice
from sagacity.providers.embedders.remote import RemoteEmbedder
from sagacity.providers.llm.litellm import LiteLLM
from sagacity.providers.llm.open import open_llm
from sagacity.providers.retry_policy import Limits, Retry

pytestmark = pytest.mark.usefixtures("closed_clients")

MESSAGES = (ChatMessage(role="user", content="hello"),)
CODES = (301, 302, 303, 307, 308)
PROTOCOLS = ("openai/scripted", "azure/scripted", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash")


class Facts(BaseModel):
    """What is asked for."""

    facts: list[str]


class Redirecting:
    """Two servers: one sends all that comes to the other, which is inside and should never be called."""

    def __init__(self) -> None:
        self.code = 307
        self.asked: list[str] = []
        self.reached: list[str] = []
        self._inside = _served(self._take_in)
        self._outside = _served(self._send_on)

    @property
    def base_url(self) -> str:
        return f"{_url(self._outside)}/v1"

    def close(self) -> None:
        for server in (self._inside, self._outside):
            server.shutdown()
            server.server_close()

    def _take_in(self, request: BaseHTTPRequestHandler) -> None:
        self.reached.append(f"{request.command} {request.path}")
        _answer(request, 200, {})

    def _send_on(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(f"{request.command} {request.path}")
        _answer(request, self.code, {"Location": f"{_url(self._inside)}/secret"})


def _url(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def _answer(request: BaseHTTPRequestHandler, code: int, headers: dict[str, str]) -> None:
    request.rfile.read(int(request.headers["Content-Length"] or 0))
    request.send_response(code)
    for name, value in {**headers, "Content-Length": "2", "Connection": "close"}.items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(b"{}")


def _served(answer: Callable[[BaseHTTPRequestHandler], None]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.close_connection = True
            answer(self)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


@pytest.fixture
def servers() -> Iterator[Redirecting]:
    servers = Redirecting()
    yield servers
    servers.close()


def opened(servers: Redirecting, model: str = "openai/scripted") -> LiteLLM:
    choice = ModelChoice(
        model=model,
        api_key=SecretStr("k"),
        api_base=servers.base_url,
        api_version="2024-10-21" if model.startswith("azure/") else None,
    )
    return open_llm(choice, timeout_seconds=60)


async def complete(llm: LiteLLM) -> object:
    return await llm.complete(MESSAGES)


async def structured(llm: LiteLLM) -> object:
    return await llm.structured(MESSAGES, Facts)


async def streamed(llm: LiteLLM) -> object:
    return [piece async for piece in llm.stream(MESSAGES)]


@pytest.mark.parametrize("call", [complete, structured, streamed])
@pytest.mark.parametrize("model", PROTOCOLS)
async def test_a_redirected_call_of_a_model_is_refused(
    servers: Redirecting, model: str, call: Callable[[LiteLLM], Any]
):
    """With whatever protocol, and once: asking again would lead nowhere else."""
    with pytest.raises(ProviderRefused, match="redirect"):
        await call(opened(servers, model))
    assert servers.reached == []
    assert len(servers.asked) == 1


@pytest.mark.parametrize("code", CODES)
async def test_every_kind_of_redirect_is_refused(servers: Redirecting, code: int):
    """Also those that would turn a POST into a GET; the error says what to do."""
    servers.code = code
    with pytest.raises(ProviderRefused) as refused:
        await complete(opened(servers))
    assert str(refused.value) == (
        f"openai/scripted: answered with a redirect, HTTP {code}, which is not followed: "
        "configure the address that it leads to"
    )
    assert (servers.reached, len(servers.asked)) == ([], 1)


@pytest.mark.parametrize("code", CODES)
async def test_a_redirected_embedding_is_refused(servers: Redirecting, code: int):
    """Texts and the server's key stay where they were sent."""
    servers.code = code
    embedder = RemoteEmbedder(
        "openai/scripted",
        dimension=4,
        api_key=SecretStr("k"),
        api_base=servers.base_url,
        limits=Limits(timeout_seconds=60, retry=Retry(attempts=3)),
    )
    with pytest.raises(ProviderRefused, match=f"a redirect, HTTP {code}"):
        await embedder.embed(["tea"])
    assert (servers.reached, len(servers.asked)) == ([], 1)
