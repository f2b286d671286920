"""The configuration of one tenant: extractors, windows, models, keys."""

from collections.abc import Callable, Mapping
from enum import IntEnum, StrEnum
from typing import Annotated, Any, ClassVar, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasChoices,
    Field,
    JsonValue,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from sagacity.config.chat_budgets import ChatBudgets
from sagacity.config.extractor_config import (
    DEFAULT_PLAYBOOK_EXTRACTOR,
    DEFAULT_PROFILE_EXTRACTOR,
    AgentSuccessConfig,
    ProfileExtractorConfig,
    ToolDescription,
    UserPlaybookExtractorConfig,
    WindowOverride,
)
from sagacity.config.fields import OPEN, REVEAL, SEAL, STORED, ConfigPart, Count, Ignored, has_flag, is_masked
from sagacity.config.ignored_keys import IGNORED
from sagacity.config.model_keys import APIKeyConfig, LLMConfig
from sagacity.config.ranking_weights import SignalWeights
from sagacity.config.spending_cap import SpendingCap
from sagacity.domain.errors import ConfigError, InvalidInput
from sagacity.domain.holdout import MOST_SHARE
from sagacity.prompts.names import checked_versions

Part = TypeVar("Part", bound=ConfigPart)
ADDRESS_FIELDS = ("api_base", "endpoint")
"""Keys that say where a secret is sent."""


class ExtractionPreset(StrEnum):
    """A window for a type of conversation."""

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
    """The result of a client's last storage test; stored, and never used."""

    UNKNOWN = 0
    INCOMPLETE = 1
    FAILED = 2
    SUCCEEDED = 3


_NO_DISK = "is not supported: the configuration cannot name a program or a path"
_NO_DATABASE = "is not supported: the database is chosen by the server's settings, not by the configuration"


class StorageConfigSQLite(ConfigPart):
    """The only storage that a client may name: the one that the server's settings choose."""

    db_path: None = Field(default=None, description="Must be null: the server's settings choose the path.")

    refused: ClassVar[Mapping[str, str]] = {
        "dir_path": _NO_DISK,
        "qmd_binary": _NO_DISK,
        "url": _NO_DATABASE,
        "key": _NO_DATABASE,
        "db_url": _NO_DATABASE,
    }

    @field_validator("db_path", mode="before")
    @classmethod
    def _only_the_servers_own(cls, value: object) -> object:
        if value is not None:
            raise ValueError("cannot be set here: the server's settings say where the database is")
        return value


def _preset_size(fields: dict[str, Any]) -> int:
    return WINDOWS[fields["extraction_preset"]][0]


def _preset_interval(fields: dict[str, Any]) -> int:
    return min(WINDOWS[fields["extraction_preset"]][1], fields["batch_size"])


def _known_prompts(given: dict[str, int], info: ValidationInfo) -> dict[str, int]:
    known: dict[str, int] = {}
    for name, version in given.items():
        try:
            known |= checked_versions({name: version})
        except InvalidInput as error:
            if not has_flag(info.context, STORED):
                raise ValueError(str(error)) from error
    return known


