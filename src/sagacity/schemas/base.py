"""What request bodies and page envelopes are built from: strict texts, ids, times, and older field names."""

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from typing import Annotated, Self, cast, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    model_validator,
)

from sagacity.domain.ids import MAX_INT, fitting_key
from sagacity.domain.memory import Status
from sagacity.domain.numbers import refuse_truth_values
from sagacity.domain.suggest import unknown_field

MAX_TEXT = 100_000
"""Characters of one turn, or of one text of a memory. The longest turn of the public benchmarks has 19,000."""
MAX_EPOCH = 253_402_300_799
"""The last second of the year 9999."""
MOST_FIELDS = 1_000
"""Of one object with names that are ours; what is free, such as metadata, may have more."""
MOST_VALUES = 150_000
"""Names and values of a whole body: each is looked at, while other calls wait."""
MOST_WARNINGS = 20

OLDER_NAMES = {
    "raw_feedback_id": "user_playbook_id",
    "raw_feedback_ids": "user_playbook_ids",
    "raw_feedbacks": "user_playbooks",
    "feedback_id": "agent_playbook_id",
    "feedback_ids": "agent_playbook_ids",
    "feedbacks": "agent_playbooks",
    "feedback_name": "playbook_name",
    "feedback_status": "playbook_status",
    "feedback_status_filter": "playbook_status_filter",
    "feedback_metadata": "playbook_metadata",
    "feedback_content": "content",
    "profile_content": "content",
    "do_action": "content",
    "do_not_action": "pitfall",
    "when_condition": "trigger",
    "skill_status": "skill_status_filter",
    "request_group": "session_id",
    "request_group_id": "session_id",
}
"""Field names of older clients, and what they are called now."""


def refuse_unstorable(value: object) -> None:
    """
    Refuse what databases cannot store: NUL characters, lone surrogates, infinite numbers.

    Raises:
        ValueError: *value* contains one, at any depth, keys included; or it is too large to check.
    """
    waiting: list[object] = [value]
    seen = 0
    while waiting:
        one = waiting.pop()
        seen += 1
        if seen + len(waiting) > MOST_VALUES:
            raise ValueError(f"a body has at most {MOST_VALUES:,} names and values; send it in parts")
        if isinstance(one, str):
            _refuse_text(one)
        elif isinstance(one, float):
            if not math.isfinite(one):
                raise ValueError("numbers must be finite")
        elif isinstance(one, list | tuple):
            waiting.extend(cast("list[object]", one))
        elif isinstance(one, dict):  # a body is read from JSON
            mapping = cast("dict[object, object]", one)
            waiting.extend(mapping.keys())
            waiting.extend(mapping.values())


def _refuse_text(text: str) -> None:
    if "\x00" in text:
        raise ValueError("text must not contain NUL characters")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError("text must not contain lone surrogates") from error


class Schema(BaseModel):
    """A part of a body or an envelope. Unknown fields are ignored, older field names are understood."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", hide_input_in_errors=True, use_attribute_docstrings=True
    )

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, given: object) -> object:
        """Accept older names, and treat null as a missing field."""
        if not isinstance(given, Mapping):
            return given
        fields = cast("Mapping[str, object]", given)
        refuse_many(fields)
        known = cls.model_fields
        if fields.keys() <= known.keys() and not any(value is None for value in fields.values()):
            refuse_truth_values(cls, fields)
            return fields
        older = {
            name: OLDER_NAMES[name] for name in fields if name not in known and OLDER_NAMES.get(name) in known
        }
        renamed = {today: fields[name] for name, today in older.items() if fields[name] is not None}
        renamed |= {name: fields[name] for name in fields if name not in older and fields[name] is not None}
        refuse_truth_values(cls, renamed)
        return renamed


class StrictPart(Schema):
    """
    A part of a body that selects what a call finds, changes or deletes.

    Unknown fields are refused, because a mistyped one would select everything.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        fields = cast("Mapping[str, object]", given)
        known = names_of(cls)
        for name, value in fields.items():
            if value is not None and OLDER_NAMES.get(name, name) not in known:
                raise ValueError(unknown_field(name, known))
        return fields


class Body(StrictPart):
    """A request body, checked as a whole before any field is."""

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, given: object) -> object:
        return _checked_whole(given)


class WritePart(Schema):
    """
    A part of what is stored. Unknown fields are ignored and reported, because a newer client may send more.

    Empty ones are not reported, because such clients also send fields that they do not fill.
    """

    model_config = ConfigDict(extra="allow")

    @property
    def warnings(self) -> tuple[str, ...]:
        """The unknown fields here and in nested parts."""
        return tuple(islice(self._left_out(), MOST_WARNINGS))

    def _left_out(self) -> Iterator[str]:
        known = names_of(type(self))
        extra = cast("Mapping[str, object]", self.model_extra or {})
        yield from (unknown_field(name, known) for name, value in extra.items() if not _is_empty(value))
        for name in _parts_of(type(self)):
            value = getattr(self, name)
            if isinstance(value, tuple):
                for place, part in enumerate(cast("tuple[object, ...]", value)):
                    if isinstance(part, WritePart):
                        yield from (f"{name}.{place}: {one}" for one in part.warnings)
            elif isinstance(value, WritePart):
                yield from (f"{name}: {one}" for one in value.warnings)


@cache
def _parts_of(part: type[WritePart]) -> tuple[str, ...]:
    """Return the fields of *part* that may hold nested parts, one or a tuple of them."""
    return tuple(name for name, field in part.model_fields.items() if _holds_parts(field.annotation))


