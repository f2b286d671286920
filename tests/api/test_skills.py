"""Skills over HTTP: written, reviewed, generated, found, exported, deleted."""

import asyncio
import io
import zipfile

import yaml

from sagacity.domain.memory import Approval, Attributes, MemoryKind, Provenance, SkillFacts
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, delete, make_token
from support.operations import ended
from support.parts import new_memory

NAME = "corrections"
ROUTES = (
    ("POST", "/api/get_skills", {}),
    ("POST", "/api/search_skills", {"query": "refund"}),
    ("POST", "/api/add_skill", {"skills": [{"skill_name": "x", "description": "y", "instructions": "z"}]}),
    ("PUT", "/api/update_skill", {"skill_id": 1, "description": "mine now"}),
    ("PUT", "/api/update_skill_status", {"skill_id": 1, "skill_status": "approved"}),
    ("POST", "/api/export_skills", {"skill_status_filter": ["pending", "approved"]}),
    ("DELETE", "/api/delete_skill", {"skill_id": 1}),
    ("DELETE", "/api/delete_skills_by_ids", {"skill_ids": [1]}),
)


async def add(api, name: str = "process-refunds", **fields) -> int:
    one = {"skill_name": name, "description": "Use for refunds.", "instructions": "# Refunds\n\n1. Look."}
    reply = await api.post("/api/add_skill", json={"skills": [one | fields]})
    assert reply.status_code == 200, reply.text
    return reply.json()["skill_ids"][0]


async def learned(app, name: str, *, org: str = LOCAL_ORG, replaces: int | None = None, **fields) -> int:
    """Store a skill as a run leaves it: pending, and not of a person."""
    new = new_memory(
        fields.pop("content", "# Learned"),
        kind=MemoryKind.SKILL,
        user_id=None,
        trigger="Use for refunds.",
        attributes=Attributes(skill=SkillFacts(name=name, version="1.1.0", replaces=replaces)),
        provenance=Provenance(learner=f"skills:{NAME}", method="rules"),
        **fields,
    )
    async with app.state.runtime.storage.begin(Tenant(org_id=org)) as tx:
        await tx.organisation.ensure(org)
        [stored] = await tx.memories.add([new])
    return stored.memory_id


async def listed(api, **wanted) -> list[dict]:
    reply = await api.post("/api/get_skills", json=wanted)
    assert reply.status_code == 200, reply.text
    return reply.json()["skills"]


async def teach(
    api, *contents: str, trigger: str = "A customer wants a refund for an order.", **fields
) -> list[int]:
    books = [
        {
            "user_id": f"u{n}",
            "agent_version": "agent-v0",
            "playbook_name": NAME,
            "trigger": trigger,
            "content": one,
        }
        | fields
        for n, one in enumerate(contents)
    ]
    reply = await api.post("/api/add_user_playbook", json={"user_playbooks": books})
    assert reply.json()["added_count"] == len(contents), reply.text
    page = await api.post("/api/get_user_playbooks", json={"playbook_name": NAME})
    return sorted(one["user_playbook_id"] for one in page.json()["user_playbooks"])


REFUNDS = [
    f"Look up the order of the refund first, {how}." for how in ("always", "by its number", "then ask")
]
REFUNDS += ["Before a refund look up the order.", "For a refund, the order has to be looked up."]


async def test_a_skill_comes_back_as_it_was_written(api):
    """The reply's fields are those that clients know."""
    issue = {"kind": "missing_tool", "details": "no calendar"}
    number = await add(
        api, version="2.3.4", agent_version="v1", feedback_name=NAME, allowed_tools=["orders.find"],
        blocking_issues=[issue], raw_feedback_ids=[4, 5],
    )  # fmt: skip
    [read] = await listed(api)
    assert read.pop("provenance")["method"] == "direct"
    assert read.pop("created_at") == read.pop("updated_at") > 1_700_000_000
    assert read == {
        "skill_id": number, "skill_name": "process-refunds", "description": "Use for refunds.", "version": "2.3.4",
        "agent_version": "v1", "playbook_name": NAME, "instructions": "# Refunds\n\n1. Look.",
        "allowed_tools": ["orders.find"], "blocking_issues": [issue], "user_playbook_ids": [4, 5],
        "skill_status": "pending", "origin": "operator", "trust": "high",
    }  # fmt: skip


