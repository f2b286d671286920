"""The configuration of one extractor or evaluator; older names of keys are accepted too."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, AliasChoices, Field, model_validator

from sagacity.config.fields import MOST, ConfigPart, Count, Idle, Ignored, Text
from sagacity.domain.ids import fitting_key

ExtractorName = Annotated[
    Text,
    AfterValidator(fitting_key),
    Field(validation_alias=AliasChoices("extractor_name", "playbook_name", "feedback_name")),
]
Share = Annotated[float, Field(ge=0, le=1)]
LONGEST_HOURS = 87_600
"""Ten years; a few thousand times as much would exceed the range of dates."""
SizeOverride = Annotated[
    int | None,
    Field(
        gt=0,
        le=MOST,
        validation_alias=AliasChoices(
            "batch_size_override", "extraction_window_size_override", "window_size_override"
        ),
    ),
]
IntervalOverride = Annotated[
    int | None,
    Field(
        gt=0,
        le=MOST,
        validation_alias=AliasChoices(
            "batch_interval_override", "extraction_window_stride_override", "stride_size_override"
        ),
    ),
]
DEFINITION = "What to look for, in words. Learning by rules, without a model, ignores it."
CONTEXT = "Additional information for the model."
SOURCES = "Read only requests with these sources; null or empty: all."
MANUAL = "Run only on request."
_NO_TAGS = Ignored("what is learned is tagged by its keywords")

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
    """A tool that the organisation's agents may call."""

    tool_name: Text = Field(description="The name by which the agent calls it.")
    tool_description: Text = Field(description="What it does.")


class WindowOverride(ConfigPart):
    """A window that overrides the organisation's."""

    batch_size_override: SizeOverride = Field(default=None, description="Overrides `batch_size`.")
    batch_interval_override: IntervalOverride = Field(
        default=None, description="Overrides `batch_interval`; at most the size."
    )

    @model_validator(mode="after")
    def _interval_within_size(self) -> Self:
        size, interval = self.batch_size_override, self.batch_interval_override
        if size is not None and interval is not None and interval > size:
            raise ValueError("batch_interval_override must not be larger than batch_size_override")
        return self


class ProfileExtractorConfig(WindowOverride):
    """What is learned about users."""

    extractor_name: ExtractorName = Field(
        description="Name of the learner and its cursor; unique within the list."
    )
    extraction_definition_prompt: Text = Field(
        description=DEFINITION,
        validation_alias=AliasChoices("extraction_definition_prompt", "profile_content_definition_prompt"),
    )
    context_prompt: str | None = Field(default=None, description=CONTEXT)
    metadata_definition_prompt: str | None = Field(
        default=None, description="Which features to record with each fact, as `custom_features`."
    )
    should_extract_profile_prompt_override: str | None = Field(
        default=None,
        description="When a window is worth reading, in words, for the model that decides it.",
    )
    request_sources_enabled: tuple[str, ...] | None = Field(default=None, description=SOURCES)
    manual_trigger: bool = Field(default=False, description=MANUAL)

    ignored: ClassVar[Mapping[str, Ignored]] = {"tagging_definition_prompt": _NO_TAGS}


class PlaybookAggregatorConfig(ConfigPart):
    """When and how playbooks of many users are aggregated into one for all."""

    min_cluster_size: Count = Field(
        default=2,
        description="Users whose playbooks must be similar to make one for everyone; below 2, nothing is aggregated.",
        validation_alias=AliasChoices("min_cluster_size", "min_feedback_threshold"),
    )
    reaggregation_trigger_count: Count = Field(
        default=2,
        description="New playbooks that start a run.",
        validation_alias=AliasChoices("reaggregation_trigger_count", "refresh_count"),
    )
    clustering_similarity: Share = Field(
        default=0.5,
        description="Lowest average similarity within a cluster (cosine).",
        validation_alias=AliasChoices("clustering_similarity", "similarity_threshold"),
    )
    direction_overlap_threshold: Share = Field(
        default=0.6, description="Share of common words above which two playbooks ask for the same thing."
    )