def _holds_parts(annotation: object) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, WritePart):
        return True
    return any(map(_holds_parts, get_args(annotation)))


def _is_empty(value: object) -> bool:
    return value is False or value in ("", [], {})


class WriteBody(WritePart):
    """The body of a call that writes what it is given, checked as a whole before any field is."""

    @model_validator(mode="before")
    @classmethod
    def _storable(cls, given: object) -> object:
        return _checked_whole(given)


@cache
def names_of(part: type[Schema]) -> tuple[str, ...]:
    """Return every current name of the fields of *part*."""
    return tuple(
        dict.fromkeys(
            name
            for key, field in part.model_fields.items()
            for name in _choices(field.validation_alias) or [key]
        )
    )


def _choices(alias: object) -> list[str]:
    return [one for one in alias.choices if isinstance(one, str)] if isinstance(alias, AliasChoices) else []


def _checked_whole(given: object) -> object:
    if isinstance(given, Mapping):
        refuse_many(cast("Mapping[str, object]", given))
    refuse_unstorable(cast("object", given))
    return cast("object", given)


def refuse_many(fields: Mapping[str, object]) -> None:
    """
    Refuse an excess of fields before each one is compared with the known ones.

    Raises:
        ValueError: there are too many.
    """
    if len(fields) > MOST_FIELDS:
        raise ValueError(f"{len(fields):,} fields are too many; at most {MOST_FIELDS:,} are read")


class Span(Body):
    """A request body with an optional period, both ends inclusive."""

    start_time: "Moment | None" = None
    end_time: "Moment | None" = None

    @model_validator(mode="after")
    def _forwards(self) -> Self:
        if self.start_time is not None and self.end_time is not None and self.end_time <= self.start_time:
            raise ValueError("end_time must be later than start_time")
        return self


class Reply(Schema):
    """The envelope of replies without one of their own."""

    success: bool = True
    message: str | None = None
    msg: str | None = None


class WriteReply(Reply):
    """The envelope of a write."""

    warnings: tuple[str, ...] | None = None
    """Unknown fields that were ignored."""


class Warned(Schema):
    """The reply to a write that has no envelope."""

    warnings: tuple[str, ...] | None = None
    """Unknown fields that were ignored."""


def _kept_as_it_is(text: str) -> str:
    _refuse_text(text)
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("an id must not be blank")
    return text


def _not_too_long(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise ValueError(
            f"a text may have at most {MAX_TEXT:,} characters, and this one has {len(text):,}; "
            "shorten it, or store it as several"
        )
    return text


def _utc(moment: datetime) -> datetime:
    """Read a time without a zone as UTC."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the time must be in the years 1 to 9999") from error


def _wire_status(value: object) -> object:
    """Read a status of the wire, where null (older clients: "None") means current."""
    if value is None or value == "None" or value is Status.CURRENT:
        return Status.CURRENT
    if value == "current":
        raise ValueError("use null for the status of what is current")
    return value


def _on_the_wire(status: Status) -> str | None:
    return None if status is Status.CURRENT else str(status)


Storable = Annotated[str, AfterValidator(_kept_as_it_is)]
"""A text that every database can store; for paths and queries nothing else checks that."""
Moment = Annotated[datetime, AfterValidator(_utc)]
"""A point in time in ISO 8601; without a zone it is UTC."""
ID_LENGTH = "At most 512 characters and 1,024 bytes in UTF-8."
_IN_BYTES = Field(description=ID_LENGTH)
Id = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=512),
    AfterValidator(_kept_as_it_is),
    AfterValidator(fitting_key),
    _IN_BYTES,
]
"""An identifier: not blank, no longer than 512 characters, and found through an index."""
ExactId = Annotated[
    str,
    StringConstraints(min_length=1, max_length=512),
    AfterValidator(_kept_as_it_is),
    AfterValidator(_not_blank),
    AfterValidator(fitting_key),
]
"""An identifier in a path, taken verbatim: never shortened or stripped into another name."""
MaybeId = Annotated[
    str,
    StringConstraints(max_length=512),
    AfterValidator(_kept_as_it_is),
    AfterValidator(fitting_key),
    _IN_BYTES,
]
"""An identifier that may be empty."""
Label = Annotated[str, StringConstraints(max_length=512), AfterValidator(_kept_as_it_is)]
"""A short text to filter by; may be empty."""
Number = Annotated[int, Field(gt=0, le=MAX_INT)]
"""A row's number."""
_NOT_TOO_LONG = AfterValidator(_not_too_long), Field(json_schema_extra={"maxLength": MAX_TEXT})
Text = Annotated[str, *_NOT_TOO_LONG]
"""A text of a memory."""
Said = Annotated[str, StringConstraints(min_length=1, pattern=r"\S"), *_NOT_TOO_LONG]
"""What a memory says: not blank."""
Epoch = Annotated[int, Field(ge=0, le=MAX_EPOCH)]
"""Whole seconds since 1970."""
Limit = Annotated[int, Field(gt=0, le=10_000)]
"""How many rows at the most."""
Count = Annotated[int, Field(gt=0, le=1_000)]
"""How many results at the most."""
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
"""A share, from 0 to 1."""
LifecycleStatus = Annotated[
    Status, BeforeValidator(_wire_status), PlainSerializer(_on_the_wire, when_used="json")
]
"""A memory's status; null is current."""
Statuses = Annotated[tuple[LifecycleStatus, ...], Field(max_length=16, fail_fast=True)]
"""Which of them to return."""

Span.model_rebuild()
