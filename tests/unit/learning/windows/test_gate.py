"""The gate spares reading what is surely empty, and nothing else."""

import asyncio

import pytest
from pydantic import SecretStr

from sagacity.domain.interaction import ToolUse, UserAction
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.gate import ModelGate, worth_reading
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm
from support.scripted_llm import as_json, garbage, scripted_llm, status
from support.windows import turn, window

pytestmark = pytest.mark.usefixtures("closed_clients")

EMPTY = [
    "", "   ", "Hi", "hello there!", "Heyyyy", "Good morning", "Thanks!", "thank you so much", "ok", "Ok, got it.",
    "👍", "🙏🙏", "...", "Great, thanks a lot!", "Hola", "¡Gracias!", "Merci beaucoup", "Guten Tag", "Vielen Dank",
    "Спасибо", "你好", "谢谢！", "ありがとうございます。", "감사합니다", "شكرا", "धन्यवाद", "Bye 👋", "ok, see you later", "Muito obrigado, boa noite",
    "Thanks, you're great", "Danke, schönen Abend noch!",
]  # fmt: skip
FULL = [
    "I live in Lyon", "no", "No!", "vegan", "yes", "I'm vegan", "wrong", "not that one", "42", "C++", "$5", "stop",
    "我住在北京", "私はベジタリアンです", "저는 서울에 살아요", "أنا أعيش في القاهرة", "मैं शाकाहारी हूँ", "Я живу в Риме",
    "גר בתל אביב", "ผมเป็นมังสวิรัติ", "Ζω στην Αθήνα", "ok but use metric", "thanks, but I asked for PDF",
    "hello, I am allergic to nuts", "よろしく、肉は食べません", "🇫🇷 is home", "不", "that worked!", "ɣ", "ꮳꮃꭹ",
]  # fmt: skip


@pytest.mark.parametrize("text", EMPTY)
def test_courtesy_alone_is_not_read(text):
    assert worth_reading(window(turn(content=text), turn("Agent", "Here to help."))) is False


@pytest.mark.parametrize("text", FULL)
def test_content_is_read_in_any_script(text):
    assert worth_reading(window(turn(content=text))) is True


@pytest.mark.parametrize("text", ["Sure", "ok", "👍", "Morning", "はい", "Great"])
@pytest.mark.parametrize("question", ["Shall I always answer in French?", "以后都用中文吗？", "هل أستمر؟"])
def test_an_acknowledgement_that_answers_a_question_is_read(text, question):
    """Also where the question stands in the context."""
    assert worth_reading(window(turn("Agent", question), turn(content=text))) is True
    assert worth_reading(window(turn(content=text), context=[turn("Agent", question)])) is True
    assert worth_reading(window(turn(content=text), context=[turn("Agent", "Done.")])) is False


def test_thanks_after_a_question_is_not_read():
    assert worth_reading(window(turn("Agent", "Anything else?"), turn(content="Thanks, bye!"))) is False


def test_what_only_agents_said_is_not_read():
    assert worth_reading(window(turn("Agent", "The user lives in Lyon."), turn("tool", "ok"))) is False


@pytest.mark.parametrize(
    "one",
    [
        turn("Agent", "", tools_used=(ToolUse(tool_name="search"),)),
        turn("Agent", "Hi", expert_content="Say good morning."),
        turn("User", user_action=UserAction.CLICK, user_action_description="cancelled the order"),
        turn("User", image_base64="aGk="),
    ],
    ids=["tool", "expert", "action", "image"],
)
def test_what_is_shown_without_words_is_read(one):
    assert worth_reading(window(one)) is True


def test_context_alone_is_not_read_again():
    assert worth_reading(window(turn(content="thanks"), context=[turn(content="I live in Lyon.")])) is False


def gate(server):
    choice = ModelChoice(model="openai/scripted", api_base=server.base_url, api_key=SecretStr("k"))
    return ModelGate(
        PromptRunner(open_llm(choice, attempts=1)),
        definitions=[("facts about diet", "food is mentioned"), ("facts about work", "")],
    )


@pytest.mark.parametrize("verdict", [True, False])
async def test_model_gate_says_what_the_model_says(verdict):
    with scripted_llm() as server:
        server.answer_with(as_json({"reason": "because", "worth_reading": verdict}))
        assert await gate(server).worth_reading(window(turn(content="I went vegan."))) is verdict
    assert len(server.requests) == 1
    system = server.requests[0].messages[0]["content"]
    assert "1. facts about diet\n   Worth reading if: food is mentioned\n" in system
    assert "2. facts about work\n" in system
    assert "[#1 user 10:00] I went vegan." in server.requests[0].messages[-1]["content"]


async def test_extractors_of_the_same_turns_ask_once():
    """Two that read at once share the answer; other turns are another question."""
    with scripted_llm() as server:
        server.answer_with(as_json({"reason": "because", "worth_reading": False}))
        shared, other = gate(server), window(turn(content="I went vegan."), turn(content="And I moved."))
        same = window(turn(content="I went vegan."))
        assert await asyncio.gather(*map(shared.worth_reading, [same, same, other])) == [False] * 3
    assert len(server.requests) == 2


@pytest.mark.parametrize("failure", [garbage(), status(500)], ids=["garbage", "down"])
async def test_model_gate_passes_when_the_model_fails(failure):
    """A gate only saves work; it never loses any."""
    with scripted_llm() as server:
        server.answer_with(failure)
        assert await gate(server).worth_reading(window(turn(content="I went vegan."))) is True
