"""Compare candidates with stored memories, and decide what to do with each."""

import asyncio
from collections.abc import Mapping, Sequence

import structlog

from sagacity.domain.change import Action, Candidate, Decision
from sagacity.domain.errors import MalformedOutput
from sagacity.domain.extraction import Rejection
from sagacity.domain.ids import MemoryId
from sagacity.domain.kinds import alike
from sagacity.domain.memory import Memory
from sagacity.learning.deduplication.cases import OUTDATED, Case, Embedded, Judge, Neighbour, Verdict
from sagacity.learning.deduplication.merge_texts import joined, merged
from sagacity.learning.deduplication.precedence import (
    is_confirmed,
    is_mere_claim,
    is_newer,
    newest_first,
)
from sagacity.learning.deduplication.settle import settle
from sagacity.learning.deduplication.text_equivalence import (
    normalised,
)

_log = structlog.get_logger(__name__)


async def deduplicate(
    candidates: Sequence[Embedded], neighbours: Mapping[int, Sequence[Neighbour]], *, judge: Judge | None
) -> list[Decision]:
    """
    Decide what to do with each candidate.

    Args:
        candidates: in the order of proposal, all of one user.
        neighbours: by index of the candidate: the nearest memories of its user, kind and version, and all of its slot.
        judge: decides near cases that words cannot settle, in one call. Words decide alone if there is no judge, or no
            readable verdict on a case; candidates that they cannot settle are added.

    Returns:
        One decision for each candidate, in their order. A memory is the target of at most one of them.

    Raises:
        ProviderError: the judge's model failed; a later attempt may succeed.
    """
    # In a thread, because a slot may have hundreds of memories.
    settled = await asyncio.to_thread(settle, candidates, neighbours, is_judged=judge is not None)
    verdicts = dict(settled.verdicts)
    if judge and settled.cases:
        judged = _admissible(await _judged(judge, settled.cases), settled.cases)
        for index, verdict in judged.items():
            by_words = settled.verdicts.get(index)
            verdicts[index] = verdict if by_words is None else _both(by_words, verdict)
        unjudged = {case.index for case in settled.cases} - judged.keys()
        if unjudged:
            alone = await asyncio.to_thread(settle, candidates, neighbours)
            verdicts |= {index: alone.verdicts[index] for index in unjudged & alone.verdicts.keys()}
    return conclude([embedded.candidate for embedded in candidates], neighbours, verdicts)


async def _judged(judge: Judge, cases: Sequence[Case]) -> Sequence[Verdict]:
    try:
        return await judge.judge(cases)
    except MalformedOutput as error:
        _log.warning("deduplication.judge_unreadable", cases=len(cases), told=str(error))
        return ()


