"""What is called, in scenes; each has a database of its own."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Any

import pyotp

from example_calls.recorder import LOCAL, Recorder
from sagacity.accounts.oidc.flow import code_for
from sagacity.accounts.sign_in import log_in
from sagacity.accounts.totp import owner_of
from sagacity.auth.tokens import hash_token
from sagacity.auth.totp import STEP_SECONDS, as_typed
from sagacity.domain.account import Mail, Totp
from sagacity.domain.analytics_reports import Granularity, step_of
from sagacity.domain.change import Action
from sagacity.domain.chat import Exchange, ExchangeStatus
from sagacity.domain.clock import to_epoch
from sagacity.domain.cursor import Window
from sagacity.domain.errors import CodeNeeded
from sagacity.domain.evaluation import NewEvaluation, RegularVsShadow
from sagacity.domain.holdout import ExtractorVersion
from sagacity.domain.ids import OrgId, SessionId, UserId
from sagacity.domain.ledger import ModelCallRecord
from sagacity.domain.memory import MemoryKind
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from sagacity.domain.usage import UsageEvent, UsageEventName
from support.history import decided, merged, written
from support.operations import held_back
from support.parts import START

ANNA = UserId("anna")
NAME, VERSION = "default_playbook_extractor", "agent-v0"
PROFILE_LEARNER = "profile:default_profile_extractor"
WAIT = {"wait_for_response": True}
TURNS = [
    {"role": "User", "content": "I moved to Lisbon last week."},
    {"role": "Agent", "content": "Noted. Shall I change your delivery address?"},
]
TRIGGER = "A customer wants a refund for an order."
REFUNDS = [
    "Look up the order of the refund first, always.",
    "Look up the order of the refund first, by its number.",
    "Look up the order of the refund first, then ask.",
    "Before a refund look up the order.",
    "For a refund, the order has to be looked up.",
]
INVITATION = "inv_J-mYfFEr4hwu8MUk1bEZJ_s4pRTnEtH0FisbAD7AVfA"
CODE = "tH0FisbAD7AVfAJ-mYfFEr4hwu8MUk1bEZJ_s4pRTnE"
APP_SECRET = b"12345678901234567890"
DESCRIPTION = "Handles refunds. Use when a customer wants money back for an order."


async def server(api: Recorder) -> None:
    """What the server is, and what it was told."""
    await api.show("GET /")
    await api.show("GET /health")
    await api.show("GET /health/live")
    await api.show("GET /health/ready")
    await api.show("GET /health/detailed")
    await api.show("GET /metrics")
    await api.show("GET /meta/version")
    await api.show("GET /api/whoami")
    await api.show("GET /api/my_config")
    await api.show(
        "POST /api/set_config",
        {"batch_size": 10, "batch_interval": 5, "agent_context_prompt": "A travel agency."},
    )
    await api.show("GET /api/get_config")
    await api.show("POST /api/update_config", {"agent_context_prompt": "A travel agency that books trains."})
    await api.show("GET /api/config/versions")
    await api.show("GET /api/config/versions/{version}", version=1)
    await api.show("GET /api/config/diff", old=1)
    await api.show("POST /api/config/rollback", {"version": 1})
    await api.show("PUT /api/site/{name}", {"value": {"share": 0.1}}, name="flag.query_rewriting")
    await api.show("GET /api/site")
    await api.show("DELETE /api/site/{name}", name="flag.query_rewriting")
    limits = {"members": 10, "interactions_per_day": 50_000, "tokens": None}
    await api.show("PUT /api/quotas/{org_id}", {"limits": limits}, org_id="self-host-org")
    await api.show("GET /api/quotas/{org_id}", org_id="self-host-org")
    await api.show("GET /api/quotas")
    await api.show("GET /api/prompts")
    await api.show(
        "POST /api/preview_prompt",
        {"prompt_id": "query_reformulation", "variables": {"question": "and in winter?"}},
    )
    await api.show("PUT /api/update_prompt_version", {"prompt_id": "profile_extraction", "version": 1})


async def conversations(api: Recorder) -> None:
    """A conversation comes in, is learned from, found, served, and deleted."""
    publish = {
        "user_id": ANNA,
        "session_id": "s-1",
        "agent_version": VERSION,
        "request_id": "r-1",
        "metadata": {"project": "atlas", "priority": 2},
        "interaction_data_list": TURNS,
    }
    await api.show("POST /api/publish_interaction", publish)
    asked = [{"content": "Where do I live now?"}]
    await api.do(
        "POST /api/publish_interaction",
        {"user_id": ANNA, "request_id": "r-2", "interaction_data_list": asked, "force_extraction": True},
        **WAIT,
    )
    await api.indexed()
    await api.show("GET /api/receipts/{request_id}", request_id="r-1")
    await api.show("GET /api/learning_status", request_id="r-1")
    await api.show(
        "POST /api/get_interactions", {"user_id": ANNA, "start_time": "2026-01-01T00:00:00Z", "top_k": 30}
    )
    await api.show("GET /api/get_all_interactions")
    await api.show("POST /api/get_requests", {"user_id": ANNA, "top_k": 30, "offset": 0})
    await api.show("GET /api/profile_change_log")
    await searches(api)
    await api.show("DELETE /api/delete_interaction", {"user_id": ANNA, "interaction_id": 1})
    await api.show("DELETE /api/delete_request", {"request_id": "r-1"})
    for number in (3, 4):
        again = publish | {"request_id": f"r-{number}", "session_id": f"s-{number}"}
        await api.do("POST /api/publish_interaction", again)
    await api.show("DELETE /api/delete_session", {"session_id": "s-3"})
    await api.show("DELETE /api/delete_requests_by_ids", {"request_ids": ["r-4"]})
    await api.show("DELETE /api/delete_all_interactions")


async def searches(api: Recorder) -> None:
    """What was said and learned is found again."""
    await add_playbooks(api, ("Answer with a table when figures are compared.", "The user compares figures."))
    await api.do(
        "POST /api/add_agent_playbook", {"agent_playbooks": [SHARED | {"playbook_status": "approved"}]}
    )
    await api.indexed()
    await api.show(
        "POST /api/search",
        {
            "user_id": ANNA,
            "query": "Where did she want to move last week?",
            "kinds": ["profile", "user_playbook", "interaction"],
            "top_k": 5,
            "threshold": 0.3,
            "ranking": "blended",
            "strategies": ["vector", "keyword"],
            "neighbours": 1,
            "reference_time": "2026-05-04T09:00:00Z",
            "metadata": {"or": [{"project": {"eq": "atlas"}}, {"priority": {"gte": 2}}]},
            "conversation_history": [{"role": "User", "content": "Let us talk about Anna."}],
            "enable_reformulation": False,
            "explain": True,
        },
    )
    await api.show(
        "POST /api/search_interactions",
        {
            "user_id": ANNA,
            "query": "moving house",
            "top_k": 10,
            "start_time": "2026-01-01T00:00:00Z",
        },
    )
    await api.show(
        "POST /api/search_profiles",
        {
            "user_ids": [ANNA, "ben"],
            "query": "home town",
            "threshold": 0.2,
            "search_mode": "hybrid",
        },
    )
    await api.show(
        "POST /api/search_user_playbooks",
        {
            "user_id": ANNA,
            "query": "compare figures",
            "agent_versions": [VERSION, "agent-v1"],
            "status_filter": [None, "pending"],
            "include_expired": False,
        },
    )
    await api.show(
        "POST /api/search_agent_playbooks",
        {
            "query": "late delivery",
            "playbook_status_filter": "approved",
            "playbook_names": ["agent_corrections"],
            "rerank": False,
        },
    )
    await api.show(
        "POST /api/context",
        {
            "user_id": ANNA,
            "query": "Where does she live?",
            "session_id": "s-2",
            "budgets": {"total_tokens": 2000},
        },
    )


async def profiles(api: Recorder) -> None:
    """Profiles that are written by hand."""
    await api.show(
        "POST /api/add_user_profile",
        {"user_profiles": [{"profile_id": "home", "user_id": ANNA, "content": "Lives in Lisbon."}]},
    )
    await api.show(
        "POST /api/get_profiles", {"user_id": ANNA, "top_k": 30, "status_filter": [None, "pending"]}
    )
    await api.show("GET /api/get_all_profiles")
    await api.show("GET /api/storage_stats", user_id=ANNA)
    await api.indexed()
    await api.show(
        "POST /api/rerank_user_profiles",
        {"user_id": ANNA, "query": "Where is her home?", "profile_ids": ["home"], "top_k": 5},
    )
    await api.show(
        "PUT /api/update_user_profile", {"user_id": ANNA, "profile_id": "home", "content": "Lives in Porto."}
    )
    await api.show("GET /api/get_profile_statistics")
    await api.show("DELETE /api/delete_profile", {"user_id": ANNA, "profile_id": "home"})
    await add_profiles(api, "Plays the cello.", "Keeps bees.")
    await api.show("DELETE /api/delete_profiles_by_ids", {"profile_ids": ["profile-0"]})
    await api.show("DELETE /api/delete_all_profiles")


async def user_playbooks(api: Recorder) -> None:
    """User playbooks that are written by hand."""
    book = {
        "user_id": ANNA,
        "agent_version": VERSION,
        "trigger": "The user compares figures.",
        "content": "Answer with a table when figures are compared.",
    }
    await api.do("POST /api/set_config", NOT_BY_ITSELF)
    await api.show("POST /api/add_user_playbook", {"user_playbooks": [book]})
    await api.show("POST /api/get_user_playbooks", {"user_id": ANNA, "limit": 100, "status_filter": [None]})
    await api.show(
        "PUT /api/update_user_playbook",
        {"user_playbook_id": 1, "content": "Answer with a table.", "status": "archived"},
    )
    await api.show("DELETE /api/delete_user_playbook", {"user_playbook_id": 1})
    await api.do("POST /api/add_user_playbook", {"user_playbooks": [book, book, book]})
    await api.show("DELETE /api/delete_user_playbooks_by_ids", {"user_playbook_ids": [2, 3]})
    await api.show("DELETE /api/delete_all_user_playbooks")


SHARED = {
    "playbook_name": "agent_corrections",
    "agent_version": VERSION,
    "trigger": "A delivery is late.",
    "content": "Ask for the order number before looking up a delivery.",
}


async def agent_playbooks(api: Recorder) -> None:
    """Agent playbooks that are written by hand."""
    await api.show("POST /api/add_agent_playbook", {"agent_playbooks": [SHARED]})
    await api.show(
        "PUT /api/update_agent_playbook",
        {"agent_playbook_id": 1, "rationale": "Without it the look-up fails."},
    )
    await api.show(
        "PUT /api/update_agent_playbook_status", {"agent_playbook_id": 1, "playbook_status": "approved"}
    )
    await api.show("POST /api/get_agent_playbooks", {"limit": 100, "playbook_status_filter": "approved"})
    await api.show("DELETE /api/delete_agent_playbook", {"agent_playbook_id": 1})
    await api.do("POST /api/add_agent_playbook", {"agent_playbooks": [SHARED, SHARED, SHARED]})
    await api.show("DELETE /api/delete_agent_playbooks_by_ids", {"agent_playbook_ids": [2, 3]})
    await api.show("DELETE /api/delete_all_agent_playbooks")
    await api.show("DELETE /api/delete_all_playbooks")


async def skills(api: Recorder) -> None:
    """What users taught becomes agent playbooks and a skill; a person reviews the skill."""
    await api.do("POST /api/set_config", NOT_BY_ITSELF)
    for place, content in enumerate(REFUNDS):
        await add_playbooks(api, (content, TRIGGER), user_id=f"{ANNA}{place}")
    await api.indexed()
    await api.show("POST /api/run_playbook_aggregation", {"agent_version": VERSION, "playbook_name": NAME})
    await api.show("GET /api/playbook_aggregation_change_logs", playbook_name=NAME, agent_version=VERSION)
    await api.show("POST /api/run_skill_generation", {"agent_version": VERSION, "playbook_name": NAME})
    made = await api.do("POST /api/get_skills", {"playbook_name": NAME})
    number = made["skills"][0]["skill_id"]
    for method in ("POST", "PUT"):
        await api.show(f"{method} /api/update_skill_status", {"skill_id": number, "skill_status": "approved"})
    await api.show("POST /api/get_skills", {"playbook_name": NAME, "skill_status_filter": "approved"})
    await api.indexed()
    await api.show("POST /api/search_skills", {"query": "the customer wants the money back", "top_k": 3})
    await api.show("POST /api/export_skills", {"format": "markdown", "playbook_name": NAME})
    added = {
        "skill_name": "process-refunds",
        "description": DESCRIPTION,
        "instructions": "# Process refunds\n\n1. Look up the order.\n2. Say how many days it takes.",
        "agent_version": VERSION,
    }
    [written_by_hand] = (await api.show("POST /api/add_skill", {"skills": [added]}))["skill_ids"]
    await api.show(
        "PUT /api/update_skill", {"skill_id": written_by_hand, "description": DESCRIPTION + " Or a voucher."}
    )
    await api.show("DELETE /api/delete_skill", {"skill_id": written_by_hand})
    await api.show("DELETE /api/delete_skills_by_ids", {"skill_ids": [number]})


async def generation(api: Recorder) -> None:
    """Users' logs are learned anew; what comes of it is compared, taken into use, and taken back."""
    await api.do("POST /api/set_config", NOT_BY_ITSELF)
    said = [{"content": "I moved to Porto. I play the cello. Please answer with a table."}]
    await api.do("POST /api/publish_interaction", {"user_id": "ben", "interaction_data_list": said})
    await api.show(
        "POST /api/manual_profile_generation",
        {"user_id": "ben", "extractor_names": ["default_profile_extractor"]},
        **WAIT,
    )
    await api.show(
        "POST /api/manual_playbook_generation", {"agent_version": VERSION, "user_id": "ben"}, **WAIT
    )
    started = await api.show(
        "POST /api/rerun_profile_generation", {"user_id": "ben", "start_time": "2026-01-01T00:00:00Z"}, **WAIT
    )
    await api.show("POST /api/rerun_playbook_generation", {"user_id": "ben", "playbook_name": NAME}, **WAIT)
    await api.show("GET /api/get_operation_status", operation_id=started["operation_id"])
    await api.show("GET /api/operations", limit=1)
    async with held_back(api.app, "ben"):
        await api.do("POST /api/rerun_profile_generation", {"user_id": "ben"})
        await api.show("POST /api/cancel_operation", {"service_name": "profile_generation"})


