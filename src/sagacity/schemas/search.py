"""Bodies of searches."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self, cast

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StringConstraints, model_validator

from sagacity.domain.condition import parse_condition
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import TENANT_KINDS
from sagacity.domain.memory import Approval, MemoryKind
from sagacity.domain.query import Ranking, SearchMode, StrategyName
from sagacity.schemas.base import Body, Count, Id, Label, Moment, Share, Statuses, StrictPart

MAX_QUERY = 20_000
MAX_NEIGHBOURS = 5


def required(schema: dict[str, JsonValue]) -> None:
    """Describe a field that one search requires and others do not: null counts as missing, as everywhere."""
    choices = schema.pop("anyOf")
    if isinstance(choices, list) and isinstance(choices[0], dict):
        schema.update(choices[0])


def _readable(given: object) -> object:
    """Refuse a condition that does not read, before anything else is done with it."""
    parse_condition(given)
    return given


def _each_once(given: tuple[StrategyName, ...]) -> tuple[StrategyName, ...]:
    return tuple(dict.fromkeys(given))


RequiredQuery = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY)]
"""A required question."""
Neighbours = Annotated[int, Field(ge=0, le=MAX_NEIGHBOURS)]
Ids = Annotated[tuple[Id, ...], Field(min_length=1, max_length=100, fail_fast=True)]
Labels = Annotated[tuple[Label, ...], Field(min_length=1, max_length=100, fail_fast=True)]
Tags = Annotated[
    tuple[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=512)], ...],
    Field(min_length=1, max_length=50, fail_fast=True),
]
Limit = Annotated[Count, Field(description="How many at most.")]
Threshold = Annotated[Share, Field(description="Lowest relevance, from 0 to 1, of a result.")]
Metadata = Annotated[dict[str, JsonValue], BeforeValidator(_readable)]
"""A condition, as `domain/condition.py` reads it."""
Strategies = Annotated[
    tuple[StrategyName, ...],
    Field(min_length=1, max_length=len(StrategyName), fail_fast=True),
    AfterValidator(_each_once),
]
Approvals = Annotated[tuple[Approval, ...], Field(min_length=1, max_length=len(Approval), fail_fast=True)]
OLDER_APPROVALS = {"draft": "pending", "published": "approved", "deprecated": "rejected"}
"""Older clients' words for a skill's approval."""


def approval_words(given: object) -> object:
    """Translate older words for approvals, one or several."""
    if isinstance(given, list | tuple):
        return [approval_words(one) for one in cast("Sequence[object]", given)]
    return OLDER_APPROVALS.get(given, given) if isinstance(given, str) else given


SearchKind = MemoryKind | Literal["interaction"]
Kinds = Annotated[tuple[SearchKind, ...], Field(min_length=1, max_length=len(MemoryKind) + 1, fail_fast=True)]


class ConversationTurn(StrictPart):
    """A turn that came before the question."""

    role: Id
    content: str = Field(min_length=1)


class SearchOptions(Body):
    """
    The options of every search; without a query, the newest are returned.

    `start_time` and `end_time` bound when something was learned, or last changed, and when a turn arrived.
    """

    start_time: Moment | None = None
    end_time: Moment | None = None
    query: str | None = Field(default=None, max_length=MAX_QUERY)
    """The question, in plain words."""
    user_id: Id | None = None
    """The user; use `user_ids` for several."""
    user_ids: Ids | None = None
    """Several users instead of one."""
    session_id: Id | None = None
    """The conversation in which the results are used."""
    top_k: Limit = 10
    threshold: Threshold = 0.4
    search_mode: SearchMode = SearchMode.HYBRID
    ranking: Ranking | None = None
    """How the strategies' results become one list; by default `blended`."""
    strategies: Strategies | None = None
    """Which strategies to use, among those of `search_mode`; the server's choice by default."""
    rerank: bool | None = None
    """Whether a model reranks the first results; the server's choice by default."""
    tags: Tags | None = None
    """All must match: keywords of a memory, or the list `tags` in its metadata or in that of a turn's request."""
    metadata: Metadata | None = None
    """Comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`."""
    event_start_time: Moment | None = None
    """Earliest time at which it happened."""
    event_end_time: Moment | None = None
    as_of: Moment | None = None
    """Search what was known at this time, instead of now."""
    reference_time: Moment | None = None
    """What "today" is to the question; by default now."""
    conversation_history: tuple[ConversationTurn, ...] = Field(default=(), max_length=1_000, fail_fast=True)
    enable_reformulation: bool = False
    """Whether a model, if configured, rewrites the question from the history."""
    explain: bool = False
    """Whether the reply explains how the results were found."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, start, end in (
            ("end_time", self.start_time, self.end_time),
            ("event_end_time", self.event_start_time, self.event_end_time),
        ):
            if start is not None and end is not None and end <= start:
                raise ValueError(f"{name} must be later than {name.replace('end', 'start')}")
        for one, several in (
            ("user_id", "user_ids"),
            ("agent_version", "agent_versions"),
            ("playbook_name", "playbook_names"),
        ):
            if getattr(self, one, None) is not None and getattr(self, several, None) is not None:
                raise ValueError(f"give {one} or {several}, not both")
        only = _ONLY.get(self.search_mode)
        if only is not None and self.strategies not in {None, (only,)}:
            raise ValueError(
                f"search_mode {self.search_mode} uses {only} alone; leave out either it or strategies"
            )
        if not self.text:
            for name in ("ranking", "strategies", "rerank"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name} needs a query; without a query the newest are listed")
        if self.as_of is not None and getattr(self, "include_expired", False):
            raise ValueError("as_of already says which moment counts for expiry; leave out include_expired")
        return self

    @property
    def text(self) -> str:
        """The question; empty if there is none."""
        return (self.query or "").strip()

    @property
    def users(self) -> tuple[UserId, ...]:
        """The given users."""
        named = (self.user_id,) if self.user_id is not None else self.user_ids or ()
        return tuple(map(UserId, named))


_ONLY = {SearchMode.VECTOR: StrategyName.VECTOR, SearchMode.FTS: StrategyName.KEYWORD}


def _of_somebody(body: SearchOptions) -> None:
    if not body.users:
        raise ValueError("give user_id or user_ids")


class SearchInteractionsBody(SearchOptions):
    """Which turns to find, of one user or of several."""

    request_id: Id | None = None
    most_recent_k: Count | None = None
    """Search only this many of the newest turns."""
    threshold: Threshold = 0.0
    neighbours: Neighbours = 0
    """How many turns of the same session to return before and after each turn found."""

    @model_validator(mode="after")
    def _whose(self) -> Self:
        _of_somebody(self)
        return self


class SearchProfilesBody(SearchOptions):
    """Which profiles to find, of one user or of several."""

    status_filter: Statuses | None = None
    """By default, current ones."""
    include_expired: bool = False
    generated_from_request_id: Id | None = None
    source: Label | None = None
    custom_feature: str | None = None
    """A text that one of the custom features must contain."""
    extractor_name: Label | None = None

    @model_validator(mode="after")
    def _whose(self) -> Self:
        _of_somebody(self)
        return self


class RerankProfilesBody(Body):
    """Which profiles to sort, and by what question."""

    user_id: Id
    query: RequiredQuery
    """The question, in plain words."""
    profile_ids: tuple[Id, ...] = Field(max_length=1_000)
    """The profiles to sort."""
    top_k: Limit = 10


class SearchUserPlaybooksBody(SearchOptions):
    """Which user playbooks to find; without a user, those of all users."""

    status_filter: Statuses | None = None
    """By default, current ones."""
    include_expired: bool = False
    agent_version: Label | None = None
    agent_versions: Labels | None = None
    playbook_name: Label | None = None
    playbook_names: Labels | None = None


class SearchAgentPlaybooksBody(SearchOptions):
    """Which agent playbooks to find; by default those that an agent may use."""

    status_filter: Statuses | None = None
    """By default, current ones."""
    include_expired: bool = False
    agent_version: Label | None = None
    agent_versions: Labels | None = None
    playbook_name: Label | None = None
    playbook_names: Labels | None = None
    playbook_status_filter: Approval | Approvals | None = None
    """Approval, for the kinds that are reviewed."""


class SearchSkillsBody(SearchOptions):
    """Which skills to find; by default those that an agent may use."""

    status_filter: Statuses | None = None
    """By default, current ones."""
    include_expired: bool = False
    agent_version: Label | None = None
    agent_versions: Labels | None = None
    playbook_name: Label | None = None
    playbook_names: Labels | None = None
    playbook_status_filter: Approval | Approvals | None = None
    """Approval, for the kinds that are reviewed."""
    skill_status_filter: Annotated[Approval | Approvals | None, BeforeValidator(approval_words)] = None
    """Approval; the same as `playbook_status_filter`, under the name used in other calls on skills."""


_OTHER_KINDS: Mapping[str, str] = {
    "profiles": MemoryKind.PROFILE,
    "user_playbooks": MemoryKind.USER_PLAYBOOK,
    "agent_playbooks": MemoryKind.AGENT_PLAYBOOK,
}
"""Other clients' words for kinds of memories."""
_NO_WORDS: Mapping[str, str] = {}


