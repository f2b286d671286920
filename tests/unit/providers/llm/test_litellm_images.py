"""Messages with an image, as they arrive at a model server; without one they are plain text."""

import importlib
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from sagacity.domain.errors import ProviderError, ProviderRefused
from sagacity.providers.base import ChatMessage
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.litellm import LiteLLM
from sagacity.providers.llm.open import open_llm
from support.pictures import DATA_URL, images_in
from support.scripted_llm import ScriptedLLM, as_json, garbage, scripted_llm, status

pytestmark = pytest.mark.usefixtures("closed_clients")

SYSTEM = ChatMessage(role="system", content="You extract facts.")


class Facts(BaseModel):
    """What is asked for."""

    facts: list[str]


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        yield server


def opened(server: ScriptedLLM, model: str = "openai/scripted") -> LiteLLM:
    choice = ModelChoice(model=model, api_key=SecretStr("k"), api_base=server.base_url)
    return open_llm(choice, attempts=1, timeout_seconds=20)


def asking(image: str = "") -> tuple[ChatMessage, ...]:
    return SYSTEM, ChatMessage(role="user", content="What is this?", image=image)


@pytest.mark.parametrize("image", [DATA_URL, "https://example.org/a.png"])
async def test_an_image_goes_beside_the_text_of_its_message(server, image):
    """As a part of that message's content; other messages stay plain text, also where an answer is mended."""
    server.answer_with([garbage(), as_json({"facts": ["a pixel"]})])
    answer, _ = await opened(server).structured(asking(image), Facts)
    assert answer == Facts(facts=["a pixel"])
    for request in server.requests:
        assert request.messages[0]["content"] == "You extract facts."
        assert request.messages[1]["content"] == [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": image}},
        ]
    assert [type(one["content"]) for one in server.requests[1].messages] == [str, list, str, str]


async def test_without_an_image_content_is_a_plain_string(server):
    """Some servers take nothing else."""
    server.answer_with("a pixel")
    await opened(server).complete(asking())
    [request] = server.requests
    assert request.messages == [
        {"role": "system", "content": "You extract facts."},
        {"role": "user", "content": "What is this?"},
    ]


async def test_an_image_is_in_no_error_and_no_text_of_a_message(server):
    server.answer_with(status(400, says=DATA_URL))
    with pytest.raises(ProviderRefused) as refused:
        await opened(server).complete(asking(DATA_URL))
    assert "base64" not in f"{refused.value!r} {refused.value.__cause__!r}"
    assert "base64" not in repr(asking(DATA_URL))


@pytest.fixture
def images() -> Iterator[tuple[str, list[str]]]:
    """A server of images on this machine: its address, and what was asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    "model", ["openai/scripted", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash"]
)
async def test_an_address_that_a_user_gave_is_never_opened_here(server, images, model):
    """A provider may look there. From inside our network, what answers is none of a user's business."""
    address, asked = images
    server.answer_with("seen")
    with suppress(ProviderError):
        await opened(server, model).complete(asking(f"{address}/secret.png"))
        assert images_in(server.requests[0]) == [f"{address}/secret.png"]
    assert asked == []
    constants: Any = importlib.import_module("litellm.constants")
    assert constants.MAX_IMAGE_URL_DOWNLOAD_SIZE_MB == 0  # so it is with addresses of the outside
