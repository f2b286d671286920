"""Site variables: values for the whole installation that an operator changes while it runs."""

import hashlib
from datetime import datetime
from typing import Annotated

from pydantic import Field, JsonValue

from sagacity.domain.base import Value
from sagacity.domain.ids import OrgId


class StoredVariable(Value):
    """A site variable that was set."""

    name: str
    value: JsonValue
    version: int
    """Counts from 1 how often it was set since it last had its default."""
    author: str
    """Who set it, as named in the audit log."""
    updated_at: datetime


class FeatureFlag(Value):
    """For whom a feature is on."""

    enabled: bool = True
    """False: for nobody."""
    organisations: Annotated[tuple[Annotated[str, Field(max_length=512)], ...], Field(max_length=1_000)] = ()
    """Those that have it whatever the draw says."""
    share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 1.0
    """Which part of all others has it, 0 to 1."""

    def is_on(self, name: str, org_id: OrgId) -> bool:
        """Return whether *org_id* has the feature *name*: always the same as long as the flag does not change."""
        return self.enabled and (org_id in self.organisations or _draw(name, org_id) < self.share)


def _draw(name: str, org_id: OrgId) -> float:
    """Return a number in [0, 1) by SHA-256; a larger share keeps whoever had a smaller one."""
    drawn = hashlib.sha256(f"{name}\n{org_id}".encode()).digest()
    return (int.from_bytes(drawn[:8]) >> 11) / 2**53
