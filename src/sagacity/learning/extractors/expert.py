"""Write the expert's answers beside the agent's, for the expert prompt."""

from collections.abc import Sequence

from sagacity.domain.cursor import Window
from sagacity.domain.interaction import Interaction
from sagacity.learning.windows.render import DEFAULT_LIMITS, fit, part_lines

EXPERT_PROMPT = "expert_extraction"

Turns = Sequence[tuple[int, Interaction]]


def has_expert(window: Window) -> bool:
    """Whether an expert answered one of the unread turns."""
    return any(turn.expert_content.strip() for turn in window.unread)


def render_triples(window: Window) -> str:
    """
    Write question, agent's answer and expert's answer for each unread turn that an expert answered.

    An expert's answer that was sent with an agent's turn replaces that turn, and the question is what the user said
    right before it. One that was sent with a user's turn answers that turn, and the agent's answer is the one that
    follows. Numbers and format are those of `render_window`.
    """
    turns = list(enumerate(window.interactions, start=1))
    places = [at for at in range(len(window.context), len(turns)) if turns[at][1].expert_content.strip()]

    def write(cap: int) -> str:
        return "\n\n".join("\n".join(_triple(turns, place, cap)) for place in places)

    return fit(write, DEFAULT_LIMITS)


def _triple(turns: Turns, place: int, cap: int) -> list[str]:
    number, turn = turns[place]
    question, answer = _around_user(turns, place) if turn.is_user else _around_agent(turns, place)
    return [
        *(line for n, asked in question for line in part_lines(n, "question", asked.content, cap)),
        *(line for n, said in answer for line in part_lines(n, "agent answer", said.content, cap)),
        *part_lines(number, "expert answer", turn.expert_content, cap),
    ]


def _around_user(turns: Turns, place: int) -> tuple[Turns, Turns]:
    """Return the user's turn at *place*, and the agent's turns up to the next turn of the user."""
    end = place + 1
    while end < len(turns) and not turns[end][1].is_user:
        end += 1
    return turns[place : place + 1], turns[place + 1 : end]


def _around_agent(turns: Turns, place: int) -> tuple[Turns, Turns]:
    """Return the user's turns that led to the agent's turn at *place*, and that turn."""
    end = place
    while end > 0 and not turns[end - 1][1].is_user:
        end -= 1
    start = end
    while start > 0 and turns[start - 1][1].is_user:
        start -= 1
    return turns[start:end], turns[place : place + 1]
