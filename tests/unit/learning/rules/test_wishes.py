"""Wishes about how to answer, as people write them in a first turn, and what only looks like one."""

import pytest

from sagacity.learning.rules.instructions import instructions

WISHES = [
    "Please answer in one sentence.",
    "keep answers under 100 words",
    "Reply only in bullet points",
    "no long explanations please",
    "dont give me warnings all the time",
    "I'd like you to be more direct",
    "can you be less formal with me?",
    "Never use the word delve",
    "Always show your reasoning before the answer",
    "i dont want bullet points",
    "Speak to me in Spanish",
    "lets speak english",
    "For recipes give me grams",
    "If I ask for code, use TypeScript",
    "don't use tables",
    "give prices in euros",
    "check your facts before answering",
    "Don't send me links unless I ask",
    "less emojis please",
    "You use too many exclamation marks",
    "your replies are too formal",
    "please don't assume I know SQL",
    "explain it like I'm five, always",
    "Treat me like an expert",
    "From now on call me Doctor",
    "please avoid technical jargon",
    "I hate long answers",
    "I don't like it when you use emojis",
    "I prefer if you ask one question at a time",
    "Only one question at a time please",
    "end every message with a summary",
    "no need to greet me each time",
    "don't end with a question",
    "use the metric system",
    "british spelling please",
    "Don't translate names",
    "never recommend chain restaurants",
    "tell me when you're not sure",
    "Say so when you don't know",
    "Admit it if you don't know something",
    "Don't book anything without asking me",
    "Never share my address with anyone",
    "stop summarizing at the end",
    "No more emojis please.",
]
OF_THE_MOMENT = [
    "Please answer question three in one sentence.",
    "keep the answer under 100 words for the form",
    "don't use the second table",
    "Can you write the intro in lowercase?",
    "stop the deployment",
    "never mind",
    "Don't worry about it",
    "use the blue one",
    "Use tables to store it",
    "Put the code first in the file above",
    "Start with chapter two",
    "give me the prices in euros for these three",
    "Ask the doctor before you take it",
    "When I ask my boss, he says no",
    "If I send it today will it arrive?",
    "They always use emojis",
    "my son never answers briefly",
    "I told him to be more direct",
    "Explain step by step how photosynthesis works",
    "Write a short email to my landlord",
    "Tell me a joke",
    "Don't forget the milk on the list",
    "no questions so far",
    "Be careful with that",
    "Be there at 5",
    "Let's talk about Spanish history",
    "Can you translate this to German?",
    "Answer this: what is 2+2",
    "Less is more",
    "more tables arrived today",
    "Only the second one works",
    "give me three examples",
    "cite two sources for the claim above",
    "Add comments to this function",
    "make it shorter",
    "remove the last paragraph",
    "don't include tax in this total",
    "show me the plan",
    "check the logs before the crash",
    "run the script again",
    "try it again",
    "do it every time it fails",
    "I always use Python",
    "we never deploy on friday",
    "show the results in a table",
    "use python to plot it",
    "write it in French",
    "Never give up on your dreams, she said",
    "please summarize the text in two sentences",
    "Don't be late tomorrow",
]


@pytest.mark.parametrize("said", WISHES)
def test_wish_is_a_rule(said: str):
    """One rule, though nothing was answered before."""
    assert len(list(instructions(said, answered=False))) == 1


@pytest.mark.parametrize("said", OF_THE_MOMENT)
def test_task_is_no_rule(said: str):
    """Tasks, statements, questions, and what others say teach nothing about how to answer."""
    assert list(instructions(said, answered=False)) == []


def test_no_more_is_not_more():
    """A word before it turns it round."""
    [found] = instructions("No more emojis please.", answered=False)
    assert found.content == "Do not use emojis."
