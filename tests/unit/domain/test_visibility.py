"""What may be served, of each kind, approval and author."""

import pytest

from sagacity.domain.kinds import visibility_of
from sagacity.domain.memory import Approval, MemoryKind, Provenance, Visibility
from support.parts import new_memory

SERVED, WAITS, REJECTED = Visibility.SERVED, Visibility.WAITS_FOR_REVIEW, Visibility.REJECTED


@pytest.mark.parametrize(
    ("kind", "method", "expected"),
    [
        (MemoryKind.PROFILE, "model", (SERVED, SERVED, REJECTED)),
        (MemoryKind.USER_PLAYBOOK, "rules", (SERVED, SERVED, REJECTED)),
        (MemoryKind.AGENT_PLAYBOOK, "model", (WAITS, SERVED, REJECTED)),
        (MemoryKind.AGENT_PLAYBOOK, "direct", (SERVED, SERVED, REJECTED)),
        (MemoryKind.SKILL, "rules", (WAITS, SERVED, REJECTED)),
        (MemoryKind.SKILL, "direct", (SERVED, SERVED, REJECTED)),
    ],
)
def test_what_serves_all_users_waits_unless_a_client_wrote_it(kind, method, expected):
    """Pending, approved and rejected, in this order."""
    approvals = (Approval.PENDING, Approval.APPROVED, Approval.REJECTED)
    made = [
        new_memory("x", kind=kind, approval=one, provenance=Provenance(method=method)) for one in approvals
    ]
    assert tuple(map(visibility_of, made)) == expected
