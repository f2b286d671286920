"""An organisation itself: its row, its API tokens, its configuration."""

from typing import Any

import sqlalchemy as sa

from sagacity.domain.errors import InvalidInput, NotFound
from sagacity.domain.ids import MAX_ORG_BYTES, byte_count
from sagacity.domain.tenant import ApiToken
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import api_tokens, organisations, tenant_configs


class OrganisationRepository:
    """The tenant's own rows."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def ensure(self, name: str = "") -> None:
        """
        Create the organisation unless it exists.

        Raises:
            InvalidInput: its id is too long.
        """
        if (size := byte_count(self._scope.org_id)) > MAX_ORG_BYTES:
            raise InvalidInput(
                f"an organisation's id may have at most {MAX_ORG_BYTES} bytes in UTF-8, and this one has {size}"
            )
        await self._scope.run(
            self._scope.insert(organisations).on_conflict_do_nothing(),
            {
                "org_id": self._scope.org_id,
                "name": name,
                "status": "active",
                "created_at": self._scope.clock.now(),
            },
        )

    async def add_token(self, name: str, prefix: str, token_hash: str) -> ApiToken:
        """Keep a token's hash."""
        token = ApiToken(
            token_id=self._scope.ids.new(),
            org_id=self._scope.org_id,
            name=name,
            prefix=prefix,
            created_at=self._scope.clock.now(),
        )
        await self._scope.run(api_tokens.insert(), token.model_dump() | {"token_hash": token_hash})
        return token

    async def list_tokens(self) -> list[ApiToken]:
        """Return the tokens that were made, oldest first; secrets are not kept."""
        rows = await self._scope.all(
            sa.select(api_tokens)
            .where(api_tokens.c.org_id == self._scope.org_id)
            .order_by(api_tokens.c.created_at, api_tokens.c.token_id)
        )
        return [token_of(row) for row in rows]

    async def revoke_token(self, token_id: str) -> None:
        """
        Make a token useless from now on.

        Raises:
            NotFound: the tenant has none of that id.
        """
        revoked = await self._scope.run(
            sa.update(api_tokens)
            .where(api_tokens.c.org_id == self._scope.org_id, api_tokens.c.token_id == token_id)
            .values(revoked_at=self._scope.clock.now())
        )
        if not revoked:
            raise NotFound(f"no token {token_id!r}")

    async def config(self) -> tuple[str, int] | None:
        """Return the stored configuration as text with its version; None if none was ever set."""
        rows = await self._scope.all(
            sa.select(tenant_configs).where(tenant_configs.c.org_id == self._scope.org_id)
        )
        return (rows[0].config, rows[0].version) if rows else None

    async def set_config(self, config: str) -> int:
        """Store the configuration; returns its new version."""
        insert = self._scope.insert(tenant_configs)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[tenant_configs.c.org_id],
                set_={
                    "config": insert.excluded.config,
                    "version": tenant_configs.c.version + 1,
                    "updated_at": insert.excluded.updated_at,
                },
            ).returning(tenant_configs.c.version),
            {
                "org_id": self._scope.org_id,
                "config": config,
                "version": 1,
                "updated_at": self._scope.clock.now(),
            },
        )
        return rows[0].version


def token_of(row: Any) -> ApiToken:
    """Turn a row into the value."""
    return ApiToken.model_validate(row._mapping, extra="ignore")
