"""The conversations that the demo publishes, read from the example data."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import yaml
from pydantic import ConfigDict, JsonValue, TypeAdapter

from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput

PACKAGE = Path(__file__).resolve().parents[2]
PLACES = (PACKAGE.parents[1] / "examples" / "data", PACKAGE / "examples_data")
"""Where the data is: in a checkout, and in an installed package."""

CHANGE_OF_MIND = "location_move"
QUESTION_TYPE = "single-session-user"
QUESTION_COUNT = 3

Turn = dict[str, JsonValue]


class Conversation(Value):
    """Turns of one user that are published together."""

    user_id: str
    session_id: str
    source: str
    agent_version: str = ""
    turns: tuple[Turn, ...]


class Question(Value):
    """A question about a user's past, with the turns that answer it."""

    user_id: str
    text: str
    answer: str
    evidence: frozenset[str]


class Script(Value):
    """The script of the demo: what is said first, what is said later, and what is asked."""

    first: tuple[Conversation, ...]
    later: tuple[Conversation, ...]
    questions: tuple[Question, ...]


def data_folder(given: Path | None) -> Path:
    """
    Return where the example data is.

    Raises:
        InvalidInput: it is missing.
    """
    for folder in (given,) if given else PLACES:
        if (folder / "scenarios").is_dir():
            return folder
    raise InvalidInput("the example data was not found; name its folder with --data")


def load_script(folder: Path) -> Script:
    """
    Read the example data.

    Raises:
        InvalidInput: a file is missing or not what it should be.
    """
    try:
        support = [talk for path in sorted(folder.glob("scenarios/*.yaml")) for talk in _support(path)]
        change = _Changes.model_validate_json((folder / "scenarios" / "contradictions.json").read_bytes())
        asked = _ASKED.validate_json((folder / "longmemeval_sample.json").read_bytes())
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InvalidInput(f"the example data in {folder} cannot be used: {error}") from error
    before = [_batch(one.batch_1, 1) for one in change.scenarios if one.name == CHANGE_OF_MIND]
    after = [_batch(one.batch_2, 2) for one in change.scenarios if one.name == CHANGE_OF_MIND]
    chosen = list(islice((one for one in asked if one.question_type == QUESTION_TYPE), QUESTION_COUNT))
    histories = [talk for number, one in enumerate(chosen, 1) for talk in _history(f"user-{number}", one)]
    questions = [_question(f"user-{number}", one) for number, one in enumerate(chosen, 1)]
    return Script(first=(*support, *before, *histories), later=tuple(after), questions=tuple(questions))


class _Lenient(Value):
    model_config = ConfigDict(extra="ignore")


class _ToolCall(_Lenient):
    name: str
    input: JsonValue = None
    output: JsonValue = None


class _SpokenTurn(_Lenient):
    speaker: str
    content: str
    tool_calls: tuple[_ToolCall, ...] = ()


class _Participant(_Lenient):
    role: str


class _Talk(_Lenient):
    source: str
    agent_version: str
    session_id: str
    turns: tuple[_SpokenTurn, ...]


class _Scenario(_Lenient):
    participants: dict[str, _Participant]
    conversations: dict[str, _Talk]


class _PlainTurn(_Lenient):
    role: str
    content: str
    has_answer: bool = False


class _Change(_Lenient):
    name: str
    batch_1: tuple[_PlainTurn, ...]
    batch_2: tuple[_PlainTurn, ...]


class _Changes(_Lenient):
    scenarios: tuple[_Change, ...]


class _Asked(_Lenient):
    question_type: str
    question: str
    answer: str | int
    haystack_session_ids: tuple[str, ...]
    haystack_sessions: tuple[tuple[_PlainTurn, ...], ...]


_ASKED = TypeAdapter(tuple[_Asked, ...])


def _support(path: Path) -> Iterator[Conversation]:
    scenario = _Scenario.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    for user_id, talk in scenario.conversations.items():
        yield Conversation(
            user_id=user_id,
            session_id=talk.session_id,
            source=talk.source,
            agent_version=talk.agent_version,
            turns=tuple(_spoken(turn, scenario.participants) for turn in talk.turns),
        )


def _spoken(turn: _SpokenTurn, participants: dict[str, _Participant]) -> Turn:
    if turn.speaker not in participants:
        raise ValueError(f"{turn.speaker} is no participant")
    used: list[JsonValue] = [
        {"tool_name": call.name, "tool_data": {"input": call.input, "output": call.output}}
        for call in turn.tool_calls
    ]
    return {"role": participants[turn.speaker].role, "content": turn.content.strip(), "tools_used": used}


def _batch(turns: tuple[_PlainTurn, ...], number: int) -> Conversation:
    return Conversation(
        user_id="jo", session_id=f"sess-jo-{number}", source="web_chat", turns=tuple(map(_plain, turns))
    )


def _history(user_id: str, asked: _Asked) -> Iterator[Conversation]:
    for session_id, turns in zip(asked.haystack_session_ids, asked.haystack_sessions, strict=True):
        yield Conversation(
            user_id=user_id,
            session_id=f"{user_id}-{session_id}",
            source="longmemeval",
            turns=tuple(map(_plain, turns)),
        )


def _plain(turn: _PlainTurn) -> Turn:
    return {"role": turn.role, "content": turn.content}


def _question(user_id: str, asked: _Asked) -> Question:
    evidence = {turn.content for session in asked.haystack_sessions for turn in session if turn.has_answer}
    return Question(
        user_id=user_id, text=asked.question, answer=str(asked.answer), evidence=frozenset(evidence)
    )
