"""What the application says of its routes, and their addresses, where any value will do."""

import re
from functools import cache
from typing import Any
from uuid import UUID

from sagacity.api.app import create_app
from sagacity.config.settings import Settings


@cache
def described() -> dict[str, Any]:
    """The API's description. To write it takes seconds, so a process does it once, and nobody changes it."""
    return create_app(Settings()).openapi()


def address(path: str) -> str:
    """A path with what may stand in its braces."""
    path = path.replace("{memory_type}", "profile").replace("/site/{name}", "/site/flag.holdout")
    return re.sub(r"\{\w+\}", "1", re.sub(r"\{(conversation|analytics)_id\}", str(UUID(int=1)), path))
