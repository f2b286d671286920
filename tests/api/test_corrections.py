"""What a person settled, and the turns of before that are read again."""

from support.api import add_profile, delete, profiles_of, turns


async def taught(api, content) -> None:
    """Publish what anna says, and wait until it is learned."""
    body = turns(content, user_id="anna", force_extraction=True)
    reply = await api.post("/api/publish_interaction?wait_for_response=true", json=body)
    assert reply.status_code == 200, reply.text


async def contents(api) -> list[str]:
    return sorted(profile["content"] for profile in await profiles_of(api))


async def read_again(api) -> None:
    reply = await api.post("/api/manual_profile_generation", json={"user_id": "anna"})
    assert reply.json()["operation_status"]["status"] == "completed", reply.text


async def test_a_correction_is_not_overruled_by_the_turn_that_it_corrects(api):
    """Only by what is said after it."""
    await taught(api, "I live in Lyon.")
    [profile] = await profiles_of(api)
    body = {"user_id": "anna", "profile_id": profile["profile_id"], "content": "Lives in Paris."}
    assert (await api.put("/api/update_user_profile", json=body)).status_code == 200
    await read_again(api)
    assert await contents(api) == ["Lives in Paris."]
    await taught(api, "I moved to Porto.")
    assert await contents(api) == ["Lives in Porto."]


async def test_what_a_person_wrote_is_not_overruled_by_what_was_said_before(api):
    await taught(api, "I live in Lyon.")
    [profile] = await profiles_of(api)
    gone = await delete(api, "/api/delete_profile", {"user_id": "anna", "profile_id": profile["profile_id"]})
    assert gone.status_code == 200, gone.text
    await add_profile(api, "Does not live in Lyon.")
    await read_again(api)
    assert "Does not live in Lyon." in await contents(api)


async def test_an_undone_replacement_stays_undone(api):
    """Both stand, as the person wants it, also when the turns are read again."""
    for content in ("I live in Porto.", "I moved to Lyon."):
        await taught(api, content)
    [profile] = await profiles_of(api)
    reply = await api.post(f"/api/memories/{profile['profile_id']}/undo_merge")
    assert reply.status_code == 200, reply.text
    both = await profiles_of(api)
    assert await contents(api) == ["Lives in Lyon.", "Lives in Porto."]
    await read_again(api)
    ids = {profile["profile_id"] for profile in both}
    assert {profile["profile_id"] for profile in await profiles_of(api)} == ids