async def versions(api: Recorder) -> None:
    """What is pending is compared with what is current, taken into use, and taken back."""
    await api.do("POST /api/set_config", NOT_BY_ITSELF)
    await add_profiles(api, "Lives in Porto.", "Is looking for a flat.")
    await add_profiles(api, "Lives in Porto, by the sea.", "Plays the cello.", status="pending")
    await add_playbooks(api, ("Answer with a list.", TRIGGER), ("Round to whole numbers.", TRIGGER))
    await add_playbooks(
        api, ("Answer with a short list.", TRIGGER), ("Name the source.", TRIGGER), status="pending"
    )
    await api.indexed()
    await api.show("POST /api/get_profile_diff", {"user_id": ANNA, "limit": 100})
    await api.show("POST /api/get_user_playbook_diff", {"agent_version": VERSION, "limit": 100})
    swap = {"user_id": ANNA, "only_affected_users": True}
    await api.show("POST /api/upgrade_all_profiles", swap)
    await api.show("POST /api/downgrade_all_profiles", swap)
    swap = {"agent_version": VERSION, "playbook_name": NAME, "only_affected_users": True}
    await api.show("POST /api/upgrade_all_user_playbooks", swap)
    await api.show("POST /api/downgrade_all_user_playbooks", swap)


async def history(api: Recorder) -> None:
    """Two things said on two days are merged into one memory, which is then taken apart."""
    for number, said in enumerate(("I run every morning.", "I also swim in the morning now."), 1):
        body = {"user_id": ANNA, "request_id": f"r-{number}", "interaction_data_list": [{"content": said}]}
        await api.do("POST /api/publish_interaction", body)
    storage, clock = api.runtime.storage, api.runtime.clock
    former = decided(Action.ADD, "Runs in the morning.", (1,), reason="new")
    await written(storage, clock, former, tenant=LOCAL)
    async with storage.read(LOCAL) as snapshot:
        runs = await snapshot.memories.list_newest(former.candidate.kind, limit=1)
    whole = merged("Runs and swims in the morning.", "Swims in the morning.", (2,), *runs)
    whole = whole.model_copy(update={"reason": "both are about mornings"})
    await written(storage, clock, whole, tenant=LOCAL)
    [memory] = (await api.do("POST /api/get_profiles", {"user_id": ANNA}))["user_profiles"]
    await api.show("GET /api/memories/{memory_id}/history", memory_id=memory["profile_id"])
    await api.show("POST /api/memories/{memory_id}/undo_merge", memory_id=memory["profile_id"])


