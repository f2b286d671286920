"""Every public method of every repository, called by one organisation with all that it could know of another."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import sqlalchemy as sa

from sagacity.domain.account import Mail
from sagacity.domain.analytics import AnalyticsFilter
from sagacity.domain.analytics_reports import Granularity, Metric, Step, step_of
from sagacity.domain.audit import AuditAction, AuditFilter, NewAuditEntry
from sagacity.domain.caution import Caution
from sagacity.domain.chat import AnswerSource, Conversation
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.cursor import DeadLetterStatus, LogHead, Window
from sagacity.domain.dashboard import Figure, FigureFilter, FigureGroup
from sagacity.domain.effects import EffectFilter
from sagacity.domain.erasure import ErasureReport, Scan
from sagacity.domain.graph import EntityEdit, EntityId, NewEntity, NewRelationship, RelationshipEdit
from sagacity.domain.ids import OrgId, RequestId, SessionId, UserId
from sagacity.domain.interaction import NewInteraction, Request
from sagacity.domain.ledger import CallFilter, Grouping, Spending
from sagacity.domain.memory import Memory, MemoryKind, Status, Visibility
from sagacity.domain.memory_health import HealthQuery
from sagacity.domain.operation import ItemStatus, OperationName, OperationParameters
from sagacity.domain.quarantine import Quarantine, QuarantineTarget
from sagacity.domain.query import Filter
from sagacity.domain.quota import QuotaName
from sagacity.domain.retention import Record, TurnsToGo
from sagacity.domain.review_queue import ReviewQuery
from sagacity.domain.role import Role
from sagacity.domain.shadow_report import ShadowFilter
from sagacity.domain.usage import UsageEventName
from sagacity.domain.user_memory import TYPED_KINDS
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.storage.base import Nearest
from sagacity.storage.hits import Hit, Hits
from sagacity.storage.memories.duplicate_pairs import ChangedMemories
from sagacity.storage.portable.references import What
from sagacity.storage.replica.copied import Progress
from sagacity.storage.schema.tables import memories, users
from sagacity.storage.search.ranking_signals import Newest
from sagacity.storage.search.writing import Document
from sagacity.storage.transaction import Transaction
from support.account_rows import account, invitation, session, totp
from support.exchanges import exchange
from support.isolation import (
    DISTILLED,
    EVERYTHING,
    EXPIRY,
    RUN,
    VECTOR,
    Held,
    call,
    change,
    distillation,
    evaluation,
    extraction,
    tie,
)
from support.measured import measured
from support.parts import ANNA, ORG, OTHER_ORG, START, cursor_at, new_memory, said, unit_rows
from support.reviews import compared, kept, pair
from support.tokens import with_token
from support.usage import used

PROFILE = MemoryKind.PROFILE
PROFILES = VersionFilter(kind=PROFILE)
OTHER_RUN = OperationName.PLAYBOOK_GENERATION
OF_ANNA = EVERYTHING.model_copy(update={"user_id": ANNA})
LONG_AGO, LATER = START - timedelta(days=1), START + timedelta(days=1)
MIDNIGHT = step_of(START, Granularity.DAY)
CALLS = AnalyticsFilter()
FIGURES = FigureFilter(start=LONG_AGO, end=LATER)
BY_SOURCE = FIGURES.model_copy(update={"by": FigureGroup.SOURCE})
REVIEWED = ReviewQuery(kinds=tuple(MemoryKind), user_id=None, days_back=1)
NEEDED = {Record.DEAD_LETTERS, Record.MODEL_CALLS, Record.OPERATIONS, Record.REVIEW_ACTIONS}
"""Records of which both have only rows that may not go yet."""
DAY = (START - datetime(1970, 1, 1, tzinfo=UTC)).days


def _quarantine(held: Held) -> Quarantine:
    """Another organisation's."""
    named = {"quarantine_id": held.quarantine_id, "value": f"{held.word} request"}
    return Quarantine(target=QuarantineTarget.REQUEST, created_at=START, **named)


def _report(held: Held) -> ErasureReport:
    """A report under another organisation's name."""
    return ErasureReport(
        **dict.fromkeys(("requested_at", "gone_at", "finished_at"), START),
        deleted={"stolen": 1},
        unnamed={},
        **dict.fromkeys(("withdrawn", "backups", "beyond_reach"), ()),
        **dict.fromkeys(("erasure_id", "org_id", "user_hash", "key_id", "database", "files"), held.word),
        scan=Scan(tables=1, needles=1),
    )


def _document(held: Held) -> Document:
    return Document(
        kind="profile", owner_id=held.memory.memory_id, text="put", changed_at=START, user_id=ANNA
    )


def _only(memory: Memory) -> VersionFilter:
    return VersionFilter(kind=PROFILE, memory_ids=(memory.memory_id,))


async def _scopes_of(tx: Transaction, numbers: Awaitable[list[int]]) -> object:
    """Whose scopes they are, as far as can be seen."""
    return [await tx.copies.changed(number, -1, after=0, limit=99) for number in await numbers]


async def _relationships(tx: Transaction, entity_id: EntityId) -> list:
    return (await tx.relationships.of_entities(ANNA, [entity_id], limit=99))[entity_id]


async def _as_they_were(tx: Transaction, held: Held) -> list[Memory]:
    """What was read beside what was given."""
    found = await tx.changes.as_they_were([held.memory], LONG_AGO)
    return [one for one in found if one is not held.memory]


def _published(held: Held) -> Request:
    """All that was read there, as if in one request."""
    return Request(
        request_id=RequestId(f"{held.word} request"), user_id=ANNA, first_seq=1, last_seq=99, created_at=START
    )


async def _whose(tx: Transaction, numbers: Awaitable[list[int] | dict[str, int]]) -> list[Memory]:
    """The memories of these numbers, in full."""
    found = await numbers
    return await tx.memories.get_many(list(found.values()) if isinstance(found, dict) else found)


async def _numbers(found: Awaitable[list]) -> list[int]:
    return [number for number, _ in await found]


def _talk(held: Held) -> SessionId:
    return SessionId(f"{held.word} talk")


async def _counts(tx: Transaction, held: Held) -> list[int]:
    asked = Conversation(session_id=SessionId(held.word), user_id=ANNA, created_at=START, updated_at=START)
    return [one.message_count for one in await tx.conversations.with_counts(ANNA, [asked])]


async def _drop_all(tx: Transaction) -> int:
    """Drop every turn; nothing is dropped while an operation runs, or before what was parked is replayed."""
    for one in await tx.operations.cancel():
        for item in await tx.operations.items(one.operation_id, limit=99):
            await tx.operations.settle(item, ItemStatus.CANCELLED)
    for letter in await tx.dead_letters.list_newest():
        await tx.dead_letters.mark(letter.dead_letter_id, DeadLetterStatus.REPLAYED, was=letter.status)
    chosen = await tx.retention.oldest_read(TurnsToGo(), limit=99)
    return await tx.retention.drop(chosen, TurnsToGo())