BAD = [
    ("/api/add_skill", {"skills": []}),
    ("/api/add_skill", {"skills": [{"skill_name": " ", "description": "d", "instructions": "i"}]}),
    ("/api/add_skill", {"skills": [{"skill_name": "n", "description": "", "instructions": "i"}]}),
    ("/api/add_skill", {"skills": [{"skill_name": "n", "description": "d", "instructions": " \n"}]}),
    ("/api/add_skill", {"skills": [{"skill_name": "n", "description": "d", "instructions": "x\x00"}]}),
    ("/api/add_skill", {"skills": [{"skill_name": "n", "description": "d", "instructions": "i" * 100_001}]}),
    *(
        (
            "/api/add_skill",
            {"skills": [{"skill_name": "n", "description": "d", "instructions": "i", "version": v}]},
        )
        for v in ("1.0", "1.0.0; rm", "1.0.9999999", "١.٠.٠")
    ),
    ("/api/get_skills", {"skill_status_filter": "maybe"}),
    ("/api/export_skills", {"format": "exe"}),
    ("/api/run_skill_generation", {}),
    ("/api/run_skill_generation", {"playbook_name": "\x00"}),
    ("/api/update_skill_status", {"skill_id": 0, "skill_status": "approved"}),
]


async def test_bad_bodies_are_refused(api):
    """What the schema refuses is told, and nothing is stored."""
    for path, body in BAD:
        reply = await api.post(path, json=body)
        assert reply.status_code == 422, (path, body, reply.text)
    assert await listed(api) == []


async def test_filters_of_the_list(api, app):
    """By name, version, verdict, state and number; older words for a verdict are understood."""
    first = await add(api, playbook_name="n1")
    second = await add(api, agent_version="v2", skill_status="published")
    third = await add(api, skill_status="rejected")
    for wanted, numbers in (
        ({}, {first, second, third}),
        ({"playbook_name": "n1"}, {first}),
        ({"agent_version": "v2"}, {second}),
        ({"skill_status_filter": "approved"}, {second}),
        ({"skill_status": "draft"}, {first}),
        ({"skill_status_filter": ["approved", "rejected"]}, {second, third}),
        ({"status_filter": ["archived"]}, set()),
        ({"skill_ids": [third, 999]}, {third}),
        ({"skill_ids": [third], "skill_status_filter": "approved"}, set()),
        ({"limit": 1}, {third}),
    ):
        assert {one["skill_id"] for one in await listed(api, **wanted)} == numbers, wanted


async def test_an_edit_is_the_next_patch_version_and_is_found_at_once(api):
    """Only given fields change; a verdict or another playbook makes no version; the former text is in the history."""
    number = await add(api, instructions="Mention the walrus.")
    reply = await api.put("/api/update_skill", json={"skill_id": number, "content": "Mention the zebra."})
    assert reply.json()["skill"]["version"] == "1.0.1"
    assert reply.json()["skill"]["description"] == "Use for refunds."
    await api.put("/api/update_skill", json={"skill_id": number, "playbook_name": "n2"})
    [read] = await listed(api)
    assert (read["version"], read["playbook_name"], read["instructions"]) == (
        "1.0.1",
        "n2",
        "Mention the zebra.",
    )
    for query, count in (("walrus", 0), ("zebra", 1)):
        found = await api.post("/api/search_skills", json={"query": query, "search_mode": "fts"})
        assert len(found.json()["skills"]) == count
    history = (await api.get(f"/api/memories/{number}/history")).json()
    assert "walrus" in str(history)