async def reviews(api: Recorder) -> None:
    """Two rules that say nearly the same, one of which is merged into the other; then that is undone."""
    rules = ("Offer credit before a refund.", "Offer credit before the refund.")
    books = [
        {
            "user_id": ANNA,
            "trigger": TRIGGER,
            "content": rule,
            "created_at": to_epoch(START) - number * 86_400,
        }
        for number, rule in enumerate(rules, 40)
    ]
    await api.do("POST /api/add_user_playbook", {"user_playbooks": books})
    await api.do("POST /api/get_memory_review", {"user_id": ANNA})
    await api.compared()
    found = await api.show("POST /api/get_memory_review", {"user_id": ANNA, "days_back": 30})
    one, other = (candidate["entity_id"] for candidate in found["candidates"])
    await api.show("GET /api/memory_health", user_id=ANNA)
    merge = {"entity_id": one, "action": "merge", "other_id": other, "reason": "says the same"}
    done = await api.show("POST /api/review_memory", merge)
    await api.show("POST /api/undo_memory_review", {"action_id": done["action"]["action_id"]})
    await api.show("POST /api/get_memory_review_actions", {"user_id": ANNA})


async def entities(api: Recorder) -> None:
    """Who and what a user speaks of."""
    ana = {
        "user_id": ANNA,
        "name": "Ana Silva",
        "entity_type": "person",
        "description": "the user's sister",
        "aliases": ["Ana"],
        "attributes": {"birthday": "12 May"},
    }
    await api.show("POST /api/entities", ana)
    await api.do("POST /api/entities", {"user_id": ANNA, "name": "Siemens", "entity_type": "organization"})
    await api.show("PATCH /api/entities/{entity_id}", {"user_id": ANNA, "name": "Ana Silva"}, entity_id=1)
    await api.show("GET /api/entities/{entity_id}", entity_id=1, user_id=ANNA)
    tie = {
        "user_id": ANNA,
        "source_entity_id": 1,
        "target_entity_id": 2,
        "relationship_type": "works_at",
        "confidence": 0.9,
    }
    await api.show("POST /api/relationships", tie)
    await api.show(
        "PATCH /api/relationships/{relationship_id}", {"user_id": ANNA, "confidence": 0.9}, relationship_id=1
    )
    await api.show("GET /api/relationships", user_id=ANNA)
    await api.show("GET /api/relationships/{relationship_id}", relationship_id=1, user_id=ANNA)
    await api.show("GET /api/entities", user_id=ANNA)
    await api.show("GET /api/entities/{entity_id}/graph", entity_id=1, user_id=ANNA)
    await api.show("DELETE /api/relationships/{relationship_id}", relationship_id=1, user_id=ANNA)
    for name in ("A. Silva", "Aninha"):
        await api.do("POST /api/entities", {"user_id": ANNA, "name": name, "entity_type": "person"})
    await api.show(
        "POST /api/entities/{entity_id}/merge", {"user_id": ANNA, "entity_ids": [3, 4]}, entity_id=1
    )
    await api.show("DELETE /api/entities/{entity_id}", entity_id=1, user_id=ANNA)


