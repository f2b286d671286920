# Generated from the API's description by scripts/sdk; change it there.
"""Every call of the API that is one request, as a method; each is written in its module."""

from typing import TYPE_CHECKING

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.later import Later

if TYPE_CHECKING:
    from sagacity.client._async import (
        accounts,
        agent_playbooks,
        analytics,
        audit,
        chat,
        configuration,
        context,
        dead_letters,
        entities,
        evaluations,
        generation,
        health,
        interactions,
        members,
        memories,
        memory_review,
        model_calls,
        operations,
        profiles,
        prompts,
        quarantines,
        quotas,
        receipts,
        search,
        settings,
        skills,
        tokens,
        usage,
        user_playbooks,
        users,
        versions,
    )
else:
    accounts = Later("sagacity.client._async.accounts")
    agent_playbooks = Later("sagacity.client._async.agent_playbooks")
    analytics = Later("sagacity.client._async.analytics")
    audit = Later("sagacity.client._async.audit")
    chat = Later("sagacity.client._async.chat")
    configuration = Later("sagacity.client._async.configuration")
    context = Later("sagacity.client._async.context")
    dead_letters = Later("sagacity.client._async.dead_letters")
    entities = Later("sagacity.client._async.entities")
    evaluations = Later("sagacity.client._async.evaluations")
    generation = Later("sagacity.client._async.generation")
    health = Later("sagacity.client._async.health")
    interactions = Later("sagacity.client._async.interactions")
    members = Later("sagacity.client._async.members")
    memories = Later("sagacity.client._async.memories")
    memory_review = Later("sagacity.client._async.memory_review")
    model_calls = Later("sagacity.client._async.model_calls")
    operations = Later("sagacity.client._async.operations")
    profiles = Later("sagacity.client._async.profiles")
    prompts = Later("sagacity.client._async.prompts")
    quarantines = Later("sagacity.client._async.quarantines")
    quotas = Later("sagacity.client._async.quotas")
    receipts = Later("sagacity.client._async.receipts")
    search = Later("sagacity.client._async.search")
    settings = Later("sagacity.client._async.settings")
    skills = Later("sagacity.client._async.skills")
    tokens = Later("sagacity.client._async.tokens")
    usage = Later("sagacity.client._async.usage")
    user_playbooks = Later("sagacity.client._async.user_playbooks")
    users = Later("sagacity.client._async.users")
    versions = Later("sagacity.client._async.versions")


