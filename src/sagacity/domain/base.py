"""The frozen base class of every domain value."""

from typing import Self

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value: equal by content, safe to share between tasks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __deepcopy__(self, memo: object = None) -> Self:
        """
        Return the value itself: it never changes, and pydantic would copy it wherever it is a default.

        So nobody may tell `model_copy` to be `deep`.
        """
        return self


class DescribedValue(Value):
    """A value that is shown as it is: what is said of its fields is said to clients, too."""

    model_config = ConfigDict(use_attribute_docstrings=True)