BETTER, SLIGHTLY = RegularVsShadow.SHADOW_IS_BETTER, RegularVsShadow.SHADOW_IS_SLIGHTLY_BETTER
TIED, WORSE = RegularVsShadow.TIED, RegularVsShadow.REGULAR_IS_BETTER


async def models(api: Recorder) -> None:
    """What models did: an evaluation, calls that cost something, and a window that was given up."""
    async with api.runtime.storage.begin(LOCAL) as transaction:
        await transaction.model_calls.add(
            ModelCallRecord(
                learner=PROFILE_LEARNER,
                user_id=ANNA,
                model="anthropic/claude-haiku-4-5",
                prompt="profile_extraction/v2",
                prompt_tokens=1620,
                completion_tokens=74,
                cost_usd=0.01,
                duration_ms=1830,
                created_at=START,
            )
        )
        success = NewEvaluation(agent_version=VERSION, session_id="s-1", is_success=True, created_at=START)
        await transaction.evaluations.replace(ANNA, success)
        for number in range(24):
            compared = NewEvaluation(
                agent_version=VERSION,
                source="web",
                session_id=f"c-{number}",
                is_success=number % 2 == 0,
                evaluation_name="resolved",
                regular_vs_shadow=(BETTER, BETTER, SLIGHTLY, BETTER, TIED, WORSE)[number % 6],
                is_shadow_first=number % 2 == 0,
                is_shadow_success=number % 6 < 5,  # noqa: PLR2004  of six
                comparison_reason="Only B names the tax." if number % 2 else "Only A names the tax.",
                created_at=START,
            )
            await transaction.evaluations.replace(ANNA, compared)
        window = Window(user_id=ANNA, first_seq=11, last_seq=20, unread=())
        await transaction.dead_letters.add(
            PROFILE_LEARNER, window, attempts=5, error_kind="ProviderTimeout", error="no answer within 120 s"
        )
    await api.do("POST /api/set_config", {"spending_cap": {"max_tokens": 100_000}})
    await api.show("GET /api/model_calls")
    await api.show("GET /api/model_call_totals", by="day")
    await api.show("POST /api/get_agent_success_evaluation_results", {"limit": 100, "agent_version": VERSION})
    await api.show("GET /api/v1/evaluations/shadow", days=30, limit=1)
    await api.show("POST /api/get_dashboard_stats", {"days_back": 2})
    await api.show("GET /api/v1/dashboard/series", days=1, by="source", source="web")
    await api.show("GET /api/dead_letters")
    await api.show("POST /api/dead_letters/{dead_letter_id}/replay", dead_letter_id=1)


