"""Whose work a task does."""

import pytest

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.tenant import DueScope
from sagacity.learning.prompt_runner import ModelSession
from sagacity.learning.tasks.base import Subject
from support.parts import ANNA, ORG


def subject(user_id: UserId | None) -> Subject:
    return Subject(DueScope(tenant=ORG, user_id=user_id), TenantConfig(), ModelSession())


def test_a_user_has_a_log_and_the_organisation_has_none() -> None:
    """A task of users that is given the organisation's work stops before it reads or writes in nobody's name."""
    assert (subject(ANNA).tenant, subject(ANNA).user_id) == (ORG, ANNA)
    assert subject(ORGANISATION).tenant == ORG
    with pytest.raises(ValueError, match="no user's"):
        _ = subject(ORGANISATION).user_id
