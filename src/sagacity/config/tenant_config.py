"""What one tenant chooses: extractors, windows, models, keys."""

from collections.abc import Iterable, Mapping
from enum import IntEnum, StrEnum
from typing import Any, Self, TypeVar, cast

from pydantic import (
    AliasChoices,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from sagacity.config.extractor_config import (
    DEFAULT_PLAYBOOK_EXTRACTOR,
    DEFAULT_PROFILE_EXTRACTOR,
    AgentSuccessConfig,
    ProfileExtractorConfig,
    ToolDescription,
    UserPlaybookExtractorConfig,
    WindowOverride,
)
from sagacity.config.fields import REVEAL, ConfigPart, is_masked
from sagacity.config.model_keys import APIKeyConfig, LLMConfig
from sagacity.domain.errors import ConfigError, InvalidInput

Part = TypeVar("Part", bound=ConfigPart)
ADDRESS_FIELDS = ("api_base", "endpoint")
"""What says where a secret is sent."""


class ExtractionPreset(StrEnum):
    """A window for a sort of conversation."""

    QUICK_CHAT = "quick_chat"
    STANDARD = "standard"
    LONG_FORM = "long_form"
    HIGH_VOLUME = "high_volume"


WINDOWS = {
    None: (10, 5),
    ExtractionPreset.QUICK_CHAT: (5, 3),
    ExtractionPreset.STANDARD: (10, 5),
    ExtractionPreset.LONG_FORM: (25, 10),
    ExtractionPreset.HIGH_VOLUME: (15, 8),
}
"""batch_size and batch_interval of each preset, and without one."""


class StorageConfigTest(IntEnum):
    """How a client's last test of its storage ended; kept for it and never acted on."""

    UNKNOWN = 0
    INCOMPLETE = 1
    FAILED = 2
    SUCCEEDED = 3


class StorageConfigSQLite(ConfigPart):
    """The one storage that a client may name: the server's own. Where that is, the server's settings say."""

    db_path: None = None

    @model_validator(mode="before")
    @classmethod
    def _only_the_servers_own(cls, value: object) -> object:
        if isinstance(value, Mapping):
            _refuse_other_storage(cast("Mapping[object, object]", value))
        return cast("object", value)


def _refuse_other_storage(value: Mapping[object, object]) -> None:
    given = {name for name, choice in value.items() if choice is not None}
    if given & {"dir_path", "qmd_binary"}:
        raise ValueError("disk storage is not supported; the configuration can not name a program or a path")
    if given & {"url", "key", "db_url"}:
        raise ValueError("the database is chosen by the server's settings, not by the configuration")
    if "db_path" in given:
        raise ValueError("db_path can not be chosen here: the server's settings say where the database is")


def _preset_size(fields: dict[str, Any]) -> int:
    return WINDOWS[fields["extraction_preset"]][0]


def _preset_interval(fields: dict[str, Any]) -> int:
    return min(WINDOWS[fields["extraction_preset"]][1], fields["batch_size"])


class TenantConfig(ConfigPart):
    """
    All choices of one tenant, as they go over the wire.

    Unknown keys are dropped, as clients of other versions send them; a wrong type or value is a
    `ValidationError`. Keys are taken under their older names too. An extractor list that is null or empty
    becomes the one default extractor.
    """

    extraction_preset: ExtractionPreset | None = None
    batch_size: int = Field(
        default_factory=_preset_size,
        gt=0,
        validation_alias=AliasChoices("batch_size", "extraction_window_size"),
    )
    batch_interval: int = Field(
        default_factory=_preset_interval,
        gt=0,
        validation_alias=AliasChoices("batch_interval", "extraction_window_stride"),
    )
    storage_config: StorageConfigSQLite | None = None
    storage_config_test: StorageConfigTest = StorageConfigTest.UNKNOWN
    agent_context_prompt: str | None = None
    tool_can_use: tuple[ToolDescription, ...] | None = None
    profile_extractor_configs: tuple[ProfileExtractorConfig, ...] = (DEFAULT_PROFILE_EXTRACTOR,)
    user_playbook_extractor_configs: tuple[UserPlaybookExtractorConfig, ...] = Field(
        default=(DEFAULT_PLAYBOOK_EXTRACTOR,),
        validation_alias=AliasChoices(
            "user_playbook_extractor_configs", "playbook_configs", "agent_feedback_configs"
        ),
    )
    agent_success_configs: tuple[AgentSuccessConfig, ...] | None = None
    api_key_config: APIKeyConfig | None = None
    llm_config: LLMConfig | None = None
    skip_should_run_check: bool = False
    enable_document_expansion: bool = False

    @field_validator("profile_extractor_configs", mode="before")
    @classmethod
    def _default_profile_extractor(cls, value: object) -> object:
        return (DEFAULT_PROFILE_EXTRACTOR,) if value is None or value in ([], ()) else value

    @field_validator("user_playbook_extractor_configs", mode="before")
    @classmethod
    def _default_playbook_extractor(cls, value: object) -> object:
        return (DEFAULT_PLAYBOOK_EXTRACTOR,) if value is None or value in ([], ()) else value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.batch_interval > self.batch_size:
            raise ValueError("batch_interval must not be larger than batch_size")
        for names in (
            [extractor.extractor_name for extractor in self.profile_extractor_configs],
            [extractor.extractor_name for extractor in self.user_playbook_extractor_configs],
            [evaluator.evaluation_name for evaluator in self.agent_success_configs or ()],
        ):
            if len(set(names)) < len(names):
                raise ValueError(f"names must differ within a list: {', '.join(_repeated(names))}")
        return self


def _repeated(names: list[str]) -> Iterable[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _told(fault: ErrorDetails) -> str:
    return f"{'.'.join(map(str, fault['loc'])) or 'configuration'}: {fault['msg']}"


def window_of(config: TenantConfig, extractor: WindowOverride) -> tuple[int, int]:
    """Return size and interval of *extractor*'s window: its own, else the tenant's; 1 <= interval <= size."""
    size = extractor.batch_size_override or config.batch_size
    return size, min(extractor.batch_interval_override or config.batch_interval, size)


def masked(config: TenantConfig) -> dict[str, JsonValue]:
    """Return *config* for a reply: nulls kept, every secret replaced by the mask."""
    return config.model_dump(mode="json")


def dump_with_secrets(config: TenantConfig) -> str:
    """Write *config* as JSON with its secrets in the clear: for storage, and for nothing else."""
    return config.model_dump_json(context={REVEAL: True})


def load_config(text: str) -> TenantConfig:
    """
    Read what `dump_with_secrets` wrote.

    Raises:
        ConfigError: it does not read as a configuration. It is never replaced by the defaults.
    """
    try:
        return TenantConfig.model_validate_json(text)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        raise ConfigError(
            "the stored configuration does not read: " + "; ".join(map(_told, faults))
        ) from error


def merge_secrets(new: TenantConfig, old: TenantConfig) -> TenantConfig:
    """
    Put the stored secrets back where *new* carries the mask in their place.

    Raises:
        InvalidInput: nothing is stored there, or the address beside the secret changed: a stored key is
            not sent to an address for which it was not given.
    """
    if new.api_key_config is None:
        return new
    keys = _unmasked(new.api_key_config, old.api_key_config, "api_key_config")
    return new.model_copy(update={"api_key_config": keys})


def _unmasked(new: Part, old: ConfigPart | None, path: str) -> Part:
    """Return *new* with the secrets of *old* in place of masks, part by part."""
    kept: dict[str, object] = {}
    for name, value in new:
        where, before = f"{path}.{name}", getattr(old, name, None)
        if isinstance(value, ConfigPart):
            kept[name] = _unmasked(value, before if isinstance(before, type(value)) else None, where)
        elif isinstance(value, SecretStr) and is_masked(value):
            if not isinstance(before, SecretStr):
                raise InvalidInput(f"{where} is masked, and no key is stored there: send the key itself")
            if any(getattr(new, field, None) != getattr(old, field, None) for field in ADDRESS_FIELDS):
                raise InvalidInput(f"{where} is masked, and the address beside it changed: send the key")
            kept[name] = before
    return new.model_copy(update=kept)
