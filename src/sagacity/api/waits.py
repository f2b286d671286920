"""Which routes may take longer than others, said beside them."""

from sagacity.api.marks import Routers, mark, marked

_WAITS = "waits_for_answer"
waits_for_answer = mark(_WAITS, value=True)
"""Marks an endpoint whose reply may wait for all of a model's answer, which takes longer than another call may."""


def waiting_of(routers: Routers) -> frozenset[str]:
    """Return the marked calls by method and path such as `POST /api/chat/send`."""
    return frozenset(marked(routers, _WAITS))
