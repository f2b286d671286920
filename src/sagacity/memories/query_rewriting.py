"""Rewrite questions with the tenant's own model before a search."""

from collections.abc import Mapping

from sagacity.config.base import ConfigStore
from sagacity.config.model_choice import Role
from sagacity.config.site import QUERY_REWRITING, IsOn, always_on
from sagacity.domain.errors import ProviderRefused
from sagacity.domain.tenant import Tenant
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.retrieval.query.rewriting import Rewrite


def rewrite_by_model(configs: ConfigStore, models: ModelGateway, is_on: IsOn = always_on) -> Rewrite:
    """Return what lets a tenant's model rewrite questions."""
    prompt = "query_reformulation"

    async def rewrite(tenant: Tenant, variables: Mapping[str, str]) -> str | None:
        if not await is_on(QUERY_REWRITING, tenant.org_id):
            raise ProviderRefused("the operator of this server has turned off the rewriting of questions")
        calls = await models.of(tenant, await configs.get(tenant))
        if calls.note:
            raise ProviderRefused(calls.note)
        prompt_runner = calls.prompt_runner(Role.PRE_RETRIEVAL, prompt)
        return None if prompt_runner is None else (await prompt_runner.text(prompt, variables)).value

    return rewrite
