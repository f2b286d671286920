"""The evidence log: requests and their interactions, appended and read in order."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import InteractionId, RequestId, SessionId, UserId
from sagacity.domain.interaction import Interaction, NewInteraction, NewRequest, Request
from sagacity.domain.paced import each
from sagacity.domain.query import Filter
from sagacity.storage.base import Scope
from sagacity.storage.evidence.digest import digest_of
from sagacity.storage.evidence.orphans import delete_empty_requests, delete_empty_sessions
from sagacity.storage.evidence.shown_turns import replaced_turns
from sagacity.storage.evidence.titles import titles_made_again
from sagacity.storage.evidence.turn_windows import (
    log_of,
    numbered,
    of_requests,
    rows_beside,
    with_request,
    without_images,
)
from sagacity.storage.evidence.users import claim_seq, touch_sessions
from sagacity.storage.evidence.verdicts import delete_verdicts, forget_verdicts, held_sessions
from sagacity.storage.quarantine.standing import standing_quarantines
from sagacity.storage.schema.tables import evaluations, interactions, requests, sessions
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.search.filters import (
    INTERACTION,
    facts_of_request,
    has_document,
    owned_by,
    users_of,
    values_of,
)
from sagacity.storage.search.writing import Document
from sagacity.storage.statements.array_params import among, one_of
from sagacity.storage.statements.planner_hints import unindexed

_ADD_REQUEST = requests.insert()
_LENGTHEN_REQUEST = (
    requests.update()
    .where(requests.c.org_id == sa.bindparam("of_org"), requests.c.request_id == sa.bindparam("of_request"))
    .values(last_seq=sa.bindparam("last"))
)
_ADD_TURN = interactions.insert().returning(
    interactions.c.interaction_id, interactions.c.user_id, interactions.c.seq
)
_KNOWN = sa.select(requests).where(
    requests.c.org_id == sa.bindparam("org_id"), among(requests.c.request_id, "request_ids")
)
_OWN = {
    "request_id": interactions.c.request_id == sa.bindparam("request_id"),
    "is_held": interactions.c.is_held == sa.bindparam("is_held"),
    "start": interactions.c.created_at >= sa.bindparam("start"),
    "end": interactions.c.created_at <= sa.bindparam("end"),
}
"""A list's conditions on columns of the turns, which have indexes; its other conditions are on their documents."""
_OWN_OF_A_USER = _OWN | {
    "start": unindexed(interactions.c.created_at) >= sa.bindparam("start"),
    "end": unindexed(interactions.c.created_at) <= sa.bindparam("end"),
}
"""The same for one user's turns, which are stored together, so that times need no index."""


def interaction_of(row: Any) -> Interaction:
    """Turn a row into the value."""
    fields: dict[str, Any] = (
        {name: row[name] for name in Interaction.model_fields}
        if isinstance(row, dict)
        else dict(zip(row._fields, row, strict=True))  # noqa: SLF001  as of a named tuple
    )
    return Interaction.model_validate(fields, extra="ignore")


def request_of(row: Any) -> Request:
    """Turn a row into the value."""
    return Request.model_validate(row._mapping, extra="ignore")