async def effects(api: Recorder) -> None:
    """Sessions that were shown a playbook, and sessions that were drawn to go without."""
    playbook = {"user_id": ANNA, "request_id": "r-1", "trigger": TRIGGER, "content": REFUNDS[0]}
    await api.do("POST /api/add_user_playbook", {"user_playbooks": [playbook]})
    await api.do("POST /api/set_config", {"holdout_share": 0.1})
    for number in range(250):
        is_held_out, session_id = number % 10 == 0, SessionId(f"e-{number}")
        lot = UsageEvent(
            uid=str(session_id),
            org_id=LOCAL.org_id,
            user_id=ANNA,
            session_id=session_id,
            entity_type=MemoryKind.USER_PLAYBOOK,
            entity_id="1",
            event_name=UsageEventName.HELD_OUT if is_held_out else UsageEventName.SHOWN,
            holdout_share=0.1,
            metadata=ExtractorVersion(learner=f"user_playbook:{NAME}", method="rules").model_dump(),
            created_at=START,
        )
        api.runtime.usage.record(LOCAL, lot)
        judged = NewEvaluation(
            agent_version=VERSION,
            session_id=session_id,
            is_success=number % 20 == 0 if is_held_out else number % 10 < 9,  # noqa: PLR2004  of ten
            created_at=START,
        )
        async with api.runtime.storage.begin(LOCAL) as transaction:
            await transaction.evaluations.replace(ANNA, judged)
    await api.show("GET /api/v1/usage/effects", limit=1)


NOT_BY_ITSELF = {
    "user_playbook_extractor_configs": [
        {
            "extractor_name": NAME,
            "extraction_definition_prompt": "how to act",
            "aggregation_config": {"reaggregation_trigger_count": 1_000},
            "skill_generator_config": {"enabled": True, "min_feedback_per_cluster": 3},
        }
    ]
}
"""A configuration with which playbooks are shared only when somebody asks for it."""


async def add_profiles(api: Recorder, *contents: str, status: str | None = None) -> None:
    """Write profiles of Anna's."""
    given = [
        {
            "user_id": ANNA,
            "content": content,
            "profile_id": f"{status or 'profile'}-{number}",
            "status": status,
        }
        for number, content in enumerate(contents)
    ]
    await api.do("POST /api/add_user_profile", {"user_profiles": given})


async def add_playbooks(
    api: Recorder, *said: tuple[str, str], status: str | None = None, user_id: str = ANNA
) -> None:
    """Write playbooks of one user, each given by its content and its trigger."""
    given = [
        {
            "user_id": user_id,
            "playbook_name": NAME,
            "agent_version": VERSION,
            "content": content,
            "trigger": trigger,
            "status": status,
        }
        for content, trigger in said
    ]
    await api.do("POST /api/add_user_playbook", {"user_playbooks": given})


