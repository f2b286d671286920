"""What people write after --where, and what the API gets."""

import pytest

from sagacity.cli.metadata_filter import condition
from sagacity.domain.condition import parse_condition
from sagacity.domain.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("priority>=2", {"priority": {"gte": 2}}),
        ("priority > 2.5", {"priority": {"gt": 2.5}}),
        ("priority<-1", {"priority": {"lt": -1}}),
        ("priority<=0", {"priority": {"lte": 0}}),
        ("project.name=atlas", {"project.name": {"eq": "atlas"}}),
        ("project!=Atlas II", {"project": {"ne": "Atlas II"}}),
        ("labels~urgent", {"labels": {"contains": "urgent"}}),
        ("done=true", {"done": {"eq": True}}),
        ('version="2"', {"version": {"eq": "2"}}),
        ("formula=a=b", {"formula": {"eq": "a=b"}}),
        ("name=", {"name": {"eq": ""}}),
        ("score=NaN", {"score": {"eq": "NaN"}}),
        ("list=[1, 2]", {"list": {"eq": "[1, 2]"}}),
        ("due=null", {"due": {"exists": False}}),
        ("due!=null", {"due": {"exists": True}}),
        ("größe>=3", {"größe": {"gte": 3}}),
        ('{"or": [{"a": {"eq": 1}}]}', {"or": [{"a": {"eq": 1}}]}),
    ],
)
def test_a_comparison_becomes_a_condition(text, wanted):
    """Numbers, yes and no are read as such, and everything that is given reads as a condition."""
    assert condition([text]) == wanted
    assert parse_condition(wanted)


def test_several_hold_together():
    assert condition([]) is None
    assert condition(["a=1", "b=2"]) == {"and": [{"a": {"eq": 1}}, {"b": {"eq": 2}}]}


@pytest.mark.parametrize(
    "text", ["priority", ">=2", "", "a b", "a>>2", "a==2", "a=>2", "{", '{"a": ', "{" * 100_000]
)
def test_what_is_neither_is_refused(text):
    with pytest.raises(InvalidInput, match="--where"):
        condition([text])
