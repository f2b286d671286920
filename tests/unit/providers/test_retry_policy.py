"""What a failed try is said to have been."""

import pytest

from sagacity.domain.errors import ProviderError, ProviderRefused
from sagacity.providers.retry_policy import judge


class Answered(Exception):
    """A provider's reply that is no success; its text may hold anything."""

    def __init__(self, status_code: int) -> None:
        super().__init__("key sk-secret")
        self.status_code = status_code


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (401, ProviderRefused, "m: the API key was refused (status 401)"),
        (403, ProviderRefused, "m: the API key may not do this (status 403)"),
        (429, ProviderError, "m: too many calls, or the quota is used up (status 429)"),
        (500, ProviderError, "m: Answered, HTTP 500"),
    ],
)
def test_common_refusals_are_told_in_plain_words(status, error, told):
    """A key or a quota is named as what it is; all else by its class and status."""
    failure = judge("m", Answered(status))
    assert (failure.error, failure.told, failure.status) == (error, told, status)
