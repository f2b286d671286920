"""Memories of every kind, and filters of every kind to find them."""

from datetime import timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.condition import parse_condition
from sagacity.domain.memory import Approval, Attributes, MemoryKind, Provenance, Status, Visibility
from sagacity.domain.query import Filter
from support.parts import START, new_memory

ALL_KINDS = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
NAMES, SOURCES, VERSIONS, REQUESTS = ("n1", "n2"), ("s1", "s2"), ("v1", "v2"), ("q1", "q2")
MOMENTS = [START + timedelta(hours=hour) for hour in range(6)]
KEYWORDS = ((), ("Travel",), ("work", "travel"))
METADATA = (
    {},
    {"tags": ["WORK", 3], "level": 1},
    {"level": 2, "by": {"name": "eve"}},
    {"level": "2", "tags": "work"},
)
FEATURES = ({}, {"mood": "calm"}, {"mood": "tense"})
CONDITIONS = tuple(
    parse_condition(one)
    for one in (
        {"level": {"gte": 1}}, {"level": {"in": [2, "2"]}}, {"not": {"level": {"exists": True}}},
        {"or": [{"by.name": {"eq": "eve"}}, {"custom_features.mood": {"eq": "calm"}}]}, {"tags": {"contains": "WORK"}},
    )
)  # fmt: skip
WORD_SETS = ("tea", "tea coffee", "coffee", "milk tea tea")


def furnished() -> list:
    """Return memories of every kind, no two alike."""
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
                created_at=pick(MOMENTS),
                valid_from=pick([None, *MOMENTS]),
                valid_to=pick([None, *MOMENTS]),
                keywords=pick(KEYWORDS),
                metadata=pick(METADATA),
                attributes=Attributes(custom_features=pick(FEATURES)),
                name=pick(NAMES),
                source=pick(SOURCES),
                agent_version=pick(VERSIONS),
                status=pick(list(Status)),
                approval=pick(list(Approval)),
                provenance=Provenance(method=pick(("model", "direct"))),
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
    user_ids=st.sampled_from([(), (), ("anna", "ben"), ("ben", "nobody")]),
    statuses=subsets(Status),
    visibility=subsets(Visibility),
    approvals=subsets(Approval),
    agent_versions=subsets((*VERSIONS, "v9")),
    names=subsets(NAMES),
    source=st.sampled_from([None, *SOURCES]),
    request_id=st.sampled_from([None, *REQUESTS]),
    tags=st.sampled_from([(), (), ("TRAVEL",), ("work", "travel"), ("work",)]),
    metadata=st.sampled_from([None, None, *CONDITIONS]),
    start=st.sampled_from([None, *MOMENTS]),
    end=st.sampled_from([None, *MOMENTS]),
    event_start=st.sampled_from([None, None, *MOMENTS]),
    event_end=st.sampled_from([None, None, *MOMENTS]),
    valid_at=st.sampled_from([None, *MOMENTS]),
    as_of=st.sampled_from([None, None, *MOMENTS]),
)

NARROW = [
    ALL_KINDS.model_copy(update={name: value})
    for name, value in (
        ("names", ("n1",)), ("is_held", True), ("source", "s2"), ("agent_versions", ("v1",)), ("request_id", "q2"),
        ("start", MOMENTS[3]), ("end", MOMENTS[2]), ("valid_at", MOMENTS[2]),
        ("user_id", "anna"), ("visibility", (Visibility.WAITS_FOR_REVIEW,)), ("approvals", (Approval.REJECTED,)), ("user_ids", ("anna", "ben")),
        ("event_start", MOMENTS[3]), ("event_end", MOMENTS[2]), ("as_of", MOMENTS[2]),
        ("tags", ("work",)), ("tags", ("work", "Travel")), *(("metadata", one) for one in CONDITIONS),
    )
]  # fmt: skip
"""Each field by itself, which a random choice of all rarely gives."""


def asked_for() -> list[Filter]:
    """Each field by itself, and many together; the same ones each time."""
    asked = list(NARROW)

    @given(FILTERS)
    def collect(wanted: Filter) -> None:
        asked.append(wanted)

    collect()
    return asked
