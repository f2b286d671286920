"""How users set an agent right, in the middle of a conversation."""

import pytest

from sagacity.learning.rules.instructions import Instruction, instructions
from sagacity.learning.rules.languages.detect import language_of

TAUGHT = [
    ("no please don't swallow exceptions like that", "Don't swallow exceptions like that."),
    ("dont suggest anything over 150 euros ok", "Don't suggest anything over 150 euros."),
    ("you shouldnt promise delivery dates, we got burned with that", "Do not promise delivery dates."),
    ("you forgot to check whether she's a plus member", "Check whether she's a plus member."),
    ("that's wrong, the refund limit is 50", "The refund limit is 50."),
    ("That's wrong. The refund limit is 50.", "The refund limit is 50."),
    ("no, our office is in Ghent", "Our office is in Ghent."),
    (
        "no, i meant the totals per carrier, not per country",
        "The user means the totals per carrier, not per country.",
    ),
    ('we call them by first name here, never "dear customer"', "Call them by first name."),
    ("better. when someone is angry apologise once", "Apologise once."),
    ("examples first please", "Give examples first."),
    ("i like it dry and factual", "Keep it dry and factual."),
    ("no need for the history, tabs only", "Leave out history."),
    ("no rocket emojis and none of that hype", "Do not use rocket emojis."),
    ("please skip the disclaimers, i know you're not a doctor", "Skip the disclaimers."),
    ("always open a PR", "Always open a PR."),
    ("don't ever give me code that restates itself", "Don't ever give the user code that restates itself."),
    ("das stimmt nicht, das Limit ist 50", "Das Limit ist 50."),
    ("du hättest vorher fragen sollen, ob ich ein Auto habe", "Frag vorher ob ich ein Auto habe."),
    ("eso está mal, el límite es 50", "El límite es 50."),
    ("deberías haber preguntado antes de borrar el archivo", "Pregunta antes de borrar el archivo."),
    ("c'est faux, la limite est de 50 euros", "La limite est de 50 euros."),
    ("tu aurais dû demander avant de supprimer", "Demande avant de supprimer."),
    ("está errado, o limite é 50", "O limite é 50."),
    ("você deveria ter perguntado antes de apagar", "Pergunte antes de apagar."),
]
OF_THE_MOMENT = [
    "no",
    "no, it is fine",
    "no, the kids have none",
    "no, the first one is better",
    "don't book hotels yet",
    "you didn't explain the second step",
    "you forgot to check it",
    "they shouldn't promise delivery dates",
    "you didn't get my mail",
    "i meant tuesday, not thursday",
    "no, I meant the Blackmores half marathon, not City2Surf",
    "i meant my son Leo, not Max",
    "don't commit it yet",
    "don't touch the first file",
    "skip the basics as i am working in the field",
    "when someone is angry i leave",
    "no emojis were harmed, i know",
    "no horses were harmed and none were hurt",
    "eso está mal",
    "das stimmt nicht",
]


def told(said: str) -> list[Instruction]:
    return list(instructions(said, answered=True, language=language_of(said)))


@pytest.mark.parametrize(("said", "rule"), TAUGHT, ids=[said[:40] for said, _ in TAUGHT])
def test_a_correction_is_a_rule(said: str, rule: str) -> None:
    """What was wrong, left out or not wanted is so the next time too."""
    assert rule in [found.content for found in told(said)]


@pytest.mark.parametrize("said", OF_THE_MOMENT)
def test_what_is_of_the_moment_is_none(said: str) -> None:
    """What points at the matter at hand teaches nothing for later."""
    assert [found.content for found in told(said)] == []


def test_a_list_for_what_comes_later_is_one_rule() -> None:
    """It says when it applies, and needs no verb."""
    [found] = instructions("for future posts: british spelling, max 120 words, no hashtags", answered=False)
    assert found.content == "British spelling, max 120 words, no hashtags."
    assert found.when == "for future posts"


def test_a_reason_behind_a_wish_does_not_hide_it() -> None:
    """A reason is said as what is always so; one that points at the moment makes the wish one of the moment."""
    assert [one.content for one in instructions("No emojis, my reader reads them out.", answered=False)]
    assert not list(instructions("No emojis, I need this for my boss today.", answered=False))