class DeduplicationConfig(ConfigPart):
    """With which existing playbooks a new one is compared."""

    search_threshold: Share = Field(
        default=0.4, description="Lowest similarity of a playbook to compare with."
    )
    search_top_k: Count = Field(
        default=5, description="Most playbooks to compare with, by vector, and again by words."
    )

    ignored: ClassVar[Mapping[str, Ignored]] = {
        "max_unified_content_chars": Ignored("what two playbooks become has no limit of its own", 1_200)
    }


class SkillGeneratorConfig(ConfigPart):
    """When playbooks are turned into skills."""

    enabled: bool = Field(default=False, description="If false, skills are generated only on request.")
    min_feedback_per_cluster: Count = Field(
        default=5, description="Similar playbooks needed for a skill, of at least 2 users."
    )
    cooldown_hours: int = Field(
        default=24, ge=0, le=LONGEST_HOURS, description="Hours between two automatic runs."
    )
    auto_generate_on_aggregation: bool = Field(default=False, description="Run after each aggregation.")
    max_interactions_per_skill: Count = Field(
        default=20, description="Turns of the original conversations to read for one skill."
    )

    @property
    def is_automatic(self) -> bool:
        """Whether skills are written automatically."""
        return self.enabled and self.auto_generate_on_aggregation


class UserPlaybookExtractorConfig(WindowOverride):
    """What agents learn about their own work."""

    extractor_name: ExtractorName = Field(
        description="Name of the learner, its cursor and its playbooks; unique within the list."
    )
    extraction_definition_prompt: Text = Field(
        description=DEFINITION,
        validation_alias=AliasChoices(
            "extraction_definition_prompt", "playbook_definition_prompt", "feedback_definition_prompt"
        ),
    )
    context_prompt: str | None = Field(default=None, description=CONTEXT)
    metadata_definition_prompt: Annotated[str | None, Idle("a playbook has no features of its own")] = Field(
        default=None, description="Which features to record."
    )
    aggregation_config: PlaybookAggregatorConfig | None = Field(
        default=None,
        description="When playbooks of many users become one for everyone; null: never.",
        validation_alias=AliasChoices(
            "aggregation_config", "playbook_aggregator_config", "feedback_aggregator_config"
        ),
    )
    deduplication_config: DeduplicationConfig | None = Field(
        default=None, description="Which playbooks a new one is compared with; null: the ten nearest."
    )
    skill_generator_config: SkillGeneratorConfig | None = Field(
        default=None, description="When skills are generated from playbooks; null: only on request."
    )
    request_sources_enabled: tuple[str, ...] | None = Field(default=None, description=SOURCES)
    manual_trigger: bool = Field(default=False, description=MANUAL)

    ignored: ClassVar[Mapping[str, Ignored]] = {"tagging_definition_prompt": _NO_TAGS}


class AgentSuccessConfig(ConfigPart):
    """How the success of a session is evaluated."""

    evaluation_name: Text = Field(
        description="Name of the evaluator and its results; unique within the list."
    )
    success_definition_prompt: Text = Field(description="What counts as a success, in words.")
    metadata_definition_prompt: str | None = Field(
        default=None, description="What else to record about a session."
    )
    sampling_rate: Share = Field(default=1.0, description="Share of sessions to judge.")
    batch_size_override: Annotated[SizeOverride, Idle("a session is judged as a whole")] = Field(
        default=None, description="A window."
    )
    batch_interval_override: Annotated[IntervalOverride, Idle("a session is judged as a whole")] = Field(
        default=None, description="A step."
    )

    ignored: ClassVar[Mapping[str, Ignored]] = {
        "tagging_definition_prompt": Ignored("a result has no tags"),
        "request_sources_enabled": Ignored("sessions are judged whatever their source"),
        "evaluation_only_sampling_rate": Ignored("sampling_rate counts for every session"),
        "retrieved_learning_sampling_rate": Ignored("memories are not judged one by one"),
    }


DEFAULT_PROFILE_EXTRACTOR = ProfileExtractorConfig(
    extractor_name="default_profile_extractor", extraction_definition_prompt=PROFILE_DEFINITION
)
DEFAULT_PLAYBOOK_EXTRACTOR = UserPlaybookExtractorConfig(
    extractor_name="default_playbook_extractor",
    extraction_definition_prompt=PLAYBOOK_DEFINITION,
    aggregation_config=PlaybookAggregatorConfig(),
)
