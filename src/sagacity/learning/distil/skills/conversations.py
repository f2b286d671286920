"""The turns behind playbooks: a fair share for each playbook, those nearest to the evidence first."""

from collections.abc import Iterable, Sequence

from sagacity.domain.ids import InteractionId, RequestId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory
from sagacity.storage.transaction import Transaction

_REQUESTS_A_PLAYBOOK = 3


async def conversations_of(
    snapshot: Transaction, playbooks: Sequence[Memory], *, limit: int
) -> tuple[tuple[Interaction, ...], ...]:
    """
    Return turns of the requests that taught *playbooks*, one tuple per conversation, in the order of the log.

    Turns that quarantines hold are left out.

    Args:
        snapshot: an open transaction.
        playbooks: the playbooks, newest first.
        limit: the most turns in all.
    """
    newest = playbooks[:limit]  # each gets at least one turn, so further ones would find no room
    wanted = {book.memory_id: _requests_of(book) for book in newest}
    ids = list(dict.fromkeys(request_id for one in wanted.values() for request_id in one))
    turns = await snapshot.interactions.of_requests(ids) if ids else {}
    offers = [
        nearest_first(
            [turn for request_id in wanted[book.memory_id] for turn in turns[request_id] if not turn.is_held],
            set(book.source_interaction_ids),
        )
        for book in newest
    ]
    return conversations(taken_in_turn(offers, limit))


def nearest_first(turns: Sequence[Interaction], evidence: set[InteractionId]) -> list[Interaction]:
    """Return *turns* by their distance from a turn that taught something; at equal distance, earlier turns first."""
    ordered = sorted(turns, key=lambda turn: (turn.user_id, turn.seq))
    places = [place for place, turn in enumerate(ordered) if turn.interaction_id in evidence]

    def distance(place: int) -> tuple[int, bool, int]:
        near = min(places, key=lambda one: (abs(one - place), place > one), default=place)
        return abs(near - place), place > near, place

    return [ordered[place] for place in sorted(range(len(ordered)), key=distance)]


def taken_in_turn(offers: Sequence[Sequence[Interaction]], limit: int) -> list[Interaction]:
    """Return up to *limit* distinct turns: the first of every offer, then the second of every offer, and so on."""
    taken: dict[InteractionId, Interaction] = {}
    for depth in range(max(map(len, offers), default=0)):
        for offer in offers:
            if depth < len(offer) and len(taken) < limit:
                taken.setdefault(offer[depth].interaction_id, offer[depth])
    return list(taken.values())


def conversations(turns: Iterable[Interaction]) -> tuple[tuple[Interaction, ...], ...]:
    """Return *turns* by conversation: by session or, without one, by request."""
    found: dict[tuple[str, str], list[Interaction]] = {}
    for turn in sorted(turns, key=lambda turn: (turn.user_id, turn.seq)):
        found.setdefault((turn.user_id, turn.session_id or turn.request_id), []).append(turn)
    return tuple(tuple(one) for one in found.values())


def _requests_of(book: Memory) -> Sequence[RequestId]:
    """Return the last requests that taught a playbook, because what was repeated recently counts most."""
    return book.source_request_ids[-_REQUESTS_A_PLAYBOOK:]
