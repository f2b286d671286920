"""Token budgets of a chat prompt: for what is remembered, and for the conversation."""

from typing import Annotated

from pydantic import Field

from sagacity.config.fields import ConfigPart
from sagacity.domain.context import ContextBudgets

_USUAL = ContextBudgets()
_MOST = 128_000
_Total = Annotated[int, Field(ge=100, le=_MOST)]
_Tokens = Annotated[int, Field(ge=0, le=_MOST)]


class ChatBudgets(ConfigPart):
    """Token budgets of the whole and of each section. A section that needs less leaves the rest to others."""

    total_tokens: _Total = Field(
        default=_USUAL.total_tokens,
        description="What is remembered and the conversation together; 100 to 128000.",
    )
    profile_tokens: _Tokens = Field(default=_USUAL.profile_tokens, description="Profiles.")
    facts_tokens: _Tokens = Field(default=_USUAL.facts_tokens, description="Semantic memories.")
    episodes_tokens: _Tokens = Field(
        default=_USUAL.episodes_tokens, description="Earlier conversations and their turns."
    )
    procedures_tokens: _Tokens = Field(default=_USUAL.procedures_tokens, description="Playbooks and skills.")
    entities_tokens: _Tokens = Field(default=_USUAL.entities_tokens, description="Names and relationships.")
    history_tokens: _Tokens = Field(
        default=_USUAL.history_tokens, description="The conversation's newest messages, at the least."
    )

    def to_domain(self) -> ContextBudgets:
        """Return the same as the context is built by."""
        return ContextBudgets.model_validate(self.model_dump(include=set(ContextBudgets.model_fields)))
