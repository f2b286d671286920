"""What is wrong with an input is said in words."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, Field, Json, TypeAdapter, ValidationError

from sagacity.api.errors import faults_of
from sagacity.domain.memory import Status
from sagacity.schemas.fault_words import in_words


class Body(BaseModel):
    """One field of each sort."""

    model_config = {"extra": "forbid"}

    interactions: Annotated[tuple[str, ...], Field(min_length=1, max_length=2)] = ("a",)
    strategies: Annotated[list[str], Field(min_length=2)] = ["a", "b"]
    ids: Annotated[list[int], Field(max_length=1)] = []
    name: Annotated[str, Field(min_length=1, max_length=3)] = "a"
    code: Annotated[str, Field(min_length=2)] = "ab"
    count: Annotated[int, Field(gt=0, le=10)] = 1
    share: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)] = 0
    is_on: bool = False
    status: Status = Status.CURRENT
    mode: Literal["a", "b"] = "a"
    only: Literal[Status.PENDING, Status.ARCHIVED] = Status.PENDING
    uid: UUID | None = None
    said: Annotated[str, Field(pattern=r"\S")] = "a"
    version: Annotated[str, Field(pattern=r"^[0-9]+$")] = "1"
    checked: Annotated[str, AfterValidator(str.strip), Field(min_length=1, max_length=2)] = "a"
    at: datetime | None = None
    part: dict[str, int] = {}
    text: Json[Any] = None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"interactions": []}, "needs at least one turn"),
        ({"interactions": ["a", "b", "c"]}, "takes at most 2 turns"),
        ({"strategies": []}, "needs at least 2 strategies"),
        ({"ids": [1, 2]}, "takes at most one item"),
        ({"ids": 7}, "must be a list"),
        ({"ids": ["x"]}, "must be a whole number"),
        ({"name": ""}, "must not be empty"),
        ({"name": "long"}, "takes at most 3 characters"),
        ({"code": "a"}, "needs at least 2 characters"),
        ({"name": 7}, "must be a text"),
        ({"count": 0}, "must be more than 0"),
        ({"count": 11}, "must be at most 10"),
        ({"count": 1.5}, "must be a whole number"),
        ({"count": "many"}, "must be a whole number"),
        ({"share": -1}, "must be at least 0"),
        ({"share": 1}, "must be less than 1"),
        ({"share": "x"}, "must be a number"),
        ({"share": float("nan")}, "must be a finite number"),
        ({"is_on": "perhaps"}, "must be true or false"),
        ({"mode": "c"}, "must be 'a' or 'b'"),
        ({"only": "c"}, "must be 'pending' or 'archived'"),
        ({"uid": "seven"}, "must be a UUID"),
        ({"uid": 7}, "must be a UUID"),
        ({"said": " "}, "must not be blank"),
        ({"version": "x"}, "must match the pattern ^[0-9]+$"),
        ({"checked": " "}, "must not be empty"),
        ({"checked": "abc"}, "takes at most 2 characters"),
        ({"at": "soon"}, "must be a time, such as 2026-05-20T09:30:00Z or seconds since 1970"),
        ({"part": 7}, "must be an object"),
        ({"colour": 1}, "is not known here"),
    ],
    ids=str,
)
def test_a_fault_is_said_in_words(given: dict[str, Any], words: str) -> None:
    """As a predicate to the field's name, without a word of Python."""
    with pytest.raises(ValidationError) as caught:
        Body.model_validate(given)
    [fault] = caught.value.errors()
    assert in_words(fault) == words


def test_a_choice_names_what_there_is() -> None:
    """Each of the words."""
    with pytest.raises(ValidationError) as caught:
        Body.model_validate({"status": "gone"})
    words = in_words(caught.value.errors()[0])
    assert words.startswith("must be ")
    assert all(repr(str(one)) in words for one in Status)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"type": "value_error", "msg": "Value error, start is after end"}, "start is after end"),
        ({"type": "too_short", "msg": "as pydantic says"}, "as pydantic says"),
        ({"type": "too_short", "msg": "as pydantic says", "ctx": None}, "as pydantic says"),
        ({"type": "of tomorrow", "msg": "as pydantic says", "ctx": {"a": 1}}, "as pydantic says"),
        ({}, "is not valid"),
    ],
)
def test_what_has_no_words_here_keeps_its_own(fault: dict[str, Any], words: str) -> None:
    """Nothing that is missing makes an error of an error."""
    assert in_words(fault) == words


def test_a_list_is_not_called_short_for_what_is_wrong_within() -> None:
    """One fault, not two."""
    with pytest.raises(ValidationError) as caught:
        Body.model_validate({"interactions": [7]})
    errors = caught.value.errors()
    both = [*errors, {"type": "too_short", "loc": ("interactions",), "msg": "x", "ctx": {"min_length": 1}}]
    assert [fault["loc"] for fault in faults_of(both)] == [["interactions", 0]]
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Annotated[list[int], Field(min_length=1)]).validate_python([])
    assert [fault["type"] for fault in faults_of(caught.value.errors())] == ["too_short"]
