"""The frozen base class of every domain value."""

from typing import Self

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: equal by content, safe to share between tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __deepcopy__(self, memo: object = None) -> Self:
        """
        Return the value itself, because it never changes and pydantic would copy it wherever it is a default.

        So never call `model_copy(deep=True)`.
        """
        return self


class DescribedValue(Value):
    """A value that the API returns directly: its field descriptions are shown to clients."""

    model_config = ConfigDict(use_attribute_docstrings=True)
