"""The configuration in the form of clients that know one extractor of each kind instead of lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sagacity.config.extractor_config import (
    DEFAULT_PLAYBOOK_EXTRACTOR,
    DEFAULT_PROFILE_EXTRACTOR,
    AgentSuccessConfig,
    ProfileExtractorConfig,
    UserPlaybookExtractorConfig,
)
from sagacity.config.fields import ConfigPart
from sagacity.config.known_keys import Place, known_names
from sagacity.config.tenant_config import TenantConfig, masked
from sagacity.domain.errors import InvalidInput

_AGGREGATION = "aggregation_config"
_NEVER: JsonValue = {"min_cluster_size": 1}
"""Means never, for clients that read null as the default: below 2, nothing is aggregated."""


@dataclass(frozen=True, slots=True)
class _Single:
    """The meaning of a key for a single extractor."""

    many: str
    """The list of which it is the first entry."""
    part: type[ConfigPart]
    name_key: str
    default_name: str
    """The name of the entry if there was none."""
    unspoken: tuple[str, ...]
    """Keys that those clients do not know; they stay unchanged."""
    switch: str | None = None
    """What is false where the key is null; without one, there is no list then."""


SINGLES: Mapping[str, _Single] = {
    "profile_extractor_config": _Single(
        many="profile_extractor_configs",
        part=ProfileExtractorConfig,
        name_key="extractor_name",
        default_name=DEFAULT_PROFILE_EXTRACTOR.extractor_name,
        unspoken=("metadata_definition_prompt",),
        switch="profile_extraction_enabled",
    ),
    "user_playbook_extractor_config": _Single(
        many="user_playbook_extractor_configs",
        part=UserPlaybookExtractorConfig,
        name_key="extractor_name",
        default_name=DEFAULT_PLAYBOOK_EXTRACTOR.extractor_name,
        unspoken=("metadata_definition_prompt", "skill_generator_config", "manual_trigger"),
        switch="user_playbook_extraction_enabled",
    ),
    "agent_success_config": _Single(
        many="agent_success_configs",
        part=AgentSuccessConfig,
        name_key="evaluation_name",
        default_name="agent_success",
        unspoken=("metadata_definition_prompt",),
    ),
}
_UNSPOKEN_MODELS = ("chat_model_name",)
"""The same of `llm_config`."""


def with_singles(config: TenantConfig) -> dict[str, JsonValue]:
    """Return *config* for a reply: secrets masked, and the first entry of each list repeated under its own key."""
    shown = masked(config)
    return shown | {key: _shown(shown, single) for key, single in SINGLES.items()}


def replacing(config: TenantConfig, given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """
    Return the configuration to replace *config*, as lists.

    If *given* has a single extractor and no list, its client does not know the rest, which stays.

    Raises:
        InvalidInput: a list and a single extractor contradict each other.
    """
    if not SINGLES.keys() & given.keys() or any(_lists(given, single) for single in SINGLES.values()):
        return _in_lists(config, given)
    models, stored = given.get("llm_config"), masked(config)["llm_config"]
    if isinstance(models, dict) and isinstance(stored, dict):
        kept = {name: stored[name] for name in _UNSPOKEN_MODELS}
        given = {**given, "llm_config": kept | models}
    return overlaid(config, given)


def overlaid(config: TenantConfig, given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """
    Return *config* with each top-level key of *given* replaced, under any of its names.

    Secrets are masks. A preset replaces the stored window.

    Raises:
        InvalidInput: in *given*, a list and a single extractor contradict each other.
    """
    new = _in_lists(config, given)
    names = known_names(TenantConfig)
    gone = {names.get(key, key) for key in new}
    if "extraction_preset" in gone:
        gone |= {"batch_size", "batch_interval"}
    return {key: value for key, value in masked(config).items() if key not in gone} | new


def sent_at(place: Place, given: Mapping[str, JsonValue]) -> Place:
    """Return the place in *given* of what is at *place* in the resulting configuration."""
    for key, single in SINGLES.items():
        if key in given and place[:2] == (single.many, 0):
            return key, *place[2:]
    return place


def _in_lists(config: TenantConfig, given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return *given* with lists in place of single extractors; the other entries of a list stay."""
    stored = masked(config)
    new = {key: value for key, value in given.items() if key not in SINGLES}
    for key, single in SINGLES.items():
        if key not in given:
            continue
        if named := _lists(given, single):
            # A reply contains both, so an unchanged one says nothing.
            if given[key] not in (
                _shown(stored, single),
                _shown({**stored, single.many: given[named]}, single),
            ):
                raise InvalidInput(f"{key} is the first of {named}, and they differ; send only one of them")
            continue
        entries = _entries(stored, single)
        if given[key] is not None:
            new[single.many] = [_entry(single, given[key], entries), *entries[1:]]
        elif single.switch is None and entries:
            new[single.many] = None
        if single.switch is not None:
            new.setdefault(single.switch, given[key] is not None)
    return new


def _entry(single: _Single, given: JsonValue, entries: Sequence[JsonValue]) -> JsonValue:
    """Return the first of *entries*, changed by *given*; anything but an object is left for validation to refuse."""
    if not isinstance(given, dict):
        return given
    first = entries[0] if entries and isinstance(entries[0], dict) else {}
    names = known_names(single.part)
    said = {names.get(key, key) for key, value in given.items() if value is not None}
    kept = {key: first[key] for key in single.unspoken if key in first and key not in said}
    if single.name_key not in said:
        kept[single.name_key] = first.get(single.name_key, single.default_name)
    new = {key: value for key, value in given.items() if key not in kept} | kept
    aggregation = given.get(_AGGREGATION)
    was_never = _AGGREGATION in first and first[_AGGREGATION] is None
    if was_never and isinstance(aggregation, dict) and aggregation.get("min_cluster_size") == 1:
        new[_AGGREGATION] = None
    return new


def _shown(shown: Mapping[str, JsonValue], single: _Single) -> JsonValue:
    entries = _entries(shown, single)
    if not entries or (single.switch is not None and not shown[single.switch]):
        return None
    first = entries[0]
    if isinstance(first, dict) and _AGGREGATION in first and first[_AGGREGATION] is None:
        return first | {_AGGREGATION: _NEVER}
    return first


def _entries(shown: Mapping[str, JsonValue], single: _Single) -> list[JsonValue]:
    found = shown.get(single.many)
    return found if isinstance(found, list) else []


def _lists(given: Mapping[str, JsonValue], single: _Single) -> str | None:
    """Return the name under which *given* has the list, if it has one."""
    names = known_names(TenantConfig)
    return next((key for key in given if names.get(key) == single.many), None)
