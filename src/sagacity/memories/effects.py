"""The effects of memories on sessions, for a principal."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import structlog

from sagacity.domain.effect_evidence import Weighed, effect_of, summary_of, weighed
from sagacity.domain.effects import (
    EffectFilter,
    EffectFinding,
    EffectReport,
    ExtractorEffect,
    MemoryEffect,
    Tally,
)
from sagacity.domain.errors import StorageError
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.usage import ItemUsage
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_ALWAYS = datetime.min.replace(tzinfo=UTC)
_log = structlog.get_logger(__name__)
_CLAIMS = (EffectFinding.HELPS, EffectFinding.HARMS)
Named = tuple[MemoryKind, str]


async def effect_report(acting: Acting, wanted: EffectFilter, *, limit: int, offset: int = 0) -> EffectReport:
    """
    Return the effects of memories, those with the most evidence first, as of one moment.

    Args:
        acting: for whom; one user is told of their own sessions only.
        wanted: of which kinds, and by which evaluator.
        limit: how many memories at the most.
        offset: how many memories to leave out before them.
    """
    try:
        await acting.parts.usage.flush(acting.tenant)
    except StorageError as error:
        _log.warning("usage.not_flushed", kind=type(error).__name__)
    user_id = acting.principal.user_id
    share = (await acting.config()).holdout_share
    async with acting.read(user_id=user_id) as snapshot:
        all_found = await ranked(snapshot, wanted, user_id=user_id)
        page = all_found[offset : offset + limit]
        memories = await effects_of(snapshot, wanted, page, user_id=user_id)
        extractors = await _of_extractors(snapshot, wanted, user_id=user_id)
    findings = [told.finding for _, told in all_found]
    return EffectReport(
        holdout_share=share,
        compared=len(findings) - findings.count(EffectFinding.TOO_FEW),
        total=len(findings),
        memories=tuple(memories),
        extractors=tuple(extractors),
        summary=summary_of(findings, share=share),
    )


async def found_effects(acting: Acting, kinds: Collection[MemoryKind]) -> list[tuple[Tally, Weighed]]:
    """Return the memories of some kinds that the report says help or harm, with the report."""
    user_id = acting.principal.user_id
    async with acting.read(user_id=user_id) as snapshot:
        if not await snapshot.effects.any():
            return []
        told = await ranked(snapshot, EffectFilter(), user_id=user_id)
    return [one for one in told if one[1].finding in _CLAIMS and one[0].kind in kinds]


async def described(acting: Acting, found: Sequence[tuple[Tally, Weighed]]) -> dict[Named, MemoryEffect]:
    """Return everything the report says about some memories, by kind and by their ids in the API."""
    user_id = acting.principal.user_id
    async with acting.read(user_id=user_id) as snapshot:
        told = await effects_of(snapshot, EffectFilter(), found, user_id=user_id)
    return {(one.entity_type, one.entity_id): one for one in told}


async def ranked(
    snapshot: Transaction, wanted: EffectFilter, *, user_id: UserId | None
) -> list[tuple[Tally, Weighed]]:
    """Return the report on all memories, those with the most evidence first."""
    tallies = await snapshot.effects.successes(wanted, user_id=user_id)
    told = await asyncio.to_thread(weighed, [one.lots for one in tallies])
    together = zip(tallies, told, strict=True)
    return sorted(together, key=lambda one: (_order(one[1]), one[0].kind, one[0].entity_id))


async def effects_of(
    snapshot: Transaction,
    wanted: EffectFilter,
    page: Sequence[tuple[Tally, Weighed]],
    *,
    user_id: UserId | None,
) -> list[MemoryEffect]:
    """Return the report on some memories, with their text, their cost and how often they are cited."""
    names = [(tally.kind, tally.entity_id) for tally, _ in page]
    found = await snapshot.effects.outcomes(wanted, user_id=user_id, of=set(names))
    lots = {(one.kind, one.entity_id): one.lots for one in found}
    texts = await snapshot.effects.contents(names, user_id=user_id)
    uses = await _uses(snapshot, names)

    def told() -> list[MemoryEffect]:
        return [
            MemoryEffect(
                **dict(effect_of(lots.get(name, ()), said)),
                entity_type=name[0],
                entity_id=name[1],
                content=texts.get(name),
                **uses.get(name, ItemUsage(entity_type=name[0], entity_id=name[1])).model_dump(
                    include={"surfaced_count", "total_prompt_tokens", "citation_count"}
                ),
            )
            for name, (_, said) in zip(names, page, strict=True)
        ]

    return await asyncio.to_thread(told)


async def _of_extractors(
    snapshot: Transaction, wanted: EffectFilter, *, user_id: UserId | None
) -> list[ExtractorEffect]:
    found = await snapshot.effects.by_extractor(wanted, user_id=user_id)

    def told() -> list[ExtractorEffect]:
        together = zip(found, weighed([lots for _, _, lots in found]), strict=True)
        return [
            ExtractorEffect(**dict(effect_of(lots, one)), entity_type=kind, extractor=extractor)
            for (kind, extractor, lots), one in sorted(together, key=lambda pair: _order(pair[1]))
        ]

    return await asyncio.to_thread(told)


async def _uses(snapshot: Transaction, names: Sequence[Named]) -> dict[Named, ItemUsage]:
    uses: dict[Named, ItemUsage] = {}
    for kind in {kind for kind, _ in names}:
        ids = {name for of, name in names if of is kind}
        found = await snapshot.usage.of_items(kind, ids, since=_ALWAYS)
        uses |= {(kind, name): usage for name, usage in found.items()}
    return uses


def _order(told: Weighed) -> tuple[bool, float]:
    return told.finding is EffectFinding.TOO_FEW, -told.e_value
