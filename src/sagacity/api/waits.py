"""Routes that may take longer than others, declared beside them."""

from collections.abc import Iterable

from fastapi import APIRouter

from sagacity.api.marks import mark, marked

_WAITS = "waits_for_answer"
waits_for_answer = mark(_WAITS, value=True)
"""Marks an endpoint that may wait for a model's whole answer and so exceed the usual time limit."""


def waiting_of(routers: Iterable[APIRouter]) -> frozenset[str]:
    """Return the marked calls by method and path, such as `POST /api/chat/send`."""
    return frozenset(marked(routers, _WAITS))
