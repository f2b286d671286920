"""Parts of other systems' configurations that mean nothing here, but that their clients always send."""

from collections.abc import Mapping

from sagacity.config.fields import Ignored

_NOT_JUDGED_AGAIN = "sessions are judged once, as they come"

IGNORED: Mapping[str, Ignored] = {
    "retrieval_experiment_config": Ignored("holdout_share says how much goes without memories"),
    "retrieval_experiment_history": Ignored("there are no such experiments", []),
    "retrieval_floor": Ignored("a search has its own threshold", {"enabled": False}),
    "playbook_optimizer_config": Ignored("playbooks are not rewritten by trials", {"enabled": False}),
    "lineage_gc": Ignored(
        "the server's settings say what is kept how long",
        {"enabled": True, "tombstone_grace_window_days": 90, "poll_interval_seconds": 86_400},
    ),
    "expiry_reclamation": Ignored(
        "SAGACITY_EXPIRED_DAYS says when expired memories are deleted", {"enabled": False}
    ),
    "governance_retention": Ignored(
        "the audit log is kept as a whole", {"audit_events_retention_enabled": False}
    ),
    "pending_tool_call_config": Ignored("learning asks no questions", {"enabled": False}),
    "shadow_mode_enabled": Ignored("a shadow answer is compared wherever one is published", unchosen=False),
    "shadow_comparison_judge_prompt_version": Ignored("prompt_versions chooses prompts", "v1.1.0"),
    "eval_sample_n_per_stratum": Ignored(_NOT_JUDGED_AGAIN, 200),
    "eval_concurrency_limit": Ignored(_NOT_JUDGED_AGAIN, 10),
    "offline_tuner_config": Ignored("there is no such tuner", {"enabled": False}),
}
