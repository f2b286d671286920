"""The steps of the demo: publish, wait, show what was learned, ask."""

import time
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from sagacity.cli.demo.conversations import Conversation, Question, Script
from sagacity.cli.progress import advancing, working
from sagacity.cli.receipts import wait_for
from sagacity.domain.base import Value

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.domain.views.profile import ProfileView
    from sagacity.domain.views.user_playbook import UserPlaybookView

MEMORY_QUESTIONS = (
    ("priya", "How should options be presented?"),
    ("priya", "Where does Priya work?"),
    ("jo", "Where does Jo live?"),
)
MANY = 500
WAIT_SECONDS = 120


class Learned(Value):
    """A memory, and the user's words that taught it."""

    kind: str
    content: str
    method: str
    learner: str
    quotes: tuple[str, ...]
    superseded: bool = False


class UserStory(Value):
    """A user: how much they said, and what was learned from it."""

    user_id: str
    turns: int
    learned: tuple[Learned, ...]


class Hit(Value):
    """A search result with its score."""

    kind: str
    content: str
    score: float
    is_evidence: bool = False


class Answer(Value):
    """A question about one user, and its results."""

    user_id: str
    question: str
    expected: str = ""
    hits: tuple[Hit, ...]


class Story(Value):
    """Everything that the demo shows."""

    turns: int
    seconds: float
    users: tuple[UserStory, ...]
    answers: tuple[Answer, ...]


def play(client: "Sagacity", script: Script) -> Story:
    """Run the demo: publish, wait, show, ask."""
    started = time.monotonic()
    publish(client, script.first)
    publish(client, script.later)
    with working("looking at what was learned"):
        user_ids = dict.fromkeys(talk.user_id for talk in script.first)
        users = tuple(look_at(client, user_id) for user_id in user_ids)
        answers = (
            *(ask_memory(client, user_id, question) for user_id, question in MEMORY_QUESTIONS),
            *(ask(client, question) for question in script.questions),
        )
    turns = sum(user.turns for user in users)
    return Story(turns=turns, seconds=time.monotonic() - started, users=users, answers=answers)


def publish(client: "Sagacity", conversations: Sequence[Conversation]) -> None:
    """Publish conversations, and wait until all of them are learned from."""
    with advancing("publishing") as advance:
        requests: list[str] = []
        for talk in conversations:
            reply = client.publish_interaction(
                talk.user_id,
                talk.turns,
                source=talk.source,
                agent_version=talk.agent_version,
                session_id=talk.session_id,
                force_extraction=True,
            )
            requests.append(reply.request_id)
            advance(len(requests), len(conversations))
    wait_for(client, requests, timeout_seconds=WAIT_SECONDS)


def look_at(client: "Sagacity", user_id: str) -> UserStory:
    """Return what was learned of a user, each thing with the words that taught it; what was replaced comes last."""
    turns = client.get_interactions(user_id, top_k=MANY).interactions
    said = {turn.interaction_id: turn.content for turn in turns}
    current = client.get_profiles(user_id, top_k=MANY).user_profiles
    runs = client.get_profile_change_log().profile_change_logs
    holds = {profile.content for profile in current}
    removed = [profile for run in runs if run.user_id == user_id for profile in run.removed_profiles]
    replaced = [profile for profile in removed if not still_said(profile.content, holds)]
    playbooks = client.get_user_playbooks(user_id=user_id, limit=MANY).user_playbooks
    learned = [
        *(_learned("profile", profile, said) for profile in _oldest_first(current)),
        *(_learned("playbook", playbook, said) for playbook in reversed(playbooks)),
        *(_learned("profile", profile, said, superseded=True) for profile in _oldest_first(replaced)),
    ]
    return UserStory(user_id=user_id, turns=len(turns), learned=tuple(learned))


def still_said(content: str, holds: Collection[str]) -> bool:
    """Return whether one of what *holds* says all the words of *content*: it was made more precise, and still holds."""
    words = set(content.casefold().rstrip(".").split())
    return any(words <= set(one.casefold().rstrip(".").split()) for one in holds)


def ask(client: "Sagacity", question: Question) -> Answer:
    """Look for a question's evidence among a user's turns."""
    found = client.search_interactions(question.user_id, question.text, top_k=5).interactions
    hits = tuple(
        Hit(
            kind="turn",
            content=turn.content,
            score=turn.score or 0.0,
            is_evidence=turn.content in question.evidence,
        )
        for turn in found
    )
    return Answer(user_id=question.user_id, question=question.text, expected=question.answer, hits=hits)


def ask_memory(client: "Sagacity", user_id: str, question: str) -> Answer:
    """Search a user's memories."""
    page = client.search(question, user_id=user_id, top_k=2)
    hits = [
        *(Hit(kind="profile", content=one.content, score=one.score or 0.0) for one in page.profiles),
        *(Hit(kind="playbook", content=one.content, score=one.score or 0.0) for one in page.user_playbooks),
    ]
    return Answer(user_id=user_id, question=question, hits=tuple(sorted(hits, key=lambda hit: -hit.score)))


def _oldest_first(profiles: "Iterable[ProfileView]") -> "list[ProfileView]":
    return sorted(
        profiles, key=lambda profile: (min(profile.source_interaction_ids, default=0), profile.content)
    )


def _learned(
    kind: str, memory: "ProfileView | UserPlaybookView", said: dict[int, str], *, superseded: bool = False
) -> Learned:
    made = memory.provenance
    quotes = (said[number] for number in memory.source_interaction_ids if number in said)
    return Learned(
        kind=kind,
        content=memory.content,
        method=made.method if made else "",
        learner=made.learner if made else "",
        quotes=tuple(quotes),
        superseded=superseded,
    )
