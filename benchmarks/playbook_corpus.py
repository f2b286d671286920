"""User playbooks in known clusters: many users say the same rules in their own words, some what nobody else does."""

import json
import random
from pathlib import Path
from typing import NamedTuple

_GOLD = json.loads((Path(__file__).parent / "gold" / "playbook_topics.json").read_text("utf-8"))
TOPICS: list[dict[str, list[str]]] = _GOLD["topics"]
"""Situations and instructions; any of the former goes with any of the latter of its topic."""
ODD: dict[str, list[str]] = _GOLD["odd"]
LEADS = ("", "", "Always ", "From now on ", "Please ", "Remember to ", "In our team: ", "As I said before, ")
TAILS = (
    "", "", "", " It saves time.", " We agreed on that.", " My colleagues insist on it.", " This went wrong last week.",
    " No exceptions.", " That is how I like it.",
)  # fmt: skip


class Playbook(NamedTuple):
    """One user's rule, and the cluster that it is known to belong to; -1 for noise."""

    trigger: str
    content: str
    cluster: int

    @property
    def text(self) -> str:
        """What is embedded: as storage does it."""
        return f"{self.trigger}\n{self.content}"


def playbooks(cluster_count: int, each: int, noise_count: int, *, seed: int = 5) -> list[Playbook]:
    """
    Return *each* wordings of *cluster_count* rules and *noise_count* rules of nobody else, shuffled, always the same.

    Raises:
        ValueError: there are not so many topics.
    """
    rng = random.Random(seed)
    if cluster_count > len(TOPICS):
        raise ValueError(f"at most {len(TOPICS)} clusters")
    made = [one for number in range(cluster_count) for one in wordings(number, each, rng)]
    for _ in range(noise_count):
        first, second, third = rng.sample(ODD["subjects"], 3)
        made.append(_said(f"{first} and {second}", f"{rng.choice(ODD['deeds'])} the {third}", -1, rng))
    rng.shuffle(made)
    return made


def wordings(number: int, count: int, rng: random.Random) -> list[Playbook]:
    """Return *count* different wordings of one topic."""
    topic, found = TOPICS[number], dict[str, Playbook]()
    while len(found) < count:
        one = _said(rng.choice(topic["situations"]), rng.choice(topic["instructions"]), number, rng)
        found.setdefault(one.text, one)
    return list(found.values())


def _said(situation: str, instruction: str, cluster: int, rng: random.Random) -> Playbook:
    content = rng.choice(LEADS) + instruction
    return Playbook(
        trigger=situation,
        content=content[0].upper() + content[1:] + "." + rng.choice(TAILS),
        cluster=cluster,
    )
