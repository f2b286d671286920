"""Quotas of organisations on the wire."""

from typing import Annotated

from pydantic import Field

from sagacity.domain.quota import LARGEST_QUOTA, QuotaName
from sagacity.schemas.base import Body, Reply, Schema

Limit = Annotated[int, Field(strict=True, ge=0, le=LARGEST_QUOTA)]


class QuotasBody(Body):
    """What an organisation may have at most."""

    limits: Annotated[dict[QuotaName, Limit | None], Field(min_length=1)]
    """A number by name, or null for no limit; limits not named stay."""


class QuotaView(Schema):
    """One limit of an organisation."""

    name: QuotaName
    """What is limited. `interactions_per_day` counts turns published since midnight UTC."""
    limit: int | None = None
    """The limit; null for unlimited."""
    used: int
    """How many there are."""


class QuotasReply(Reply):
    """Every limit of an organisation."""

    quotas: tuple[QuotaView, ...] = ()
    """Includes those that are not set."""
