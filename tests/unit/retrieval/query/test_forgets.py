"""What asks to forget something, and what only has the word."""

import pytest

from sagacity.retrieval.query.forgets import Forgets, what_to_forget


@pytest.mark.parametrize(
    "message",
    [
        "Forget what I said about peanuts",
        "please forget that I'm vegan.",
        "Can you forget my old address?",
        "OK, forget everything I told you about my ex",
        "Delete what you know about my job",
        "I\u2019d like you to forget what I said about sushi. What should I cook?",
        "Vergiss bitte, dass ich Veganer bin",
        "Vergiss alles, was ich über Erdnüsse gesagt habe",
        "Oublie ce que j'ai dit sur les arachides",
        "Olvida lo que dije sobre los cacahuetes",
        "Esquece o que eu disse sobre amendoins",
    ],
)
def test_something_is_to_be_forgotten(message: str) -> None:
    """It is named."""
    assert what_to_forget(message) is Forgets.SOMETHING


@pytest.mark.parametrize(
    "message",
    [
        "Forget everything",
        "forget everything you know about me!",
        "Please delete all my data",
        "Delete everything you know about me",
        "wipe your memory",
        "Forget me.",
        "Vergiss alles, was du über mich weißt",
        "Oublie tout",
        "Borra todo",
        "Apaga tudo",
    ],
)
def test_everything_is_to_be_forgotten(message: str) -> None:
    """Nothing is named."""
    assert what_to_forget(message) is Forgets.EVERYTHING


@pytest.mark.parametrize(
    "message",
    [
        "I forgot my keys",
        "Don't forget that I like tea",
        "Never forget my birthday",
        "Did I forget anything?",
        "What did you forget?",
        "Remove all trailing spaces from this file",
        "Delete my last commit",
        "Clear the cache",
        "How do I delete everything in a folder?",
        "Forget it",
        "Vergiss nicht, dass ich Tee mag",
        "N'oublie pas que j'aime le thé",
    ],
)
def test_other_messages_ask_to_forget_nothing(message: str) -> None:
    """They tell, ask, or command something else."""
    assert what_to_forget(message) is None
