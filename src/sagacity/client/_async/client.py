"""The client: every call of the API as a method; the functions themselves are in one file per noun."""

from sagacity.client._async import (
    agent_playbooks,
    config,
    context,
    dead_letters,
    entities,
    evaluations,
    health,
    interactions,
    profiles,
    receipts,
    search,
    user_playbooks,
)
from sagacity.client._async.connection import AsyncConnection


class AsyncSagacity(AsyncConnection):
    """
    A Sagacity server, as functions.

        async with AsyncSagacity() as sagacity:
            published = await sagacity.publish_interaction("ana", [{"content": "I am vegetarian."}])
            await sagacity.wait_for_receipt(published.request_id)
            found = await sagacity.search("what may she eat?", user_id="ana")

    Calls that only read, and a publish, are tried again by themselves when the network or the server hiccups.
    A call that fails raises one of `sagacity.client.errors`; none returns `success=False`.
    """

    publish_interaction = interactions.publish_interaction
    publish = interactions.publish
    get_interactions = interactions.get_interactions
    get_all_interactions = interactions.get_all_interactions
    get_requests = interactions.get_requests
    delete_interaction = interactions.delete_interaction
    delete_request = interactions.delete_request
    delete_session = interactions.delete_session
    delete_requests_by_ids = interactions.delete_requests_by_ids
    delete_all_interactions = interactions.delete_all_interactions

    get_receipt = receipts.get_receipt
    wait_for_receipt = receipts.wait_for_receipt
    list_dead_letters = dead_letters.list_dead_letters
    replay_dead_letter = dead_letters.replay_dead_letter

    search_interactions = search.search_interactions
    search_profiles = search.search_profiles
    search_user_playbooks = search.search_user_playbooks
    search_agent_playbooks = search.search_agent_playbooks
    search = search.search
    context = context.context

    get_profiles = profiles.get_profiles
    get_all_profiles = profiles.get_all_profiles
    get_profile_statistics = profiles.get_profile_statistics
    get_profile_change_log = profiles.get_profile_change_log
    add_user_profile = profiles.add_user_profile
    update_user_profile = profiles.update_user_profile
    delete_profile = profiles.delete_profile
    delete_profiles_by_ids = profiles.delete_profiles_by_ids
    delete_all_profiles = profiles.delete_all_profiles

    list_entities = entities.list_entities
    get_entity = entities.get_entity
    add_entity = entities.add_entity
    update_entity = entities.update_entity
    merge_entities = entities.merge_entities
    delete_entity = entities.delete_entity
    get_entity_graph = entities.get_entity_graph
    list_relationships = entities.list_relationships
    get_relationship = entities.get_relationship
    add_relationship = entities.add_relationship
    update_relationship = entities.update_relationship
    delete_relationship = entities.delete_relationship

    get_user_playbooks = user_playbooks.get_user_playbooks
    add_user_playbook = user_playbooks.add_user_playbook
    update_user_playbook = user_playbooks.update_user_playbook
    delete_user_playbook = user_playbooks.delete_user_playbook
    delete_user_playbooks_by_ids = user_playbooks.delete_user_playbooks_by_ids
    delete_all_user_playbooks = user_playbooks.delete_all_user_playbooks
    delete_all_playbooks = user_playbooks.delete_all_playbooks

    get_agent_playbooks = agent_playbooks.get_agent_playbooks
    get_playbook_aggregation_change_logs = agent_playbooks.get_playbook_aggregation_change_logs
    add_agent_playbooks = agent_playbooks.add_agent_playbooks
    update_agent_playbook = agent_playbooks.update_agent_playbook
    update_agent_playbook_status = agent_playbooks.update_agent_playbook_status
    delete_agent_playbook = agent_playbooks.delete_agent_playbook
    delete_agent_playbooks_by_ids = agent_playbooks.delete_agent_playbooks_by_ids
    delete_all_agent_playbooks = agent_playbooks.delete_all_agent_playbooks

    get_agent_success_evaluation_results = evaluations.get_agent_success_evaluation_results
    get_dashboard_stats = evaluations.get_dashboard_stats

    whoami = config.whoami
    get_my_config = config.get_my_config
    get_config = config.get_config
    set_config = config.set_config

    ready = health.ready
    version = health.version
    health = health.health
