"""Without a model a session is judged by what its user says last, and not at all when in doubt."""

import pytest

from sagacity.domain.evaluation import FailureType
from sagacity.domain.interaction import ToolUse
from sagacity.learning.evaluate.rules import judge_by_rules
from support.hang_guard import ending
from support.windows import turn, window


def judged(*said: tuple[str, str] | str):
    """Judge a session; texts alternate between user and agent unless they name who speaks."""
    turns = [
        turn(*one) if isinstance(one, tuple) else turn(("User", "Agent")[n % 2], one)
        for n, one in enumerate(said)
    ]
    return judge_by_rules(window(*turns).interactions)


QUESTION, ANSWER = "How do I reset my password?", "Open the settings and choose Reset."


@pytest.mark.parametrize(
    "end",
    [
        "Thanks, that worked!",
        "That worked.",
        "Thank you so much!",
        "Perfect, thanks.",
        "Great, thank you!",
        "Thanks! That's all I needed.",
        "It works now.",
        "Awesome, exactly what I needed.",
        "Yes, that fixed it.",
        "Problem solved, thank you.",
        "No, that's everything. Thanks for helping me out.",
        "Great, thank you for the help with both! I'm all set now.",
        "Thank you so much for your help. I appreciate it! Have a great day.",
    ],
)
@pytest.mark.parametrize("after", [(), ("You are welcome!",)])
def test_confirmed_session_is_a_success(end, after):
    verdict = judged(QUESTION, ANSWER, end, *after)
    assert verdict is not None
    assert verdict.is_success
    assert (verdict.failure_type, verdict.failure_reason, verdict.is_escalated) == (None, None, False)


@pytest.mark.parametrize(
    "end",
    [
        "I want to speak to a human.",
        "Can I talk to a real person?",
        "Please connect me with a human agent.",
        "Let me talk to your manager.",
        "Please escalate this.",
        "I need a human!",
        "Yes, please transfer me to someone who can help.",
    ],
)
def test_request_for_a_person_is_an_escalated_failure(end):
    verdict = judged(QUESTION, ANSWER, end, "I will hand you over.")
    assert verdict is not None
    assert (verdict.is_success, verdict.is_escalated) == (False, True)
    assert end in (verdict.failure_reason or "")


@pytest.mark.parametrize(
    "end", ["This is useless.", "Forget it.", "I give up.", "Thanks for nothing.", "You are wasting my time."]
)
def test_user_who_gives_up_is_a_failure(end):
    verdict = judged(QUESTION, ANSWER, end, "I am sorry to hear that.")
    assert verdict is not None
    assert not verdict.is_success
    assert "gave up" in (verdict.failure_reason or "")


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        ("No, that's wrong.", FailureType.WRONG_ANSWER),
        ("That is not what I asked for.", FailureType.WRONG_ANSWER),
        ("It still doesn't work.", None),
        ("I get the same error.", None),
        ("Thanks, but it is still not working.", None),
    ],
)
def test_objection_that_is_the_last_word_is_a_failure(end, kind):
    """Answered it may have been met, and nobody says; the second one was not."""
    verdict = judged(QUESTION, ANSWER, end)
    assert verdict is not None
    assert (verdict.is_success, verdict.failure_type) == (False, kind)
    assert judged(QUESTION, ANSWER, end, "Try it once more.") is None
    again = judged(QUESTION, ANSWER, "That didn't help.", "Then restart it.", end, "Try it once more.")
    assert again is not None
    assert not again.is_success


def test_objection_that_was_met_is_a_success():
    """The end counts, not a slip on the way; that a person was asked for stays on record."""
    verdict = judged(
        QUESTION, ANSWER, "No, that's wrong.", "Sorry: it is under Account.", "That worked, thanks!"
    )
    assert verdict is not None
    assert (verdict.is_success, verdict.is_escalated) == (True, False)
    asked = judged(QUESTION, ANSWER, "Can I talk to a human?", "First try Account.", "That worked, thanks!")
    assert asked is not None
    assert (asked.is_success, asked.is_escalated) == (True, True)


@pytest.mark.parametrize(
    "end",
    [
        "And how do I change my name?",
        "Thanks, could you also change my address?",
        "Great, now add the tests.",
        "Perfect, but make it shorter.",
        "Thanks in advance.",
        "Thanks anyway.",
        "OK.",
        "I will try that tomorrow.",
        "My sister said it works now.",
        "It never worked.",
        "It should work, I hope.",
        "I hope that worked.",
        "If that works now I will be glad.",
        "Never been to Paris.",
        "I spoke to my manager about it.",
        "How do my customers talk to an agent?",
        "I need an agent for my house.",
        "I have a charger already, it's been working great for me.",
        "Thanks, that worked! " + "And there is more to tell about it. " * 9,
        "",
    ],
)
def test_session_that_ends_open_is_not_judged(end):
    assert judged(QUESTION, ANSWER, end) is None


def test_thanks_for_being_declined_are_no_success():
    assert judged(QUESTION, "I'm afraid I can't do that.", "OK, thanks.") is None


def test_session_that_a_tool_hands_to_a_person_is_escalated():
    """At the end it is a failure; before a success it stays on record."""
    tool = ToolUse(tool_name="transfer_to_human_agents", tool_data={})
    turns = [turn("User", "Refund me."), turn("Agent", "One moment.", tools_used=(tool,))]
    verdict = judge_by_rules(window(*turns).interactions)
    assert verdict is not None
    assert (verdict.is_success, verdict.is_escalated) == (False, True)
    solved = judge_by_rules(window(*turns, turn("User", "Thank you, that worked!")).interactions)
    assert solved is not None
    assert (solved.is_success, solved.is_escalated) == (True, True)


def test_session_of_one_side_is_not_judged():
    assert judged(("User", "Thanks, that worked!")) is None
    assert judged(("Agent", "Hello!")) is None


def test_hostile_text_is_judged():
    """Long turns with many near hits are no trap."""
    text = "thanks thank you still not still not you are you are talk to talk to a " * 4_000
    with ending():
        assert judged(text, "x" * 100_000, text, "a" * 100_000, text) is None
