"""Open the store of API tokens that the settings choose: a document in self-host mode, else the database."""

from sagacity.access.document_tokens import DocumentTokens
from sagacity.access.token_store import DatabaseTokens, TokenStore
from sagacity.access.token_uses import TokenUses
from sagacity.config.open import open_place
from sagacity.config.settings import Settings
from sagacity.domain.clock import Clock
from sagacity.domain.ids import IdSource
from sagacity.storage.transaction import Storage


def open_token_store(settings: Settings, storage: Storage, *, clock: Clock, ids: IdSource) -> TokenStore:
    """Return the store of tokens; in self-host mode it is where configurations are."""
    place = open_place(settings) if settings.self_host else None
    if place is None:
        return DatabaseTokens(storage, TokenUses(storage, clock), settings.default_quotas)
    return DocumentTokens(place, storage, clock=clock, ids=ids)
