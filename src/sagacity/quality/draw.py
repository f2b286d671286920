"""Draw statements from users' logs and make questions of them; the same for equal seeds and logs."""

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from typing import Annotated

from pydantic import Field

from sagacity.domain.base import Value
from sagacity.domain.ids import MAX_INT, InteractionId, RequestId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.memories.acting import Acting
from sagacity.quality.questions import question_of

MOST_LOGS = 10_000
"""How many users' logs are drawn from, the first by their ids."""
WINDOW = 20
"""Turns that are read at a time."""
_A_WINDOW = 2
"""Questions of one window at first, so that they are of many times and users."""
_WINDOWS_A_QUESTION = 10
"""How many windows are read for each question that is wanted, at the most."""


class Question(Value):
    """A question, and the evidence known to answer it."""

    user_id: UserId
    text: str
    statement: str
    """The sentence that answers it; another turn that has it answers it as well."""
    interaction_id: Annotated[InteractionId, Field(ge=1, le=MAX_INT)]
    """The turn that it was said in."""
    request_id: RequestId


async def drawn(acting: Acting, *, count: int, seed: int, user_id: UserId | None = None) -> list[Question]:
    """
    Return up to *count* questions about what users said, in an order that *seed* decides.

    A question that several statements led to is left out: it has no one answer.

    Args:
        acting: on whose behalf; a caller that acts for a user gets that user's.
        count: how many are wanted.
        seed: which ones.
        user_id: whose; None for all that the caller reaches.
    """
    user_id = acting.principal.acting_for(user_id)
    async with acting.read(user_id=user_id) as snapshot:
        lengths = await snapshot.logs.lengths(limit=MOST_LOGS, user_id=user_id)
    first: list[Question] = []
    spare: list[Question] = []
    asked: Counter[str] = Counter()
    random = Random(seed)  # noqa: S311  a draw that can be repeated, and no secret
    for whose, after in _windows(lengths, count * _WINDOWS_A_QUESTION, random):
        async with acting.read(user_id=whose) as snapshot:
            turns = await snapshot.interactions.log(whose, after_seq=after, limit=WINDOW)
        inside = [turn for turn in turns if turn.seq <= after + WINDOW]
        found = [one for one in map(_question, random.sample(inside, len(inside))) if one is not None]
        asked.update(_key(one) for one in found)
        first += found[:_A_WINDOW]
        spare += found[_A_WINDOW:]
        if sum(asked[_key(one)] == 1 for one in first) >= count:
            break
    return [one for one in first + spare if asked[_key(one)] == 1][:count]


def _windows(lengths: Mapping[UserId, int], most: int, random: Random) -> Iterator[tuple[UserId, int]]:
    """Return windows of all logs in random order, each with its user and the number after which it begins."""
    counts = [(user_id, -(-length // WINDOW)) for user_id, length in lengths.items()]
    total = sum(count for _, count in counts)
    places = random.sample(range(total), min(total, most))
    order = {place: index for index, place in enumerate(places)}
    found: list[tuple[UserId, int]] = [(UserId(""), 0)] * len(places)
    begin, waiting = 0, sorted(places, reverse=True)
    for user_id, count in counts:
        while waiting and waiting[-1] < begin + count:
            place = waiting.pop()
            found[order[place]] = (user_id, (place - begin) * WINDOW)
        begin += count
    return iter(found)


def _question(turn: Interaction) -> Question | None:
    if not turn.is_user or turn.is_held:
        return None
    asked = question_of(turn.content)
    if asked is None:
        return None
    return Question(
        user_id=turn.user_id,
        text=asked.text,
        statement=asked.statement,
        interaction_id=turn.interaction_id,
        request_id=turn.request_id,
    )


def _key(one: Question) -> str:
    return f"{one.user_id}\n{one.text.casefold()}"
