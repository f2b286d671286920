"""Usage events, as rows."""

from datetime import datetime

from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.usage import UsageEvent, UsageEventName
from support.parts import ANNA, START


def used(
    org_id: OrgId, uid: str, *, user_id: UserId | None = ANNA, at: datetime = START, **fields
) -> UsageEvent:
    """One event; a user playbook that was surfaced with 10 tokens, by its uid, unless the fields say otherwise."""
    values = {
        "event_name": UsageEventName.INJECTION,
        "entity_type": MemoryKind.USER_PLAYBOOK,
        "entity_id": uid,
        "prompt_tokens": 10,
    }
    return UsageEvent(org_id=org_id, uid=uid, user_id=user_id, created_at=at, **{**values, **fields})
