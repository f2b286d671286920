"""What one extractor or evaluator of a tenant does; older names of keys are taken as well."""

from typing import Annotated, Self

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from sagacity.config.fields import ConfigPart, Text
from sagacity.domain.ids import fitting_key

ExtractorName = Annotated[
    Text,
    AfterValidator(fitting_key),
    Field(validation_alias=AliasChoices("extractor_name", "playbook_name", "feedback_name")),
]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]
SizeOverride = Annotated[
    int | None,
    Field(gt=0, validation_alias=AliasChoices("batch_size_override", "extraction_window_size_override")),
]
IntervalOverride = Annotated[
    int | None,
    Field(
        gt=0, validation_alias=AliasChoices("batch_interval_override", "extraction_window_stride_override")
    ),
]

PROFILE_DEFINITION = (
    "Lasting things about the user and their world that make the next conversation better: who they are "
    "and what they do, where they live, the people and animals close to them, goals and plans with their "
    "dates, tastes, dislikes, health and other limits, the tools and systems they work with and how these "
    "are set up. Also preferences that show in what they choose rather than in what they say. Not the "
    "task of the moment, and no rules for the agent."
)
PLAYBOOK_DEFINITION = (
    "How the agent should act for this user from now on. From a correction: what the agent did, what the "
    "user wanted instead, and in which situation. From work that succeeded after some trying: the steps, "
    "tools and values that made it succeed, so that they need not be found again. Each rule says when it "
    "holds and rests on this conversation; a rule that would be true of any conversation is left out."
)


class ToolDescription(ConfigPart):
    """A tool that the tenant's agents may call."""

    tool_name: Text
    tool_description: Text


class WindowOverride(ConfigPart):
    """A window of its own in place of the tenant's."""

    batch_size_override: SizeOverride = None
    batch_interval_override: IntervalOverride = None

    @model_validator(mode="after")
    def _interval_within_size(self) -> Self:
        size, interval = self.batch_size_override, self.batch_interval_override
        if size is not None and interval is not None and interval > size:
            raise ValueError("batch_interval_override must not be larger than batch_size_override")
        return self


class ProfileExtractorConfig(WindowOverride):
    """What is learned about users."""

    extractor_name: ExtractorName
    extraction_definition_prompt: Text = Field(
        validation_alias=AliasChoices("extraction_definition_prompt", "profile_content_definition_prompt")
    )
    context_prompt: str | None = None
    metadata_definition_prompt: str | None = None
    should_extract_profile_prompt_override: str | None = None
    request_sources_enabled: tuple[str, ...] | None = None
    """Sources whose requests are read; null reads all."""
    manual_trigger: bool = False
    """Runs only when someone asks for it."""


class PlaybookAggregatorConfig(ConfigPart):
    """When and how the playbooks of many users become one for all."""

    min_cluster_size: Count = Field(
        default=2, validation_alias=AliasChoices("min_cluster_size", "min_feedback_threshold")
    )
    """Below 2 nothing is aggregated."""
    reaggregation_trigger_count: Count = Field(
        default=2, validation_alias=AliasChoices("reaggregation_trigger_count", "refresh_count")
    )
    clustering_similarity: Share = Field(
        default=0.5, validation_alias=AliasChoices("clustering_similarity", "similarity_threshold")
    )
    direction_overlap_threshold: Share = 0.6


class DeduplicationConfig(ConfigPart):
    """How near, and how many, the neighbours are to which a new playbook is compared."""

    search_threshold: Share = 0.4
    search_top_k: Count = 5


class SkillGeneratorConfig(ConfigPart):
    """When playbooks are written up as skills."""

    enabled: bool = False
    min_feedback_per_cluster: Count = 5
    cooldown_hours: int = Field(default=24, ge=0)
    auto_generate_on_aggregation: bool = False
    max_interactions_per_skill: Count = 20


class UserPlaybookExtractorConfig(WindowOverride):
    """What agents learn about their own work."""

    extractor_name: ExtractorName
    extraction_definition_prompt: Text = Field(
        validation_alias=AliasChoices(
            "extraction_definition_prompt", "playbook_definition_prompt", "feedback_definition_prompt"
        )
    )
    context_prompt: str | None = None
    metadata_definition_prompt: str | None = None
    aggregation_config: PlaybookAggregatorConfig | None = Field(
        default=None,
        validation_alias=AliasChoices(
            "aggregation_config", "playbook_aggregator_config", "feedback_aggregator_config"
        ),
    )
    """Null: these playbooks stay with their users."""
    deduplication_config: DeduplicationConfig | None = None
    skill_generator_config: SkillGeneratorConfig | None = None
    request_sources_enabled: tuple[str, ...] | None = None


class AgentSuccessConfig(WindowOverride):
    """How the success of a session is judged."""

    evaluation_name: Text
    success_definition_prompt: Text
    metadata_definition_prompt: str | None = None
    sampling_rate: Share = 1.0
    """The share of sessions that is judged."""


DEFAULT_PROFILE_EXTRACTOR = ProfileExtractorConfig(
    extractor_name="default_profile_extractor", extraction_definition_prompt=PROFILE_DEFINITION
)
DEFAULT_PLAYBOOK_EXTRACTOR = UserPlaybookExtractorConfig(
    extractor_name="default_playbook_extractor",
    extraction_definition_prompt=PLAYBOOK_DEFINITION,
    aggregation_config=PlaybookAggregatorConfig(),
)