class InteractionRepository:
    """A tenant's log. Rows are appended and deleted, never edited."""

    def __init__(self, scope: Scope, search: SearchRepository) -> None:
        self._scope = scope
        self._search = search

    async def append(self, batch: Sequence[NewRequest]) -> list[Request]:
        """
        Append *batch* to the log, in order, in this transaction.

        A request whose id is stored already is not stored again; the stored one is returned.

        Raises:
            Conflict: the id of a stored request came with other content.
        """
        digests: dict[RequestId, str] = {}
        for request in batch:
            digest = digest_of(request)
            if digests.setdefault(request.request_id, digest) != digest:
                raise _taken(request.request_id)
        given = {"org_id": self._scope.org_id, "request_ids": list(digests)}
        rows = await self._scope.all(_KNOWN, given)
        for row in rows:
            if row.digest != digests[row.request_id]:
                raise _taken(row.request_id)
        known = {row.request_id: request_of(row) for row in rows}
        fresh = {one.request_id: one for one in reversed(batch) if one.request_id not in known}
        if fresh:
            known |= await self._insert(list(reversed(fresh.values())), digests)
        return [known[request.request_id] for request in batch]

    async def _insert(
        self, fresh: list[NewRequest], digests: Mapping[RequestId, str]
    ) -> dict[RequestId, Request]:
        now = self._scope.clock.now()
        standing = await standing_quarantines(self._scope)
        next_seq = await claim_seq(self._scope, fresh, now)
        stored: dict[RequestId, Request] = {}
        rows: list[dict[str, Any]] = []
        for request in fresh:
            first = next_seq[request.user_id]
            next_seq[request.user_id] += len(request.interactions)
            kept = Request(
                **request.model_dump(exclude={"interactions"}),
                first_seq=first,
                last_seq=next_seq[request.user_id] - 1,
                created_at=now,
                is_held=any(one.is_of_request(request) for one in standing),
            )
            stored[kept.request_id] = kept
            rows += [
                _interaction_row(self._scope.org_id, kept, turn, first + offset)
                for offset, turn in enumerate(request.interactions)
            ]
        await touch_sessions(self._scope, fresh, now)
        await self._scope.run(
            _ADD_REQUEST,
            [
                stored[r.request_id].model_dump()
                | {"org_id": self._scope.org_id, "digest": digests[r.request_id]}
                | {"facts": facts_of_request(r.metadata)}
                for r in fresh
            ],
        )
        turns = [(stored[request.request_id], turn) for request in fresh for turn in request.interactions]
        await self._insert_turns(rows, turns)
        self._scope.added.note_turns(len(rows))
        return stored

    async def extend(self, request_id: RequestId, turns: Sequence[NewInteraction]) -> list[InteractionId]:
        """
        Append turns to a request that is in the log already, such as the answer to its question.

        Returns:
            Their numbers.

        Raises:
            NotFound: the request was deleted.
        """
        await standing_quarantines(self._scope)  # so that none begins or ends before the commit
        request, now = await self.get_request(request_id), self._scope.clock.now()
        more = NewRequest(
            **request.model_dump(exclude={"first_seq", "last_seq", "created_at", "is_held"}),
            interactions=tuple(turns),
        )
        first = (await claim_seq(self._scope, [more], now))[more.user_id]
        await touch_sessions(self._scope, [more], now)
        last = first + len(turns) - 1
        given = {"of_org": self._scope.org_id, "of_request": request_id, "last": last}
        if not await self._scope.run(_LENGTHEN_REQUEST, given):
            raise NotFound(f"no request {request_id!r}")
        said = request.model_copy(update={"created_at": now, "last_seq": last})
        rows = [
            _interaction_row(self._scope.org_id, said, turn, seq) for seq, turn in enumerate(turns, first)
        ]
        self._scope.added.note_turns(len(rows), is_promised=True)
        return await self._insert_turns(rows, [(said, turn) for turn in turns])

    async def _insert_turns(
        self, rows: Sequence[dict[str, Any]], turns: Sequence[tuple[Request, NewInteraction]]
    ) -> list[InteractionId]:
        """Insert turns with their search documents; returns their numbers."""
        if not rows:
            return []
        inserted = await self._scope.all(_ADD_TURN, list(rows))
        by_seq = {(row.user_id, row.seq): row.interaction_id for row in inserted}
        ids = [by_seq[row["user_id"], row["seq"]] for row in rows]
        await self._search.put(
            [document_of(request, turn, number) for (request, turn), number in zip(turns, ids, strict=True)],
            new=True,  # a turn is never edited
        )
        return [InteractionId(number) for number in ids]

    async def get(self, ids: Sequence[int]) -> list[Interaction]:
        """Return the turns with *ids* that exist, in the order of the log."""
        given = {"org_id": self._scope.org_id, "ids": list(ids)}
        return await each(interaction_of, await self._scope.all(numbered(), given))

    async def existing(self, ids: Collection[InteractionId]) -> set[InteractionId]:
        """Return those of *ids* that exist."""
        mine = (self._scope.owns(interactions), one_of(interactions.c.interaction_id, ids))
        rows = await self._scope.all(sa.select(interactions.c.interaction_id).where(*mine))
        return {InteractionId(row.interaction_id) for row in rows}

    async def beside(
        self, turns: Sequence[Interaction], count: int, *, as_of: datetime | None = None
    ) -> dict[int, list[Interaction]]:
        """
        Return the neighbours of each of *turns*, by number: up to *count* turns before and after it, in log order.

        Neighbours are of the same user and session or, for a turn without a session, of the same request. Turns more
        than `REACH` log numbers away are not found. With *as_of*, turns that had not arrived by then are left out.
        """
        found: dict[int, list[Interaction]] = {turn.interaction_id: [] for turn in turns}
        for row in await rows_beside(self._scope, list(found), count) if found and count > 0 else ():
            if as_of is None or row.created_at <= as_of:
                found[row.beside_id].append(interaction_of(row))
        return found

    async def log(self, user_id: UserId, *, after_seq: int, limit: int) -> list[Interaction]:
        """Return up to *limit* of the user's turns after *after_seq*, oldest first, without their images."""
        given = {"org_id": self._scope.org_id, "user_id": user_id, "seq": after_seq, "limit": limit}
        return await each(interaction_of, await self._scope.all(log_of(is_before=False), given))

    async def log_before(self, user_id: UserId, *, seq: int, limit: int) -> list[Interaction]:
        """Return up to *limit* of the user's turns up to and including *seq*, like `log`: context for later turns."""
        given = {"org_id": self._scope.org_id, "user_id": user_id, "seq": seq, "limit": limit}
        return (await each(interaction_of, await self._scope.all(log_of(is_before=True), given)))[::-1]

    async def is_of_agent(self, agent_version: str, *, user_id: UserId | None = None) -> bool:
        """Return whether turns were published with this agent version; with *user_id*, turns of that user."""
        column = requests.c
        wanted = [column.org_id == self._scope.org_id, column.agent_version == agent_version]
        if user_id is not None:
            wanted.append(column.user_id == user_id)
        return bool(await self._scope.all(sa.select(column.request_id).where(*wanted).limit(1)))

    async def image(self, interaction_id: InteractionId, *, longest: int) -> str:
        """Return the image of a turn as it was sent; empty if it has none or one of more than *longest* characters."""
        sent = sa.func.coalesce(sa.func.nullif(interactions.c.image_url, ""), interactions.c.image_base64)
        rows = await self._scope.all(
            sa.select(sent).where(
                interactions.c.org_id == self._scope.org_id,
                interactions.c.interaction_id == interaction_id,
                sa.func.length(sent) <= longest,
            )
        )
        return rows[0][0] if rows else ""

    async def of_session(
        self, user_id: UserId, session_id: SessionId, *, limit: int, as_of: datetime | None = None
    ) -> list[Interaction]:
        """Return up to *limit* of the newest turns of a user's session, or the newest at *as_of*, oldest first."""
        statement = (
            self._mine()
            .where(requests.c.session_id == session_id, interactions.c.user_id == user_id)
            .order_by(interactions.c.seq.desc())
            .limit(limit)
        )
        if as_of is not None:
            statement = statement.where(interactions.c.created_at <= as_of)
        return (await each(interaction_of, await self._scope.all(statement)))[::-1]

    async def page_of_session(
        self,
        user_id: UserId,
        session_id: SessionId,
        *,
        limit: int,
        offset: int = 0,
        newest: bool,
        after_seq: int = 0,
    ) -> list[Interaction]:
        """
        Return a page of a conversation's turns, oldest first, without images and replaced answers.

        Args:
            user_id: the user.
            session_id: the conversation.
            limit: the most turns.
            offset: how many to skip: of the newest with *newest*, else of the oldest.
            newest: return the last messages instead of the first.
            after_seq: return only turns after this one in the user's log.
        """
        column = interactions.c
        statement = (
            without_images.where(
                column.org_id == self._scope.org_id,
                requests.c.session_id == session_id,
                column.user_id == user_id,
                column.seq > after_seq,
                column.interaction_id.not_in(replaced_turns(self._scope.org_id, user_id, [session_id])),
            )
            .order_by(column.seq.desc() if newest else column.seq)
            .limit(limit)
            .offset(offset)
        )
        found = await each(interaction_of, await self._scope.all(statement))
        return found[::-1] if newest else found

    async def requests_of_session(self, user_id: UserId, session_id: SessionId) -> list[RequestId]:
        """Return the ids of the requests of one user's session."""
        column = requests.c
        statement = sa.select(column.request_id).where(
            column.org_id == self._scope.org_id, column.session_id == session_id, column.user_id == user_id
        )
        return [row.request_id for row in await self._scope.all(statement)]

    async def metadata_of(self, ids: Sequence[RequestId]) -> dict[RequestId, dict[str, Any]]:
        """Return the metadata of those requests of *ids* that have any."""
        column = requests.c
        statement = sa.select(column.request_id, column.metadata).where(
            column.org_id == self._scope.org_id, one_of(column.request_id, ids)
        )
        return {row.request_id: row.metadata for row in await self._scope.all(statement) if row.metadata}

    async def list_wanted(self, wanted: Filter, limit: int) -> list[Interaction]:
        """Return up to *limit* turns that match *wanted*, the last to arrive first."""
        column, values = interactions.c, values_of(wanted)
        values.pop("statuses", None)  # all turns have the same
        users = users_of(wanted)
        own = _OWN if users is None else _OWN_OF_A_USER
        statement = self._mine().where(*(own[field] for field in values if field in own))
        if of_documents := [field for field in values if field not in own]:
            statement = statement.where(has_document(column.interaction_id, INTERACTION, of_documents))
        if users is not None:
            statement = statement.where(owned_by(column.user_id, users))
        newest_first = [column.created_at.desc(), column.interaction_id.desc()]
        if users is not None and len(users) == 1:
            newest_first = [column.seq.desc()]  # the same order, by an index of this user's turns
        statement = statement.order_by(*newest_first).limit(limit)
        admits_most = users is None and not wanted.is_held and values.keys() <= _OWN.keys() - {"request_id"}
        read = self._scope.newest if admits_most else self._scope.all
        return await each(interaction_of, await read(statement, values))

    async def get_request(self, request_id: RequestId) -> Request:
        """
        Return one request.

        Raises:
            NotFound: the tenant has no request with that id.
        """
        given = {"org_id": self._scope.org_id, "request_ids": [request_id]}
        rows = await self._scope.all(_KNOWN, given)
        if not rows:
            raise NotFound(f"no request {request_id!r}")
        return request_of(rows[0])

    async def list_requests(
        self,
        *,
        user_id: UserId | None = None,
        request_id: RequestId | None = None,
        session_id: SessionId | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        limit: int,
        offset: int = 0,
    ) -> list[Request]:
        """Return a page of requests, newest first; the empty session id stands for those without a session."""
        statement = sa.select(requests).where(requests.c.org_id == self._scope.org_id)
        columns = (requests.c.user_id, requests.c.request_id, requests.c.session_id)
        asked = (user_id, request_id, session_id)
        read = self._scope.newest if asked == (None, None, None) else self._scope.all
        for column, value in zip(columns, asked, strict=True):
            if value is not None:
                statement = statement.where(column == value if value else column.is_(None))
        if start is not None:
            statement = statement.where(requests.c.created_at >= start)
        if end is not None:
            statement = statement.where(requests.c.created_at <= end)
        statement = statement.order_by(
            requests.c.created_at.desc(), requests.c.last_seq.desc(), requests.c.request_id.desc()
        )
        return await each(request_of, await read(statement.limit(limit).offset(offset)))

    async def of_requests(self, ids: Sequence[RequestId]) -> dict[RequestId, list[Interaction]]:
        """Return the turns of many requests at once, each list in the order of the log."""
        found: dict[RequestId, list[Interaction]] = {request_id: [] for request_id in ids}
        given = {"org_id": self._scope.org_id, "request_ids": list(ids)}
        rows = await self._scope.all(of_requests(), given)
        for row, turn in zip(rows, await each(interaction_of, rows), strict=True):
            found[row.request_id].append(turn)
        return found

    async def newest_id(self, user_id: UserId) -> InteractionId | None:
        """Return the number of the last turn of a user's log; None if there is none."""
        mine = (interactions.c.org_id == self._scope.org_id, interactions.c.user_id == user_id)
        statement = (
            sa.select(interactions.c.interaction_id).where(*mine).order_by(interactions.c.seq.desc()).limit(1)
        )
        return next((InteractionId(row.interaction_id) for row in await self._scope.all(statement)), None)

    async def count(self) -> int:
        """Return how many turns the tenant has."""
        statement = sa.select(sa.func.count()).where(interactions.c.org_id == self._scope.org_id)
        return (await self._scope.all(statement))[0][0]

    async def delete(self, user_id: UserId, interaction_id: InteractionId) -> None:
        """
        Delete one turn of one user, from the log and from search, with the verdicts on its session.

        Raises:
            NotFound: that user has no such turn.
        """
        is_it = (interactions.c.user_id == user_id, interactions.c.interaction_id == interaction_id)
        if not await self._delete_turns(*is_it):
            raise NotFound(f"user {user_id!r} has no interaction {interaction_id}")

    async def delete_requests(self, ids: Sequence[RequestId]) -> int:
        """Delete requests with their turns and the verdicts on their sessions; returns how many requests there were."""
        await self._delete_turns(one_of(interactions.c.request_id, ids))
        return await delete_empty_requests(self._scope, one_of(requests.c.request_id, ids))

    async def delete_session(self, session_id: SessionId) -> int:
        """Delete the session with that id, its requests, turns and verdicts; returns how many requests there were."""
        mine = sa.select(requests.c.request_id).where(
            requests.c.org_id == self._scope.org_id, requests.c.session_id == session_id
        )
        deleted = await self.delete_requests([row.request_id for row in await self._scope.all(mine)])
        await delete_verdicts(self._scope, evaluations.c.session_id == session_id)
        await delete_empty_sessions(self._scope, sessions.c.session_id == session_id)
        return deleted

    async def delete_all(self) -> int:
        """Delete the tenant's whole log, except requests published meanwhile; returns how many turns there were."""
        await held_sessions(self._scope)
        deleted = await self._delete()
        await delete_empty_requests(self._scope)
        await delete_verdicts(self._scope)
        await delete_empty_sessions(self._scope)
        return deleted

    async def _delete_turns(self, *conditions: sa.ColumnElement[bool]) -> int:
        held = await held_sessions(self._scope, *conditions)
        async with titles_made_again(self._scope, held):
            deleted = await self._delete(*conditions)
        await forget_verdicts(self._scope, held)
        return deleted

    async def _delete(self, *conditions: sa.ColumnElement[bool]) -> int:
        mine = (interactions.c.org_id == self._scope.org_id, *conditions)
        wanted = sa.select(interactions.c.interaction_id).where(*mine)
        ids = [row.interaction_id for row in await self._scope.all(wanted)]
        await self._search.remove(INTERACTION, ids)
        gone = one_of(interactions.c.interaction_id, ids)  # no turn that arrived meanwhile
        return await self._scope.run(sa.delete(interactions).where(self._scope.owns(interactions), gone))

    def _mine(self) -> sa.Select[Any]:
        return with_request.where(interactions.c.org_id == self._scope.org_id)


def _taken(request_id: str) -> Conflict:
    return Conflict(
        f"request_id {request_id!r} was published before with other content; use a new request_id"
    )


def _interaction_row(org_id: str, request: Request, turn: NewInteraction, seq: int) -> dict[str, Any]:
    return turn.model_dump() | {
        "origin": str(turn.stamped_origin),
        "org_id": org_id,
        "user_id": request.user_id,
        "seq": seq,
        "request_id": request.request_id,
        "session_id": request.session_id,
        "created_at": request.created_at,
        "is_held": request.is_held,
    }


def document_of(request: Request, turn: NewInteraction, interaction_id: int) -> Document:
    """Return the search document of a turn."""
    return Document(
        kind=INTERACTION,
        owner_id=interaction_id,
        user_id=request.user_id,
        agent_version=request.agent_version,
        source=request.source,
        is_held=request.is_held,
        request_id=request.request_id,
        changed_at=request.created_at,
        event_at=turn.happened_at,
        text=turn.search_text,
    )
