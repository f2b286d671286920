"""The evidence log: requests and their interactions, appended and read in order."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import InteractionId, RequestId, SessionId, UserId
from sagacity.domain.interaction import Interaction, NewInteraction, NewRequest, Request
from sagacity.storage.base import Scope
from sagacity.storage.repositories.search import Document, SearchRepository
from sagacity.storage.tables import interactions, requests, sessions, users

INTERACTION = "interaction"
_WITH_REQUEST = sa.select(interactions, requests.c.source, requests.c.agent_version).join_from(
    interactions,
    requests,
    sa.and_(requests.c.org_id == interactions.c.org_id, requests.c.request_id == interactions.c.request_id),
)


def interaction_of(row: Any) -> Interaction:
    """Turn a row into the value."""
    return Interaction.model_validate(
        {name: row[name] for name in Interaction.model_fields} if isinstance(row, dict) else row._mapping,
        extra="ignore",
    )


def request_of(row: Any) -> Request:
    """Turn a row into the value."""
    return Request.model_validate(row._mapping, extra="ignore")


def digest_of(request: NewRequest) -> str:
    """Return the SHA-256 of what was sent, by which a repeated request is told from another with its id."""
    body = request.model_dump_json(
        exclude={"request_id", "force_extraction", "skip_aggregation"}, exclude_defaults=True
    )
    return hashlib.sha256(body.encode()).hexdigest()


def text_of(interaction: NewInteraction) -> str:
    """Return the text by which a turn is found."""
    parts = (interaction.content, interaction.user_action_description, interaction.expert_content)
    return "\n".join(part for part in parts if part)


def _lengthen_log(insert: Callable[[sa.Table], Any]) -> Any:
    row = insert(users)
    return row.on_conflict_do_update(
        index_elements=[users.c.org_id, users.c.user_id],
        set_={
            "last_seq": users.c.last_seq + row.excluded.last_seq,
            "due_at": row.excluded.due_at,
            "updated_at": row.excluded.updated_at,
        },
    ).returning(users.c.user_id, users.c.last_seq)


def _touch_session(insert: Callable[[sa.Table], Any]) -> Any:
    row = insert(sessions)
    return row.on_conflict_do_update(
        index_elements=[sessions.c.org_id, sessions.c.session_id, sessions.c.user_id],
        set_={
            "message_count": sessions.c.message_count + row.excluded.message_count,
            "updated_at": row.excluded.updated_at,
        },
    )


class InteractionRepository:
    """A tenant's log. Rows are appended and deleted, never edited."""

    def __init__(self, scope: Scope, search: SearchRepository) -> None:
        self._scope = scope
        self._search = search

    async def append(self, batch: Sequence[NewRequest]) -> list[Request]:
        """
        Append *batch* to the log, in order, in this transaction.

        A request whose id is known already is not stored again: the first one is returned.

        Raises:
            Conflict: a known id came with other content.
        """
        digests: dict[RequestId, str] = {}
        for request in batch:
            digest = digest_of(request)
            if digests.setdefault(request.request_id, digest) != digest:
                raise _taken(request.request_id)
        rows = await self._scope.all(
            sa.select(requests).where(
                requests.c.org_id == self._scope.org_id, requests.c.request_id.in_(list(digests))
            )
        )
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
        next_seq = await self._claim_seq(fresh, now)
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
            )
            stored[kept.request_id] = kept
            rows += [
                _interaction_row(self._scope.org_id, kept, turn, first + offset)
                for offset, turn in enumerate(request.interactions)
            ]
        await self._touch_sessions(fresh, now)
        await self._scope.run(
            requests.insert(),
            [
                stored[r.request_id].model_dump()
                | {"org_id": self._scope.org_id, "digest": digests[r.request_id]}
                for r in fresh
            ],
        )
        if not rows:
            return stored
        ids = await self._scope.all(
            interactions.insert().returning(
                interactions.c.interaction_id, interactions.c.user_id, interactions.c.seq
            ),
            rows,
        )
        by_seq = {(row.user_id, row.seq): row.interaction_id for row in ids}
        turns = ((request, turn) for request in fresh for turn in request.interactions)
        await self._search.put(
            [
                document_of(stored[request.request_id], turn, by_seq[row["user_id"], row["seq"]])
                for (request, turn), row in zip(turns, rows, strict=True)
            ]
        )
        return stored

    async def _claim_seq(self, fresh: list[NewRequest], now: datetime) -> dict[UserId, int]:
        """Reserve numbers in every user's log; the row stays locked until commit, so order is commit order."""
        counts: Counter[UserId] = Counter()
        for request in fresh:
            counts[request.user_id] += len(request.interactions)
        rows = await self._scope.all(
            self._scope.upsert(_lengthen_log),
            [
                {
                    "org_id": self._scope.org_id,
                    "user_id": user_id,
                    "last_seq": count,
                    "due_at": now,
                    "created_at": now,
                    "updated_at": now,
                }
                for user_id, count in sorted(counts.items())
            ],
        )
        return {row.user_id: row.last_seq - counts[row.user_id] + 1 for row in rows}

    async def _touch_sessions(self, fresh: list[NewRequest], now: datetime) -> None:
        counts: Counter[tuple[SessionId, UserId]] = Counter()
        for request in fresh:
            if request.session_id:
                counts[request.session_id, request.user_id] += len(request.interactions)
        if not counts:
            return
        await self._scope.run(
            self._scope.upsert(_touch_session),
            [
                {
                    "org_id": self._scope.org_id,
                    "session_id": session_id,
                    "user_id": user_id,
                    "message_count": count,
                    "created_at": now,
                    "updated_at": now,
                }
                for (session_id, user_id), count in sorted(counts.items())
            ],
        )

    async def get(self, ids: Sequence[int]) -> list[Interaction]:
        """Return the turns with *ids* that exist, in the order of the log."""
        statement = _WITH_REQUEST.where(
            interactions.c.interaction_id.in_(list(ids)), self._scope.owns(interactions)
        ).order_by(interactions.c.user_id, interactions.c.seq)
        return [interaction_of(row) for row in await self._scope.all(statement)]

    async def log(self, user_id: UserId, *, after_seq: int, limit: int) -> list[Interaction]:
        """Return up to *limit* of the user's turns after *after_seq*, oldest first."""
        statement = (
            self._mine()
            .where(interactions.c.user_id == user_id, interactions.c.seq > after_seq)
            .order_by(interactions.c.seq)
            .limit(limit)
        )
        return [interaction_of(row) for row in await self._scope.all(statement)]

    async def log_before(self, user_id: UserId, *, seq: int, limit: int) -> list[Interaction]:
        """Return up to *limit* of the user's turns up to and with *seq*, oldest first: context for what follows."""
        statement = (
            self._mine()
            .where(interactions.c.user_id == user_id, interactions.c.seq <= seq)
            .order_by(interactions.c.seq.desc())
            .limit(limit)
        )
        return [interaction_of(row) for row in await self._scope.all(statement)][::-1]

    async def list_newest(
        self,
        *,
        user_id: UserId | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
        request_id: RequestId | None = None,
        limit: int,
    ) -> list[Interaction]:
        """Return up to *limit* turns, newest first; times bound the arrival, both ends inclusive."""
        statement = self._mine()
        if user_id is not None:
            statement = statement.where(interactions.c.user_id == user_id)
        if start is not None:
            statement = statement.where(interactions.c.created_at >= start)
        if end is not None:
            statement = statement.where(interactions.c.created_at <= end)
        if request_id is not None:
            statement = statement.where(interactions.c.request_id == request_id)
        statement = statement.order_by(
            interactions.c.created_at.desc(), interactions.c.interaction_id.desc()
        ).limit(limit)
        return [interaction_of(row) for row in await self._scope.all(statement)]

    async def get_request(self, request_id: RequestId) -> Request:
        """
        Return one request.

        Raises:
            NotFound: the tenant has none of that id.
        """
        rows = await self._scope.all(
            sa.select(requests).where(
                requests.c.org_id == self._scope.org_id, requests.c.request_id == request_id
            )
        )
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
        for column, value in (
            (requests.c.user_id, user_id),
            (requests.c.request_id, request_id),
            (requests.c.session_id, session_id),
        ):
            if value is not None:
                statement = statement.where(column == value if value else column.is_(None))
        if start is not None:
            statement = statement.where(requests.c.created_at >= start)
        if end is not None:
            statement = statement.where(requests.c.created_at <= end)
        statement = statement.order_by(
            requests.c.created_at.desc(), requests.c.last_seq.desc(), requests.c.request_id.desc()
        )
        return [request_of(row) for row in await self._scope.all(statement.limit(limit).offset(offset))]

    async def of_requests(self, ids: Sequence[RequestId]) -> dict[RequestId, list[Interaction]]:
        """Return the turns of many requests at once, each list in the order of the log."""
        found: dict[RequestId, list[Interaction]] = {request_id: [] for request_id in ids}
        for turn in await self._select(interactions.c.request_id.in_(list(ids))):
            found[turn.request_id].append(turn)
        return found

    async def count(self) -> int:
        """Return how many turns the tenant has."""
        statement = sa.select(sa.func.count()).where(interactions.c.org_id == self._scope.org_id)
        return (await self._scope.all(statement))[0][0]

    async def delete(self, user_id: UserId, interaction_id: InteractionId) -> None:
        """
        Delete one turn of one user, from the log and from search.

        Raises:
            NotFound: that user has no such turn.
        """
        deleted = await self._delete(
            interactions.c.user_id == user_id, interactions.c.interaction_id == interaction_id
        )
        if not deleted:
            raise NotFound(f"user {user_id!r} has no interaction {interaction_id}")

    async def delete_requests(self, ids: Sequence[RequestId]) -> int:
        """Delete requests with their turns; returns how many requests there were."""
        await self._delete(interactions.c.request_id.in_(list(ids)))
        return await self._scope.run(
            sa.delete(requests).where(
                requests.c.org_id == self._scope.org_id, requests.c.request_id.in_(list(ids))
            )
        )

    async def delete_session(self, session_id: SessionId) -> int:
        """Delete a session of that id, with its requests and turns; returns how many requests there were."""
        mine = sa.select(requests.c.request_id).where(
            requests.c.org_id == self._scope.org_id, requests.c.session_id == session_id
        )
        ids = [row.request_id for row in await self._scope.all(mine)]
        deleted = await self.delete_requests(ids)
        await self._scope.run(
            sa.delete(sessions).where(
                sessions.c.org_id == self._scope.org_id, sessions.c.session_id == session_id
            )
        )
        return deleted

    async def delete_all(self) -> int:
        """Delete the tenant's whole log; returns how many turns there were."""
        deleted = await self._delete()
        for table in (requests, sessions):
            await self._scope.run(sa.delete(table).where(table.c.org_id == self._scope.org_id))
        return deleted

    async def _delete(self, *conditions: sa.ColumnElement[bool]) -> int:
        mine = (interactions.c.org_id == self._scope.org_id, *conditions)
        rows = await self._scope.all(sa.select(interactions.c.interaction_id).where(*mine))
        await self._search.remove(INTERACTION, [row.interaction_id for row in rows])
        return await self._scope.run(sa.delete(interactions).where(*mine))

    async def _select(self, *conditions: sa.ColumnElement[bool]) -> list[Interaction]:
        statement = self._mine().where(*conditions).order_by(interactions.c.user_id, interactions.c.seq)
        return [interaction_of(row) for row in await self._scope.all(statement)]

    def _mine(self) -> sa.Select[Any]:
        return _WITH_REQUEST.where(interactions.c.org_id == self._scope.org_id)


def _taken(request_id: str) -> Conflict:
    return Conflict(
        f"request_id {request_id!r} was published before with other content; use a new request_id"
    )


def _interaction_row(org_id: str, request: Request, turn: NewInteraction, seq: int) -> dict[str, Any]:
    return turn.model_dump() | {
        "org_id": org_id,
        "user_id": request.user_id,
        "seq": seq,
        "request_id": request.request_id,
        "session_id": request.session_id,
        "created_at": request.created_at,
    }


def document_of(request: Request, turn: NewInteraction, interaction_id: int) -> Document:
    """Return what is searched in place of a turn."""
    return Document(
        kind=INTERACTION,
        owner_id=interaction_id,
        user_id=request.user_id,
        agent_version=request.agent_version,
        source=request.source,
        request_id=request.request_id,
        changed_at=request.created_at,
        text=text_of(turn),
    )