async def _all_hits(tx: Transaction, vector) -> list[Hit]:
    """What a search by several vectors found."""
    found = await tx.search.by_vectors(EVERYTHING, np.stack([vector, -vector]), 99)
    return [hit for nearest in found for hit in nearest.hits]


async def _hits(nearest: Awaitable[Nearest]) -> list[Hit]:
    return list((await nearest).hits)


async def _newest(found: Awaitable[list[Newest]]) -> list[Hit]:
    return [one.hit for one in await found]


async def _found(tx: Transaction, hits: Awaitable[list]) -> list:
    """What was found, in full."""
    found = await hits
    turns = await tx.interactions.get([hit.owner_id for hit in found if hit.kind == "interaction"])
    memories = await tx.memories.get_many([hit.owner_id for hit in found if hit.kind != "interaction"])
    assert found  # this organisation's own
    assert len(found) == len(turns) + len(memories)
    return [*turns, *memories]


Case = Callable[[Transaction, Held], Awaitable[object]]
CASES: dict[str, Case] = {
    "interactions.append": lambda tx, h: tx.interactions.append(
        [said("x", request_id="new", session_id="s")]
    ),
    "interactions.get": lambda tx, h: tx.interactions.get([h.turn.interaction_id]),
    "interactions.existing": lambda tx, h: tx.interactions.existing({h.turn.interaction_id}),
    "interactions.beside": lambda tx, h: tx.interactions.beside([h.turn], 9),
    "interactions.log": lambda tx, h: tx.interactions.log(ANNA, after_seq=0, limit=99),
    "interactions.log_before": lambda tx, h: tx.interactions.log_before(ANNA, seq=99, limit=99),
    "interactions.is_of_agent": lambda tx, h: tx.interactions.is_of_agent("", user_id=ANNA),
    "interactions.image": lambda tx, h: tx.interactions.image(h.turn.interaction_id, longest=9),
    "interactions.of_session": lambda tx, h: tx.interactions.of_session(ANNA, "s", limit=99),
    "interactions.list_wanted": lambda tx, h: tx.interactions.list_wanted(Filter(interactions=True), 99),
    "interactions.get_request": lambda tx, h: tx.interactions.get_request("r1"),
    "interactions.list_requests": lambda tx, h: tx.interactions.list_requests(limit=99),
    "interactions.of_requests": lambda tx, h: tx.interactions.of_requests(["r1"]),
    "interactions.newest_id": lambda tx, h: tx.interactions.newest_id(ANNA),
    "interactions.count": lambda tx, h: tx.interactions.count(),
    "interactions.delete": lambda tx, h: tx.interactions.delete(ANNA, h.turn.interaction_id),
    "interactions.delete_requests": lambda tx, h: tx.interactions.delete_requests(["r1"]),
    "interactions.delete_session": lambda tx, h: tx.interactions.delete_session("s"),
    "interactions.delete_all": lambda tx, h: tx.interactions.delete_all(),
    "memories.add": lambda tx, h: tx.memories.add([new_memory("x", source_request_ids=("r1",))]),
    "memories.save": lambda tx, h: tx.memories.save([h.memory.model_copy(update={"content": "stolen"})]),
    "memories.get": lambda tx, h: tx.memories.get(h.memory.memory_id),
    "memories.get_many": lambda tx, h: tx.memories.get_many([h.memory.memory_id]),
    "memories.contents": lambda tx, h: tx.memories.contents([h.memory.memory_id]),
    "memories.get_by_uid": lambda tx, h: tx.memories.get_by_uid(h.memory.uid, kind=PROFILE),
    "memories.in_slots": lambda tx, h: tx.memories.in_slots([PROFILE], ANNA, ["home"]),
    "memories.replaced_by": lambda tx, h: tx.memories.replaced_by([h.memory], limit=99),
    "memories.find_uids": lambda tx, h: tx.memories.find_uids([h.memory.uid]),
    "memories.list_wanted": lambda tx, h: tx.memories.list_wanted(EVERYTHING, 99),
    "memories.list_newest": lambda tx, h: tx.memories.list_newest(PROFILE, limit=99),
    "memories.taught_by": lambda tx, h: tx.memories.taught_by("r1"),
    "memories.approved_skills": lambda tx, h: tx.memories.approved_skills(),
    "memories.count_by_status": lambda tx, h: tx.memories.count_by_status(
        PROFILE, valid_at=START, expiring_before=LATER
    ),
    "memories.delete": lambda tx, h: tx.memories.delete(PROFILE, ids=[h.memory.memory_id]),
    "memories.erase": lambda tx, h: tx.memories.erase(PROFILE, [h.memory.memory_id]),
    "search.put": lambda tx, h: tx.search.put([_document(h)]),
    "search.remove": lambda tx, h: tx.search.remove("profile", [h.memory.memory_id]),
    "search.by_terms": lambda tx, h: _found(tx, tx.search.by_terms(EVERYTHING, "turn memory theirs", 99)),
    "search.by_vector": lambda tx, h: _found(tx, _hits(tx.search.by_vector(EVERYTHING, VECTOR, 99))),
    "search.by_vectors": lambda tx, h: _found(tx, _all_hits(tx, VECTOR)),
    "search.signals_of": lambda tx, h: tx.search.signals_of(
        Hits.of([Hit(h.document_id, h.memory.memory_id, "profile", 1.0)]).parts
    ),
    "search.admitted": lambda tx, h: tx.search.admitted(EVERYTHING, {h.memory.memory_id: 1.0}),
    "search.newest_memories": lambda tx, h: _found(
        tx, _newest(tx.search.newest_memories(OF_ANNA, PROFILE, 99))
    ),
    "search.surest_memories": lambda tx, h: _found(
        tx, tx.search.surest_memories(OF_ANNA, PROFILE, 99, newest=99)
    ),
    "search.newest_turns": lambda tx, h: _found(tx, _newest(tx.search.newest_turns(OF_ANNA, 99))),
    "search.cautions": lambda tx, h: _found(tx, tx.search.cautions(OF_ANNA, frozenset(Caution))),
    "search.count_withheld": lambda tx, h: tx.search.count_withheld(EVERYTHING, Visibility.WAITS_FOR_REVIEW),
    "search.scopes": lambda tx, h: tx.search.scopes(EVERYTHING),
    "search.unembedded": lambda tx, h: tx.search.unembedded(99),
    "search.set_vectors": lambda tx, h: tx.search.set_vectors(h.waiting, unit_rows(len(h.waiting))),
    "search.embed_failed": lambda tx, h: tx.search.embed_failed(h.waiting, "stolen"),
    "search.vectors_of": lambda tx, h: tx.search.vectors_of(["profile"], [h.memory.memory_id]),
    "search.progress": lambda tx, h: tx.search.progress("profile", [h.memory.memory_id]),
    "cursors.of_user": lambda tx, h: tx.cursors.of_user(ANNA),
    "cursors.save": lambda tx, h: tx.cursors.save(cursor_at(9)),
    "cursors.log_head": lambda tx, h: tx.cursors.log_head(ANNA),
    "cursors.forced_after": lambda tx, h: tx.cursors.forced_after(ANNA, 0),
    "cursors.list_due": lambda tx, h: tx.cursors.list_due(limit=99),
    "copies.home": lambda tx, h: tx.copies.home(),
    "copies.scope_ids": lambda tx, h: _scopes_of(tx, tx.copies.scope_ids()),
    "copies.behind": lambda tx, h: _scopes_of(tx, tx.copies.behind(after=0, limit=99)),
    "copies.progress": lambda tx, h: tx.copies.progress(h.scope.scope_id),
    "copies.changed": lambda tx, h: tx.copies.changed(h.scope.scope_id, -1, after=0, limit=99),
    "copies.by_number": lambda tx, h: tx.copies.by_number([h.document_id]),
    "copies.numbers": lambda tx, h: tx.copies.numbers(h.scope.scope_id),
    "copies.advance": lambda tx, h: tx.copies.advance([Progress(h.scope.scope_id, h.scope.revision, 0, 0)]),
    "copies.forget": lambda tx, h: tx.copies.forget(),
    "copies.counts": lambda tx, h: tx.copies.counts(),
    "cursors.set_due": lambda tx, h: tx.cursors.set_due(ANNA, LATER),
    "leases.claim": lambda tx, h: tx.leases.claim(h.lease.task, h.lease.owner, 999, user_id=h.lease.user_id),
    "leases.check": lambda tx, h: tx.leases.check(h.lease),
    "leases.finish": lambda tx, h: tx.leases.finish(h.lease),
    "dead_letters.add": lambda tx, h: tx.dead_letters.add(
        "profile:l",
        Window(user_id=ANNA, first_seq=1, last_seq=1, unread=()),
        attempts=9,
        error_kind="S",
        error="stolen",
    ),
    "dead_letters.list_newest": lambda tx, h: tx.dead_letters.list_newest(),
    "dead_letters.replay": lambda tx, h: tx.dead_letters.replay(h.letter.dead_letter_id),
    "dead_letters.queue_released": lambda tx, h: tx.dead_letters.queue_released(),
    "dead_letters.mark": lambda tx, h: tx.dead_letters.mark(
        h.letter.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.PARKED
    ),
    "changes.add": lambda tx, h: tx.changes.add([change(h.memory, "stolen")]),
    "changes.of_memories": lambda tx, h: tx.changes.of_memories([h.memory.memory_id], limit=99),
    "changes.as_they_were": _as_they_were,
    "changes.count": lambda tx, h: tx.changes.count(h.memory.memory_id),
    "changes.archived_by": lambda tx, h: tx.changes.archived_by(_published(h)),
    "changes.list_runs": lambda tx, h: tx.changes.list_runs(PROFILE, limit=99),
    "graph.add": lambda tx, h: tx.graph.add(h.memory, tie("someone")),
    "graph.call_user": lambda tx, h: tx.graph.call_user(h.memory, "Theirs Own"),
    "graph.take_mentions": lambda tx, h: tx.graph.take_mentions(h.entity_id, [h.entity_id]),
    "graph.link": lambda tx, h: tx.graph.link(ANNA, [h.memory.model_copy(update={"content": "Theirs"})]),
    "graph.take_over": lambda tx, h: tx.graph.take_over(h.memory, [h.memory]),
    "graph.take_apart": lambda tx, h: tx.graph.take_apart(h.memory, h.memory, []),
    "graph.find": lambda tx, h: tx.graph.find(ANNA, ["theirs", "mine", "user"]),
    "graph.memories_around": lambda tx, h: tx.graph.memories_around(ANNA, [h.entity_id]),
    "graph.lock": lambda tx, h: tx.graph.lock([h.entity_id]),
    "graph.recount": lambda tx, h: tx.graph.recount([h.entity_id]),
    "entities.list_page": lambda tx, h: tx.entities.list_page(ANNA),
    "entities.get": lambda tx, h: tx.entities.get(ANNA, h.entity_id),
    "entities.lock": lambda tx, h: tx.entities.lock(ANNA, [h.entity_id]),
    "entities.get_many": lambda tx, h: tx.entities.get_many(ANNA, [h.entity_id]),
    "entities.add": lambda tx, h: tx.entities.add(ANNA, NewEntity(name="stolen")),
    "entities.update": lambda tx, h: tx.entities.update(ANNA, h.entity_id, EntityEdit(name="stolen")),
    "entities.merge": lambda tx, h: tx.entities.merge(ANNA, h.entity_id, [h.entity_id + 1]),
    "entities.delete": lambda tx, h: tx.entities.delete(ANNA, h.entity_id),
    "relationships.list_page": lambda tx, h: tx.relationships.list_page(ANNA),
    "relationships.get": lambda tx, h: tx.relationships.get(ANNA, h.relationship_id),
    "relationships.add": lambda tx, h: tx.relationships.add(
        ANNA,
        NewRelationship(
            source_entity_id=h.entity_id, target_entity_id=h.entity_id + 1, relationship_type="stolen"
        ),
    ),
    "relationships.update": lambda tx, h: tx.relationships.update(
        ANNA, h.relationship_id, RelationshipEdit(description="stolen")
    ),
    "relationships.delete": lambda tx, h: tx.relationships.delete(ANNA, h.relationship_id),
    "relationships.around": lambda tx, h: tx.relationships.around(ANNA, h.entity_id),
    "graph.forget": lambda tx, h: tx.graph.forget([h.memory.memory_id]),
    "evaluations.list_newest": lambda tx, h: tx.evaluations.list_newest(limit=99),
    "figures.groups": lambda tx, h: tx.figures.groups(BY_SOURCE, limit=99),
    "figures.interactions": lambda tx, h: tx.figures.interactions(FIGURES),
    "figures.memories": lambda tx, h: tx.figures.memories([PROFILE], FIGURES),
    "figures.evaluations": lambda tx, h: tx.figures.evaluations(FIGURES),
    "shadow.total": lambda tx, h: tx.shadow.total(ShadowFilter(start=LONG_AGO, end=LATER)),
    "shadow.by_group": lambda tx, h: tx.shadow.by_group(ShadowFilter(start=LONG_AGO, end=LATER), limit=99),
    "shadow.positions": lambda tx, h: tx.shadow.positions(ShadowFilter(start=LONG_AGO, end=LATER)),
    "shadow.differing": lambda tx, h: tx.shadow.differing(ShadowFilter(start=LONG_AGO, end=LATER), limit=99),
    "organisation.ensure": lambda tx, h: tx.organisation.ensure("x"),
    "tokens.add": lambda tx, h: with_token(tx, "x", secret="another"),
    "tokens.get": lambda tx, h: tx.tokens.get(h.token.token_id),
    "tokens.list_page": lambda tx, h: tx.tokens.list_page(limit=99),
    "tokens.revoke": lambda tx, h: tx.tokens.revoke(h.token.token_id),
    "tokens.rotate": lambda tx, h: tx.tokens.rotate(
        h.token.token_id, prefix="x", token_hash="stolen", grace=timedelta()
    ),
    "tokens.note_uses": lambda tx, h: tx.tokens.note_uses({h.token.token_id: LATER}),
    "tokens.forget_user": lambda tx, h: tx.tokens.forget_user(ANNA),
    "audit.add": lambda tx, h: tx.audit.add(
        NewAuditEntry(action=AuditAction.CONFIG_CHANGED, actor="x", target=h.token.token_id)
    ),
    "audit.lock": lambda tx, h: tx.audit.lock(),
    "audit.list_newest": lambda tx, h: tx.audit.list_newest(AuditFilter(), before=99, limit=99),
    "audit.list_oldest": lambda tx, h: tx.audit.list_oldest(AuditFilter(), after=0, limit=99),
    "organisation.config": lambda tx, h: tx.organisation.config(),
    "organisation.set_config": lambda tx, h: tx.organisation.set_config('"stolen"'),
    "organisation.config_versions": lambda tx, h: tx.organisation.config_versions(before=99, limit=99),
    "organisation.config_version": lambda tx, h: tx.organisation.config_version(1),
    "site.list_all": lambda tx, h: tx.site.list_all(),
    "site.put": lambda tx, h: tx.site.put("model.chat", "stolen", author="x"),
    "site.remove": lambda tx, h: tx.site.remove("model.chat"),
    "quotas.list_all": lambda tx, h: tx.quotas.list_all(),
    "quotas.set": lambda tx, h: tx.quotas.set({QuotaName.MEMBERS: 1_000, QuotaName.USERS: 1_000}),
    "quotas.has_room": lambda tx, h: tx.quotas.has_room(QuotaName.MEMORIES),
    "quotas.recount": lambda tx, h: tx.quotas.recount(QuotaName.MEMORIES),
    "members.require_room": lambda tx, h: tx.members.require_room(),
    "organisation.config_history": lambda tx, h: tx.organisation.config_history(),
    "organisation.put_config_history": lambda tx, h: tx.organisation.put_config_history(
        [(ConfigVersion(version=1, at=START, author="x", fields=()), '"stolen"')], data_key="x"
    ),
    "organisation.replace_data_key": lambda tx, h: tx.organisation.replace_data_key("", "stolen"),
    "relationships.of_entities": lambda tx, h: _relationships(tx, h.entity_id),
    "search.refresh_status": lambda tx, h: tx.search.refresh_status(
        PROFILE, sa.select(memories.c.memory_id).where(memories.c.memory_id == h.memory.memory_id)
    ),
    "search.mark_held": lambda tx, h: tx.search.mark_held(
        PROFILE,
        sa.select(memories.c.memory_id).where(memories.c.memory_id == h.memory.memory_id),
        is_held=True,
    ),
    "cursors.ensure_due": lambda tx, h: tx.cursors.ensure_due(ANNA),
    "cursors.ensure_due, new": lambda tx, h: tx.cursors.ensure_due(UserId(h.word)),
    "leases.end_learning": lambda tx, h: tx.leases.end_learning([ANNA]),
    "leases.end_learning, of all": lambda tx, h: tx.leases.end_learning([]),
    "leases.end": lambda tx, h: tx.leases.end(h.lease.task),
    "retention.next_expiry": lambda tx, h: tx.retention.next_expiry(),
    "retention.purge_expired": lambda tx, h: tx.retention.purge_expired(EXPIRY, limit=99),
    "retention.excess": lambda tx, h: tx.retention.excess(1),
    "retention.oldest_read": lambda tx, h: tx.retention.oldest_read(TurnsToGo(), limit=99),
    "retention.first_at": lambda tx, h: tx.retention.first_at(),
    "retention.drop": lambda tx, h: _drop_all(tx),
    "evaluations.replace": lambda tx, h: tx.evaluations.replace(ANNA, evaluation(h.word)),
    "evaluations.judged_at": lambda tx, h: tx.evaluations.judged_at(ANNA, h.session.session_id),
    "interactions.extend": lambda tx, h: tx.interactions.extend(
        RequestId(f"{h.word} request"), [NewInteraction(content="x")]
    ),
    "interactions.metadata_of": lambda tx, h: tx.interactions.metadata_of(["r1"]),
    "interactions.page_of_session": lambda tx, h: tx.interactions.page_of_session(
        ANNA, SessionId(h.word), limit=99, offset=0, newest=True
    ),
    "interactions.requests_of_session": lambda tx, h: tx.interactions.requests_of_session(
        ANNA, SessionId(h.word)
    ),
    "conversations.add": lambda tx, h: tx.conversations.add(
        Conversation(session_id=_talk(h), user_id=ANNA, title="x", created_at=START, updated_at=START)
    ),
    "conversations.get": lambda tx, h: tx.conversations.get(ANNA, _talk(h), lock=True),
    "conversations.page": lambda tx, h: tx.conversations.page(
        ANNA, is_archived=False, title=h.word, limit=99
    ),
    "conversations.count": lambda tx, h: tx.conversations.count(ANNA, is_archived=False, title=h.word),
    "conversations.with_counts": _counts,
    "conversations.change": lambda tx, h: tx.conversations.change(ANNA, _talk(h), {"title": "x"}),
    "conversations.count_message": lambda tx, h: tx.conversations.count_message(ANNA, _talk(h), 9),
    "conversations.unsummarized": lambda tx, h: tx.conversations.unsummarized(ANNA, limit=99),
    "conversations.keep_summary": lambda tx, h: tx.conversations.keep_summary(
        Conversation(session_id=_talk(h), user_id=ANNA, title="x", created_at=START, updated_at=START),
        summary="stolen",
        seq=99,
        episode_id=None,
    ),
    "conversations.pass_over": lambda tx, h: tx.conversations.pass_over(ANNA, seq=99),
    "conversations.remove": lambda tx, h: tx.conversations.remove(ANNA, _talk(h)),
    "exchanges.add": lambda tx, h: tx.exchanges.add(exchange(h.word)),
    "exchanges.find": lambda tx, h: tx.exchanges.find(f"{h.word} exchange"),
    "exchanges.running": lambda tx, h: tx.exchanges.running(ANNA, _talk(h)),
    "exchanges.left": lambda tx, h: tx.exchanges.left(limit=9),
    "exchanges.last": lambda tx, h: tx.exchanges.last(ANNA, _talk(h)),
    "exchanges.of_requests": lambda tx, h: tx.exchanges.of_requests([f"{h.word} request", "r"]),
    "exchanges.write": lambda tx, h: tx.exchanges.write(f"{h.word} exchange", h.word, {"answer": "x"}),
    "exchanges.keep": lambda tx, h: tx.exchanges.keep(f"{h.word} exchange", h.word, {"answer": "x"}, LATER),
    "exchanges.note_read": lambda tx, h: tx.exchanges.note_read(f"{h.word} exchange"),
    "exchanges.request_stop": lambda tx, h: tx.exchanges.request_stop(f"{h.word} exchange"),
    "exchanges.replace": lambda tx, h: tx.exchanges.replace(f"{h.word} request", ""),
    "user_memories.find": lambda tx, h: tx.user_memories.find(
        ANNA, str(h.memory.memory_id), kinds=TYPED_KINDS
    ),
    "user_memories.page": lambda tx, h: tx.user_memories.page(ANNA, TYPED_KINDS, limit=99),
    "user_memories.count": lambda tx, h: tx.user_memories.count(ANNA, TYPED_KINDS),
    "user_memories.stored": lambda tx, h: tx.user_memories.stored(ANNA, TYPED_KINDS),
    "user_memories.counts": lambda tx, h: tx.user_memories.counts(ANNA, TYPED_KINDS),
    "user_memories.numbers": lambda tx, h: _whose(tx, tx.user_memories.numbers(ANNA, PROFILE, limit=99)),
    "user_memories.numbers_of": lambda tx, h: _whose(tx, tx.user_memories.numbers_of([h.memory.uid])),
    "user_memories.note_accesses": lambda tx, h: tx.user_memories.note_accesses(
        {h.memory.memory_id: 9}, LATER
    ),
    "user_memories.beyond": lambda tx, h: tx.user_memories.beyond(ANNA, PROFILE, keep=0, limit=99),
    "user_memories.unused_since": lambda tx, h: _whose(
        tx, _numbers(tx.user_memories.unused_since(ANNA, TYPED_KINDS, LATER, limit=99))
    ),
    "user_memories.first_used": lambda tx, h: tx.user_memories.first_used(ANNA, TYPED_KINDS),
    "accounts.add": lambda tx, h: tx.accounts.add(account(h.word)),
    "accounts.find": lambda tx, h: tx.accounts.find(ANNA),
    "accounts.find_by_email": lambda tx, h: tx.accounts.find_by_email(h.word),
    "accounts.find_by_identity": lambda tx, h: tx.accounts.find_by_identity(h.word, h.word),
    "accounts.link": lambda tx, h: tx.accounts.link(ANNA, "stolen", "stolen"),
    "accounts.set_password": lambda tx, h: tx.accounts.set_password(ANNA, "stolen"),
    "accounts.verify": lambda tx, h: tx.accounts.verify(ANNA),
    "accounts.remove": lambda tx, h: tx.accounts.remove(ANNA),
    "account_sessions.add": lambda tx, h: tx.account_sessions.add(session(f"{h.word[:1]} new")),
    "account_sessions.find_live": lambda tx, h: tx.account_sessions.find_live(h.word, ANNA),
    "account_sessions.rotate": lambda tx, h: tx.account_sessions.rotate(
        h.word, used=h.word, new="stolen", expires_at=LATER
    ),
    "account_sessions.end": lambda tx, h: tx.account_sessions.end(h.word),
    "account_sessions.end_all": lambda tx, h: tx.account_sessions.end_all(ANNA),
    "account_sessions.remove_expired": lambda tx, h: tx.account_sessions.remove_expired(limit=99),
    "account_mails.ask": lambda tx, h: tx.account_mails.ask(ANNA, Mail.RESET),
    "account_mails.claim": lambda tx, h: tx.account_mails.claim(until=LATER),
    "account_mails.put_code": lambda tx, h: tx.account_mails.put_code(
        ANNA, Mail.RESET, "stolen", expires_at=LATER
    ),
    "account_mails.sent": lambda tx, h: tx.account_mails.sent(ANNA, Mail.RESET, h.word),
    "account_mails.postpone": lambda tx, h: tx.account_mails.postpone(ANNA, Mail.RESET, None),
    "account_mails.redeem": lambda tx, h: tx.account_mails.redeem(Mail.RESET, h.word),
    "account_mails.drop": lambda tx, h: tx.account_mails.drop(ANNA, Mail.RESET),
    "account_mails.seconds_to_next": lambda tx, h: tx.account_mails.seconds_to_next(most=9),
    "account_totp.put": lambda tx, h: tx.account_totp.put(totp("stolen")),
    "account_totp.find": lambda tx, h: tx.account_totp.find(ANNA),
    "account_totp.any_kept": lambda tx, h: tx.account_totp.any_kept(),
    "account_totp.confirm": lambda tx, h: tx.account_totp.confirm(ANNA, step=9, recovery_hashes=["stolen"]),
    "account_totp.take_step": lambda tx, h: tx.account_totp.take_step(ANNA, 9),
    "account_totp.keep_recovery": lambda tx, h: tx.account_totp.keep_recovery(ANNA, ["stolen"]),
    "account_totp.list_page": lambda tx, h: tx.account_totp.list_page(limit=99),
    "account_totp.seal_again": lambda tx, h: tx.account_totp.seal_again(ANNA, h.word, "stolen"),
    "account_totp.remove": lambda tx, h: tx.account_totp.remove(ANNA),
    "accounts.list_named": lambda tx, h: tx.accounts.list_named([ANNA]),
    "accounts.choose": lambda tx, h: tx.accounts.choose(ANNA, OrgId("stolen")),
    "members.find": lambda tx, h: tx.members.find(ANNA),
    "members.list_page": lambda tx, h: tx.members.list_page(limit=99),
    "members.put": lambda tx, h: tx.members.put(ANNA, Role.OWNER, by="x", target="x"),
    "members.remove": lambda tx, h: tx.members.remove(ANNA, by="x", target="x"),
    "members.leave": lambda tx, h: tx.members.leave(ANNA, by="x", target="x"),
    "members.is_last_owner": lambda tx, h: tx.members.is_last_owner(ANNA),
    "invitations.add": lambda tx, h: tx.invitations.add(invitation(f"{h.word[:1]} new")),
    "invitations.list_page": lambda tx, h: tx.invitations.list_page(limit=99),
    "invitations.get": lambda tx, h: tx.invitations.get(h.word),
    "invitations.forget": lambda tx, h: tx.invitations.forget([h.word], sender="", by="x"),
    "invitations.send_again": lambda tx, h: tx.invitations.send_again(h.word, expires_at=LATER, by="x"),
    "invitations.revoke": lambda tx, h: tx.invitations.revoke(h.word, by="x"),
    "invitations.accept": lambda tx, h: tx.invitations.accept(h.word, h.word, by="x"),
    "invitations.claim": lambda tx, h: tx.invitations.claim(until=LATER),
    "invitations.put_code": lambda tx, h: tx.invitations.put_code(h.word, "stolen", expires_at=LATER),
    "invitations.sent": lambda tx, h: tx.invitations.sent(h.word, h.word),
    "invitations.postpone": lambda tx, h: tx.invitations.postpone(h.word, None),
    "attempts.count": lambda tx, h: tx.attempts.count(h.word, since=START, wait_until=lambda _: LATER),
    "attempts.touch": lambda tx, h: tx.attempts.touch(h.word),
    "attempts.forgive": lambda tx, h: tx.attempts.forgive(h.word),
    "attempts.remove_older": lambda tx, h: tx.attempts.remove_older(LATER, limit=99),
    "user_settings.find": lambda tx, h: tx.user_settings.find(ANNA),
    "user_settings.ensure": lambda tx, h: tx.user_settings.ensure(ANNA),
    "user_settings.change": lambda tx, h: tx.user_settings.change(
        ANNA, lambda one: one.model_copy(update={"bio": "stolen"})
    ),
    "user_settings.remove": lambda tx, h: tx.user_settings.remove(ANNA),
    "sessions.waiting": lambda tx, h: tx.sessions.waiting(ANNA, limit=99),
    "sessions.find": lambda tx, h: tx.sessions.find(ANNA, h.session.session_id),
    "sessions.lock": lambda tx, h: tx.sessions.lock(h.session, [h.last_turn.interaction_id]),
    "sessions.settle": lambda tx, h: tx.sessions.settle(h.session, evaluate_after=None, attempts=9),
    "sessions.turns": lambda tx, h: tx.sessions.turns(ANNA, h.session.session_id, limit=99),
    "sessions.session_of": lambda tx, h: tx.sessions.session_of(ANNA, h.last_turn.seq),
    "sessions.correction_count": lambda tx, h: tx.sessions.correction_count(ANNA, h.session.session_id),
    "extractions.add": lambda tx, h: tx.extractions.add([extraction("stolen")]),
    "extractions.of_turns": lambda tx, h: tx.extractions.of_turns(ANNA, first_seq=1, last_seq=99),
    "extractions.of_runs": lambda tx, h: tx.extractions.of_runs({h.run_id}),
    "model_calls.add": lambda tx, h: tx.model_calls.add(call("stolen")),
    "model_calls.list_newest": lambda tx, h: tx.model_calls.list_newest(CallFilter(user_id=ANNA)),
    "model_calls.list_newest, before": lambda tx, h: tx.model_calls.list_newest(
        CallFilter(), before=h.call_id + 1
    ),
    "model_calls.totals": lambda tx, h: tx.model_calls.totals(CallFilter(), Grouping.LEARNER),
    "model_calls.spent": lambda tx, h: tx.model_calls.spent(LONG_AGO),
    "request_analytics.add": lambda tx, h: tx.request_analytics.add([measured(h.word, error_message="x")]),
    "request_analytics.get": lambda tx, h: tx.request_analytics.get(h.word),
    "request_analytics.page": lambda tx, h: tx.request_analytics.page(CALLS, limit=99),
    "request_analytics.count": lambda tx, h: tx.request_analytics.count(CALLS),
    "analytics_reports.totals": lambda tx, h: tx.analytics_reports.totals(CALLS),
    "analytics_reports.latency": lambda tx, h: tx.analytics_reports.latency(CALLS),
    "analytics_reports.total_time": lambda tx, h: tx.analytics_reports.total_time(CALLS),
    "analytics_reports.steps": lambda tx, h: tx.analytics_reports.steps(
        CALLS, Metric.REQUESTS, Granularity.DAY
    ),
    "analytics_reports.counts": lambda tx, h: tx.analytics_reports.counts(CALLS, "request_type"),
    "analytics_reports.retrieval": lambda tx, h: tx.analytics_reports.retrieval(CALLS),
    "analytics_days.sum_up": lambda tx, h: tx.analytics_days.sum_up(MIDNIGHT, limit=9),
    "analytics_days.list_days": lambda tx, h: tx.analytics_days.list_days(start=LONG_AGO, end=LATER, limit=9),
    "analytics_days.last_day": lambda tx, h: tx.analytics_days.last_day(),
    "analytics_days.first_call": lambda tx, h: tx.analytics_days.first_call(),
    "analytics_days.drop": lambda tx, h: tx.analytics_days.drop(LATER, limit=9),
    "erasures.hold": lambda tx, h: tx.erasures.hold(ANNA),
    "erasures.take_empty": lambda tx, h: tx.erasures.take_empty(ANNA),
    "erasures.find_running": lambda tx, h: tx.erasures.find_running(h.word),
    "erasures.add": lambda tx, h: tx.erasures.add("new", user_hash="h", key_id="k", sealed="s"),
    "erasures.get": lambda tx, h: tx.erasures.get(f"{h.word} erasure"),
    "erasures.list_newest": lambda tx, h: tx.erasures.list_newest(limit=9),
    "erasures.count": lambda tx, h: tx.erasures.count(f"{h.word} erasure", {"stolen": 1}),
    "erasures.seal_again": lambda tx, h: tx.erasures.seal_again(f"{h.word} erasure", "sealed"),
    "erasures.note_gone": lambda tx, h: tx.erasures.note_gone(f"{h.word} erasure"),
    "erasures.finish": lambda tx, h: tx.erasures.finish(f"{h.word} erasure", _report(h)),
    "erasures.needles": lambda tx, h: tx.erasures.needles(ANNA),
    "erasures.scope_ids": lambda tx, h: tx.erasures.scope_ids(ANNA),
    "erasures.is_user_back": lambda tx, h: tx.erasures.is_user_back(ANNA),
    "quarantines.begin": lambda tx, h: tx.quarantines.begin(
        QuarantineTarget.REQUEST, f"{h.word} request", reason="r", actor="a"
    ),
    "quarantines.begin, of a user": lambda tx, h: tx.quarantines.begin(
        QuarantineTarget.USER, ANNA, reason="r", actor="a"
    ),
    "quarantines.begin, of a learner": lambda tx, h: tx.quarantines.begin(
        QuarantineTarget.LEARNER, "x", reason="r", actor="a"
    ),
    "quarantines.release": lambda tx, h: tx.quarantines.release(h.quarantine_id, reason="r", actor="a"),
    "quarantines.get": lambda tx, h: tx.quarantines.get(h.quarantine_id),
    "quarantines.list_newest": lambda tx, h: tx.quarantines.list_newest(limit=9),
    "quarantines.held_by": lambda tx, h: tx.quarantines.held_by(_quarantine(h), limit=9, offset=0),
    "quarantines.holds_any": lambda tx, h: tx.quarantines.holds_any([h.memory.memory_id]),
    "quarantines.held_learners": lambda tx, h: tx.quarantines.held_learners(),
    "quarantines.held_turns": lambda tx, h: tx.quarantines.held_turns({h.turn.interaction_id}),
    "quarantines.hold_answer": lambda tx, h: tx.quarantines.hold_answer(
        h.turn.interaction_id,
        [AnswerSource(citation=f"p:{h.memory.memory_id}", kind="profile", item_id=h.memory.uid)],
    ),
    "quarantines.forget_user": lambda tx, h: tx.quarantines.forget_user(ANNA),
    "erased_rows.turns": lambda tx, h: tx.erased_rows.turns(ANNA, limit=9),
    "erased_rows.numbers": lambda tx, h: tx.erased_rows.numbers(ANNA, MemoryKind.PROFILE, limit=9),
    "erased_rows.memories": lambda tx, h: tx.erased_rows.memories(MemoryKind.PROFILE, [h.memory.memory_id]),
    "erased_rows.named": lambda tx, h: tx.erased_rows.named(ANNA),
    "erased_rows.unnamed": lambda tx, h: tx.erased_rows.unnamed(ANNA),
    "erased_rows.operations": lambda tx, h: tx.erased_rows.operations(ANNA),
    "erased_rows.scopes": lambda tx, h: tx.erased_rows.scopes(ANNA),
    "erased_rows.lock": lambda tx, h: tx.erased_rows.lock(ANNA),
    "erased_rows.all": lambda tx, h: tx.erased_rows.all(ANNA),
    "erased_rows.leases": lambda tx, h: tx.erased_rows.leases(ANNA),
    "erased_rows.withdrawn": lambda tx, h: tx.erased_rows.withdrawn([h.memory.memory_id]),
    "derived.resting_on": lambda tx, h: tx.derived.resting_on([h.memory.memory_id]),
    "derived.named_by_requests": lambda tx, h: tx.derived.named_by_requests(ANNA, after=0, limit=9),
    "derived.forget_members": lambda tx, h: tx.derived.forget_members([h.memory.memory_id]),
    "portable.made_by": lambda tx, h: tx.portable.made_by(),
    "portable.stored": lambda tx, h: tx.portable.stored([ANNA]),
    "portable.require": lambda tx, h: tx.portable.require(ANNA),
    "imports.find": lambda tx, h: tx.imports.find(f"{h.word} import"),
    "imports.begin": lambda tx, h: tx.imports.begin(f"{h.word} import"),
    "imports.note": lambda tx, h: tx.imports.note(f"{h.word} import", "users", 9),
    "imports.finish": lambda tx, h: tx.imports.finish(f"{h.word} import"),
    "imports.taken": lambda tx, h: tx.imports.taken(memories.c.uid, [h.memory.uid]),
    "imports.is_empty": lambda tx, h: tx.imports.is_empty(),
    "imports.add": lambda tx, h: tx.imports.add(
        users, [{"user_id": "new", "last_seq": 1, "created_at": START, "updated_at": START}]
    ),
    "imports.change": lambda tx, h: tx.imports.change(
        memories, [{"memory_id": h.memory.memory_id, "superseded_by": 9}], ["superseded_by"]
    ),
    "imports.numbers": lambda tx, h: tx.imports.numbers(What.MEMORY, [(h.memory.uid,)]),
    "imports.show_turns": lambda tx, h: tx.imports.show_turns([h.turn.interaction_id], {}),
    "imports.show_memories": lambda tx, h: tx.imports.show_memories([h.memory.memory_id], {}),
    "imports.let_look_at": lambda tx, h: tx.imports.let_look_at([ANNA]),
    "usage.add": lambda tx, h: tx.usage.add([used(OTHER_ORG.org_id, "new"), used(ORG.org_id, h.word)]),
    "usage.known": lambda tx, h: tx.usage.known(
        [
            used(ORG.org_id, "c", event_name=UsageEventName.CITATION, entity_type=PROFILE, entity_id=named)
            for named in (str(h.memory.memory_id), "another")
        ]
    ),
    "usage.injected": lambda tx, h: tx.usage.injected(LONG_AGO),
    "usage.of_items": lambda tx, h: tx.usage.of_items(MemoryKind.USER_PLAYBOOK, [h.word], since=LONG_AGO),
    "effects.any": lambda tx, h: tx.effects.any(),
    "effects.successes": lambda tx, h: tx.effects.successes(EffectFilter(), user_id=None),
    "effects.outcomes": lambda tx, h: tx.effects.outcomes(
        EffectFilter(), user_id=None, of={(MemoryKind.USER_PLAYBOOK, h.word)}
    ),
    "effects.by_extractor": lambda tx, h: tx.effects.by_extractor(EffectFilter(), user_id=None),
    "effects.contents": lambda tx, h: tx.effects.contents([(PROFILE, h.memory.uid)], user_id=None),
    **{
        f"records.{name}, {record}": case
        for record in Record
        for name, case in {
            "count": lambda tx, h, record=record: tx.records.count(record),
            "first_at": lambda tx, h, record=record: tx.records.first_at(record),
            "drop": lambda tx, h, record=record: tx.records.drop(record, before=LATER, limit=9),
        }.items()
    },
    "usage.forget_user": lambda tx, h: tx.usage.forget_user(ANNA, limit=9),
    "changes.of_run": lambda tx, h: tx.changes.of_run(PROFILE, h.run_id),
    "health.counts": lambda tx, h: tx.health.counts(HealthQuery(user_id=None, days_back=1)),
    "logs.lengths": lambda tx, h: tx.logs.lengths(limit=9),
    "erasures.gone_since": lambda tx, h: tx.erasures.gone_since(START),
    "logs.exists": lambda tx, h: tx.logs.exists(ANNA),
    "known_users.page": lambda tx, h: tx.known_users.page(limit=9),
    "review_queue.page": lambda tx, h: tx.review_queue.page(REVIEWED, limit=9),
    "review_actions.add": lambda tx, h: tx.review_actions.add(kept(h.memory, "stolen")),
    "review_actions.get": lambda tx, h: tx.review_actions.get(h.action_id),
    "review_actions.last_of": lambda tx, h: tx.review_actions.last_of(h.memory.memory_id),
    "review_actions.list_newest": lambda tx, h: tx.review_actions.list_newest(limit=9),
    "review_actions.mark_undone": lambda tx, h: tx.review_actions.mark_undone(h.action_id, by="me", at=START),
    "duplicates.uncompared": lambda tx, h: tx.duplicates.uncompared(),
    "duplicates.changed": lambda tx, h: tx.duplicates.changed(compared(h.scope.scope_id, h.memory), limit=9),
    "duplicates.replace": lambda tx, h: tx.duplicates.replace(
        compared(h.scope.scope_id, h.memory), *pair(h.memory, h.archived)
    ),
    "duplicates.remove": lambda tx, h: tx.duplicates.remove([h.memory.memory_id]),
    "duplicates.of": lambda tx, h: tx.duplicates.of([h.memory.memory_id]),
    "clusters.of": lambda tx, h: tx.clusters.of("aggregation", h.word, ""),
    "clusters.candidates": lambda tx, h: tx.clusters.candidates(h.word, h.word, ""),
    "clusters.written_from": lambda tx, h: tx.clusters.written_from(MemoryKind.AGENT_PLAYBOOK, [h.word]),
    "clusters.names": lambda tx, h: tx.clusters.names("aggregation"),
    "clusters.taught": lambda tx, h: tx.clusters.taught(),
    "clusters.taught, of some": lambda tx, h: tx.clusters.taught(h.cluster.member_ids),
    "clusters.newest_candidates": lambda tx, h: tx.clusters.newest_candidates(),
    "clusters.count_candidates": lambda tx, h: tx.clusters.count_candidates(h.word, "", after=0),
    "clusters.save": lambda tx, h: tx.clusters.save([h.cluster.model_copy(update={"fingerprint": "stolen"})]),
    "clusters.remove": lambda tx, h: tx.clusters.remove([h.cluster.cluster_id]),
    "distillations.get": lambda tx, h: tx.distillations.get(*DISTILLED),
    "distillations.of": lambda tx, h: tx.distillations.of(DISTILLED[0], [DISTILLED[1:]]),
    "distillations.lock": lambda tx, h: tx.distillations.lock(*DISTILLED),
    "distillations.save": lambda tx, h: tx.distillations.save(distillation("stolen")),
    "operations.start": lambda tx, h: tx.operations.start(OTHER_RUN, OperationParameters()),
    "operations.start, for a user": lambda tx, h: tx.operations.start(
        OTHER_RUN, OperationParameters(user_id=ANNA)
    ),
    "operations.get": lambda tx, h: tx.operations.get(h.item.operation_id),
    "operations.latest": lambda tx, h: tx.operations.latest(RUN),
    "operations.list_newest": lambda tx, h: tx.operations.list_newest(limit=99),
    "operations.report": lambda tx, h: tx.operations.report(h.item, 7, 9),
    "operations.pass_turn": lambda tx, h: tx.operations.pass_turn(h.item),
    "operations.delay_user": lambda tx, h: tx.operations.delay_user(ANNA, until=LATER, error="stolen"),
    "operations.trouble": lambda tx, h: tx.operations.trouble(h.item.operation_id),
    "operations.items": lambda tx, h: tx.operations.items(h.item.operation_id, limit=99),
    "operations.current_user": lambda tx, h: tx.operations.current_user(h.item.operation_id),
    "operations.waiting_for": lambda tx, h: tx.operations.waiting_for(ANNA),
    "operations.is_cancelled": lambda tx, h: tx.operations.is_cancelled(h.item.operation_id),
    "operations.advance": lambda tx, h: tx.operations.advance(h.item, turns=9, generated=9),
    "operations.postpone": lambda tx, h: tx.operations.postpone(
        h.item, attempts=9, next_try_at=LATER, error="stolen"
    ),
    "operations.settle": lambda tx, h: tx.operations.settle(h.item, ItemStatus.DONE, result={"by": "stolen"}),
    "operations.cancel": lambda tx, h: tx.operations.cancel(operation_id=h.item.operation_id),
    "operations.cancel, by name": lambda tx, h: tx.operations.cancel(name=RUN),
    "operations.cancel, all": lambda tx, h: tx.operations.cancel(),
    "versions.has": lambda tx, h: tx.versions.has(_only(h.pending), Status.PENDING),
    "versions.agents": lambda tx, h: tx.versions.agents(),
    "versions.of_users": lambda tx, h: tx.versions.of_users(PROFILES, tuple(Status), limit=99),
    "versions.upgrade": lambda tx, h: tx.versions.upgrade(PROFILES),
    "versions.upgrade, of some": lambda tx, h: tx.versions.upgrade(_only(h.pending)),
    "versions.downgrade": lambda tx, h: tx.versions.downgrade(PROFILES),
    "versions.downgrade, of some": lambda tx, h: tx.versions.downgrade(_only(h.archived)),
    "versions.discard_pending": lambda tx, h: tx.versions.discard_pending(PROFILES),
    "versions.hold_pending_back": lambda tx, h: tx.versions.hold_pending_back(PROFILES),
    "versions.discard_pending, of some": lambda tx, h: tx.versions.discard_pending(_only(h.pending)),
}
"""By the method, and behind a comma another way of calling it."""
EXPECTED: dict[str, object] = {
    "conversations.with_counts": [0],
    "retention.next_expiry": None,
    "retention.purge_expired": 0,
    "retention.excess": 0,
    "retention.drop": 2,
    "interactions.existing": set(),
    "interactions.count": 2,
    "interactions.delete_requests": 1,
    "interactions.delete_session": 1,
    "interactions.delete_all": 2,
    "memories.count_by_status": ({Status.ARCHIVED: 1, Status.CURRENT: 1, Status.PENDING: 1}, 0),
    "memories.contents": {},
    "memories.delete": 0,
    "memories.erase": 0,
    "memories.replaced_by": [],
    "changes.of_memories": [],
    "changes.count": 0,
    "changes.archived_by": [],
    "changes.of_run": [],
    "review_actions.last_of": None,
    "duplicates.changed": ChangedMemories((), through=9),
    "duplicates.replace": 0,
    "duplicates.remove": 0,
    "duplicates.of": [],
    "graph.memories_around": [],
    "search.signals_of": {},
    "search.admitted": [],
    "search.progress": (0, 0, ""),
    "copies.progress": None,
    "copies.changed": [],
    "copies.by_number": [],
    "copies.numbers": {},
    "copies.counts": (1, 4),
    "search.vectors_of": {},
    "cursors.log_head": LogHead(end=2, last_publish_at=START, due_at=START),
    "relationships.of_entities": [],
    "figures.interactions": [Figure(timestamp=MIDNIGHT, count=2)],
    "figures.memories": [Figure(timestamp=MIDNIGHT, count=3)],
    "figures.evaluations": [Figure(timestamp=MIDNIGHT, count=1, successes=1)],
    "evaluations.judged_at": {},
    "interactions.metadata_of": {},
    "interactions.page_of_session": [],
    "interactions.requests_of_session": [],
    "conversations.page": [],
    "conversations.count": 0,
    "exchanges.running": None,
    "exchanges.last": None,
    "exchanges.of_requests": [],
    "exchanges.write": False,
    "exchanges.keep": None,
    "exchanges.request_stop": False,
    "user_memories.find": None,
    "user_memories.count": 2,
    "user_memories.note_accesses": 0,
    "user_memories.first_used": START,
    "user_settings.remove": True,
    "accounts.find_by_email": None,
    "accounts.find_by_identity": None,
    "account_sessions.find_live": None,
    "account_sessions.rotate": False,
    "account_mails.redeem": None,
    "invitations.accept": None,
    "attempts.count": None,
    "attempts.remove_older": 1,
    "sessions.find": None,
    "sessions.lock": False,
    "sessions.settle": False,
    "sessions.turns": [],
    "sessions.session_of": None,
    "sessions.correction_count": 0,
    "model_calls.spent": Spending(call_count=1, unpriced_count=1),
    "model_calls.list_newest, before": [],
    "request_analytics.count": 1,
    "analytics_reports.counts": {"chat_stream": 1},
    "analytics_reports.steps": [Step(timestamp=MIDNIGHT, value=1, count=1)],
    "analytics_days.sum_up": ANNA,
    "analytics_days.drop": 1,
    "effects.any": True,
    "effects.outcomes": [],
    "usage.known": [],
    "usage.of_items": {},
    **{f"records.count, {record}": 1 for record in Record},
    **{f"records.drop, {record}": 1 for record in set(Record) - NEEDED},
    **{f"records.drop, {record}": 0 for record in NEEDED},
    "usage.forget_user": 1,
    "clusters.of": [],
    "clusters.candidates": {},
    "clusters.count_candidates": 0,
    "clusters.taught, of some": set(),
    "clusters.remove": 0,
    "quarantines.holds_any": False,
    "quarantines.held_turns": set(),
    "quarantines.held_learners": frozenset({"y"}),
    "operations.items": [],
    "operations.current_user": None,
    "operations.is_cancelled": True,
    "versions.has": False,
    "versions.upgrade": Upgraded(deleted_count=1, archived_count=1, promoted_count=1),
    "versions.upgrade, of some": Upgraded(),
    "versions.downgrade": Downgraded(demoted_count=1, restored_count=1),
    "versions.downgrade, of some": Downgraded(),
    "versions.discard_pending": 1,
    "versions.discard_pending, of some": 0,
}
"""What a method shows whose answer would not name the other organisation."""
