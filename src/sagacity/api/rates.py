"""The rate limit of a route, declared beside it."""

from collections.abc import Callable, Iterable
from enum import IntEnum

from fastapi import APIRouter

from sagacity.api.marks import Endpoint, mark, marked

_RATE = "rate"


class Rate(IntEnum):
    """Calls per minute, for each route and caller."""

    GENERATE = 5
    RUN = 10
    WRITE = 60
    SEARCH = 120


def limited(rate: Rate) -> Callable[[Endpoint], Endpoint]:
    """Return a decorator that limits an endpoint; without it there is no limit."""
    return mark(_RATE, rate)


def limits_of(routers: Iterable[APIRouter]) -> dict[str, int]:
    """Return calls per minute by method and path, such as `POST /api/search`."""
    return {call: int(rate) for call, rate in marked(routers, _RATE).items()}
