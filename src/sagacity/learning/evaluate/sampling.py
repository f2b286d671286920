"""Reproducible sampling: which sessions are judged, and which transcript is shown first; pure."""

import hashlib

from sagacity.domain.ids import OrgId, SessionId

_STEPS = 2**64


def is_sampled(org_id: OrgId, session_id: SessionId, evaluation_name: str, rate: float) -> bool:
    """Whether an evaluator judges a session at all; about the share *rate*, in [0, 1], of all sessions is judged."""
    return _drawn("sample", org_id, session_id, evaluation_name) < rate


def shadow_comes_first(org_id: OrgId, session_id: SessionId, evaluation_name: str) -> bool:
    """Whether a judge sees the shadow's transcript first, which is so for about half of all sessions."""
    return _drawn("order", org_id, session_id, evaluation_name) < 0.5  # noqa: PLR2004  a coin


def _drawn(*parts: str) -> float:
    """Return a number in [0, 1) that looks random and depends only on *parts*."""
    digest = hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:8]) / _STEPS
