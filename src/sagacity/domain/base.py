"""The frozen base of every domain value."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: equal by content, safe to share between tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")
