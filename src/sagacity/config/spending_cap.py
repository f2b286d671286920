"""How much a tenant's models may cost, and over which period."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from sagacity.config.fields import ConfigPart
from sagacity.domain.ledger import Spending


class SpendingPeriod(StrEnum):
    """The period over which costs are summed up; both begin at midnight UTC."""

    DAY = "day"
    MONTH = "month"


class SpendingCap(ConfigPart):
    """A spending cap. Once it is reached, no model is called until the next period, and rules learn meanwhile."""

    period: SpendingPeriod = Field(
        default=SpendingPeriod.DAY, description="`day` or `month`; both start at midnight UTC."
    )
    max_tokens: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="Tokens in and out; null: no limit."
    )
    max_cost_usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None,
        description="Cost of the calls whose price is known; others are not counted. Null: no limit.",
    )

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.max_tokens is None and self.max_cost_usd is None:
            raise ValueError("give max_tokens, max_cost_usd or both; leave spending_cap out for no cap")
        return self

    def start(self, now: datetime) -> datetime:
        """Return the beginning of the period that contains *now*."""
        midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight if self.period is SpendingPeriod.DAY else midnight.replace(day=1)

    def end(self, now: datetime) -> datetime:
        """Return when the next period begins."""
        start = self.start(now)
        if self.period is SpendingPeriod.DAY:
            return start + timedelta(days=1)
        return (start + timedelta(days=31)).replace(day=1)

    def is_reached(self, spent: Spending) -> bool:
        """Whether *spent*, the sums since the period's start, reaches the cap."""
        return self._tokens_are_spent(spent) or (
            self.max_cost_usd is not None and spent.cost_usd >= self.max_cost_usd
        )

    def note(self, spent: Spending, now: datetime) -> str:
        """Return the message when the cap is reached."""
        money = f"{self.max_cost_usd or 0.0:.6f}".rstrip("0").rstrip(".")
        limit = f"{self.max_tokens} tokens" if self._tokens_are_spent(spent) else f"{money} USD"
        until = self.end(now).strftime("%Y-%m-%dT%H:%M:%SZ")
        return f"the spending cap of {limit} a {self.period} is reached: learned by rules until {until}"

    def _tokens_are_spent(self, spent: Spending) -> bool:
        return self.max_tokens is not None and spent.token_count >= self.max_tokens
