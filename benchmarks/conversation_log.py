"""Logs to learn from: recorded conversations, mixed with users' statements about themselves and about the answers."""

import random
from collections.abc import Iterator, Sequence

from corpus import turns

from sagacity.domain.ids import RequestId, SessionId, UserId
from sagacity.domain.interaction import NewInteraction, NewRequest

TURNS_A_USER = 500
_PAIRS_A_SESSION = 10
_TELLING = 0.3
"""The share of the turn pairs in which the user says something worth remembering."""
_SAID = (
    "I live in {town} now.",
    "I'm moving to {town} next year.",
    "I'm allergic to {food}.",
    "I love {food}, and I cook it most weekends.",
    "I don't like {food} at all.",
    "I work as a {work} in {town}.",
    "My sister {name} works as a {work}.",
    "My friend {name} lives in {town}.",
    "I have a dog named {name}.",
    "I usually go {sport} on Sundays.",
    "I'm training for {sport} with {name}.",
    "I use {tool} for my notes.",
    "Please always answer in {language}.",
    "No, that's wrong. I said {tool}, not {other}.",
    "Never suggest {other} to me again, we use {tool}.",
    "From now on keep your answers under {count} sentences.",
)
_WORDS = {
    "town": "Boston Lisbon Oslo Quito Turin Graz Osaka Lagos Perth Lyon Porto Bergen Leeds Cusco".split(),
    "food": "walnuts shrimp lentils mushrooms tofu ramen olives mango beetroot paella okra rye".split(),
    "work": "nurse carpenter teacher pharmacist translator botanist surveyor welder baker pilot".split(),
    "name": "Nora Emil Fatma Goran Hana Ivo Jana Karim Lena Milan Oskar Petra Ravi Sven Vera".split(),
    "sport": "climbing rowing swimming cycling running skating fencing hiking sailing surfing".split(),
    "tool": "pnpm Obsidian Terraform Postgres Notion Figma Ansible Kotlin Svelte Django".split(),
    "other": "npm Evernote Pulumi MySQL Trello Sketch Puppet Java Angular Flask".split(),
    "language": "German Spanish French Polish Italian Dutch Czech Turkish".split(),
    "count": "three four five six seven eight".split(),
}


def logs(interactions: int) -> Sequence[Sequence[NewRequest]]:
    """Return the requests of as many users as it takes, a turn pair each; the last one of a user flushes the log."""
    users = max(1, interactions // TURNS_A_USER)
    return [list(_requests(f"user-{number}", interactions // users // 2)) for number in range(users)]


def _requests(user: str, pairs: int) -> Iterator[NewRequest]:
    rng = random.Random(user)
    for place in range(pairs):
        asked, answer = rng.choice(turns())
        said = f"{_fact(rng)} {asked}" if rng.random() < _TELLING else asked
        yield NewRequest(
            request_id=RequestId(f"{user}:{place}"),
            user_id=UserId(user),
            session_id=SessionId(f"{user}:{place // _PAIRS_A_SESSION}"),
            agent_version="v1",
            force_extraction=place == pairs - 1,
            interactions=(
                NewInteraction(role="User", content=said),
                NewInteraction(role="Assistant", content=answer),
            ),
        )


def _fact(rng: random.Random) -> str:
    return rng.choice(_SAID).format(**{slot: rng.choice(words) for slot, words in _WORDS.items()})
