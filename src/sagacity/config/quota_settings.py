"""Settings of quotas: what a new organisation may have at most."""

from pydantic import Field
from pydantic_settings import BaseSettings

from sagacity.domain.quota import LARGEST_QUOTA, Limits, QuotaName

_NEW = "a new organisation may have; unset: no limit. The operator changes it for each organisation."


class QuotaSettings(BaseSettings):
    """The settings of quotas that new organisations get."""

    quota_members: int | None = Field(
        default=None,
        ge=0,
        le=LARGEST_QUOTA,
        description=f"How many members, with open invitations, {_NEW}",
    )
    quota_tokens: int | None = Field(
        default=None, ge=0, le=LARGEST_QUOTA, description=f"How many API tokens that work {_NEW}"
    )
    quota_users: int | None = Field(
        default=None, ge=0, le=LARGEST_QUOTA, description=f"How many users {_NEW}"
    )
    quota_interactions: int | None = Field(
        default=None, ge=0, le=LARGEST_QUOTA, description=f"How many stored interactions {_NEW}"
    )
    quota_memories: int | None = Field(
        default=None, ge=0, le=LARGEST_QUOTA, description=f"How many stored memories {_NEW}"
    )
    quota_interactions_per_day: int | None = Field(
        default=None, ge=0, le=LARGEST_QUOTA, description=f"How many published interactions a day {_NEW}"
    )

    @property
    def default_quotas(self) -> Limits:
        """The limits that are set."""
        named = {name: getattr(self, f"quota_{name}") for name in QuotaName}
        return {name: most for name, most in named.items() if most is not None}
