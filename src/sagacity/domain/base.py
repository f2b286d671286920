"""The frozen base of every domain value."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: equal by content, safe to share between tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class DescribedValue(Value):
    """A value that is shown as it is: what is said of its fields is said to clients, too."""

    model_config = ConfigDict(use_attribute_docstrings=True)
