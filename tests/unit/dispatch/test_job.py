"""A job is named by its scope alone, and by no text that anybody chose."""

import pytest

from sagacity.dispatch.job import JobKind, index_job, learn_job
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.tenant import DueScope, Tenant


def scope(org: str, user: str) -> DueScope:
    return DueScope(tenant=Tenant(org_id=OrgId(org)), user_id=UserId(user))


def test_equal_scopes_are_one_job_and_others_are_not() -> None:
    """Equal scopes have equal identities; ids that run together alike are kept apart."""
    assert learn_job(scope("a", "b")).job_id == learn_job(scope("a", "b")).job_id
    others = [scope("a", "c"), scope("ab", ""), scope("", "ab"), scope('a","b', ""), scope("b", "a")]
    others += [DueScope(tenant=Tenant(org_id=OrgId("a")), user_id=user) for user in (None, UserId("None"))]
    names = {learn_job(one).job_id for one in [scope("a", "b"), *others]}
    assert len(names) == 8
    assert index_job(Tenant(org_id=OrgId("a"))).job_id not in names


def test_jobs_of_an_organisation_share_its_places() -> None:
    """Users of one organisation count together, kinds and organisations do not."""
    assert learn_job(scope("a", "b")).places == learn_job(scope("a", "c")).places
    assert learn_job(scope("a", "b")).places != learn_job(scope("b", "b")).places
    assert learn_job(scope("a", "b")).places != index_job(Tenant(org_id=OrgId("a"))).places


@pytest.mark.parametrize("text", ["x\r\nFLUSHALL\r\n", "{tag}", "é" * 1000, "\x00", "\ud800"])
def test_names_are_short_plain_text(text: str) -> None:
    """Whatever an id is, a key made of it is harmless; the job keeps the id itself."""
    job = learn_job(scope(text, text))
    for name in (job.job_id, job.places):
        assert name.isascii()
        assert name.replace(":", "").isalnum()
        assert len(name) < 80
    assert (job.kind, job.org_id, job.user_id, job.scope) == (JobKind.LEARN, text, text, scope(text, text))
