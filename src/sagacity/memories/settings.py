"""A user's own settings: read, change and reset them."""

import json
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from sagacity.domain.cursor import Outcome
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.user_settings import MemorySettings, UserSettings, merged
from sagacity.learning.prompt_runner import ModelSession
from sagacity.learning.windows.learners import learner_groups
from sagacity.memories.acting import Acting

MAX_PREFERENCES = 65_536
"""The most characters of all preferences, as JSON."""


async def settings_of(acting: Acting, user_id: UserId) -> UserSettings:
    """Return a user's record, created with the defaults if there is none."""
    async with acting.read(user_id=user_id) as snapshot:
        found = await snapshot.user_settings.find(user_id)
    return found or await change_settings(acting, user_id, {}, {})


async def change_settings(
    acting: Acting, user_id: UserId, changes: Mapping[str, object], preferences: Mapping[str, JsonValue]
) -> UserSettings:
    """
    Change a user's record, created first if there is none.

    Args:
        acting: on whose behalf.
        user_id: whose record.
        changes: fields of it by name.
        preferences: what changes among the preferences, by name; null takes one away.

    Raises:
        InvalidInput: there would be too many preferences.
    """

    def change(before: UserSettings) -> UserSettings:
        kept = merged(before.preferences, preferences)
        if len(json.dumps(kept)) > MAX_PREFERENCES:
            raise InvalidInput(f"preferences: at most {MAX_PREFERENCES:,} characters are kept in all")
        return before.model_copy(update={**changes, "preferences": kept})

    return await _change(acting, user_id, change)


async def change_memory_settings(
    acting: Acting, user_id: UserId, changes: Mapping[str, object] | None
) -> MemorySettings:
    """
    Change what may be remembered of a user; None for *changes* restores the defaults.

    What the user said while something was switched off is not learned after it is switched on again.
    """

    def change(before: UserSettings) -> UserSettings:
        memory = MemorySettings() if changes is None else before.memory.model_copy(update=dict(changes))
        return before.model_copy(update={"memory": memory})

    return (await _change(acting, user_id, change)).memory


async def forget_settings(acting: Acting, user_id: UserId) -> None:
    """Delete a user's record. Memories of the user stay, and all of the record's switches are on again."""
    await change_memory_settings(acting, user_id, None)
    async with acting.begin(user_id=user_id) as transaction:
        await transaction.user_settings.remove(user_id)


async def _change(
    acting: Acting, user_id: UserId, change: Callable[[UserSettings], UserSettings]
) -> UserSettings:
    config = await acting.config()
    learners = [one for group in learner_groups(config, ModelSession()) for one in group.learners]

    async def once() -> UserSettings:
        async with acting.begin(user_id=user_id) as transaction:
            before, after = await transaction.user_settings.change(user_id, change)
            switched_on = [
                one
                for one in learners
                if after.memory.learns(one.kind) and not before.memory.learns(one.kind)
            ]
            head = await transaction.cursors.log_head(user_id)
            for learner in switched_on:
                await transaction.cursors.save(
                    learner.start(user_id).model_copy(update={"seq": head.end, "outcome": Outcome.GATED})
                )
            if after.memory.learns(MemoryKind.EPISODIC) and not before.memory.learns(MemoryKind.EPISODIC):
                await transaction.conversations.pass_over(user_id, seq=head.end)
            await transaction.cursors.ensure_due(user_id)
        return after

    settings = await acting.parts.storage.retry(once)
    acting.parts.dispatcher.poll_now()
    return settings
