"""What a model's name leads to is checked when a connection is opened, and again for the next one."""

from collections.abc import Iterator, Sequence

import httpcore
import httpx
import pytest
from pydantic import SecretStr

from sagacity.domain.errors import ProviderRefused
from sagacity.providers.base import ChatMessage
from sagacity.providers.checked_connections import (
    MOST_BYTES,
    MOST_ERROR_BYTES,
    AddressRefused,
    CheckedBackend,
    TransportByCall,
    public_addresses_only,
    resolved,
)
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm
from support.scripted_llm import Answer, ScriptedLLM, scripted_llm, status


class Resolver:
    """Answers by a list, the last answer for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Network(httpcore.AsyncNetworkBackend):
    """Connects to nothing, or to an address that is up, and remembers what it was asked for."""

    def __init__(self, *up: str) -> None:
        self.up = up
        self.asked: list[str] = []

    async def connect_tcp(self, host: str, *_: object, **__: object) -> httpcore.AsyncNetworkStream:
        self.asked.append(host)
        if host not in self.up:
            raise httpcore.ConnectError("refused")
        return httpcore.AsyncMockStream([])


@pytest.fixture
def llm_server() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        yield server


async def test_a_name_is_connected_to_as_it_was_checked() -> None:
    """By its address, so that no second look-up has another answer; the next address is tried if one is away."""
    network = Network("2606:4700::1")
    backend = CheckedBackend(
        block_private=True, resolve=Resolver(["198.41.0.4", "2606:4700::1"]), inner=network
    )
    await backend.connect_tcp("models.example", 443, timeout=60)
    assert network.asked == ["198.41.0.4", "2606:4700::1"]
    for answers in (["198.41.0.4"], []):
        with pytest.raises(httpcore.ConnectError):
            await CheckedBackend(block_private=True, resolve=Resolver(answers), inner=network).connect_tcp(
                "m", 443
            )


@pytest.mark.parametrize(
    ("answers", "block_private"),
    [
        (["169.254.169.254"], False),
        (["8.8.8.8", "::ffff:169.254.169.254"], False),
        (["8.8.8.8", "10.0.0.7"], True),
        (["::1"], True),
    ],
)
async def test_a_name_with_a_refused_address_is_not_connected_to(
    answers: list[str], *, block_private: bool
) -> None:
    """Not to its other addresses, either."""
    network = Network(*answers)
    backend = CheckedBackend(block_private=block_private, resolve=Resolver(answers), inner=network)
    with pytest.raises(AddressRefused):
        await backend.connect_tcp("models.example", 80)
    assert network.asked == []


async def test_a_name_that_is_not_resolved_is_a_connection_that_failed() -> None:
    """Whatever the resolver says, or the name looks like."""

    async def late(_host: str, _port: int) -> Sequence[str]:
        raise TimeoutError

    for resolve, name, error in (
        (resolved, "no-such-name.invalid", httpcore.ConnectError),
        (resolved, "ü" * 70, httpcore.ConnectError),
        (late, "models.example", httpcore.ConnectTimeout),
    ):
        with pytest.raises(error):
            await CheckedBackend(block_private=False, resolve=resolve, inner=Network()).connect_tcp(name, 80)


async def test_a_name_that_changes_its_address_is_checked_again(llm_server: ScriptedLLM) -> None:
    """Each connection is checked, under the rule of its call; one of another rule is not borrowed."""
    llm_server.answer_with("hello")
    resolver = Resolver(["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"])
    url = f"{llm_server.base_url.replace('127.0.0.1', 'models.example')}/chat/completions"
    async with httpx.AsyncClient(transport=TransportByCall(resolve=resolver)) as client:
        assert (await client.post(url, json={"model": "m", "messages": []})).is_success
        with pytest.raises(httpx.ConnectError, match="private"), public_addresses_only(block_private=True):
            await client.post(url, json={"model": "m", "messages": []})
        with pytest.raises(httpx.ConnectError, match="metadata"):  # the server closed the first connection
            await client.post(url, json={"model": "m", "messages": []})
    assert len(llm_server.requests) == 1
    assert {name for name, _ in resolver.asked} == {"models.example"}


@pytest.mark.parametrize(
    ("answer", "code", "start"),
    [
        (status(503, says="busy " * 100_000), 503, b'{"error": {"message": "busy busy'),
        (Answer(raw_body=b"<html>a proxy's page" + b" " * 100_000), 200, b"<html>a proxy's page"),
    ],
    ids=["error", "page"],
)
async def test_of_an_error_its_beginning_is_read(
    llm_server: ScriptedLLM, answer: Answer, code: int, start: bytes
) -> None:
    """Its status stays."""
    llm_server.answer_with(answer)
    async with httpx.AsyncClient(transport=TransportByCall()) as client:
        reply = await client.post(
            f"{llm_server.base_url}/chat/completions", json={"model": "m", "messages": []}
        )
    assert (reply.status_code, len(reply.content)) == (code, MOST_ERROR_BYTES)
    assert reply.content.startswith(start)


async def test_a_reply_longer_than_any_is_a_fault(llm_server: ScriptedLLM) -> None:
    """Also one without end, which would fill the memory; a stream, which is not kept, may be as long as it likes."""
    llm_server.answer_with(Answer(text="x" * MOST_BYTES, pieces=["x" * MOST_BYTES, "y"]))
    url, asked = f"{llm_server.base_url}/chat/completions", {"model": "m"}
    async with httpx.AsyncClient(transport=TransportByCall(), timeout=60) as client:
        with pytest.raises(httpx.ReadError, match="more than 16,777,216 bytes"):
            await client.post(url, json=asked)
        async with client.stream("POST", url, json=asked | {"stream": True}) as stream:
            assert sum([len(chunk) async for chunk in stream.aiter_bytes()]) > MOST_BYTES


@pytest.mark.usefixtures("closed_clients")
@pytest.mark.parametrize(
    "model",
    [
        "openai/scripted",
        "azure/scripted",
        "dashscope/qwen-plus",
        "anthropic/claude-haiku-4-5",
        "gemini/gemini-2.5-flash",
    ],
)
async def test_an_organisations_endpoint_is_called_as_the_server_allows(
    llm_server: ScriptedLLM, model: str
) -> None:
    """A name that leads into this machine is refused once and for all where it is to be, and answers elsewhere."""
    choice = ModelChoice(
        model=model,
        api_key=SecretStr("k"),
        api_base=llm_server.base_url.replace("127.0.0.1", "localhost"),
        api_version="2024-10-21" if model.startswith("azure/") else None,
    )
    llm_server.answer_with("hello")
    ask = (ChatMessage(role="user", content="hello"),)
    strict = open_llm(choice, timeout_seconds=60, block_private=True)
    for _ in range(2):
        with pytest.raises(ProviderRefused) as refused:
            await strict.complete(ask)
        assert str(refused.value) == (
            f"{model}: its configured address leads to a private address, which this server does not allow"
        )
    with pytest.raises(ProviderRefused, match="private"):
        _ = [piece async for piece in strict.stream(ask)]
    assert llm_server.requests == []
    if model == "openai/scripted":
        assert (await open_llm(choice, timeout_seconds=60).complete(ask)).text == "hello"
        with pytest.raises(ProviderRefused, match="private"):
            await strict.complete(ask)
