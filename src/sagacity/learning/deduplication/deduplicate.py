"""What was proposed meets what is remembered: for each candidate one decision."""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sagacity.domain.base import Value
from sagacity.domain.change import Action, Candidate, Decision
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Memory, TimeToLive
from sagacity.domain.query import PARAPHRASE_COSINE
from sagacity.learning.deduplication.containment import contains
from sagacity.learning.deduplication.exclusion import rules_out
from sagacity.learning.deduplication.merge_texts import joined, merged
from sagacity.learning.deduplication.opposition import ends
from sagacity.learning.deduplication.precedence import is_confirmed, is_newer, said
from sagacity.learning.deduplication.text_equivalence import (
    covers,
    denies,
    differs_in_value,
    is_about,
    normalised,
    read,
    same_words,
    shares_word,
)

SAME_COSINE = 0.95
"""At least this, and no word that says something else: the same."""
NEAR_COSINE = 0.5
"""At least this: near enough to a memory to be judged. MiniLM gives a move from one city to another 0.59."""
MOST_JUDGED = 20
"""Memories that a candidate is judged by, the nearest: however many there are, a prompt has room for them."""
TWIN_COSINE = 0.8
"""At least this: near enough to another candidate to be judged. One extractor rarely repeats itself."""
_CONTRADICTED = "newer than what it contradicts"
_FULLER = "says all of it and more"
_OUTDATED = "a newer turn of the same window says otherwise"


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """A candidate and the vector of its search text: float32 [dimension], unit length; None without."""

    candidate: Candidate
    vector: npt.NDArray[np.float32] | None = None
    agent_version: str = ""
    """Candidates are compared with those of the same version only."""
    threshold: float = 0.0
    """0..1: the least `domain.query.relevance` of a memory that it is compared with and judged by; 0: by default."""


class Neighbour(Value):
    """A memory that may say the same as a candidate, and the cosine of their vectors, -1..1."""

    memory: Memory
    cosine: float


class Case(Value):
    """A candidate that words alone do not settle."""

    index: int
    candidate: Candidate
    memories: tuple[Memory, ...]
    twins: tuple[int, ...] = ()
    """Indices of other cases that resemble it, or fill the same exclusive slot."""


class Verdict(Value):
    """
    What is to become of the candidate with this index.

    ADD, UPDATE, MERGE and SUPERSEDE are as in `Decision`. DISCARD with a *twin* hands the evidence over to
    that candidate; without, a newer turn took the statement back.
    """

    index: int
    action: Action
    targets: tuple[MemoryId, ...] = ()
    twin: int | None = None
    rivals: tuple[int, ...] = ()
    """Candidates that cannot be true beside it: of each pair, the one that was said later stays."""
    content: str | None = None
    trigger: str | None = None
    pitfall: str | None = None
    time_to_live: TimeToLive | None = None
    reason: str = ""


class Judge(Protocol):
    """Decides what words alone do not settle."""

    async def judge(self, cases: Sequence[Case]) -> Sequence[Verdict]:
        """
        Return verdicts, one a case, from one call.

        Whatever is missing, doubled or impossible in them counts as ADD. DISCARD only counts with a twin.

        Raises:
            ProviderError: the model failed.
        """
        ...


class Settled(Value):
    """Verdicts that words alone give, and the cases that are left."""

    verdicts: dict[int, Verdict]
    cases: tuple[Case, ...]


async def deduplicate(
    candidates: Sequence[Embedded], neighbours: Mapping[int, Sequence[Neighbour]], *, judge: Judge | None
) -> list[Decision]:
    """
    Decide what becomes of each candidate.

    Args:
        candidates: in the order in which they were proposed, all of one user.
        neighbours: by index of the candidate: the nearest memories of the same user, kind and version set,
            and every memory of the candidate's slot, however far.
        judge: decides on what is near and not settled by words, in one call; without one it is added.

    Returns:
        One decision for each candidate, in their order. A memory is the target of at most one of them.

    Raises:
        ProviderError: the judge's model failed.
    """
    # Off the event loop: hundreds of memories may be in a slot.
    settled = await asyncio.to_thread(settle, candidates, neighbours, is_judged=judge is not None)
    verdicts = dict(settled.verdicts)
    if judge and settled.cases:
        for index, verdict in _admissible(await judge.judge(settled.cases), settled.cases).items():
            by_words = settled.verdicts.get(index)
            verdicts[index] = verdict if by_words is None else _both(by_words, verdict)
    return conclude([embedded.candidate for embedded in candidates], neighbours, verdicts)


