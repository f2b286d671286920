"""Older names of routes; their replies use the older names of fields."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from sagacity.api.route import PREFIX, operation_id

USER_PLAYBOOK_NAMES = {
    "user_playbooks": "raw_feedbacks",
    "user_playbook_id": "raw_feedback_id",
    "playbook_name": "feedback_name",
    "playbook_metadata": "feedback_metadata",
    "content": "feedback_content",
}
AGENT_PLAYBOOK_NAMES = {
    "agent_playbooks": "feedbacks",
    "agent_playbook_id": "feedback_id",
    "playbook_name": "feedback_name",
    "playbook_status": "feedback_status",
    "playbook_metadata": "feedback_metadata",
    "content": "feedback_content",
}
NO_NAMES: Mapping[str, str] = {}
GENERATION_NAMES = {"playbooks_generated": "feedbacks_generated", "playbook_name": "feedback_name"}
AGGREGATION_NAMES = {
    "playbooks_processed": "raw_feedbacks_processed",
    "playbooks_generated": "feedbacks_generated",
    "playbooks_updated": "feedbacks_updated",
    "playbooks_archived": "feedbacks_archived",
}
VERSION_NAMES = {
    "playbook_name": "feedback_name",
    "user_playbooks_deleted": "raw_feedbacks_deleted",
    "user_playbooks_archived": "raw_feedbacks_archived",
    "user_playbooks_promoted": "raw_feedbacks_promoted",
    "user_playbooks_demoted": "raw_feedbacks_demoted",
    "user_playbooks_restored": "raw_feedbacks_restored",
}
OLDER_ROUTES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "/add_raw_feedback": ("/add_user_playbook", USER_PLAYBOOK_NAMES),
    "/get_raw_feedbacks": ("/get_user_playbooks", USER_PLAYBOOK_NAMES),
    "/search_raw_feedbacks": ("/search_user_playbooks", USER_PLAYBOOK_NAMES),
    "/update_raw_feedback": ("/update_user_playbook", USER_PLAYBOOK_NAMES),
    "/delete_raw_feedback": ("/delete_user_playbook", USER_PLAYBOOK_NAMES),
    "/delete_raw_feedbacks_by_ids": ("/delete_user_playbooks_by_ids", USER_PLAYBOOK_NAMES),
    "/delete_all_raw_feedbacks": ("/delete_all_user_playbooks", USER_PLAYBOOK_NAMES),
    "/add_feedback": ("/add_agent_playbook", AGENT_PLAYBOOK_NAMES),
    "/get_feedbacks": ("/get_agent_playbooks", AGENT_PLAYBOOK_NAMES),
    "/search_feedbacks": ("/search_agent_playbooks", AGENT_PLAYBOOK_NAMES),
    "/update_feedback": ("/update_agent_playbook", AGENT_PLAYBOOK_NAMES),
    "/update_feedback_status": ("/update_agent_playbook_status", AGENT_PLAYBOOK_NAMES),
    "/delete_feedback": ("/delete_agent_playbook", AGENT_PLAYBOOK_NAMES),
    "/delete_feedbacks_by_ids": ("/delete_agent_playbooks_by_ids", AGENT_PLAYBOOK_NAMES),
    "/delete_all_feedbacks": ("/delete_all_agent_playbooks", AGENT_PLAYBOOK_NAMES),
    "/rerun_feedback_generation": ("/rerun_playbook_generation", GENERATION_NAMES),
    "/manual_feedback_generation": ("/manual_playbook_generation", GENERATION_NAMES),
    "/run_feedback_aggregation": ("/run_playbook_aggregation", AGGREGATION_NAMES),
    "/upgrade_all_raw_feedbacks": ("/upgrade_all_user_playbooks", VERSION_NAMES),
    "/downgrade_all_raw_feedbacks": ("/downgrade_all_user_playbooks", VERSION_NAMES),
    "/delete_request_group": ("/delete_session", NO_NAMES),
    "/unified_search": ("/search", NO_NAMES),
}
"""Older path, current path, and the older names of the reply's fields."""


def renamed(value: object, names: Mapping[str, str]) -> object:
    """Return *value* with the keys of its objects under their older names, at any depth."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        return {names.get(name, name): renamed(one, names) for name, one in fields.items()}
    if isinstance(value, list):
        return [renamed(one, names) for one in cast("list[object]", value)]
    return value


def _reply_class(names: Mapping[str, str]) -> type[JSONResponse]:
    class OlderReply(JSONResponse):
        """A reply under the field names of older clients."""

        def render(self, content: Any) -> bytes:
            """Rename, then write."""
            return super().render(renamed(content, names))

    return OlderReply


def older_routes(routers: Sequence[APIRouter]) -> APIRouter:
    """Return a router that serves the older paths with the handlers of the current ones."""
    current = {
        route.path: route for router in routers for route in router.routes if isinstance(route, APIRoute)
    }
    router = APIRouter(
        prefix=PREFIX, deprecated=True, tags=["older names"], generate_unique_id_function=operation_id
    )
    for path, (successor, names) in OLDER_ROUTES.items():
        route = current[PREFIX + successor]
        router.add_api_route(
            path,
            route.endpoint,
            methods=sorted(route.methods or ()),
            response_model=route.response_model,
            response_model_exclude_none=route.response_model_exclude_none,
            response_class=_reply_class(names),
            name=path.strip("/"),
            summary=f"{path.strip('/').replace('_', ' ').capitalize()} (now {successor.strip('/')})",
        )
    return router
