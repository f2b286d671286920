"""A truth value is no number, in no body and in no configuration."""

import importlib
import pkgutil

import pytest
from pydantic import BaseModel, ValidationError

import sagacity.config
import sagacity.schemas
from sagacity.config.fields import ConfigPart
from sagacity.domain.numbers import refuse_truth_values
from sagacity.schemas.base import Schema

for package in (sagacity.schemas, sagacity.config):
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


class Numbers(BaseModel):
    """Fields of every form that a number has."""

    plain: int = 0
    perhaps: float | None = None
    several: tuple[int, ...] = ()
    flag: bool = False
    either: bool | int = False


def everything(base: type[BaseModel]) -> set[type[BaseModel]]:
    found = set(base.__subclasses__())
    return found | {deeper for one in found for deeper in everything(one)}


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"plain": True}, [("plain",)]),
        ({"perhaps": False}, [("perhaps",)]),
        ({"several": [1, True, 3, False]}, [("several", 1), ("several", 3)]),
        ({"plain": 1, "perhaps": 1.5, "several": [1], "flag": True, "either": True}, []),
    ],
)
def test_each_truth_value_is_named(fields: dict[str, object], places: list[tuple[object, ...]]) -> None:
    """By its field, and its place in a list."""
    named = []
    try:
        refuse_truth_values(Numbers, fields)
    except ValidationError as error:
        named = [one["loc"] for one in error.errors()]
    assert named == places


def test_no_number_of_a_body_or_configuration_can_be_true() -> None:
    """All are checked in one place; what pydantic says of a text in their place, it says of a truth value."""
    checked = 0
    for model in everything(Schema) | everything(ConfigPart):
        for name in model.model_fields:
            faults = {
                given: {one["loc"] for one in faults_of(model, {name: given}) if one["type"] in types}
                for given, types in (
                    ("x", {"int_parsing", "float_parsing"}),
                    (True, {"int_type", "float_type"}),
                )
            }
            assert faults["x"] <= faults[True], f"{model.__name__}.{name}"
            checked += len(faults["x"])
    assert checked > 100


def faults_of(model: type[BaseModel], given: dict[str, object]) -> list[dict[str, object]]:
    try:
        model.model_validate(given)
    except ValidationError as error:
        return list(error.errors())
    return []