def conclude(
    candidates: Sequence[Candidate],
    neighbours: Mapping[int, Sequence[Neighbour]],
    verdicts: Mapping[int, Verdict],
) -> list[Decision]:
    """Turn verdicts into consistent decisions: no memory is changed twice, or replaced by something said earlier."""
    verdicts = _join_updates(candidates, _without_rivals(candidates, verdicts))
    hosts = _hosts(len(candidates), verdicts)
    guests: dict[int, list[Candidate]] = {host: [] for host in hosts.values()}
    for index, host in hosts.items():
        guests[host].append(candidates[index])
    whole = [joined(candidate, guests.get(index, ())) for index, candidate in enumerate(candidates)]
    owners: dict[MemoryId, Action] = {}
    decisions: dict[int, Decision] = {}
    for index in newest_first(whole):
        verdict = verdicts.get(index, Verdict(index=index, action=Action.ADD))
        if index in hosts or (verdict.action is Action.DISCARD and verdict.twin is None):
            decisions[index] = Decision(
                action=Action.DISCARD,
                candidate=candidates[index],
                reason=verdict.reason,
                dropped=None if index in hosts else Rejection.OUTDATED,
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
    """Apply *verdict* to those of its targets that exist, are free, and are not newer than the candidate."""
    targets = tuple(target for target in verdict.targets if target in memories)
    free = tuple(target for target in targets if target not in owners)
    mergeable = tuple(target for target in free if not is_mere_claim(memories[target], candidate))
    action, kept, stored, dropped = Action.ADD, (), candidate, None
    match verdict.action:
        case Action.UPDATE if targets:
            action, kept = (Action.UPDATE, free[:1]) if free else (Action.DISCARD, ())
        case Action.SUPERSEDE if targets:
            kept = tuple(target for target in free if not is_newer(memories[target], candidate))
            stands = any(
                is_newer(memories[it], candidate) or owners.get(it) is Action.UPDATE for it in targets
            )
            action = Action.SUPERSEDE if kept else Action.DISCARD if stands else Action.ADD
            dropped = Rejection.OUTDATED if action is Action.DISCARD else None
        case Action.MERGE if any(is_confirmed(memories[target], candidate) for target in targets):
            action, dropped = Action.DISCARD, Rejection.CONFIRMED
        case Action.MERGE if targets and verdict.content and targets == mergeable:
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
    if candidate.forgets:
        action = Action.ARCHIVE if kept else Action.DISCARD
        dropped = None if kept else Rejection.OUTDATED
    alone = candidate if action is Action.MERGE else None
    return Decision(
        action=action,
        candidate=stored,
        targets=kept,
        reason=verdict.reason,
        unmerged=alone,
        dropped=dropped,
        doubts=targets if dropped is Rejection.OUTDATED and candidate.is_unconfirmed else (),
    )


def _is_text_of(memory: Memory, candidate: Candidate) -> bool:
    """Whether a comparable memory says exactly what the candidate says, ignoring case and punctuation."""
    texts = ((memory.content, candidate.content), (memory.trigger or "", candidate.trigger or ""))
    is_alike = memory.kind in alike(candidate.kind)
    return is_alike and all(normalised(one) == normalised(other) for one, other in texts)


def _is_one(merge: Verdict, other: Verdict) -> bool:
    """Whether two merges write the same text."""
    return normalised(merge.content or "") == normalised(other.content or "") != ()


def _join_updates(candidates: Sequence[Candidate], verdicts: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """Of candidates that repeat or extend the same memory, make the newest stand for the others."""
    settled: dict[int, Verdict] = dict(verdicts)
    speakers: dict[MemoryId, int] = {}
    for index in newest_first(candidates):
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
    """Of every two candidates that cannot both be true, discard the one said earlier."""
    place = {index: at for at, index in enumerate(newest_first(candidates))}
    pairs = [(index, other) for index, verdict in verdicts.items() for other in verdict.rivals]
    outdated = {
        max(pair, key=lambda index: place[index]): min(pair, key=lambda index: place[index]) for pair in pairs
    }

    def left(index: int, verdict: Verdict) -> Verdict:
        if index in outdated:
            winner = verdicts.get(outdated[index], verdict)
            return Verdict(index=index, action=Action.DISCARD, reason=winner.reason or OUTDATED)
        if verdict.twin in outdated:
            return Verdict(index=index, action=Action.ADD, reason=verdict.reason)
        return verdict

    every = {index: Verdict(index=index, action=Action.ADD) for index in outdated} | dict(verdicts)
    return {index: left(index, verdict) for index, verdict in every.items()}


def _both(by_words: Verdict, judged: Verdict) -> Verdict:
    """Add what a judge found outdated to the verdicts of words alone."""
    more = judged.targets if judged.action in {Action.SUPERSEDE, Action.UPDATE} else ()
    targets = tuple(dict.fromkeys((*by_words.targets, *more)))
    return by_words.model_copy(update={"targets": targets, "rivals": judged.rivals})


def _admissible(verdicts: Sequence[Verdict], cases: Sequence[Case]) -> dict[int, Verdict]:
    """Return the first verdict of each case, restricted to what the case offers."""
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
    """Return, for each candidate that passes its evidence on, the final recipient; cycles are broken."""
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