class TenantConfig(ConfigPart):
    """
    The configuration of one organisation.

    A wrong type or value is a `ValidationError`. Keys are taken under their older names too. An extractor list
    that is null or empty becomes the one default extractor.
    """

    extraction_preset: ExtractionPreset | None = Field(
        default=None,
        description="Sets size and interval together, see below; values given explicitly override it.",
    )
    batch_size: Count = Field(
        default_factory=_preset_size,
        description="Turns that a learner sees at a time, including earlier ones as context. With a model, 10 and an "
        "interval of 5 count as not chosen: windows then end where the conversation does.",
        validation_alias=AliasChoices("batch_size", "extraction_window_size", "window_size"),
    )
    batch_interval: Count = Field(
        default_factory=_preset_interval,
        description="New turns that a learner reads at a time; at most `batch_size`.",
        validation_alias=AliasChoices("batch_interval", "extraction_window_stride", "stride_size"),
    )
    storage_config: StorageConfigSQLite | None = Field(
        default=None, description="Null or `{}`: the server's own database."
    )
    storage_config_test: StorageConfigTest = Field(
        default=StorageConfigTest.UNKNOWN,
        description="Stored for the client that wrote it, and never used.",
    )
    agent_context_prompt: str | None = Field(
        default=None, description="What the agent does; added to the prompts."
    )
    tool_can_use: tuple[ToolDescription, ...] | None = Field(
        default=None,
        description="The agent's tools; added to the prompts for playbooks and evaluation.",
    )
    profile_extraction_enabled: bool = Field(
        default=True, description="If false, no profiles are learned, even on request."
    )
    user_playbook_extraction_enabled: bool = Field(
        default=True, description="If false, no user playbooks are learned, even on request."
    )
    contact_data_enabled: bool = Field(
        default=False,
        description="Note phone numbers, e-mail addresses and postal addresses as profiles. If false, none is learned.",
    )
    profile_extractor_configs: tuple[ProfileExtractorConfig, ...] = Field(
        default=(DEFAULT_PROFILE_EXTRACTOR,),
        description="What to learn about users; each extractor is a learner. Empty: the default extractor.",
    )
    user_playbook_extractor_configs: tuple[UserPlaybookExtractorConfig, ...] = Field(
        default=(DEFAULT_PLAYBOOK_EXTRACTOR,),
        description="What rules to learn for the agent; each extractor is a learner. Empty: the default extractor.",
        validation_alias=AliasChoices(
            "user_playbook_extractor_configs", "playbook_configs", "agent_feedback_configs"
        ),
    )
    agent_success_configs: tuple[AgentSuccessConfig, ...] | None = Field(
        default=None, description="Evaluators of sessions; null or empty: none."
    )
    api_key_config: APIKeyConfig | None = Field(
        default=None, description="Keys for model providers; they override those in the server's environment."
    )
    llm_config: LLMConfig | None = Field(default=None, description="Models by name.")
    skip_should_run_check: bool = Field(
        default=False,
        description="Do not ask a model whether a window is worth reading, even if one is configured.",
    )
    enable_document_expansion: bool = Field(
        default=False,
        description="Let a model add synonyms to each new memory; one more call per window.",
    )
    incremental_extraction: bool = Field(
        default=False,
        description="Run the extractors of a kind one after another; each sees what the earlier ones found.",
    )
    spending_cap: SpendingCap | None = Field(
        default=None, description="Limit on model use; when it is reached, rules learn until the next period."
    )
    chat_budgets: ChatBudgets = Field(
        default=ChatBudgets(), description="Tokens that a prompt of the chat may hold beside its message."
    )
    ranking_weights: SignalWeights = Field(
        default=SignalWeights(), description="What each signal counts for in the ranking `weighted`."
    )
    holdout_share: Annotated[float, Field(ge=0, le=MOST_SHARE, allow_inf_nan=False)] = Field(
        default=0.0,
        description="The share of sessions, at most 0.2, that go without a memory which they would be shown, drawn "
        "for each session and memory; so its effect is measured. 0: none.",
    )
    prompt_versions: Annotated[dict[str, int], AfterValidator(_known_prompts)] = Field(
        default={}, description="Versions of prompts to use instead of the newest."
    )

    refused: ClassVar[Mapping[str, str]] = {
        "llm_model_setting": "is not supported: name models in llm_config",
        "feature_flags": "are not supported: this configuration applies to the whole organisation",
    }

    ignored: ClassVar[Mapping[str, Ignored]] = IGNORED

    @field_validator("profile_extractor_configs", mode="before")
    @classmethod
    def _default_profile_extractor(cls, value: object) -> object:
        return (DEFAULT_PROFILE_EXTRACTOR,) if value in ([], ()) else value

    @field_validator("user_playbook_extractor_configs", mode="before")
    @classmethod
    def _default_playbook_extractor(cls, value: object) -> object:
        return (DEFAULT_PLAYBOOK_EXTRACTOR,) if value in ([], ()) else value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults: list[str] = []
        if self.batch_interval > self.batch_size:
            faults.append("batch_interval must not be larger than batch_size")
        for where, names in (
            ("profile_extractor_configs", [one.extractor_name for one in self.profile_extractor_configs]),
            (
                "user_playbook_extractor_configs",
                [one.extractor_name for one in self.user_playbook_extractor_configs],
            ),
            ("agent_success_configs", [one.evaluation_name for one in self.agent_success_configs or ()]),
        ):
            if repeated := _repeated(names):
                faults.append(f"names must differ within {where}: {', '.join(repeated)}")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def profile_extractors(self, *, asked: bool = False) -> tuple[ProfileExtractorConfig, ...]:
        """Return the extractors of profiles that run by themselves; if *asked*, also those that run on request."""
        if not self.profile_extraction_enabled:
            return ()
        return tuple(one for one in self.profile_extractor_configs if asked or not one.manual_trigger)

    def user_playbook_extractors(self, *, asked: bool = False) -> tuple[UserPlaybookExtractorConfig, ...]:
        """Return the extractors of playbooks that run by themselves; if *asked*, also those that run on request."""
        if not self.user_playbook_extraction_enabled:
            return ()
        return tuple(one for one in self.user_playbook_extractor_configs if asked or not one.manual_trigger)