async def test_updates_and_deletions_of_unknown_numbers_are_404(api):
    """A number of another kind is unknown too."""
    [book, *_] = await teach(api, "x")
    for method, path, body in (
        ("PUT", "/api/update_skill", {"skill_id": book, "description": "y"}),
        ("PUT", "/api/update_skill_status", {"skill_id": 999, "skill_status": "approved"}),
        ("DELETE", "/api/delete_skill", {"skill_id": book}),
    ):
        reply = await api.request(method, path, json=body)
        assert reply.status_code == 404, path
        assert "Traceback" not in reply.text
    assert (await delete(api, "/api/delete_skills_by_ids", {"skill_ids": [book, 999]})).json()[
        "deleted_count"
    ] == 0


async def test_deletions(api):
    """Counts are true."""
    numbers = [await add(api, f"s{n}") for n in range(3)]
    assert (await delete(api, "/api/delete_skill", {"skill_id": numbers[0]})).status_code == 200
    many = await delete(api, "/api/delete_skills_by_ids", {"skill_ids": [*numbers, 999]})
    assert many.json()["deleted_count"] == 2
    assert await listed(api) == []


async def test_an_approved_skill_takes_the_place_of_what_it_replaces(api, app):
    """All of the chain is archived in one go; a rejection archives nothing."""
    first = await add(api, skill_status="approved")
    second = await learned(app, "b", replaces=first, approval=Approval.REJECTED)
    third = await learned(app, "c", replaces=second)
    for verdict, archived in (("rejected", []), ("pending", []), ("approved", [second, first])):
        body = {"skill_id": third, "skill_status": verdict}
        reply = await api.post("/api/update_skill_status", json=body)
        assert reply.json()["archived_skill_ids"] == archived, reply.text
    assert [one["skill_id"] for one in await listed(api)] == [third]
    put_away = await listed(api, status_filter=["archived"])
    assert {one["skill_id"] for one in put_away} == {first, second}
    again = await api.put("/api/update_skill_status", json={"skill_id": third, "skill_status": "published"})
    assert again.json()["archived_skill_ids"] == []
    found = await api.post("/api/search_skills", json={"query": "refunds"})
    assert [one["skill_id"] for one in found.json()["skills"]] == [third]


async def test_search_serves_what_is_approved_or_written_by_hand(api, app):
    """In the search of skills, in the unified search and in contexts alike; others only where a filter names them."""
    by_hand = await add(api, "by-hand")
    approved = await learned(app, "approved", approval=Approval.APPROVED)
    waiting = await learned(app, "waiting")
    rejected = await add(api, "rejected", skill_status="rejected")
    for path in ("/api/search_skills", "/api/search"):
        for wanted, numbers in (
            ({}, {by_hand, approved}),
            ({"playbook_status_filter": "pending"}, {by_hand, waiting}),
            ({"playbook_status_filter": ["rejected"]}, {rejected}),
        ):
            reply = await api.post(path, json={"query": "refunds"} | wanted)
            found = {one["skill_id"]: one for one in reply.json()["skills"]}
            assert found.keys() == numbers, (path, wanted)
            assert all(one["score"] > 0 and one["instructions"] for one in found.values())
    named = await api.post("/api/search_skills", json={"query": None, "skill_status": "deprecated"})
    assert [one["skill_id"] for one in named.json()["skills"]] == [rejected]
    context = await api.post("/api/context", json={"query": "refunds", "user_id": "anna"})
    text = context.json()["context"]
    assert f"[s:{approved}]" in text
    assert f"[s:{by_hand}]" in text
    assert f"[s:{waiting}]" not in text
    assert f"[s:{rejected}]" not in text


async def test_a_long_skill_finds_its_place_in_a_context(api):
    """Its name, when to use it and how to load it, and that is all of it that is wanted there."""
    number = await add(api, instructions="# Refunds\n\n" + "Look up the order. " * 500)
    reply = await api.post("/api/context", json={"query": "refunds", "user_id": "anna"})
    [line] = [one for one in reply.json()["context"].splitlines() if f"[s:{number}]" in one]
    load = f"(load it before use: get_skills, skill_ids {number})"
    assert line == f"- [s:{number}] process-refunds: Use for refunds. {load}"
    assert reply.json()["truncated"] is False
    loaded = await api.post("/api/get_skills", json={"skill_ids": [number]})
    assert loaded.json()["skills"][0]["instructions"].startswith("# Refunds\n\nLook up")


