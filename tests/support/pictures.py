"""Images for tests, and what of them a model server was sent."""

import base64
from typing import Any

from support.scripted_llm import ChatRequest

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""One pixel."""


def encoded(image: bytes) -> str:
    """In base64."""
    return base64.b64encode(image).decode()


DATA_URL = f"data:image/png;base64,{encoded(PNG)}"


def images_in(request: ChatRequest) -> list[str]:
    """The addresses of all images that a request holds."""
    contents: list[Any] = [message["content"] for message in request.messages]
    parts = [part for content in contents if not isinstance(content, str) for part in content]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


def text_of(request: ChatRequest) -> str:
    """The text of the last message, whether it came alone or as a part."""
    content: Any = request.messages[-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]