def _repeated(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


def _message(fault: ErrorDetails) -> str:
    return f"{'.'.join(map(str, fault['loc'])) or 'configuration'}: {fault['msg']}"


def window_of(config: TenantConfig, extractor: WindowOverride) -> tuple[int, int]:
    """Return size and interval of *extractor*'s window: its own, else the tenant's; 1 <= interval <= size."""
    size = extractor.batch_size_override or config.batch_size
    return size, min(extractor.batch_interval_override or config.batch_interval, size)


def is_window_chosen(config: TenantConfig, extractor: WindowOverride) -> bool:
    """
    Whether someone chose *extractor*'s window.

    Size and interval without a preset do not count where they are what every configuration shows and many clients
    send back: to choose these there is a preset.
    """
    return (
        config.extraction_preset is not None
        or extractor.batch_size_override is not None
        or extractor.batch_interval_override is not None
        or (config.batch_size, config.batch_interval) != WINDOWS[None]
    )


def masked(config: TenantConfig) -> dict[str, JsonValue]:
    """Return *config* for a reply: nulls kept, every secret replaced by the mask."""
    return config.model_dump(mode="json")


def dump_with_secrets(config: TenantConfig) -> str:
    """Write *config* as JSON with its secrets in the clear, only for comparisons."""
    return config.model_dump_json(context={REVEAL: True})


def dump_sealed(config: TenantConfig, seal: Callable[[str], str]) -> str:
    """Write *config* as JSON for storage, with each secret sealed by *seal*."""
    return config.model_dump_json(context={SEAL: seal})


def has_secrets(config: TenantConfig) -> bool:
    """Whether there is anything in *config* to seal."""
    found: list[str] = []

    def note(secret: str) -> str:
        found.append(secret)
        return ""

    dump_sealed(config, note)
    return bool(found)


def load_config(text: str, open_secret: Callable[[str], str] | None = None) -> TenantConfig:
    """
    Read what this or another release stored; unknown keys are left out.

    Args:
        text: the configuration in JSON.
        open_secret: opens a sealed secret, and returns any other unchanged; without it, none is opened.

    Raises:
        ConfigError: it is no valid configuration. It is never replaced by the defaults.
    """
    context = {STORED: True} | ({} if open_secret is None else {OPEN: open_secret})
    try:
        return TenantConfig.model_validate_json(text, context=context)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        raise ConfigError(
            "the stored configuration is not valid: " + "; ".join(map(_message, faults))
        ) from error


def merge_secrets(new: TenantConfig, old: TenantConfig) -> TenantConfig:
    """
    Restore the stored secrets where *new* has masks.

    Raises:
        InvalidInput: nothing is stored there, or the address beside the secret changed: a stored key is
            not sent to an address for which it was not given.
    """
    if new.api_key_config is None:
        return new
    keys = _unmasked(new.api_key_config, old.api_key_config, "api_key_config")
    return new.model_copy(update={"api_key_config": keys})


def _address(part: ConfigPart | None, field: str) -> tuple[str, ...]:
    """Return a URL in normal form, because some clients normalise it before they send it back."""
    value: object = getattr(part, field, None)
    if not isinstance(value, str):
        return ()
    url = urlsplit(value)
    return url.scheme, url.netloc.lower(), url.path.rstrip("/"), url.query


def _unmasked(new: Part, old: ConfigPart | None, path: str) -> Part:
    """Return *new* with masks replaced by the secrets of *old*, part by part."""
    kept: dict[str, object] = {}
    for name, value in new:
        where, before = f"{path}.{name}", getattr(old, name, None)
        if isinstance(value, ConfigPart):
            kept[name] = _unmasked(value, before if isinstance(before, type(value)) else None, where)
        elif isinstance(value, SecretStr) and is_masked(value):
            if not isinstance(before, SecretStr):
                raise InvalidInput(f"{where} is masked, but no key is stored there: send the key itself")
            if any(_address(new, field) != _address(old, field) for field in ADDRESS_FIELDS):
                raise InvalidInput(f"{where} is masked, but its address changed: send the key itself")
            kept[name] = before
    return new.model_copy(update=kept)
