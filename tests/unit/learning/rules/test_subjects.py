"""Chat leaves the subject out, or says "she": who is meant is put back, or left alone."""

import pytest

from sagacity.learning.rules.subjects import with_subjects

COMPLETED = [
    ("moved to Leeds", "I moved to Leeds"),
    ("Just moved to Leeds. Love it.", "I Just moved to Leeds. Love it."),
    ("btw allergic to nuts", "btw I'm allergic to nuts"),
    ("nurse here, night shift", "I'm a nurse here, night shift"),
    ("vegan here", "I'm vegan here"),
    ("been living in Rome for years", "I've been living in Rome for years"),
    ("I'm American but live in Spain", "I'm American but I live in Spain"),
    ("As someone who works nights, I sleep late.", "I work nights; I sleep late."),
    ("As someone who's vegan, I cook a lot.", "I'm vegan; I cook a lot."),
    ("My sister is 30. She's a nurse.", "My sister is 30. My sister is a nurse."),
    ("My sister Ana is here and she's a nurse", "My sister Ana is here and my sister Ana is a nurse"),
    ("We adopted a dog. Her name is Luna.", "We adopted a dog. My dog's name is Luna."),
    ("My brother met my sister. She is a nurse.", "My brother met my sister. My sister is a nurse."),
    ("My sister is a nurse and lives in Oslo", "My sister is a nurse and my sister lives in Oslo"),
    ("I'm at Delft, got an exam on Friday", "I'm at Delft, I got an exam on Friday"),
    ("dad has a beagle", "my dad has a beagle"),
    ("my oldest just started school", "my oldest child just started school"),
    ("My wife and I have a son. He's been ill.", "My wife and I have a son. My son has been ill."),
]
LEFT_ALONE = [
    "My sister is keen to help and works",
    "I have a friend who is at Delft, got an exam on Friday",
    "mom jeans",
    "my oldest friend is here",
    "living in Rome is expensive",
    "learning Rust takes time",
    "love the idea",
    "use metric units",
    "vegan recipes please",
    "I want to quit and live in Rome",
    "I have friends who cook and live in Rome",
    "My mom met my sister. She is a nurse.",
    "My boss left. The office is quiet. He was loud.",
    "My sister met him. He was late.",
    "She is a nurse.",
    "a gift for someone who loves cats",
]


@pytest.mark.parametrize(("said", "meant"), COMPLETED)
def test_who_is_meant_is_put_back(said: str, meant: str) -> None:
    """The first person where it is left out, and the relative or pet where a pronoun stands for it."""
    assert with_subjects(said) == meant


@pytest.mark.parametrize("said", LEFT_ALONE)
def test_what_could_mean_another_is_left_alone(said: str) -> None:
    """Orders, verbs that are subjects, pronouns of two or of nobody that was spoken of."""
    assert with_subjects(said) == said