async def test_generation_writes_skills_that_wait_for_their_approval(api):
    """From what users taught, at once when asked; again it changes nothing; then a person approves it."""
    books = await teach(api, *REFUNDS)
    await teach(api, "Name the platform.", trigger="A traveller changes trains in the mountains.")
    body = {"agent_version": "agent-v0", "feedback_name": NAME}
    reply = await api.post("/api/run_skill_generation", json=body)
    assert reply.status_code == 200, reply.text
    made = reply.json()
    assert (made["success"], made["skills_generated"], made["skills_updated"]) == (True, 1, 0), made
    assert made["operation_status"]["status"] == "completed"
    [skill] = await listed(api, playbook_name=NAME)
    assert (skill["skill_status"], skill["version"], skill["user_playbook_ids"]) == (
        "pending",
        "1.0.0",
        books,
    )
    assert REFUNDS[0] in skill["instructions"]
    again = (await api.post("/api/run_skill_generation", json=body)).json()
    assert (again["skills_generated"], again["skills_updated"]) == (0, 0)
    assert again["operation_id"] != made["operation_id"]
    hidden = await api.post("/api/search", json={"query": "refund"})
    assert hidden.json()["skills"] == []
    verdict = {"skill_id": skill["skill_id"], "skill_status": "approved"}
    await api.put("/api/update_skill_status", json=verdict)
    shown = await api.post("/api/search", json={"query": "refund"})
    assert [one["skill_id"] for one in shown.json()["skills"]] == [skill["skill_id"]]
    status = await api.get("/api/get_operation_status", params={"operation_id": made["operation_id"]})
    assert status.json()["operation_status"]["service_name"] == "skill_generation"


async def test_generation_of_nothing_says_so(api):
    """No playbooks of that name: a run that ends well, and tells. A name that nobody knows starts none."""
    path, extractor = "/api/run_skill_generation", "default_playbook_extractor"
    for body, says in (
        ({"playbook_name": "default_playbooks"}, f"did you mean {extractor}?"),
        (
            {"playbook_name": extractor, "agent_version": "v9"},
            "agent_version: there is no agent version 'v9'",
        ),
    ):
        refused = await api.post(path, json=body)
        assert (refused.status_code, says in refused.json()["message"]) == (422, True), body
    assert (await api.get("/api/operations")).json()["operations"] == []
    made = (await api.post(path, json={"playbook_name": extractor})).json()
    assert (made["success"], made["skills_generated"]) == (True, 0)
    assert made["message"].startswith("0 user playbooks in 0 clusters")
    assert "none is current under that playbook name" in made["message"]


async def test_generation_from_too_few_says_how_many_it_takes(api):
    """Playbooks that are too few alike give no skill, and the reply names the setting that asks for more."""
    await teach(api, REFUNDS[0])
    made = (await api.post("/api/run_skill_generation", json={"playbook_name": NAME})).json()
    assert made["message"].startswith("1 user playbook in 0 clusters")
    assert "skill_generator_config.min_feedback_per_cluster" in made["message"]


async def test_generation_can_be_left_to_itself(api):
    """With `wait_for_response=false` the reply names the run that goes on; its result comes with its status."""
    await teach(api, *REFUNDS)
    path = "/api/run_skill_generation?wait_for_response=false"
    started = (await api.post(path, json={"playbook_name": NAME})).json()
    assert (started["success"], started["operation_status"]["status"]) == (True, "in_progress")
    assert started["operation_id"] in started["message"]
    status = await ended(api, started["operation_id"])
    assert (status["status"], status["result"]["created"]) == ("completed", 1)


async def test_two_at_once_of_one_organisation_are_one(api):
    """The second is refused with 409, or finds the first done."""
    await teach(api, *REFUNDS)
    body = {"playbook_name": NAME}
    replies = await asyncio.gather(*(api.post("/api/run_skill_generation", json=body) for _ in range(2)))
    assert sorted({one.status_code for one in replies} - {409}) == [200]
    assert len(await listed(api)) == 1