def settle(
    candidates: Sequence[Embedded],
    neighbours: Mapping[int, Sequence[Neighbour]],
    *,
    is_judged: bool = False,
) -> Settled:
    """
    Decide what words alone can decide.

    - The same (equal but for case, spaces and punctuation; or near, and different in fillers and grammar only;
      or a cosine of 0.95, and nothing said that the memory does not say): UPDATE. Says more than the memory, by
      the same measure, or by its words alone if there is no judge: MERGE into its own words, with the evidence of both.
    - The same words with a denial, or a candidate that negates and is about the same as a memory of its slot:
      SUPERSEDE. A denial is stored as well, also where there is nothing to deny: that the user does not eat fish is
      worth knowing by itself. A denial ends no statement about something else, even if both fill one slot.
    - What ends another by the table of opposites, "divorced" after "married": SUPERSEDE.
    - Another value for an exclusive slot: SUPERSEDE if there is no judge. With one (*is_judged*) it is a case, as it
      may be a detail: "lives in Lyon", "rents a flat in the Croix-Rousse".
    - Among the candidates themselves alike: of two that say the same one stays, with the evidence of both; of
      two that exclude each other the one that was said later. Two that fill one exclusive slot exclude each other
      without a judge if they say the same of two things ("lives in Rome", "lives in Lyon"); with one they are a case.

    What its extractor says it ends is ended if there is no judge; with one it is a case, however far.
    With a judge, what contradicts a memory by words is still a case if other memories are near.

    The order of neighbours plays no part, nor does that of candidates whose newest turns differ.
    """
    order = _newest_first([embedded.candidate for embedded in candidates])
    verdicts: dict[int, Verdict] = {}
    kept: list[int] = []
    for index in order:
        verdict = next(_against_newer(candidates, index, kept, is_judged=is_judged), None)
        if verdict is None:
            kept.append(index)
        else:
            verdicts[index] = verdict
    if not is_judged:
        verdicts |= _within_fuller(candidates, kept)
        kept = [index for index in kept if index not in verdicts]
    for index in kept:
        near = neighbours.get(index, ())
        if verdict := _against_memories(index, candidates[index].candidate, near, is_judged=is_judged):
            verdicts[index] = verdict

    def is_open(index: int) -> bool:
        return index not in verdicts or (is_judged and verdicts[index].reason == _CONTRADICTED)

    left = [index for index in reversed(kept) if is_open(index)]
    cases = [
        _case(
            candidates,
            index,
            left,
            neighbours.get(index, ()),
            settled=verdicts[index].targets if index in verdicts else (),
        )
        for index in left
    ]
    return Settled(verdicts=verdicts, cases=tuple(case for case in cases if case.memories or case.twins))


def conclude(
    candidates: Sequence[Candidate],
    neighbours: Mapping[int, Sequence[Neighbour]],
    verdicts: Mapping[int, Verdict],
) -> list[Decision]:
    """Turn verdicts into decisions that go together: no memory twice, none replaced by what was said before."""
    verdicts = _join_updates(candidates, _without_rivals(candidates, verdicts))
    hosts = _hosts(len(candidates), verdicts)
    guests: dict[int, list[Candidate]] = {host: [] for host in hosts.values()}
    for index, host in hosts.items():
        guests[host].append(candidates[index])
    whole = [joined(candidate, guests.get(index, ())) for index, candidate in enumerate(candidates)]
    owners: dict[MemoryId, Action] = {}
    decisions: dict[int, Decision] = {}
    for index in _newest_first(whole):
        verdict = verdicts.get(index, Verdict(index=index, action=Action.ADD))
        if index in hosts or (verdict.action is Action.DISCARD and verdict.twin is None):
            decisions[index] = Decision(
                action=Action.DISCARD, candidate=candidates[index], reason=verdict.reason
            )
            continue
        memories = {near.memory.memory_id: near.memory for near in neighbours.get(index, ())}
        decisions[index] = _decide(whole[index], verdict, memories, owners)
        owners |= dict.fromkeys(decisions[index].targets, decisions[index].action)
    return [decisions[index] for index in range(len(candidates))]


