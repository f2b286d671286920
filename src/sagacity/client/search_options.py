"""What every search can be asked besides its query; written once for all of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypedDict, TypeVar, cast

from pydantic import JsonValue

from sagacity.client.wire import checked
from sagacity.client.words import ModeWord, RankingWord, StatusWord, StrategyWord, statuses
from sagacity.schemas.search import ConversationTurn, SearchOptions

B = TypeVar("B", bound=SearchOptions)


class Options(TypedDict, total=False):
    """What every search takes; what is not given is left to the server."""

    user_ids: Sequence[str] | None
    """Several users in place of one."""
    threshold: float | None
    """Least relevance of what shares no word with the query, 0 to 1."""
    search_mode: ModeWord
    """By meaning (VECTOR), by words (FTS), or both."""
    ranking: RankingWord | None
    """How what the strategies found becomes one list: BLENDED, RRF (reciprocal ranks) or WEIGHTED (a fixed formula)."""
    strategies: Sequence[StrategyWord] | None
    """Which ways of finding are used: VECTOR, KEYWORD, GRAPH, PROFILE, RECENT."""
    rerank: bool | None
    """Whether a second, closer look orders the first results."""
    start_time: datetime | None
    """Learned, or last changed, since then; of a turn: arrived."""
    end_time: datetime | None
    """Learned, or last changed, until then; of a turn: arrived."""
    event_start_time: datetime | None
    """Happened since then."""
    event_end_time: datetime | None
    """Happened until then."""
    as_of: datetime | None
    """What was known then, in place of what is known now."""
    reference_time: datetime | None
    """What "today" is to the question; by default now."""
    tags: Sequence[str] | None
    """Only what has all of these tags."""
    metadata: Mapping[str, JsonValue] | None
    """Comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`."""
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None
    """Turns that came before the question, oldest first."""
    enable_reformulation: bool
    """Let a model rewrite the question by the history, if one is configured."""
    explain: bool
    """Whether `explanation` says how the reply came about."""


class MemoryOptions(Options, total=False):
    """What every search of what was learned takes."""

    status_filter: Sequence[StatusWord] | None
    """In these states of life; by default what is current."""
    include_expired: bool
    """Whether what has expired is found too."""


class PlaybookOptions(MemoryOptions, total=False):
    """What every search of rules takes."""

    agent_version: str | None
    """Only rules of this agent."""
    agent_versions: Sequence[str] | None
    """Only rules of these agents."""
    playbook_name: str | None
    """Only rules of this name."""
    playbook_names: Sequence[str] | None
    """Only rules of these names."""


def asked(schema: type[B], fields: Mapping[str, object], options: Options) -> B:
    """
    Make the body of a search.

    Args:
        schema: of this search.
        fields: its own arguments.
        options: those that it shares with others.

    Raises:
        InvalidInput: the server would refuse it; the message names the field.
        TypeError: this search has no such option.
    """
    for name in options.keys() - schema.model_fields.keys():
        raise TypeError(f"unexpected keyword argument {name!r}")
    said: dict[str, object] = {**fields, **options}
    words = cast("Sequence[StatusWord] | None", said.get("status_filter"))
    return checked(schema, said | {"status_filter": statuses(words)})