async def being_answered(api: Recorder, conversation_id: str) -> None:
    """Let a conversation of Anna's be one that another process answers in."""
    now = api.runtime.clock.now()
    exchange = Exchange(
        exchange_id=api.runtime.ids.new(),
        user_id=UserId(ANNA),
        session_id=SessionId(conversation_id),
        answer_id=api.runtime.ids.new(),
        status=ExchangeStatus.RUNNING,
        owner="another process",
        held_until=now + timedelta(hours=1),
        created_at=now,
        updated_at=now,
    )
    async with api.runtime.storage.begin(LOCAL) as transaction:
        await transaction.exchanges.add(exchange)


async def chat(api: Recorder) -> None:
    """The chat: a message and its answer, and what is done with conversations."""
    anna = {"user_id": ANNA}
    await add_profiles(api, "Is allergic to peanuts.")
    await api.indexed()
    made = await api.show(
        "POST /api/chat/conversations", {"title": "Dinner", "metadata": {"app": "web"}}, **anna
    )
    sent = {
        "content": "What am I allergic to?",
        "conversation_id": made["id"],
        "stream": False,
        "include_memory": True,
        "metadata": {},
    }
    answer = await api.show("POST /api/chat/send", sent, **anna)
    exchange = {"exchange_id": answer["exchange_id"]}
    await api.show("GET /api/chat/exchanges/{exchange_id}", **exchange, **anna)
    await api.show("GET /api/chat/exchanges/{exchange_id}/events", **exchange, **anna)
    await api.show("POST /api/chat/retry", {"conversation_id": made["id"], "stream": False}, **anna)
    await api.show(
        "POST /api/chat/complete",
        {"messages": [{"role": "user", "content": "What am I allergic to?"}], "max_tokens": 300},
        **anna,
    )
    await api.show("GET /api/chat/conversations", page_size=1, **anna)
    one = {"conversation_id": made["id"], **anna}
    await api.show("GET /api/chat/conversations/{conversation_id}", **one)
    await api.show("GET /api/chat/conversations/{conversation_id}/messages", limit=2, **one)
    await api.show("PATCH /api/chat/conversations/{conversation_id}", {"title": "Dinner on Friday"}, **one)
    await api.show("POST /api/chat/conversations/{conversation_id}/archive", **one)
    await api.show("POST /api/chat/conversations/{conversation_id}/unarchive", **one)
    await being_answered(api, made["id"])
    await api.show("POST /api/chat/stop", {"conversation_id": made["id"]}, **anna)
    await api.show("DELETE /api/chat/conversations/{conversation_id}", **one)


async def analytics(api: Recorder) -> None:
    """What calls took and found."""
    anna = {"user_id": ANNA}
    await add_profiles(api, "Is allergic to peanuts.")
    await api.indexed()
    # with memory it may or may not find the message that is stored beside it, and the averages below would differ
    asked = {"content": "What am I allergic to?", "stream": False, "include_memory": False}
    await api.do("POST /api/chat/send", asked, **anna)
    await api.do("POST /api/search", {"query": "peanuts", **anna})
    await api.show("POST /api/v1/analytics/flush")
    await api.show("POST /api/get_injection_stats", {"days_back": 30})
    listed = await api.show("GET /api/v1/analytics/requests", page_size=1)
    one = {"analytics_id": listed["analytics"][0]["id"]}
    await api.show("GET /api/v1/analytics/requests/{analytics_id}", **one)
    await api.show("GET /api/v1/analytics/summary", days=1)
    await api.show("GET /api/v1/analytics/latency", days=1)
    await api.show("GET /api/v1/analytics/retrieval", days=1)
    await api.show("GET /api/v1/analytics/timeseries", metric="requests", days=1, granularity="day")
    async with api.runtime.storage.begin(LOCAL) as transaction:
        today = step_of(api.runtime.clock.now(), Granularity.DAY)
        await transaction.analytics_days.sum_up(today, limit=9)
    await api.show("GET /api/v1/analytics/daily")


async def memories(api: Recorder) -> None:
    """A user's memories, and what the user says of themselves and of what may be remembered."""
    anna = {"user_id": ANNA}
    made = await api.show(
        "POST /api/memories",
        {
            "memory_type": "profile",
            "content": "Prefers tea over coffee.",
            "category": "preferences",
            "attribute": "drink",
            "value": "tea",
            "keywords": ["breakfast"],
            "reliability": 0.9,
        },
        **anna,
    )
    several = [
        {"memory_type": "semantic", "content": "The office has no coffee machine.", "topic": "office"},
        {
            "memory_type": "procedural",
            "content": "Tea is made in a pot.",
            "procedure_name": "tea",
            "trigger": "when guests come",
            "steps": ["boil water", "wait four minutes"],
        },
        {"memory_type": "episodic", "content": ""},
    ]
    await api.show("POST /api/memories/bulk", {"memories": several}, **anna)
    await api.indexed()
    await api.show("GET /api/memories", page_size=1, **anna)
    await api.show("GET /api/memories/type/{memory_type}", memory_type="procedural", page_size=1, **anna)
    await api.show("GET /api/memories/stats", **anna)
    wanted = {"query": "what does she drink?", "memory_types": ["profile", "semantic"], "limit": 1}
    await api.show("POST /api/memories/search", wanted, **anna)
    await api.runtime.parts.accesses.flush()  # before its time comes
    one = {"memory_id": made["id"], **anna}
    await api.show("GET /api/memories/{memory_id}", **one)
    await api.show("POST /api/memories/{memory_id}/access", **one)
    await api.show("PATCH /api/memories/{memory_id}", {"value": "green tea", "reliability": 1}, **one)
    await api.show("DELETE /api/memories/{memory_id}", **one)
    await api.show("DELETE /api/memories", memory_type="episodic", confirm=True, **anna)
    await api.show(
        "PATCH /api/profile",
        {
            "display_name": "Anna",
            "timezone": "Europe/Paris",
            "language": "fr",
            "preferences": {"theme": "dark"},
        },
        **anna,
    )
    await api.show("GET /api/profile", **anna)
    settings = {"retention_days": 90, "procedural_learning": False}
    await api.show("PATCH /api/profile/memory-settings", settings, **anna)
    await api.show("GET /api/profile/memory-settings", **anna)
    await api.show("POST /api/profile/memory-settings/reset", **anna)
    await api.show("DELETE /api/profile", **anna)


