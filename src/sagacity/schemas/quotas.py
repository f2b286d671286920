"""Quotas of organisations on the wire."""

from typing import Annotated

from pydantic import Field

from sagacity.domain.quota import LARGEST_QUOTA, QuotaName
from sagacity.schemas.base import Body, Reply, Schema

Limit = Annotated[int, Field(strict=True, ge=0, le=LARGEST_QUOTA)]


class QuotasBody(Body):
    """What an organisation may have at most."""

    limits: Annotated[dict[QuotaName, Limit | None], Field(min_length=1)]
    """A number by name, or null for no limit; those that are not named stay as they are."""


class QuotaView(Schema):
    """One limit of an organisation."""

    name: QuotaName
    """What is limited. `interactions_per_day` counts what is published from midnight on, in UTC."""
    limit: int | None = None
    """How many there may be. Null: as many as anybody likes."""
    used: int
    """How many there are."""


class QuotasReply(Reply):
    """Every limit of an organisation."""

    quotas: tuple[QuotaView, ...] = ()
    """With those that are not set."""
