"""The table of extractors: to add a kind, write its extractors in a file and add a row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import ConfiguredExtractor
from sagacity.learning.extractors.outputs import ProfileDeduplication, UserPlaybookDeduplication
from sagacity.learning.extractors.profile import profile_extractors
from sagacity.learning.extractors.user_playbook import user_playbook_extractors


class Configured(Protocol):
    """Returns a kind's extractors from a configuration."""

    def __call__(self, config: TenantConfig, *, asked: bool) -> Sequence[ConfiguredExtractor]:
        """Return the configured extractors; if *asked*, also those that run only on request."""
        ...


@dataclass(frozen=True, slots=True)
class DeduplicationPrompt:
    """How a model is asked whether memories of a kind say the same."""

    name: str
    output: type[ProfileDeduplication] | type[UserPlaybookDeduplication]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindExtractors:
    """How memories of one kind are learned from a log."""

    configured: Configured
    deduplication: DeduplicationPrompt


EXTRACTORS: Final[Mapping[MemoryKind, KindExtractors]] = {
    MemoryKind.PROFILE: KindExtractors(
        configured=profile_extractors,
        deduplication=DeduplicationPrompt("profile_deduplication", ProfileDeduplication),
    ),
    MemoryKind.USER_PLAYBOOK: KindExtractors(
        configured=user_playbook_extractors,
        deduplication=DeduplicationPrompt("user_playbook_deduplication", UserPlaybookDeduplication),
    ),
}
"""The kinds that are learned from a user's log, in parallel. `domain.kinds` has their other properties."""
