"""What a model proposed becomes candidates, as far as turns stand behind it."""

from collections.abc import Iterable, Sequence

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import Candidate
from sagacity.domain.memory import BlockingIssue, MemoryKind
from sagacity.learning.extractors.outputs import PlaybookDraft
from sagacity.learning.windows.render import Rendered, shorten

_KNOWN_COUNT = 30
_KNOWN_CHARS = 300


def known_lines(known: Sequence[str]) -> str:
    """Write what is remembered already, the newest entries, one a line."""
    lines = (shorten(" ".join(text.split()), _KNOWN_CHARS) for text in known[:_KNOWN_COUNT])
    return "\n".join(f"- {line}" for line in lines) or "(nothing yet)"


def tool_lines(tools: Sequence[tuple[str, str]]) -> str:
    """Write name and description of each tool, one a line."""
    return "\n".join(f"- {name}: {description}" for name, description in tools) or "(none named)"


def or_none_given(text: str) -> str:
    """Write a text of the operator, or that there is none."""
    return text.strip() or "(none given)"


def agent_context(config: TenantConfig, own: str | None) -> str:
    """Return what the tenant says about its agent, with what an extractor adds of its *own*."""
    return "\n".join(filter(None, (config.agent_context_prompt, own)))


def playbook_candidates(
    drafts: Iterable[PlaybookDraft], turns: Rendered, *, limit: int
) -> tuple[Candidate, ...]:
    """
    Turn rules that a model proposed into candidates.

    Dropped are those without text or situation and those that cite no unread turn; of the rest the first
    *limit* stay.
    """
    candidates = [
        Candidate(
            kind=MemoryKind.USER_PLAYBOOK,
            content=draft.content,
            trigger=draft.trigger,
            pitfall=draft.pitfall or None,
            rationale=draft.rationale or None,
            blocking_issue=draft.blocking_issue
            and BlockingIssue(kind=draft.blocking_issue.kind, details=draft.blocking_issue.details),
            evidence=evidence,
        )
        for draft in drafts
        if (evidence := turns.evidence(draft.evidence)) and draft.content and draft.trigger
    ]
    return tuple(candidates[:limit])
