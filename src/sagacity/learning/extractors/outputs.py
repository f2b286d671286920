"""The types into which answers of the learning prompts are parsed."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from typing import Annotated, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from sagacity.domain.evaluation import FailureType
from sagacity.domain.graph import USER, EntityType, clean_description, clean_name
from sagacity.domain.memory import BlockingIssueKind, TimeToLive
from sagacity.providers.llm.structured import BROKEN_OFF


def _at_most(limit: int) -> AfterValidator:
    """Return a check of the length that is not in the schema, because strict decoding does not support `maxLength`."""

    def check(text: str) -> str:
        if len(text) > limit:
            raise ValueError(f"at most {limit} characters, this has {len(text)}")
        return text

    return AfterValidator(check)


def _joined(given: object) -> object:
    """Read several paragraphs or steps as one text."""
    return "\n".join(map(str, cast("list[object]", given))) if isinstance(given, list) else given


def _split(given: object) -> object:
    """Read several words in one text as a list."""
    return given.split(",") if isinstance(given, str) else given


Line = Annotated[str, StringConstraints(strip_whitespace=True), _at_most(300)]
Text = Annotated[str, StringConstraints(strip_whitespace=True), _at_most(2_000), BeforeValidator(_joined)]


class Answer(BaseModel):
    """
    The schema that a model is shown allows no other keys; an answer with more is read without them.

    An answer one level too high or too low, and null for an optional field, are read as what they mean.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"additionalProperties": False})

    @model_validator(mode="before")
    @classmethod
    def _in_shape(cls, given: object) -> object:
        required = [name for name, field in cls.model_fields.items() if field.is_required()]
        if isinstance(given, list) and len(required) == 1:
            return {required[0]: cast("list[object]", given)}
        if not isinstance(given, dict):
            return cast("object", given)
        fields = cast("dict[str, object]", given)
        if fields and fields.keys().isdisjoint(cls.model_fields):
            alone = next(iter(fields.values())) if len(fields) == 1 else None
            if isinstance(alone, dict):
                fields = cast("dict[str, object]", alone)
            elif len(required) == 1:
                fields = {required[0]: cast("object", alone) if isinstance(alone, list) else fields}
        return {name: value for name, value in fields.items() if value is not None or name in required}


_DISPENSABLE: dict[str, object] = {"rationale": "", "trigger": "", "evidence": ()}
"""Fields that are requested, but whose absence is no reason to drop an entry: its turns are found by its words."""


