"""Questions rewritten by the tenant's own model before a search."""

from collections.abc import Mapping

from sagacity.config.base import ConfigStore
from sagacity.config.model_choice import Role
from sagacity.domain.errors import ProviderRefused
from sagacity.domain.tenant import Tenant
from sagacity.learning.prompt_runner import ModelAccess
from sagacity.retrieval.query.rewriting import Rewrite


def rewrite_by_model(configs: ConfigStore, models: ModelAccess) -> Rewrite:
    """Return what lets a tenant's model rewrite questions."""
    prompt = "query_reformulation"

    async def rewrite(tenant: Tenant, variables: Mapping[str, str]) -> str | None:
        calls = await models.of(tenant, await configs.get(tenant))
        if calls.note:
            raise ProviderRefused(calls.note)
        asker = calls.asker(Role.PRE_RETRIEVAL, prompt)
        return None if asker is None else (await asker.text(prompt, variables)).value

    return rewrite