def _decide(
    candidate: Candidate,
    verdict: Verdict,
    memories: Mapping[MemoryId, Memory],
    owners: Mapping[MemoryId, Action],
) -> Decision:
    """Carry out *verdict* as far as its targets are there, are free, and are not newer than the candidate."""
    targets = tuple(target for target in verdict.targets if target in memories)
    free = tuple(target for target in targets if target not in owners)
    action, kept, stored = Action.ADD, (), candidate
    match verdict.action:
        case Action.UPDATE if targets:
            action, kept = (Action.UPDATE, free[:1]) if free else (Action.DISCARD, ())
        case Action.SUPERSEDE if targets:
            kept = tuple(target for target in free if not is_newer(memories[target], candidate))
            stands = any(
                is_newer(memories[it], candidate) or owners.get(it) is Action.UPDATE for it in targets
            )
            action = Action.SUPERSEDE if kept else Action.DISCARD if stands else Action.ADD
        case Action.MERGE if any(is_confirmed(memories[target], candidate) for target in targets):
            action = Action.DISCARD
        case Action.MERGE if any(
            memories[it].attributes.is_unconfirmed and not candidate.is_unconfirmed for it in targets
        ):
            pass  # the one text would have the user say what only an agent said
        case Action.MERGE if targets and verdict.content and free == targets:
            whole = merged(
                candidate,
                [memories[target] for target in targets],
                content=verdict.content,
                trigger=verdict.trigger,
                pitfall=verdict.pitfall,
                time_to_live=verdict.time_to_live,
            )
            alike = (it for it, memory in memories.items() if it not in owners and _is_text_of(memory, whole))
            action, kept, stored = Action.MERGE, tuple(dict.fromkeys((*targets, *alike))), whole
        case _:
            pass
    alone = candidate if action is Action.MERGE else None
    return Decision(action=action, candidate=stored, targets=kept, reason=verdict.reason, unmerged=alone)


def _is_text_of(memory: Memory, candidate: Candidate) -> bool:
    """Whether a memory of the candidate's kind says just what it says, case and punctuation aside."""
    texts = ((memory.content, candidate.content), (memory.trigger or "", candidate.trigger or ""))
    return memory.kind is candidate.kind and all(normalised(one) == normalised(other) for one, other in texts)


def _is_one(merge: Verdict, other: Verdict) -> bool:
    """Whether two merges write the same text."""
    return normalised(merge.content or "") == normalised(other.content or "") != ()