class SearchBody(SearchOptions):
    """
    A search over all kinds of memories.

    By default it covers profiles and playbooks of the user, and playbooks and skills of the agent. Without a user it
    covers only what applies to all users: memories of one user are never shown to another.
    """

    query: RequiredQuery | None = Field(default=..., json_schema_extra=required)
    """The question, in plain words."""
    top_k: Count = 5
    """How many of each kind."""
    threshold: Threshold = 0.3
    status_filter: Statuses | None = None
    """By default, current ones."""
    include_expired: bool = False
    agent_version: Label | None = None
    agent_versions: Labels | None = None
    playbook_name: Label | None = None
    playbook_names: Labels | None = None
    playbook_status_filter: Approval | Approvals | None = None
    """Approval, for the kinds that are reviewed."""
    kinds: Kinds | None = None
    neighbours: Neighbours = 0
    """How many turns of the same session to return before and after each turn found."""

    @model_validator(mode="before")
    @classmethod
    def _words_of_others(cls, given: object) -> object:
        """Accept other clients' words for kinds and reviews, and drop `enable_agent_answer` if it is false."""
        if not isinstance(given, Mapping):
            return given
        fields = dict(cast("Mapping[str, object]", given))
        if fields.get("enable_agent_answer") is False:
            del fields["enable_agent_answer"]
        for other, name, words in (
            ("entity_types", "kinds", _OTHER_KINDS),
            ("agent_playbook_status_filter", "playbook_status_filter", _NO_WORDS),
        ):
            chosen = fields.get(other)
            if isinstance(chosen, list) and fields.get(name) is None:
                wanted = cast("list[object]", fields.pop(other))
                fields[name] = [words.get(one, one) if isinstance(one, str) else one for one in wanted]
        return fields

    @model_validator(mode="after")
    def _askable(self) -> Self:
        private = [str(kind) for kind in self.kinds or () if kind not in TENANT_KINDS]
        if private and not self.users:
            raise ValueError(f"kinds {', '.join(private)} belong to users: give user_id or user_ids")
        if self.neighbours and INTERACTION not in (self.kinds or ()):
            raise ValueError("neighbours apply to turns: add interaction to kinds, or leave out neighbours")
        return self
