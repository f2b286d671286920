"""Check that names in a call exist, because a mistyped one would silently select nothing."""

from collections.abc import Sequence

from sagacity.domain.errors import InvalidInput
from sagacity.domain.interaction import DEFAULT_AGENT_VERSION
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.suggest import no_such
from sagacity.domain.version import VersionFilter
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_FIELDS = {MemoryKind.PROFILE: "extractor_names", MemoryKind.USER_PLAYBOOK: "playbook_name"}
_VERSIONS = (Status.CURRENT, Status.PENDING, Status.ARCHIVED)


async def check_names(
    acting: Acting,
    kind: MemoryKind,
    names: Sequence[str | None],
    *,
    agent_version: str | None = None,
    to_run: bool = False,
) -> None:
    """
    Refuse unknown names of extractors and agent versions.

    An extractor is known if it is configured or, unless it is *to_run*, if memories of it exist. An agent version is
    known if turns were published with it or user playbooks apply to it; the value that stands for no version is always
    known.

    Raises:
        InvalidInput: one is not known; the message names the nearest, or those that there are.
    """
    config = await acting.config()
    extractors = (
        config.profile_extractor_configs
        if kind is MemoryKind.PROFILE
        else config.user_playbook_extractor_configs
    )
    configured = [one.extractor_name for one in extractors]
    asked = [name for name in names if name is not None and name not in configured]
    if to_run and asked:
        raise InvalidInput(f"{_FIELDS[kind]}: {no_such('extractor', asked[0], configured)}")
    agent = DEFAULT_AGENT_VERSION if agent_version is None else agent_version
    if not asked and agent == DEFAULT_AGENT_VERSION:
        return
    async with acting.read() as snapshot:
        for name in asked:
            if not await _is_used(snapshot, VersionFilter(kind=kind, names=(name,))):
                raise InvalidInput(f"{_FIELDS[kind]}: {no_such('extractor', name, configured)}")
        await _check_agent_version(snapshot, kind, agent)


async def _check_agent_version(snapshot: Transaction, kind: MemoryKind, name: str) -> None:
    if name == DEFAULT_AGENT_VERSION or await _is_used(
        snapshot, VersionFilter(kind=kind, agent_versions=(name,))
    ):
        return
    known = await snapshot.versions.agents()
    if name not in known:
        raise InvalidInput(
            f"agent_version: {no_such('agent version', name, known or [DEFAULT_AGENT_VERSION])}"
        )


async def _is_used(snapshot: Transaction, wanted: VersionFilter) -> bool:
    """Whether a memory of any version matches *wanted*."""
    for version in _VERSIONS:
        if await snapshot.versions.has(wanted, version):
            return True
    return False