async def erasures(api: Recorder) -> None:
    """Users are listed; one is exported, and erased with a report."""
    await add_profiles(api, "Lives in Lisbon.")
    await api.show("GET /api/users")
    await api.show("GET /api/users/{user_id}/export", user_id=ANNA)
    erased = await api.show("DELETE /api/users/{user_id}", user_id=ANNA, **WAIT)
    await api.show("GET /api/erasures")
    await api.show("GET /api/erasures/{erasure_id}", erasure_id=erased["operation_id"])
    await api.show("POST /api/clear_user_data", {"user_id": "ben"})


async def quarantines(api: Recorder) -> None:
    """A source is held, looked at, and released."""
    await add_profiles(api, "Lives in Lisbon.")
    begun = await api.show(
        "POST /api/quarantines", {"target": "user", "value": ANNA, "reason": "planted instructions"}
    )
    one = begun["quarantine_id"]
    await api.show("GET /api/quarantines")
    await api.show("GET /api/quarantines/{quarantine_id}", quarantine_id=one)
    await api.show("GET /api/quarantines/{quarantine_id}/held", quarantine_id=one)
    harmless = {"reason": "it was harmless"}
    await api.show("POST /api/quarantines/{quarantine_id}/release", harmless, quarantine_id=one)


async def tokens(api: Recorder) -> None:
    """A token is made, gets another secret, and is revoked; all of it is in the log."""
    admin = await api.do("POST /api/tokens", {"name": "laptop", "scopes": ["admin"]})
    api.token = admin["secret"]
    wanted = {"name": "web shop", "scopes": ["publish"], "expires_in_seconds": 2_592_000}
    one = (await api.show("POST /api/tokens", wanted))["token"]["token_id"]
    await api.show("POST /api/tokens/{token_id}/rotate", {"grace_seconds": 3_600}, token_id=one)
    await api.show("GET /api/tokens")
    await api.show("DELETE /api/tokens/{token_id}", token_id=one)
    await api.show("GET /api/audit", limit=2)


async def accounts(api: Recorder) -> None:
    """Somebody signs up, confirms the address, signs in, forgets the password, and leaves."""
    email = "ana@example.com"
    new = {"email": email, "password": "Two-Lions-4", "full_name": "Ana"}
    user_id = UserId((await api.show("POST /api/auth/signup", new))["user_id"])
    await api.show("POST /api/register", new | {"email": "ben@example.com", "invitation_code": ""})
    await api.show("POST /api/resend-verification", {"email": email})
    await api.runtime.accounts.mails.send_due()
    await _mailed(api, user_id, Mail.VERIFY)
    await api.show("POST /api/verify-email", {"code": CODE})
    await api.show("POST /api/auth/password/reset", {"email": email})
    await api.show("POST /api/forgot-password", {"email": "ben@example.com"})
    await api.runtime.accounts.mails.send_due()
    await _mailed(api, user_id, Mail.RESET)
    reset = {"code": CODE, "new_password": "Three-Lions-5"}
    await api.show("POST /api/reset-password", reset)
    password = reset["new_password"]
    signed_in = await api.show("POST /api/auth/login", {"email": email, "password": password})
    refreshed = await api.do("POST /api/auth/refresh", {"refresh_token": signed_in["refresh_token"]})
    await api.show("POST /token", {"username": email, "password": password})
    api.token = refreshed["access_token"]
    await api.show("GET /api/auth/me")
    await api.show("POST /api/auth/verify")
    both = {"current_password": password, "new_password": "Four-Lions-6"}
    await api.show("POST /api/auth/password/update", both)
    await api.show("POST /api/auth/refresh", {"refresh_token": refreshed["refresh_token"]})
    await _by_browser(api, email, both["new_password"])
    await _by_app(api, user_id, email, both["new_password"])
    await api.show("POST /api/auth/logout")
    for call in ("DELETE /api/auth/account", "DELETE /api/account"):
        other = f"{len(call)}@example.com"
        made = await api.do("POST /api/auth/signup", new | {"email": other})
        async with api.runtime.storage.begin(LOCAL) as transaction:
            await transaction.accounts.verify(UserId(made["user_id"]))
        again = await api.do("POST /api/auth/login", {"email": other, "password": new["password"]})
        api.token = again["access_token"]
        await api.show(call, {"password": new["password"]})