def _join_updates(candidates: Sequence[Candidate], verdicts: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """Let the newest of those that repeat or extend one memory speak for the others that repeat it."""
    settled: dict[int, Verdict] = dict(verdicts)
    speakers: dict[MemoryId, int] = {}
    for index in _newest_first(candidates):
        verdict = verdicts.get(index)
        if verdict is None or verdict.action not in {Action.UPDATE, Action.MERGE}:
            continue
        speaker = speakers.get(verdict.targets[0]) if verdict.targets else None
        if speaker is not None and (verdict.action is Action.UPDATE or _is_one(verdict, settled[speaker])):
            reason = "says the same as another candidate"
            settled[index] = Verdict(index=index, action=Action.DISCARD, twin=speaker, reason=reason)
        else:
            speakers |= dict.fromkeys(verdict.targets, index)
    return settled


def _without_rivals(candidates: Sequence[Candidate], verdicts: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """Discard, of each two candidates that cannot both be true, the one that was said earlier."""
    place = {index: at for at, index in enumerate(_newest_first(candidates))}
    pairs = [(index, other) for index, verdict in verdicts.items() for other in verdict.rivals]
    outdated = {
        max(pair, key=lambda index: place[index]): min(pair, key=lambda index: place[index]) for pair in pairs
    }

    def left(index: int, verdict: Verdict) -> Verdict:
        if index in outdated:
            winner = verdicts.get(outdated[index], verdict)
            return Verdict(index=index, action=Action.DISCARD, reason=winner.reason or _OUTDATED)
        if verdict.twin in outdated:
            return Verdict(index=index, action=Action.ADD, reason=verdict.reason)
        return verdict

    every = {index: Verdict(index=index, action=Action.ADD) for index in outdated} | dict(verdicts)
    return {index: left(index, verdict) for index, verdict in every.items()}


def _newest_first(candidates: Sequence[Candidate]) -> list[int]:
    """Return indices, what was said last first, of one turn what was proposed last; what is unconfirmed last."""
    weights = [(not candidate.is_unconfirmed, *said(candidate)) for candidate in candidates]
    return sorted(range(len(candidates)), key=lambda index: (weights[index], index), reverse=True)


def _comparable(one: Embedded, other: Embedded) -> bool:
    return (one.candidate.kind, one.agent_version) == (other.candidate.kind, other.agent_version)


def _cosine(one: Embedded, other: Embedded) -> float:
    return 0.0 if one.vector is None or other.vector is None else float(np.dot(one.vector, other.vector))


def _against_newer(
    candidates: Sequence[Embedded], index: int, newer: Sequence[int], *, is_judged: bool
) -> Iterator[Verdict]:
    """Yield what the newer candidates leave of this one, if not all."""
    mine = candidates[index].candidate
    for other in newer:
        theirs = candidates[other].candidate
        if not _comparable(candidates[index], candidates[other]):
            continue
        cosine = _cosine(candidates[index], candidates[other])
        if _says_all(theirs, mine, cosine):
            yield Verdict(
                index=index, action=Action.DISCARD, twin=other, reason="says the same as another candidate"
            )
        elif _outdates(theirs, mine, is_judged=is_judged):
            yield Verdict(index=index, action=Action.DISCARD, reason=_OUTDATED)


def _within_fuller(candidates: Sequence[Embedded], kept: Sequence[int]) -> Iterator[tuple[int, Verdict]]:
    """Yield a verdict for each candidate that another one, older or newer, contains."""
    for index in kept:
        for other in kept:
            if _comparable(candidates[index], candidates[other]) and _is_fuller(
                candidates[other].candidate, candidates[index].candidate
            ):
                reason = "another candidate says all of it and more"
                yield index, Verdict(index=index, action=Action.DISCARD, twin=other, reason=reason)
                break


def _outdates(newer: Candidate, older: Candidate, *, is_judged: bool) -> bool:
    """Whether one candidate of a window ends another: as what was said in one turn stands together, seldom."""
    if _contradicts(newer, older):
        return True
    if said(newer) == said(older):
        return False
    if _ends(newer, older):
        return True
    if newer.negates:
        return not read(older.content).denials and is_about(newer.content, older.content)
    fills_it = newer.exclusive and newer.slot and newer.slot == older.slot
    return bool(
        fills_it and not is_judged and not older.negates and differs_in_value(newer.content, older.content)
    )


def _against_memories(
    index: int, candidate: Candidate, neighbours: Sequence[Neighbour], *, is_judged: bool
) -> Verdict | None:
    near = sorted(
        (near for near in neighbours if near.memory.kind is candidate.kind),
        key=lambda n: (-n.cosine, n.memory.memory_id),
    )

    def covers_it(whole: Candidate | Memory, part: Candidate | Memory, cosine: float) -> bool:
        return _says_all(whole, part, cosine) or (not is_judged and _is_fuller(whole, part))

    same = [n.memory.memory_id for n in near if covers_it(n.memory, candidate, n.cosine)]
    less = [
        n.memory.memory_id
        for n in near
        if n.memory.memory_id not in same and covers_it(candidate, n.memory, n.cosine)
    ]
    rivals = [
        n.memory.memory_id
        for n in near
        if n.memory.memory_id not in {*same, *less} and _excludes(candidate, n, is_judged=is_judged)
    ]
    if rivals:
        targets = (*same, *less, *rivals)
        return Verdict(index=index, action=Action.SUPERSEDE, targets=targets, reason=_CONTRADICTED)
    if same:
        return Verdict(index=index, action=Action.UPDATE, targets=(same[0],), reason="says the same")
    if less:
        # A merge into its own words: what it takes in hands its evidence and its place in the graph over.
        return Verdict(
            index=index,
            action=Action.MERGE,
            targets=tuple(less),
            content=candidate.content,
            reason=_FULLER,
        )
    return None


def _is_fuller(whole: Candidate | Memory, part: Candidate | Memory) -> bool:
    """Whether *whole* says by its words what *part* says and more, in the same situation."""
    return _is_same_case(whole, part) and contains(whole.content, part.content)


def _is_same_case(one: Candidate | Memory, other: Candidate | Memory) -> bool:
    return normalised(one.trigger or "") == normalised(other.trigger or "")


def _ends(newer: Candidate | Memory, older: Candidate | Memory) -> bool:
    """Whether *newer* ends *older* by the table of opposites, in the same situation."""
    return _is_same_case(newer, older) and ends(newer.content, older.content)


def _says_all(whole: Candidate | Memory, part: Candidate | Memory, cosine: float) -> bool:
    """Whether *whole* says all that *part* says, in situation and content."""
    pairs = ((whole.trigger or "", part.trigger or ""), (whole.content, part.content))
    if all(normalised(one) == normalised(other) for one, other in pairs):
        return True
    compare = covers if cosine >= SAME_COSINE else same_words
    return cosine >= NEAR_COSINE and all(one == other or compare(one, other) for one, other in pairs)


def _excludes(newer: Candidate, older: Neighbour, *, is_judged: bool) -> bool:
    """Whether the memory *older* cannot hold beside *newer*."""
    memory = older.memory
    is_of_slot = bool(newer.slot) and newer.slot == memory.attributes.slot
    # Of an old conversation that is read late the memory was said later, and stands.
    later, earlier = (memory, newer) if is_newer(memory, newer) else (newer, memory)
    is_named = memory.memory_id in newer.ends and not is_judged
    if is_named or _contradicts(later, earlier) or _ends(later, earlier):
        return True
    if not newer.negates:
        return newer.exclusive and is_of_slot and not is_judged
    if read(memory.content).denials:
        return False
    if newer.slot:
        return is_of_slot and shares_word(newer.content, memory.content)
    return older.cosine >= NEAR_COSINE and is_about(newer.content, memory.content)


def _contradicts(newer: Candidate | Memory, older: Candidate | Memory) -> bool:
    """Whether words alone say that both cannot be true."""
    if rules_out(newer.content, older.content):
        return True
    return _is_same_case(newer, older) and denies(newer.content, older.content)


def _both(by_words: Verdict, judged: Verdict) -> Verdict:
    """Add what a judge found outdated to what words alone did."""
    more = judged.targets if judged.action in {Action.SUPERSEDE, Action.UPDATE} else ()
    targets = tuple(dict.fromkeys((*by_words.targets, *more)))
    return by_words.model_copy(update={"targets": targets, "rivals": judged.rivals})


def _case(
    candidates: Sequence[Embedded],
    index: int,
    left: Sequence[int],
    neighbours: Sequence[Neighbour],
    *,
    settled: Collection[MemoryId] = (),
) -> Case:
    """Gather what a candidate is to be judged by; not the memories that are *settled*."""
    mine = candidates[index]
    slot, ends, least = (
        mine.candidate.slot,
        mine.candidate.ends,
        mine.threshold * PARAPHRASE_COSINE or NEAR_COSINE,
    )
    near = [
        n
        for n in neighbours
        if n.memory.kind is mine.candidate.kind
        and n.memory.memory_id not in settled
        and (n.cosine >= least or n.memory.memory_id in ends or (slot and n.memory.attributes.slot == slot))
    ]
    near.sort(key=lambda n: (n.memory.memory_id not in ends, -n.cosine, n.memory.memory_id))
    twins = (
        other
        for other in left
        if other != index
        and _comparable(mine, candidates[other])
        and (
            _cosine(mine, candidates[other]) >= TWIN_COSINE
            or _fill_one_slot(mine.candidate, candidates[other].candidate)
        )
    )
    return Case(
        index=index,
        candidate=mine.candidate,
        memories=tuple(n.memory for n in near[:MOST_JUDGED]),
        twins=tuple(islice(twins, MOST_JUDGED)),
    )


def _fill_one_slot(one: Candidate, other: Candidate) -> bool:
    return one.slot == other.slot != "" and (one.exclusive or other.exclusive)


def _admissible(verdicts: Sequence[Verdict], cases: Sequence[Case]) -> dict[int, Verdict]:
    """Return the first verdict of each case, as far as it keeps to what the case offers."""
    offered = {case.index: case for case in cases}
    admitted: dict[int, Verdict] = {}
    for verdict in verdicts:
        case = offered.get(verdict.index)
        if case is None or verdict.index in admitted:
            continue
        if verdict.action is not Action.DISCARD or verdict.twin in case.twins:
            known = {memory.memory_id for memory in case.memories}
            targets = tuple(dict.fromkeys(target for target in verdict.targets if target in known))
            rivals = tuple(dict.fromkeys(rival for rival in verdict.rivals if rival in case.twins))
            admitted[verdict.index] = verdict.model_copy(update={"targets": targets, "rivals": rivals})
    return admitted


def _hosts(count: int, verdicts: Mapping[int, Verdict]) -> dict[int, int]:
    """Return, for each candidate that hands its evidence over, who has it in the end; no circles."""
    hosts: dict[int, int] = {}

    def last(index: int) -> int:
        while index in hosts:
            index = hosts[index]
        return index

    for index in range(count):
        verdict = verdicts.get(index)
        if (
            verdict
            and verdict.action is Action.DISCARD
            and verdict.twin is not None
            and last(verdict.twin) != index
        ):
            hosts[index] = verdict.twin
    return {index: last(index) for index in hosts}
