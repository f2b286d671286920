"""What words alone decide: among candidates, and between each candidate and the memories near it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from sagacity.domain.base import Value
from sagacity.domain.change import Action, Candidate
from sagacity.domain.ids import MemoryId
from sagacity.domain.kinds import alike
from sagacity.domain.memory import Memory
from sagacity.domain.query import PARAPHRASE_COSINE
from sagacity.learning.deduplication.cases import (
    CONTRADICTED,
    FORGOTTEN,
    OUTDATED,
    Case,
    Embedded,
    Neighbour,
    Verdict,
)
from sagacity.learning.deduplication.containment import contains
from sagacity.learning.deduplication.exclusion import rules_out
from sagacity.learning.deduplication.opposition import ends, leaves_open
from sagacity.learning.deduplication.precedence import (
    is_newer,
    newest_first,
    said,
)
from sagacity.learning.deduplication.text_equivalence import (
    covers,
    denies,
    differs_in_value,
    is_about,
    normalised,
    read,
    same_words,
    shares_cognate,
    shares_word,
)

SAME_COSINE = 0.95
"""Minimum cosine of two texts that say the same, if no word says something else."""
NEAR_COSINE = 0.5
"""Minimum cosine of a memory to be judged. MiniLM gives a move from one city to another 0.59."""
MOST_JUDGED = 20
"""How many of the nearest memories a candidate is judged by; a prompt has room for these."""
TWIN_COSINE = 0.8
"""Minimum cosine of another candidate to be judged. One extractor rarely repeats itself."""
_FULLER = "says all of it and more"


class Settled(Value):
    """The verdicts of words alone, and the remaining cases."""

    verdicts: dict[int, Verdict]
    cases: tuple[Case, ...]


def settle(
    candidates: Sequence[Embedded],
    neighbours: Mapping[int, Sequence[Neighbour]],
    *,
    is_judged: bool = False,
) -> Settled:
    """
    Decide what words alone can decide.

    - The same statement is an UPDATE: equal except for case, spaces and punctuation; or near, and different only in
      fillers and grammar; or with a cosine of 0.95, and nothing that the memory does not say.
    - A statement that says more than the memory, by the same measure (or, without a judge, by its words alone), is a
      MERGE into its own words, with the evidence of both.
    - The same words with a denial, or a negating candidate that is about the same as a memory of its slot: SUPERSEDE.
      A denial is stored even if there is nothing to deny: it is worth knowing that the user does not eat fish. A denial
      does not end a statement about something else, even if both fill one slot.
    - A statement that ends another by the table of opposites, "divorced" after "married": SUPERSEDE.
    - Another value for an exclusive slot: SUPERSEDE without a judge. With one (*is_judged*) it is a case, because it
      may be a detail: "lives in Lyon", "rents a flat in the Croix-Rousse".
    - Candidates are compared with each other in the same way: of two that say the same, one stays, with the evidence of
      both; of two that exclude each other, the one said later. Two that fill one exclusive slot exclude each other
      without a judge if they say the same of two things ("lives in Rome", "lives in Lyon"); with one they are a case.

    A memory that a candidate ends according to its extractor is ended without a judge; with one it is a case, at any
    distance. With a judge, a candidate that contradicts a memory by words is still a case if other memories are near.

    The result does not depend on the order of neighbours, or of candidates whose newest turns differ.
    """
    verdicts = dict(_forgotten(candidates, neighbours))
    order = [
        index
        for index in newest_first([embedded.candidate for embedded in candidates])
        if index not in verdicts
    ]
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
        return index not in verdicts or (is_judged and verdicts[index].reason == CONTRADICTED)

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


def _forgotten(
    candidates: Sequence[Embedded], neighbours: Mapping[int, Sequence[Neighbour]]
) -> Iterator[tuple[int, Verdict]]:
    """Yield a verdict for each candidate that only asks to forget something; it is compared with nothing."""
    for index, embedded in enumerate(candidates):
        if embedded.candidate.forgets:
            there = {near.memory.memory_id for near in neighbours.get(index, ())}
            targets = tuple(memory_id for memory_id in embedded.candidate.ends if memory_id in there)
            yield index, Verdict(index=index, action=Action.SUPERSEDE, targets=targets, reason=FORGOTTEN)


def _comparable(one: Embedded, other: Embedded) -> bool:
    is_alike = one.candidate.kind in alike(other.candidate.kind)
    return is_alike and one.agent_version == other.agent_version


def _cosine(one: Embedded, other: Embedded) -> float:
    return 0.0 if one.vector is None or other.vector is None else float(np.dot(one.vector, other.vector))


def _against_newer(
    candidates: Sequence[Embedded], index: int, newer: Sequence[int], *, is_judged: bool
) -> Iterator[Verdict]:
    """Yield a verdict on this candidate if a newer one repeats or ends it."""
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
        elif _outdates(theirs, mine, is_judged=is_judged) and not _is_one_of_several(
            theirs, mine, (one.candidate for one in candidates)
        ):
            yield Verdict(index=index, action=Action.DISCARD, reason=OUTDATED)


def _within_fuller(candidates: Sequence[Embedded], kept: Sequence[int]) -> Iterator[tuple[int, Verdict]]:
    """Yield a verdict for each candidate that another one contains."""
    for index in kept:
        for other in kept:
            if _comparable(candidates[index], candidates[other]) and _is_fuller(
                candidates[other].candidate, candidates[index].candidate
            ):
                reason = "another candidate says all of it and more"
                yield index, Verdict(index=index, action=Action.DISCARD, twin=other, reason=reason)
                break


def _outdates(newer: Candidate, older: Candidate, *, is_judged: bool) -> bool:
    """Whether one candidate of a window ends another; statements of one turn seldom end each other."""
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
        (near for near in neighbours if near.memory.kind in alike(candidate.kind)),
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
        if n.memory.memory_id not in {*same, *less}
        and _excludes(candidate, n, is_judged=is_judged)
        and not _is_one_of_several(candidate, n.memory, [other.memory for other in near])
    ]
    if rivals:
        targets = (*same, *less, *rivals)
        return Verdict(index=index, action=Action.SUPERSEDE, targets=targets, reason=CONTRADICTED)
    if same:
        return Verdict(index=index, action=Action.UPDATE, targets=(same[0],), reason="says the same")
    if less:
        # A merge into the candidate's own words, which gets the memories' evidence and relationships.
        return Verdict(
            index=index,
            action=Action.MERGE,
            targets=tuple(less),
            content=candidate.content,
            reason=_FULLER,
        )
    return None


def _is_fuller(whole: Candidate | Memory, part: Candidate | Memory) -> bool:
    """Whether the words of *whole* contain what *part* says and more, in the same situation."""
    return _is_same_case(whole, part) and contains(whole.content, part.content)


def _is_same_case(one: Candidate | Memory, other: Candidate | Memory) -> bool:
    return normalised(one.trigger or "") == normalised(other.trigger or "")


def _ends(newer: Candidate | Memory, older: Candidate | Memory) -> bool:
    """Whether *newer* ends *older* by the table of opposites, in the same situation."""
    return _is_same_case(newer, older) and ends(newer.content, older.content)


def _is_one_of_several(
    newer: Candidate, older: Candidate | Memory, others: Iterable[Candidate | Memory]
) -> bool:
    """Whether *newer* ends one of several things without saying which: "The dog died." if two named dogs are known."""
    meant = leaves_open(newer.content, older.content)
    return bool(meant) and any(
        leaves_open(newer.content, other.content) not in {"", meant} for other in others
    )


def _says_all(whole: Candidate | Memory, part: Candidate | Memory, cosine: float) -> bool:
    """Whether *whole* says all that *part* says, in situation and content."""
    return says_all(((whole.trigger or "", part.trigger or ""), (whole.content, part.content)), cosine)


def says_all(pairs: Sequence[tuple[str, str]], cosine: float) -> bool:
    """
    Tell whether the first of each of *pairs* says all that the second says.

    Args:
        pairs: texts with the same role, such as two triggers and two contents.
        cosine: the cosine of the two memories or candidates.
    """
    if all(normalised(one) == normalised(other) for one, other in pairs):
        return True
    compare = covers if cosine >= SAME_COSINE else same_words
    return cosine >= NEAR_COSINE and all(one == other or compare(one, other) for one, other in pairs)


def _excludes(newer: Candidate, older: Neighbour, *, is_judged: bool) -> bool:
    """Whether the memory *older* cannot hold together with *newer*."""
    memory = older.memory
    is_of_slot = bool(newer.slot) and newer.slot == memory.attributes.slot
    # If an old conversation is read late, the memory was said later, and stays.
    later, earlier = (memory, newer) if is_newer(memory, newer) else (newer, memory)
    is_named = memory.memory_id in newer.ends and not is_judged
    if is_named or _contradicts(later, earlier) or _ends(later, earlier):
        return True
    if not newer.negates:
        return newer.exclusive and is_of_slot and not is_judged
    if read(memory.content).denials:
        return False
    if newer.slot:
        texts = (newer.content, memory.content)
        return is_of_slot and (shares_word(*texts) or shares_cognate(*texts))
    return older.cosine >= NEAR_COSINE and is_about(newer.content, memory.content)


def _contradicts(newer: Candidate | Memory, older: Candidate | Memory) -> bool:
    """Whether words alone say that both cannot be true."""
    if rules_out(newer.content, older.content):
        return True
    return _is_same_case(newer, older) and denies(newer.content, older.content)


def _case(
    candidates: Sequence[Embedded],
    index: int,
    left: Sequence[int],
    neighbours: Sequence[Neighbour],
    *,
    settled: Collection[MemoryId] = (),
) -> Case:
    """Collect the memories and candidates that a candidate is judged by, without *settled* memories."""
    mine = candidates[index]
    slot, ends, least = (
        mine.candidate.slot,
        mine.candidate.ends,
        mine.threshold * PARAPHRASE_COSINE or NEAR_COSINE,
    )
    near = [
        n
        for n in neighbours
        if n.memory.kind in alike(mine.candidate.kind)
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