async def _by_browser(api: Recorder, email: str, password: str) -> None:
    """The account comes back from a provider with a code, and signs in with a cookie."""
    parts = api.runtime.accounts.parts
    async with parts.storage.read(parts.tenant) as snapshot:
        account = await snapshot.accounts.find_by_email(email)
    assert account is not None  # noqa: S101  it has just signed in
    await api.show("POST /api/auth/oidc/token", {"code": await code_for(parts, account)})
    await api.show("POST /api/auth/cookie", {"email": email, "password": password})
    await api.show("GET /api/auth/csrf")


async def _by_app(api: Recorder, user_id: UserId, email: str, password: str) -> None:
    """The account gets an authenticator app, signs in with its codes, and does without again."""
    parts = api.runtime.accounts.parts
    await api.show("GET /api/auth/totp")
    await api.show("POST /api/auth/totp", {"password": password})
    sealed = parts.open_ring(make=False).seal(APP_SECRET, owner_of(parts.tenant, user_id))
    async with parts.storage.begin(parts.tenant) as transaction:
        await transaction.account_totp.put(Totp(user_id=user_id, sealed=sealed, created_at=START))
    codes = pyotp.TOTP(as_typed(APP_SECRET))

    async def next_step() -> dict[str, str]:
        for _ in range(STEP_SECONDS):
            await api.do("GET /health")  # each call is a second later
        body = {"code": codes.at(parts.clock.now())}
        try:
            await log_in(parts, email, password, address="")
        except CodeNeeded as error:
            body["challenge"] = error.challenge
        return body

    await api.show("POST /api/auth/totp/confirm", await next_step())
    for call in ("POST /api/auth/login/code", "POST /api/auth/cookie/code"):
        await api.show(call, await next_step())
    for call in ("POST /api/auth/totp/recovery_codes", "POST /api/auth/totp/disable"):
        code = (await next_step())["code"]
        await api.show(call, {"password": password, "code": code})


async def members(api: Recorder) -> None:
    """An owner invites somebody, who accepts, becomes a viewer, and goes from one organisation to another."""
    password, team = "Two-Lions-4", Tenant(org_id=OrgId("team"))
    ana, ben = ({"email": f"{name}@example.com", "password": password} for name in ("ana", "ben"))
    users = [UserId((await api.do("POST /api/auth/signup", one))["user_id"]) for one in (ana, ben)]
    async with api.runtime.storage.begin(team) as transaction:
        await transaction.organisation.ensure("The team")
        await transaction.members.put(users[0], Role.OWNER, by="operator", target="user:ana")
    api.token = (await api.do("POST /api/auth/login", ana | {"organization": "team"}))["access_token"]
    owners = api.token
    wanted = {"email": ben["email"], "role": "member"}
    made = (await api.show("POST /api/invitations", wanted))["invitation"]["invitation_id"]
    await api.show("GET /api/invitations")
    await api.show("POST /api/invitations/{invitation_id}/resend", invitation_id=made)
    later = api.runtime.clock.now() + timedelta(days=7)
    await api.runtime.accounts.mails.send_due()
    async with api.runtime.storage.begin(team) as transaction:
        await transaction.invitations.put_code(made, hash_token(INVITATION), expires_at=later)
    api.token = (await api.do("POST /api/auth/login", ben))["access_token"]
    await api.show("POST /api/invitations/accept", {"code": INVITATION})
    await api.show("GET /api/organizations")
    await api.show("POST /api/organizations/switch", {"organization": "team"})
    api.token = owners
    await api.show("GET /api/members")
    await api.show("PATCH /api/members/{user_id}", {"role": "viewer"}, user_id=users[1])
    await api.show("DELETE /api/members/{user_id}", user_id=users[1])
    other = await api.do("POST /api/invitations", {"email": "eve@example.com"})
    gone = other["invitation"]["invitation_id"]
    await api.show("DELETE /api/invitations/{invitation_id}", invitation_id=gone)


async def _mailed(api: Recorder, user_id: UserId, purpose: Mail) -> None:
    """Put the code of the examples in place of the one that was sent."""
    later = api.runtime.clock.now() + timedelta(hours=1)
    async with api.runtime.storage.begin(LOCAL) as transaction:
        await transaction.account_mails.put_code(user_id, purpose, hash_token(CODE), expires_at=later)


SCENES: tuple[Callable[[Recorder], Awaitable[None]], ...] = (
    server,
    conversations,
    profiles,
    user_playbooks,
    agent_playbooks,
    skills,
    generation,
    versions,
    history,
    entities,
    models,
    effects,
    chat,
    analytics,
    memories,
    erasures,
    quarantines,
    reviews,
    accounts,
    members,
    tokens,
)
SETTINGS: Mapping[object, dict[str, Any]] = {
    accounts: {
        "sign_up": "open",
        "mail_url": "console",
        "password_memory_kib": 64,
        "cookie_sessions": True,
        "public_url": "http://127.0.0.1:8081",
    },
    members: {
        "sign_up": "open",
        "verify_email": False,
        "mail_url": "console",
        "password_memory_kib": 64,
    },
}
"""What a scene sets beside the usual."""
