"""A process's connection to Redis or Valkey: with timeouts, and a pause after a failure."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import structlog
from redis.asyncio import Redis
from redis.asyncio.connection import ConnectionPool, parse_url
from redis.exceptions import RedisError

from sagacity.coordination.redis_types import Client
from sagacity.domain.errors import ConfigError

_log = structlog.get_logger(__name__)

ANSWER_SECONDS = 1.0
"""The longest wait for a reply: rate limits and caches must not delay a call for longer."""
PAUSE_SECONDS = 1.0
"""How long no command is sent after a failure."""
FAILURES = (RedisError, OSError, TimeoutError)
_CONNECTIONS = 8
"""Enough for thousands of replies a second, yet few to open when many calls come at once."""
_FORMS = "redis://HOST:PORT/0, rediss://… for TLS, or unix:///PATH"

T = TypeVar("T")


class Link:
    """
    Runs commands on the server, and tolerates outages.

    An outage begins when a part of this process (commands, topic) fails, and ends when every part works again. Its
    beginning and end are each logged once, with the class of error and the address, never with the URL.
    """

    def __init__(self, client: Client, server: str) -> None:
        self.client = client
        self._server = server
        self._turns = asyncio.Semaphore(_CONNECTIONS)
        self._failing: set[str] = set()
        self._since = self._ask_from = time.monotonic()

    @property
    def is_up(self) -> bool:
        """Whether every part of this process reaches the server."""
        return not self._failing

    async def ask(self, command: Callable[[], Awaitable[T]]) -> T | None:
        """Return the result of *command*; None if the server does not answer, or recently did not."""
        if "commands" in self._failing:
            if time.monotonic() < self._ask_from:
                return None
            self._ask_from = time.monotonic() + PAUSE_SECONDS  # only this call tries; others go on without
        try:
            async with asyncio.timeout(ANSWER_SECONDS), self._turns:
                answer = await command()
        except FAILURES as error:
            self._ask_from = time.monotonic() + PAUSE_SECONDS
            self.failed("commands", error)
            return None
        self.works("commands")
        return answer

    def failed(self, part: str, error: BaseException) -> None:
        """Record that *part* does not reach the server."""
        if not self._failing:
            self._since = time.monotonic()
            _log.warning("shared.lost", server=self._server, error=type(error).__name__)
        self._failing.add(part)

    def works(self, part: str) -> None:
        """Record that *part* reaches the server."""
        if part in self._failing:
            self._failing.remove(part)
            if not self._failing:
                seconds = round(time.monotonic() - self._since, 1)
                _log.info("shared.back", server=self._server, seconds=seconds)


def open_link(url: str) -> Link:
    """
    Prepare the connection to the server at *url*; nothing connects before the first command.

    Raises:
        ConfigError: *url* is not valid. The message does not quote it, because it may contain a password.
    """
    try:
        options = _options(url)
        pool = ConnectionPool(**options)
        pool.make_connection()  # validates the options without connecting
    except (ValueError, TypeError, RedisError):  # their texts may quote the URL
        raise ConfigError(f"setting SAGACITY_REDIS_URL: write it like {_FORMS}") from None
    where = options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
    return Link(cast("Client", Redis.from_pool(pool)), where)


def _options(url: str) -> dict[str, Any]:
    """Return the options of the pool; ours override the URL's."""
    database = urlsplit(url).path.strip("/")
    if database and not url.startswith("unix:"):
        int(database)  # redis-py would use the first database if this is not a number
    return {
        **parse_url(url),
        "socket_timeout": ANSWER_SECONDS,
        "socket_connect_timeout": ANSWER_SECONDS,
        "decode_responses": False,
        "protocol": 2,
    }
