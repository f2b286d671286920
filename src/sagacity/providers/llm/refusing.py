"""A model that cannot be opened: every call raises the reason."""

from collections.abc import AsyncGenerator, Sequence

from sagacity.domain.errors import ProviderRefused
from sagacity.providers.base import ChatMessage, Completion, OnCall, Output, TokenUsage, ignore_call


class RefusingLLM:
    """
    Stands in for a configured model that has no usable key.

    The mistake then appears where a model's failures do, in receipts and dead letters, and affects no other tenant.
    Nothing is sent, so no call is reported.
    """

    def __init__(self, reason: ProviderRefused) -> None:
        self._reason = reason

    @property
    def model(self) -> str:
        """No model."""
        return ""

    async def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int | None = None, on_call: OnCall = ignore_call
    ) -> Completion:
        """Raise the reason."""
        raise self._refusal()

    async def structured(
        self,
        messages: Sequence[ChatMessage],
        output: type[Output],
        *,
        max_tokens: int | None = None,
        on_call: OnCall = ignore_call,
    ) -> tuple[Output, TokenUsage]:
        """Raise the reason."""
        raise self._refusal()

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
        on_call: OnCall = ignore_call,
    ) -> AsyncGenerator[str]:
        """Raise the reason."""
        raise self._refusal()
        yield ""

    def _refusal(self) -> ProviderRefused:
        return ProviderRefused(str(self._reason))
