"""Memories of every sort, and filters of every sort to find them by."""

from datetime import timedelta

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sagacity.domain.memory import Approval, MemoryKind, Status
from sagacity.domain.query import Filter
from support.parts import START, new_memory

ALL_KINDS = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
NAMES, SOURCES, VERSIONS, REQUESTS = ("n1", "n2"), ("s1", "s2"), ("v1", "v2"), ("q1", "q2")
MOMENTS = [START + timedelta(hours=hour) for hour in range(6)]
WORD_SETS = ("tea", "tea coffee", "coffee", "milk tea tea")


def furnished() -> list:
    """Memories of every sort, no two alike."""
    rng = np.random.default_rng(11)

    def pick(options):
        return options[rng.integers(len(options))]

    rows = []
    for n in range(240):
        kind = pick(list(MemoryKind))
        own = kind not in (MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL)
        rows.append(
            new_memory(
                pick(WORD_SETS),
                uid=f"f{n}",
                kind=kind,
                user_id=pick(("anna", "ben")) if own else None,
                at=pick(MOMENTS),
                name=pick(NAMES),
                source=pick(SOURCES),
                agent_version=pick(VERSIONS),
                status=pick(list(Status)),
                approval=pick(list(Approval)),
                source_request_ids=(pick(REQUESTS),),
                expires_at=pick([None, *MOMENTS]),
            )
        )
    return rows


def subsets(options):
    return st.lists(st.sampled_from(list(options)), unique=True).map(tuple)


FILTERS = st.builds(
    Filter,
    kinds=subsets(MemoryKind),
    interactions=st.just(value=False),
    user_id=st.sampled_from([None, "anna", "ben", "nobody"]),
    statuses=subsets(Status),
    approvals=subsets(Approval),
    agent_version=st.sampled_from([None, *VERSIONS]),
    name=st.sampled_from([None, *NAMES]),
    source=st.sampled_from([None, *SOURCES]),
    request_id=st.sampled_from([None, *REQUESTS]),
    start=st.sampled_from([None, *MOMENTS]),
    end=st.sampled_from([None, *MOMENTS]),
    valid_at=st.sampled_from([None, *MOMENTS]),
)

NARROW = [
    ALL_KINDS.model_copy(update={name: value})
    for name, value in (
        ("name", "n1"), ("source", "s2"), ("agent_version", "v1"), ("request_id", "q2"),
        ("start", MOMENTS[3]), ("end", MOMENTS[2]), ("valid_at", MOMENTS[2]),
        ("user_id", "anna"), ("approvals", (Approval.REJECTED,)),
    )
]  # fmt: skip
"""Each field by itself, which a random choice of all rarely gives."""


def asked_for() -> list[Filter]:
    """Each field by itself, and many together; the same ones each time."""
    asked = list(NARROW)

    @settings(
        max_examples=120,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(FILTERS)
    def collect(wanted: Filter) -> None:
        asked.append(wanted)

    collect()
    return asked