class Draft(Answer):
    """What a model proposes: if something beside it cannot be read, it is proposed without that; also as bare text."""

    @model_validator(mode="wrap")
    @classmethod
    def _without_what_is_odd(cls, given: object, parse: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(given, str):
            given = {"content": given}
        try:
            return parse(given)
        except ValidationError as error:
            odd = {fault["loc"][0] if fault["loc"] else "" for fault in error.errors()}
            blank = {name: value for name, value in _DISPENSABLE.items() if name in odd}
            may_be_left_out = {name for name, field in cls.model_fields.items() if not field.is_required()}
            if not isinstance(given, dict) or not odd <= may_be_left_out | blank.keys():
                raise
            fields = cast("dict[str, object]", given)
            return parse({name: value for name, value in fields.items() if name not in odd} | blank)


def _said(given: object) -> object:
    """Read "null" and "none", which some models write for no value, as no value."""
    return None if isinstance(given, str) and given.strip().casefold() in _NOTHING else given


_NOTHING = frozenset({"", "-", "null", "none", "n/a", "nothing"})
Remark = Annotated[Text | None, BeforeValidator(_said)]
"""An optional text."""


def _slot(given: object) -> object:
    """Read "none" as no slot; otherwise all facts without a slot would fill the same one."""
    return "" if _said(given) is None else given


Slot = Annotated[Line, BeforeValidator(_slot)]


def _listed(given: object) -> object:
    """Read labels leniently, also several in one text."""
    return given.replace(",", " ").split() if isinstance(given, str) else given


class Feature(Answer):
    """One feature noted beside a fact."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    name: Line
    value: Line


def _called(given: object) -> object:
    """Read a name leniently: cut to the length of names, and with any word for the user as `user`."""
    if not isinstance(given, str):
        return given
    name = clean_name(given)
    return USER if name.casefold() in _THE_USER else name


def _sort(given: object) -> object:
    """Read a type leniently: words outside the vocabulary become the type `other`."""
    word = str(given).strip().casefold()
    word = _SORTS.get(word, word)
    return word if word in set(EntityType) else EntityType.OTHER


def _readable(given: object, parse: ValidatorFunctionWrapHandler) -> object:
    """Read a list that accompanies a fact, and skip entries that cannot be read, so that the fact is kept."""
    kept: list[object] = []
    for one in cast("list[object]", given) if isinstance(given, list | tuple) else []:
        with suppress(ValidationError):
            kept += parse([one])
    return tuple(kept)


def _each(given: object, parse: ValidatorFunctionWrapHandler) -> object:
    """
    Read a list entry by entry, and skip entries that cannot be read.

    If none can be read, the whole list is refused, so that the model is asked again. Null means no entry, and an entry
    outside a list is the only one.
    """
    if given is None or isinstance(given, dict):
        given = () if given is None else (cast("object", given),)
    if not isinstance(given, list | tuple) or not given:
        return parse(given)
    kept = cast("tuple[object, ...]", _readable(cast("Sequence[object]", given), parse))
    return kept or parse(given)


_BLANK = {"content": "", "trigger": "", "rationale": "", "evidence": ()}
"""Stands for an entry that cannot be read, so that it is counted; see `Rejection.EMPTY`."""


def _each_entry(given: object, parse: ValidatorFunctionWrapHandler) -> object:
    """Read proposed entries as `_each` does, with a blank one for each that cannot be read."""
    kept = cast("tuple[object, ...]", _each(given, parse))
    count = len(cast("Sequence[object]", given)) if isinstance(given, list | tuple) else len(kept)
    return kept + cast("tuple[object, ...]", parse([_BLANK] * (count - len(kept))))


def _numbers(given: object) -> object:
    """Read numbers of turns leniently: a single one, or forms such as `#3`; entries without a number are skipped."""
    one_by_one = cast("list[object]", given) if isinstance(given, list | tuple) else [given]
    numbers: list[int] = [int(found) for one in one_by_one for found in _NUMBER.findall(str(one))]
    return numbers or cast("object", given)


def _life(given: object) -> object:
    """Read a time to live leniently: words outside the vocabulary count as the nearest one in it."""
    word = str(given).strip().casefold()
    if word in set(TimeToLive):
        return word
    return next((life for hint, life in _LIVES if hint in word), TimeToLive.INFINITY)


Labels = Annotated[tuple[Line, ...], WrapValidator(_readable), BeforeValidator(_listed)]
_NUMBER = re.compile(r"-?\d{1,9}")
Turns = Annotated[tuple[int, ...], BeforeValidator(_numbers)]
_LIVES = (
    ("quarter", TimeToLive.ONE_QUARTER),
    ("six_month", TimeToLive.ONE_YEAR),
    ("year", TimeToLive.ONE_YEAR),
    ("one_month", TimeToLive.ONE_MONTH),
    ("month", TimeToLive.ONE_QUARTER),
    ("week", TimeToLive.ONE_WEEK),
    ("day", TimeToLive.ONE_DAY),
)
"""The nearest words, rounded up, so that nothing true is hidden early: "two months" counts as a quarter."""
Life = Annotated[TimeToLive, BeforeValidator(_life)]


_THE_USER = frozenset({"user", "the user", "i", "me", "myself"})
_SORTS = {
    "place": "location",
    "city": "location",
    "country": "location",
    "company": "organization",
    "organisation": "organization",
    "org": "organization",
    "pet": "animal",
    "human": "person",
}
Called = Annotated[str, BeforeValidator(_called)]
About = Annotated[
    str, BeforeValidator(lambda given: clean_description(given) if isinstance(given, str) else "")
]


class EntityDraft(Answer):
    """Someone or something by name."""

    name: Called = Field(description="the name as it was said; `user` for the user")
    type: Annotated[EntityType, BeforeValidator(_sort)] = EntityType.OTHER
    description: About = Field(default="", description="a few words that tell it from others of its name")


class RelationshipDraft(Answer):
    """How two named things belong together."""

    source: Called
    type: Line = Field(description="a verb or role in lower-case English, such as works_at or sister_of")
    target: Called
    description: About = ""


class ProfileDraft(Draft):
    """One fact about the user."""

    evidence: Turns = Field(description="numbers of the turns that say it")
    content: Text = Field(description="the fact in one sentence that is understood alone")
    slot: Slot = Field(default="", description="what it answers, as area.aspect; empty if nothing fits")
    exclusive: bool = Field(default=False, description="the slot holds one value at a time")
    negates: bool = Field(default=False, description="it says that something no longer holds")
    inferred: bool = Field(default=False, description="the user did not say it in so many words")
    time_to_live: Life = TimeToLive.INFINITY
    valid_until: date | None = Field(
        default=None, description="the last day on which it holds, as YYYY-MM-DD, if one is said"
    )
    ends: Labels = Field(
        default=(), description="labels of known facts that no longer hold since this was said, such as K2"
    )
    features: Annotated[tuple[Feature, ...], WrapValidator(_readable)] = ()
    entities: Annotated[tuple[EntityDraft, ...], WrapValidator(_readable)] = ()
    relationships: Annotated[tuple[RelationshipDraft, ...], WrapValidator(_readable)] = ()


class ProfileExtraction(Answer):
    """The answer to `profile_extraction`."""

    profiles: Annotated[tuple[ProfileDraft, ...], WrapValidator(_each_entry)] = Field(
        description="few and true; empty if nothing is worth keeping"
    )


class BlockingIssueDraft(Answer):
    """What kept the agent from doing what was asked."""

    kind: BlockingIssueKind
    details: Text


class PlaybookDraft(Draft):
    """One rule for the agent; the reasons come before the rule."""

    rationale: Text = Field(description="what happened, and why the rule follows")
    evidence: Turns = Field(description="numbers of the turns that show it")
    trigger: Text = Field(description="the situation in which the rule applies")
    content: Text = Field(description="what to do then, as an instruction")
    pitfall: Remark = Field(default=None, description="what to avoid")
    blocking_issue: BlockingIssueDraft | None = None


class UserPlaybookExtraction(Answer):
    """The answer to `user_playbook_extraction` and to `expert_extraction`."""

    playbooks: Annotated[tuple[PlaybookDraft, ...], WrapValidator(_each_entry)] = Field(
        description="few and true; empty if nothing is to be learned"
    )


class ConversationExtraction(Answer):
    """The answer to `conversation_extraction`."""

    profiles: Annotated[tuple[ProfileDraft, ...], WrapValidator(_each_entry)] = Field(
        description="facts about the user; empty if nothing is worth keeping"
    )
    playbooks: Annotated[tuple[PlaybookDraft, ...], WrapValidator(_each_entry)] = Field(
        description="rules for the agent; empty if nothing is to be learned"
    )

    _lacking: frozenset[str] = PrivateAttr(frozenset())

    @property
    def lacking(self) -> frozenset[str]:
        """The fields that the answer did not reach before it broke off."""
        return self._lacking

    @model_validator(mode="wrap")
    @classmethod
    def _one_is_enough(
        cls, given: object, parse: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        """Read a missing list as empty, unless the answer broke off; in a list alone, rules have a trigger."""
        names = cls.model_fields.keys()
        if isinstance(given, list):
            kinds: dict[str, list[object]] = {"profiles": [], "playbooks": []}
            for one in cast("list[object]", given):
                is_rule = isinstance(one, dict) and "trigger" in one
                kinds["playbooks" if is_rule else "profiles"].append(cast("object", one))
            given = kinds
        if not isinstance(given, dict) or not given.keys() & names:
            return parse(given)
        fields = cast("dict[str, object]", given)
        answer = parse(dict.fromkeys(names, ()) | fields)
        if info.context == BROKEN_OFF:
            answer._lacking = frozenset(names - fields.keys())  # noqa: SLF001  its own
        return answer


class ShouldExtract(Answer):
    """The answer to `should_extract`."""

    reason: Text = ""
    worth_reading: bool


def _verb(given: object) -> object:
    return given.strip().casefold() if isinstance(given, str) else given


Verb = Annotated[Literal["add", "same", "merge", "replace"], BeforeValidator(_verb)]


class ProfileVerdict(Draft):
    """What becomes of one new memory."""

    item: Line = Field(description="the new one, such as N1")
    reason: Text = ""
    action: Verb
    targets: Labels = Field(default=(), description="labels such as E2; none for add")
    merged_content: Remark = Field(default=None, description="for merge: the one text that unites all")
    merged_time_to_live: TimeToLive | None = None


class ProfileDeduplication(Answer):
    """The answer to `profile_deduplication`."""

    verdicts: Annotated[tuple[ProfileVerdict, ...], WrapValidator(_each)] = Field(
        description="exactly one for each new fact"
    )


class UserPlaybookVerdict(Draft):
    """What becomes of one new rule."""

    item: Line = Field(description="the new one, such as N1")
    reason: Text = ""
    action: Verb
    targets: Labels = Field(default=(), description="labels such as E2; none for add")
    merged_trigger: Remark = Field(default=None, description="for merge: the situation common to all")
    merged_content: Remark = Field(default=None, description="for merge: the one instruction that unites all")
    merged_pitfall: Remark = Field(default=None, description="for merge: what to avoid, of all of them")


class UserPlaybookDeduplication(Answer):
    """The answer to `user_playbook_deduplication`."""

    verdicts: Annotated[tuple[UserPlaybookVerdict, ...], WrapValidator(_each)] = Field(
        description="exactly one for each new rule"
    )


class ExpandedMemory(Answer):
    """Other words for one memory."""

    item: Line = Field(description="the memory, such as N1")
    words: Annotated[tuple[Line, ...], BeforeValidator(_split)] = Field(
        description="words or short phrases that are not in it"
    )


class DocumentExpansion(Answer):
    """The answer to `document_expansion`."""

    memories: Annotated[tuple[ExpandedMemory, ...], WrapValidator(_each)]


class SharedPlaybookDraft(Draft):
    """One rule for the agent that many users' rules amount to; the reasons come before the rule."""

    rationale: Text = Field(description="what the users' rules have in common, without naming any of them")
    trigger: Text = Field(description="the situation in which the rule applies")
    content: Text = Field(description="what to do then, as an instruction")
    pitfall: Remark = Field(default=None, description="what to avoid")
    blocking_issue: BlockingIssueDraft | None = None


class PlaybookAggregation(Answer):
    """The answer to `playbook_aggregation`."""

    playbook: Annotated[SharedPlaybookDraft | None, BeforeValidator(_said)] = Field(
        description="null if one of those in force says it all"
    )


class SkillGenerationOutput(Answer):
    """The answer to `skill_generation` and to `skill_update`; the reasons come before the skill."""

    reason: Text = ""
    worth_writing: bool = Field(description="false if the rules have no task in common")
    name: Line = Field(default="", description="two to five words in lower case with hyphens between")
    description: Text = Field(default="", description="what the skill does and when to use it")
    instructions: Annotated[
        str, StringConstraints(strip_whitespace=True), _at_most(30_000), BeforeValidator(_joined)
    ] = Field(default="", description="the whole skill in Markdown")
    allowed_tools: Annotated[tuple[Line, ...], BeforeValidator(_split)] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.worth_writing and not (self.name and self.description and self.instructions):
            raise ValueError("a skill worth writing needs name, description and instructions")
        return self


def _failure(given: object) -> object:
    """Read a kind of failure leniently: words outside the vocabulary count as no kind."""
    word = str(given).strip().casefold()
    return word if word in set(FailureType) else None


_SIDE = re.compile(r"\b[AB]\b")


def _side(given: object) -> object:
    """Read which of two was better leniently: a word that names neither means that neither was."""
    named = set(_SIDE.findall(str(given).upper()))
    return named.pop() if len(named) == 1 else "tie"


class SessionVerdict(Answer):
    """The answer to `agent_success_evaluation`; the reason comes before the verdict."""

    failure_reason: Remark = Field(default=None, description="what went wrong; null for a success")
    failure_type: Annotated[FailureType | None, BeforeValidator(_failure)] = None
    is_success: bool
    is_escalated: bool = Field(default=False, description="a person had to take over, or was asked for")


class SessionSummary(Answer):
    """The answer to `session_summary`."""

    title: Line = Field(default="", description="what it is about, in two to eight words")
    summary: Text = Field(description="at most 150 words")
    outcome: Line = Field(default="", description="how it ended, in one short sentence; empty if unknown")
    keywords: Annotated[tuple[Line, ...], WrapValidator(_readable), BeforeValidator(_split)] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.summary:
            raise ValueError("a summary says something")
        return self


class SessionComparison(Answer):
    """The answer to `agent_success_comparison`: each transcript by itself, then one against the other."""

    a: SessionVerdict = Field(description="of transcript A")
    b: SessionVerdict = Field(description="of transcript B")
    comparison_reason: Text = ""
    better: Annotated[Literal["A", "B", "tie"], BeforeValidator(_side)]
    is_significantly_better: bool = False