async def test_export_as_one_document(api, app):
    """Only what is approved, unless a filter says otherwise; hostile names stay data."""
    await add(api, "../../evil", skill_status="approved", description="a: [b\n---\nname: x")
    await add(api, "waiting")
    await learned(app, "old", approval=Approval.APPROVED)
    reply = (await api.post("/api/export_skills", json={})).json()
    assert (reply["success"], reply["skill_count"]) == (True, 2)
    _, front, _ = reply["markdown"].split("---\n", 2)
    assert yaml.safe_load(front)["name"] == "evil"
    assert yaml.safe_load(front)["description"] == "a: [b --- name: x"
    for wanted, count in (
        ({"skill_status_filter": "pending"}, 1),
        ({"skill_status": "published"}, 2),
        ({"skill_status_filter": ["pending", "approved"]}, 3),
        ({"playbook_name": "other"}, 0),
    ):
        assert (await api.post("/api/export_skills", json=wanted)).json()["skill_count"] == count, wanted


async def test_export_of_an_unknown_number_is_404(api):
    """It is not an export of nothing."""
    reply = await api.post("/api/export_skills", json={"skill_ids": [9999]})
    assert (reply.status_code, reply.json()["message"]) == (404, "no skill with id 9999")


async def test_export_as_folders(api):
    """A zip archive with a folder a skill; names within it differ."""
    for name in ("Refunds", "refunds", "con", "../x", "日本語"):
        await add(api, name, skill_status="approved")
    reply = await api.post("/api/export_skills", json={"format": "zip"})
    assert reply.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(reply.content)) as packed:
        names = packed.namelist()
        texts = [packed.read(name).decode() for name in names]
    assert names[0] == "refunds/SKILL.md"
    assert len(set(names)) == len(names) == 5
    assert not [name for name in names if ".." in name or name.startswith("/")]
    assert all(
        text.startswith(f'---\nname: "{name.split("/")[0]}"\n')
        for name, text in zip(names, texts, strict=True)
    )


async def test_a_skill_has_the_same_folder_alone_and_among_all(api):
    """An export of some writes over nobody else's folder, and what waits takes no name from what is approved."""
    first = await add(api, "Refunds", skill_status="approved")
    waiting = await add(api, "refunds")
    second = await add(api, "refunds!", skill_status="approved", playbook_name="n2")

    async def names(**wanted) -> list[str]:
        reply = await api.post("/api/export_skills", json={"format": "zip"} | wanted)
        with zipfile.ZipFile(io.BytesIO(reply.content)) as packed:
            return packed.namelist()

    both = ["refunds/SKILL.md", f"refunds-{second}/SKILL.md"]
    assert await names() == both
    assert await names(skill_ids=[second]) == await names(playbook_name="n2") == both[1:]
    assert await names(skill_ids=[first]) == both[:1]
    assert await names(skill_status_filter="pending") == [f"refunds-{waiting}/SKILL.md"]


async def test_another_organisation_sees_and_changes_nothing(app, api):
    """By no route: not read, found, exported, edited, approved or deleted."""
    one, two = await make_token(app, "one"), await make_token(app, "two")
    number = await learned(app, "of-one", org="one", content="# refund of one")
    async with client_of(app, token=one) as mine, client_of(app, token=two) as theirs:
        for method, path, body in ROUTES:
            given = {key: number if key == "skill_id" else value for key, value in body.items()}
            given = {key: [number] if key == "skill_ids" else value for key, value in given.items()}
            reply = await theirs.request(method, path, json=given)
            assert reply.status_code in {200, 404}, (path, reply.text)
            assert "of one" not in reply.text
            assert "of-one" not in reply.text
        [kept] = await listed(mine)
        assert (kept["skill_id"], kept["skill_status"], kept["description"]) == (
            number, "pending", "Use for refunds.",
        )  # fmt: skip
