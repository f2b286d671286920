# Generated from _async by scripts/unasync; edit it there.
"""The client: the calls that are generated, and those that are more than one request."""

from typing import TYPE_CHECKING

from sagacity.client._sync.calls import Calls
from sagacity.client.later import Later

if TYPE_CHECKING:
    from sagacity.client._sync import (
        chatting,
        exporting,
        leaving,
        publishing,
        remembering,
        skill_folders,
        waiting,
    )
else:
    chatting = Later("sagacity.client._sync.chatting")
    exporting = Later("sagacity.client._sync.exporting")
    leaving = Later("sagacity.client._sync.leaving")
    publishing = Later("sagacity.client._sync.publishing")
    remembering = Later("sagacity.client._sync.remembering")
    skill_folders = Later("sagacity.client._sync.skill_folders")
    waiting = Later("sagacity.client._sync.waiting")


class Sagacity(Calls):
    """
    A Sagacity server, as functions.

        with Sagacity() as sagacity:
            published = sagacity.publish_interaction("ana", [{"content": "I am vegetarian."}])
            sagacity.wait_for_receipt(published.request_id)
            found = sagacity.search("what may she eat?", user_id="ana")

    Calls that only read, and a publish, are tried again by themselves when the network or the server hiccups. Any other
    call is tried again only where no server took the connection, as while one restarts.
    A call that fails raises one of `sagacity.client.errors`. `success=False` says that there was nothing to do, or that
    a run that was waited for did not come to its end.
    """

    publish_interaction = publishing.publish_interaction
    publish = publishing.publish
    wait_for_receipt = waiting.wait_for_receipt
    wait_for_operation = waiting.wait_for_operation
    export_user = exporting.export_user
    export_skill_folders = skill_folders.export_skill_folders
    send_message = chatting.send_message
    retry_answer = chatting.retry_answer
    list_messages = chatting.list_messages
    delete_conversation = chatting.delete_conversation
    delete_memory = remembering.delete_memory
    delete_memories = remembering.delete_memories
    delete_user_settings = remembering.delete_user_settings
    delete_account = leaving.delete_account
