"""Bodies and replies of swapping and comparing versions."""

from typing import Annotated

from pydantic import Field

from sagacity.domain.views.profile import ProfileView
from sagacity.domain.views.user_playbook import UserPlaybookView
from sagacity.schemas.base import Body, Id, Label, Number, Reply, Schema, Share
from sagacity.schemas.generation import Names

DiffLimit = Annotated[int, Field(gt=0, le=1_000)]
"""How many of each sort to show."""


class SwapProfilesBody(Body):
    """Whose profiles to swap; without filters, all."""

    user_id: Id | None = None
    profile_ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=10_000)] | None = None
    extractor_names: Names = ()
    only_affected_users: bool = False
    """Only users with something to promote or to restore; the others stay as they are."""


class DowngradeUserPlaybooksBody(Body):
    """Which user playbooks to swap; without filters, all."""

    agent_version: Label | None = None
    playbook_name: Label | None = None
    user_id: Id | None = None
    user_playbook_ids: Annotated[tuple[Number, ...], Field(min_length=1, max_length=10_000)] | None = None
    only_affected_users: bool = False
    """Only users with something to promote or to restore; the others stay as they are."""


class UpgradeUserPlaybooksBody(DowngradeUserPlaybooksBody):
    """Which user playbooks to swap; without filters, all."""

    archive_current: bool = True
    """If false, pending ones are added to the current ones, and nothing is archived."""


class ProfilesUpgraded(Reply):
    """How many profiles moved."""

    profiles_archived: int = 0
    profiles_promoted: int = 0
    profiles_deleted: int = 0


class ProfilesDowngraded(Reply):
    """How many profiles moved."""

    profiles_demoted: int = 0
    profiles_restored: int = 0


class UserPlaybooksUpgraded(Reply):
    """How many user playbooks moved."""

    user_playbooks_archived: int = 0
    user_playbooks_promoted: int = 0
    user_playbooks_deleted: int = 0


class UserPlaybooksDowngraded(Reply):
    """How many user playbooks moved."""

    user_playbooks_demoted: int = 0
    user_playbooks_restored: int = 0


class GetProfileDiffBody(Body):
    """Whose pending and current profiles to compare."""

    user_id: Id | None = None
    extractor_names: Names = ()
    only_affected_users: bool = False
    """Only users with something pending."""
    limit: DiffLimit = 100


class GetUserPlaybookDiffBody(Body):
    """Which pending and current user playbooks to compare."""

    user_id: Id | None = None
    agent_version: Label | None = None
    playbook_name: Label | None = None
    only_affected_users: bool = False
    """Only users with something pending."""
    limit: DiffLimit = 100


class DiffCounts(Reply):
    """How much an upgrade would change, including what is not shown."""

    added_count: int = 0
    lost_count: int = 0
    covered_count: int = 0
    changed_count: int = 0
    unchanged_count: int = 0


class ChangedProfile(Schema):
    """What one profile would become."""

    before: ProfileView
    after: ProfileView
    similarity: Share


class ProfileDiff(DiffCounts):
    """What an upgrade would change in profiles, up to `limit` in each list."""

    added: tuple[ProfileView, ...] = ()
    lost: tuple[ProfileView, ...] = ()
    covered: tuple[ChangedProfile, ...] = ()
    changed: tuple[ChangedProfile, ...] = ()


class ChangedUserPlaybook(Schema):
    """What one user playbook would become."""

    before: UserPlaybookView
    after: UserPlaybookView
    similarity: Share


class UserPlaybookDiff(DiffCounts):
    """What an upgrade would change in user playbooks, up to `limit` in each list."""

    added: tuple[UserPlaybookView, ...] = ()
    lost: tuple[UserPlaybookView, ...] = ()
    covered: tuple[ChangedUserPlaybook, ...] = ()
    changed: tuple[ChangedUserPlaybook, ...] = ()
