"""The weight of each signal for the ranking `weighted`."""

import math
from typing import Annotated, Self

from pydantic import Field, model_validator

from sagacity.config.fields import ConfigPart
from sagacity.domain.query import RankingWeights

_USUAL = RankingWeights()
_TOLERANCE = 0.01
"""The chat contract's, section 4.5."""
_Weight = Annotated[float, Field(ge=0, le=1)]


class SignalWeights(ConfigPart):
    """The weight of each signal, in [0, 1]; the sum is 1."""

    keyword: _Weight = Field(
        default=_USUAL.keyword, description="Words that the question and the result share."
    )
    vector: _Weight = Field(default=_USUAL.vector, description="Nearness in meaning.")
    reliability: _Weight = Field(default=_USUAL.reliability, description="The memory's confidence.")
    recency: _Weight = Field(default=_USUAL.recency, description="How new it is; half after every 30 days.")
    frequency: _Weight = Field(default=_USUAL.frequency, description="How often it was used.")

    @model_validator(mode="after")
    def _add_up(self) -> Self:
        """Refuse weights that do not add up to 1: scores would not be comparable with others."""
        total = math.fsum(dict(self.to_domain()).values())
        if abs(total - 1) > _TOLERANCE:
            raise ValueError(
                f"the weights add up to {total:g}; together they have to be 1, so name all that change"
            )
        return self

    def to_domain(self) -> RankingWeights:
        """Return the weights as the ranking uses them."""
        return RankingWeights.model_validate(self.model_dump(include=set(RankingWeights.model_fields)))
