"""Profiles under the client's own ids: count, put, edit, and delete by id or by text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from pydantic import JsonValue

from sagacity.domain.errors import Conflict, InvalidInput, NotFound, StorageError, StorageUnavailable
from sagacity.domain.ids import MemoryUid, UserId
from sagacity.domain.memory import Memory, MemoryKind, NewMemory, Status
from sagacity.memories.acting import Acting
from sagacity.memories.delete import log_deleted
from sagacity.memories.edits import edited_by_person, keep_users_within_limits, record, written
from sagacity.memories.write import edit_memory, embed
from sagacity.storage.search.keywords import terms_of

_MOST_MATCHED = 100_000
_SOON = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class ProfileCounts:
    """How many unexpired profiles there are."""

    by_status: Mapping[Status, int]
    expiring_soon: int
    """How many of the current ones expire within a week."""


async def count_profiles(acting: Acting) -> ProfileCounts:
    """Count the unexpired profiles that the caller can reach."""
    now = acting.parts.clock.now()
    async with acting.read() as snapshot:
        counts, soon = await snapshot.memories.count_by_status(
            MemoryKind.PROFILE, valid_at=now, expiring_before=now + _SOON
        )
    return ProfileCounts(counts, soon)


async def put_profiles(acting: Acting, profiles: Sequence[NewMemory]) -> int:
    """
    Store profiles, all or none, and return how many. A profile replaces the one of the same uid and user.

    Raises:
        Conflict: a uid is taken by another user's profile or by another kind of memory.
        Forbidden: one is of another user than the caller's.
    """
    acting.require_to_write(profiles)
    given: dict[str, NewMemory] = {}
    for profile in profiles:
        given[profile.uid] = _same_user(profile, given)
    await _check_uids(acting, given)
    vectors = await embed(acting, list(given.values()))

    async def store() -> None:
        async with acting.begin() as transaction:
            known = await transaction.memories.find_uids(list(given))
            replaced = [
                _replacement(_same_user(profile, known), known)
                for profile in given.values()
                if profile.uid in known
            ]
            replaced = await written(acting, transaction, replaced)
            await transaction.memories.save(replaced, vectors=vectors)
            new = [profile for profile in given.values() if profile.uid not in known]
            added = await transaction.memories.add(await written(acting, transaction, new), vectors=vectors)
            pairs = [*((known[one.uid], one) for one in replaced), *((None, one) for one in added)]
            await record(acting, transaction, pairs, reason="profile written")
            await keep_users_within_limits(acting, transaction, added)

    try:
        await acting.parts.storage.retry(store)
    except StorageUnavailable:
        raise
    except StorageError:
        # One may have been taken or held meanwhile, out of the caller's sight.
        await _check_uids(acting, given)
        raise
    acting.parts.dispatcher.poll_now()
    return len(given)


async def _check_uids(acting: Acting, given: Mapping[str, NewMemory]) -> None:
    """Make sure that no uid belongs to a memory hidden from the caller, another user's or a held one; else Conflict."""
    async with acting.parts.storage.read(acting.tenant) as snapshot:
        known = await snapshot.memories.find_uids(list(given))
    for profile in given.values():
        _same_user(profile, known)
        if profile.uid in known and known[profile.uid].is_held:
            raise _taken(profile)


def _same_user(profile: NewMemory, known: Mapping[str, NewMemory]) -> NewMemory:
    """
    Return *profile*, which may replace the known profile of its uid.

    Raises:
        Conflict: the uid is taken by something else.
    """
    before = known.get(profile.uid)
    if before is not None and (before.kind is not profile.kind or before.user_id != profile.user_id):
        raise _taken(profile)
    return profile


def _taken(profile: NewMemory) -> Conflict:
    return Conflict(f"profile_id {profile.uid!r} already exists; use another id")


def _replacement(profile: NewMemory, known: Mapping[str, Memory]) -> Memory:
    before = known[profile.uid]
    kept = {"created_at", "memory_id", "access_count", "last_accessed_at"}
    after = Memory.model_validate(profile.model_dump(exclude=kept) | before.model_dump(include=kept))
    return edited_by_person(before, after)


async def edit_profile(
    acting: Acting,
    uid: MemoryUid,
    user_id: UserId,
    *,
    content: str | None = None,
    custom_features: Mapping[str, JsonValue] | None = None,
) -> Memory:
    """
    Change a current profile of one user; values that are None stay.

    Raises:
        NotFound: the user has none of that uid, or it is no longer current.
    """
    now = acting.parts.clock.now()
    async with acting.read(user_id=user_id) as snapshot:
        found = await snapshot.memories.get_by_uid(uid, kind=MemoryKind.PROFILE, user_id=user_id)

    def change(memory: Memory) -> Memory:
        if memory.status is not Status.CURRENT or not memory.is_valid(now):
            raise NotFound(f"profile {uid!r} is no longer current")
        if content is None and custom_features is None:
            return memory
        features = (
            memory.attributes
            if custom_features is None
            else memory.attributes.model_copy(update={"custom_features": custom_features})
        )
        text = memory.content if content is None else content
        return memory.model_copy(update={"content": text, "attributes": features, "updated_at": now})

    reason = "profile edited"
    return await edit_memory(
        acting, found.memory_id, MemoryKind.PROFILE, change, reason=reason, user_id=user_id
    )


async def delete_profile_of_user(acting: Acting, user_id: UserId, uid: MemoryUid) -> int:
    """
    Delete a profile of one user; returns 1.

    Raises:
        Forbidden: the caller may not write profiles.
        NotFound: the user has none of that uid.
    """
    acting.require_to_write_kind(MemoryKind.PROFILE)
    async with acting.begin(user_id=user_id) as transaction:
        found = await transaction.memories.get_by_uid(uid, kind=MemoryKind.PROFILE, user_id=user_id)
        count = await transaction.memories.delete(MemoryKind.PROFILE, uids=[found.uid], user_id=user_id)
    log_deleted(acting, MemoryKind.PROFILE, count)
    return count


async def delete_profiles_matching(acting: Acting, user_id: UserId, words: str) -> int:
    """
    Delete all profiles of one user that contain every one of *words*, whatever their inflection; returns how many.

    Raises:
        Forbidden: the caller may not write profiles.
        InvalidInput: there is no word to look for.
        NotFound: no profile of the user holds them all.
    """
    acting.require_to_write_kind(MemoryKind.PROFILE)
    async with acting.begin(user_id=user_id) as transaction:
        everything = await transaction.memories.list_newest(
            MemoryKind.PROFILE, user_id=user_id, limit=_MOST_MATCHED
        )
        uids = _matching(everything, words)
        count = await transaction.memories.delete(MemoryKind.PROFILE, uids=uids, user_id=user_id)
    log_deleted(acting, MemoryKind.PROFILE, count)
    return count


def _matching(profiles: Sequence[Memory], words: str) -> list[MemoryUid]:
    wanted = set(terms_of(words))
    if not wanted:
        raise InvalidInput("search_query contains no word to look for")
    found = [profile.uid for profile in profiles if wanted <= set(terms_of(profile.search_text))]
    if not found:
        raise NotFound(f"the user has no profile that contains every word of {words!r}")
    return found
