"""
How much the rule-based learner finds, and how much of what it finds is right, by data set and kind.

    python benchmarks/rule_learner.py [--data examples/data] [--misses]

The labels are in benchmarks/gold. Recall is the share of labelled facts that a candidate matches; precision the
share of candidates that match a label or were judged right by hand. What nobody judged counts as wrong.
"""

import argparse
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.ids import InteractionId, RequestId, UserId
from sagacity.domain.interaction import Interaction, ToolUse
from sagacity.learning.rules.playbook import playbook_candidates
from sagacity.learning.rules.profile import profile_candidates

ROOT = Path(__file__).parent.parent
GOLD = Path(__file__).parent / "gold"
EXTRACTORS = {"profile": profile_candidates, "user_playbook": playbook_candidates}


@dataclass
class Score:
    """One row: what was labelled and found, what was proposed and right."""

    name: str
    turns: int = 0
    labelled: int = 0
    found: int = 0
    proposed: int = 0
    right: int = 0
    misses: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def count(
        self, candidates: Sequence[Candidate], facts: Iterable[str], also_right: Iterable[str] = ()
    ) -> None:
        """Compare the *candidates* of one window with the patterns of its *facts*."""
        facts, also_right = list(facts), set(also_right)
        for fact in facts:
            hit = any(re.search(fact, candidate.content, re.IGNORECASE) for candidate in candidates)
            self.found += hit
            if not hit:
                self.misses.append(fact)
        for candidate in candidates:
            matched = any(re.search(fact, candidate.content, re.IGNORECASE) for fact in facts)
            self.right += matched or candidate.content in also_right
            if not matched and candidate.content not in also_right:
                self.wrong.append(candidate.content)
        self.labelled += len(facts)
        self.proposed += len(candidates)

    def row(self) -> str:
        """The row as it is printed."""
        recall = f"{self.found / self.labelled:.2f}" if self.labelled else "-"
        precision = f"{self.right / self.proposed:.2f}" if self.proposed else "-"
        return (
            f"{self.name:44} {self.turns:6} {self.labelled:8} {recall:>7} {self.proposed:10} {precision:>9}"
        )


def window(turns: Sequence[dict[str, Any]]) -> Window:
    """Turns as a window, all unread."""
    unread = tuple(
        Interaction(
            interaction_id=InteractionId(seq),
            seq=seq,
            request_id=RequestId("benchmark"),
            user_id=UserId("user"),
            role=turn["role"],
            content=turn["content"],
            tools_used=tuple(turn.get("tools", ())),
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for seq, turn in enumerate(turns, start=1)
    )
    return Window(user_id=UserId("user"), first_seq=1, last_seq=len(unread), unread=unread)


def spoken(text: str) -> Window:
    """One turn of a user, after an answer that it could correct, as a window."""
    return window([{"role": "Assistant", "content": "Here you are."}, {"role": "User", "content": text}])


def scenarios(data: Path) -> list[Score]:
    """The support conversations: both kinds, whole conversations."""
    gold = json.loads((GOLD / "scenarios.json").read_text())
    scores = {kind: Score(f"scenarios (dev), {kind}") for kind in EXTRACTORS}
    for name, labels in gold["conversations"].items():
        scenario, _, user = name.partition("/")
        spec = yaml.safe_load((data / "scenarios" / f"{scenario}.yaml").read_text())
        turns = [
            {
                "role": spec["participants"][turn["speaker"]]["role"],
                "content": turn["content"],
                "tools": [
                    ToolUse(
                        tool_name=call["name"], tool_data={"input": call["input"], "output": call["output"]}
                    )
                    for call in turn.get("tool_calls", ())
                ],
            }
            for turn in spec["conversations"][user]["turns"]
        ]
        for kind, extract in EXTRACTORS.items():
            scores[kind].turns += sum(turn["role"] == "User" for turn in turns)
            scores[kind].count(extract(window(turns)), labels[kind], gold["also_right"])
    return list(scores.values())


def contradictions(data: Path) -> Score:
    """Facts that change: the last value of the slot after both batches."""
    gold = json.loads((GOLD / "scenarios.json").read_text())["contradictions"]
    score = Score("contradictions (dev), final state")
    for case in json.loads((data / "scenarios" / "contradictions.json").read_text())["scenarios"]:
        final: dict[str, Candidate] = {}
        for batch in ("batch_1", "batch_2"):
            score.turns += sum(turn["role"] == "User" for turn in case[batch])
            for candidate in profile_candidates(window(case[batch])):
                if candidate.exclusive:
                    final[candidate.slot] = candidate
        expected = gold[case["name"]]
        score.count([c for slot, c in final.items() if slot == expected["slot"]], [expected["value"]])
    return score


def longmemeval() -> list[Score]:
    """Single turns of long advice chats, in which facts are dropped in passing."""
    gold = json.loads((GOLD / "longmemeval.json").read_text())
    scores: list[Score] = []
    for split, items in gold["labelled"].items():
        score = Score(f"longmemeval ({split}), profile", turns=len(items))
        for item in items:
            score.count(profile_candidates(spoken(item["text"])), item["facts"], gold["also_right"])
        scores.append(score)
    for kind, extract in EXTRACTORS.items():
        score = Score(f"longmemeval (random held-out), {kind}", turns=len(gold["random"]["turns"]))
        for text in gold["random"]["turns"]:
            score.count(extract(spoken(text)), (), gold["random"]["right"])
        scores.append(score)
    return scores


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT / "examples" / "data")
    parser.add_argument("--misses", action="store_true", help="also print what was missed and what was wrong")
    arguments = parser.parse_args()
    print(f"{'data, kind':44} {'turns':>6} {'labelled':>8} {'recall':>7} {'candidates':>10} {'precision':>9}")
    for score in (*scenarios(arguments.data), contradictions(arguments.data), *longmemeval()):
        print(score.row())
        if arguments.misses:
            print("    missed:", "; ".join(score.misses))
            print("    wrong: ", "; ".join(score.wrong))


if __name__ == "__main__":
    main()