class AsyncCalls(AsyncConnection):
    """The calls that are one request each."""

    log_out = accounts.log_out
    get_account = accounts.get_account
    verify_token = accounts.verify_token
    change_password = accounts.change_password
    sign_up = accounts.sign_up
    log_in = accounts.log_in
    refresh_session = accounts.refresh_session
    verify_email = accounts.verify_email
    resend_verification = accounts.resend_verification
    request_password_reset = accounts.request_password_reset
    reset_password = accounts.reset_password
    get_totp = accounts.get_totp
    begin_totp = accounts.begin_totp
    confirm_totp = accounts.confirm_totp
    renew_recovery_codes = accounts.renew_recovery_codes
    disable_totp = accounts.disable_totp
    log_in_with_code = accounts.log_in_with_code
    exchange_code = accounts.exchange_code

    add_agent_playbooks = agent_playbooks.add_agent_playbooks
    update_agent_playbook = agent_playbooks.update_agent_playbook
    update_agent_playbook_status = agent_playbooks.update_agent_playbook_status
    get_agent_playbooks = agent_playbooks.get_agent_playbooks
    get_playbook_aggregation_change_logs = agent_playbooks.get_playbook_aggregation_change_logs
    delete_agent_playbook = agent_playbooks.delete_agent_playbook
    delete_agent_playbooks_by_ids = agent_playbooks.delete_agent_playbooks_by_ids
    delete_all_agent_playbooks = agent_playbooks.delete_all_agent_playbooks
    delete_all_playbooks = agent_playbooks.delete_all_playbooks
    run_playbook_aggregation = agent_playbooks.run_playbook_aggregation

    list_request_analytics = analytics.list_request_analytics
    get_request_analytics = analytics.get_request_analytics
    get_analytics_summary = analytics.get_analytics_summary
    get_analytics_latency = analytics.get_analytics_latency
    get_analytics_retrieval = analytics.get_analytics_retrieval
    get_analytics_timeseries = analytics.get_analytics_timeseries
    get_analytics_days = analytics.get_analytics_days
    flush_analytics = analytics.flush_analytics

    get_audit = audit.get_audit

    complete = chat.complete
    create_conversation = chat.create_conversation
    list_conversations = chat.list_conversations
    get_conversation = chat.get_conversation
    update_conversation = chat.update_conversation
    archive_conversation = chat.archive_conversation
    unarchive_conversation = chat.unarchive_conversation
    stop_answer = chat.stop_answer
    get_exchange = chat.get_exchange

    whoami = configuration.whoami
    get_my_config = configuration.get_my_config
    get_config = configuration.get_config
    set_config = configuration.set_config
    update_config = configuration.update_config
    get_config_versions = configuration.get_config_versions
    get_config_version = configuration.get_config_version
    get_config_diff = configuration.get_config_diff
    roll_back_config = configuration.roll_back_config
    get_site_variables = configuration.get_site_variables
    set_site_variable = configuration.set_site_variable
    unset_site_variable = configuration.unset_site_variable

    context = context.context

    list_dead_letters = dead_letters.list_dead_letters
    replay_dead_letter = dead_letters.replay_dead_letter

    list_entities = entities.list_entities
    add_entity = entities.add_entity
    get_entity = entities.get_entity
    update_entity = entities.update_entity
    delete_entity = entities.delete_entity
    merge_entities = entities.merge_entities
    get_entity_graph = entities.get_entity_graph
    list_relationships = entities.list_relationships
    add_relationship = entities.add_relationship
    get_relationship = entities.get_relationship
    update_relationship = entities.update_relationship
    delete_relationship = entities.delete_relationship

    get_agent_success_evaluation_results = evaluations.get_agent_success_evaluation_results
    get_shadow_report = evaluations.get_shadow_report
    get_dashboard_stats = evaluations.get_dashboard_stats
    get_dashboard_series = evaluations.get_dashboard_series

    rerun_profile_generation = generation.rerun_profile_generation
    manual_profile_generation = generation.manual_profile_generation
    rerun_playbook_generation = generation.rerun_playbook_generation
    manual_playbook_generation = generation.manual_playbook_generation

    live = health.live
    ready = health.ready
    detailed_health = health.detailed_health
    version = health.version
    health = health.health

    get_interactions = interactions.get_interactions
    get_all_interactions = interactions.get_all_interactions
    get_requests = interactions.get_requests
    delete_interaction = interactions.delete_interaction
    delete_request = interactions.delete_request
    delete_session = interactions.delete_session
    delete_requests_by_ids = interactions.delete_requests_by_ids
    delete_all_interactions = interactions.delete_all_interactions

    get_members = members.get_members
    change_role = members.change_role
    remove_member = members.remove_member
    get_invitations = members.get_invitations
    create_invitation = members.create_invitation
    accept_invitation = members.accept_invitation
    resend_invitation = members.resend_invitation
    revoke_invitation = members.revoke_invitation
    get_organizations = members.get_organizations
    switch_organization = members.switch_organization

    get_memory_history = memories.get_memory_history
    undo_merge = memories.undo_merge
    add_memory = memories.add_memory
    list_memories = memories.list_memories
    add_memories = memories.add_memories
    search_memories = memories.search_memories
    get_memory_stats = memories.get_memory_stats
    list_memories_of_type = memories.list_memories_of_type
    get_memory = memories.get_memory
    update_memory = memories.update_memory
    note_memory_access = memories.note_memory_access

    get_memory_review = memory_review.get_memory_review
    review_memory = memory_review.review_memory
    undo_memory_review = memory_review.undo_memory_review
    get_memory_review_actions = memory_review.get_memory_review_actions
    get_memory_health = memory_review.get_memory_health

    get_model_calls = model_calls.get_model_calls
    get_model_call_totals = model_calls.get_model_call_totals

    get_operation_status = operations.get_operation_status
    get_operations = operations.get_operations
    cancel_operation = operations.cancel_operation

    add_user_profile = profiles.add_user_profile
    update_user_profile = profiles.update_user_profile
    get_profiles = profiles.get_profiles
    get_all_profiles = profiles.get_all_profiles
    get_profile_statistics = profiles.get_profile_statistics
    get_profile_change_log = profiles.get_profile_change_log
    delete_profile = profiles.delete_profile
    delete_profiles_by_ids = profiles.delete_profiles_by_ids
    delete_all_profiles = profiles.delete_all_profiles

    get_prompts = prompts.get_prompts
    preview_prompt = prompts.preview_prompt
    update_prompt_version = prompts.update_prompt_version

    quarantine = quarantines.quarantine
    get_quarantines = quarantines.get_quarantines
    get_quarantine = quarantines.get_quarantine
    get_held = quarantines.get_held
    release_quarantine = quarantines.release_quarantine

    get_quotas = quotas.get_quotas
    get_quotas_of = quotas.get_quotas_of
    set_quotas = quotas.set_quotas

    get_receipt = receipts.get_receipt

    search_interactions = search.search_interactions
    search_profiles = search.search_profiles
    rerank_user_profiles = search.rerank_user_profiles
    search_user_playbooks = search.search_user_playbooks
    search_agent_playbooks = search.search_agent_playbooks
    search_skills = search.search_skills
    search = search.search

    get_user_settings = settings.get_user_settings
    update_user_settings = settings.update_user_settings
    get_memory_settings = settings.get_memory_settings
    update_memory_settings = settings.update_memory_settings
    reset_memory_settings = settings.reset_memory_settings

    get_skills = skills.get_skills
    add_skills = skills.add_skills
    update_skill = skills.update_skill
    update_skill_status = skills.update_skill_status
    run_skill_generation = skills.run_skill_generation
    export_skills = skills.export_skills
    delete_skill = skills.delete_skill
    delete_skills_by_ids = skills.delete_skills_by_ids

    get_tokens = tokens.get_tokens
    create_token = tokens.create_token
    revoke_token = tokens.revoke_token
    rotate_token = tokens.rotate_token

    get_injection_stats = usage.get_injection_stats
    get_usage_effects = usage.get_usage_effects

    add_user_playbook = user_playbooks.add_user_playbook
    update_user_playbook = user_playbooks.update_user_playbook
    get_user_playbooks = user_playbooks.get_user_playbooks
    delete_user_playbook = user_playbooks.delete_user_playbook
    delete_user_playbooks_by_ids = user_playbooks.delete_user_playbooks_by_ids
    delete_all_user_playbooks = user_playbooks.delete_all_user_playbooks

    get_users = users.get_users
    erase_user = users.erase_user
    get_storage_stats = users.get_storage_stats
    get_erasures = users.get_erasures
    get_erasure = users.get_erasure

    upgrade_profiles = versions.upgrade_profiles
    downgrade_profiles = versions.downgrade_profiles
    upgrade_user_playbooks = versions.upgrade_user_playbooks
    downgrade_user_playbooks = versions.downgrade_user_playbooks
    get_profile_diff = versions.get_profile_diff
    get_user_playbook_diff = versions.get_user_playbook_diff
