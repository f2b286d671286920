"""What callers can say on every search: each option narrows or changes what it says it does, and nothing else."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from sagacity.domain.ids import OrgId
from sagacity.domain.memory import Approval, Attributes, MemoryKind, Provenance, Status
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.providers.litellm_seam import load_litellm
from support.api import add_profile, client_of, make_token, publish, running, settings_in
from support.parts import new_memory
from support.scripted_llm import never, scripted_llm, status

NOW = datetime.now(UTC)
DIRECT = Provenance(method="direct")
LEARNED = Provenance(method="rules", learner="x")
LISTS = (
    "profiles",
    "user_profiles",
    "user_playbooks",
    "agent_playbooks",
    "skills",
    "memories",
    "interactions",
)
KINDS = tuple(str(kind) for kind in MemoryKind)
KIND_OF = {
    "/api/search_profiles": MemoryKind.PROFILE,
    "/api/search_user_playbooks": MemoryKind.USER_PLAYBOOK,
    "/api/search_agent_playbooks": MemoryKind.AGENT_PLAYBOOK,
    "/api/search_skills": MemoryKind.SKILL,
}
ROUTES = tuple(KIND_OF)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


async def store(app, *memories, org: str = LOCAL_ORG) -> None:
    async with app.state.runtime.storage.begin(Tenant(org_id=OrgId(org))) as transaction:
        await transaction.memories.add(memories)


def zebra(label: str, *, kind=MemoryKind.PROFILE, user_id="anna", **fields):
    """A memory that every question of these tests shares a word with."""
    own = None if kind in {MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL} else user_id
    given = {"provenance": DIRECT, "at": ago(1)} | fields
    return new_memory(f"zebra {label}", kind=kind, user_id=own, **given)


async def ask(api, path: str = "/api/search", **body) -> dict:
    reply = await api.post(path, json={"top_k": 50} | body)
    assert reply.status_code == 200, reply.text
    return reply.json()


def names(page: dict) -> set[str]:
    """What was found in all lists, without the word that found it."""
    found = (one for name in LISTS for one in page.get(name, ()))
    return {(one.get("content") or one["instructions"]).removeprefix("zebra ") for one in found}


async def refused(api, path: str = "/api/search", **body) -> str:
    reply = await api.post(path, json=body)
    assert reply.status_code == 422, reply.text
    assert reply.json()["error"] == "InvalidInput"
    return reply.json()["message"]


async def test_nothing_unsafe_is_returned_unless_asked_for(app, api):
    """Rejected, pending, archived, expired, unreviewed, and others' items: each only where a filter names it."""
    every = [
        one
        for kind in MemoryKind
        for one in (
            zebra(f"{kind}", kind=kind),
            zebra(f"{kind} pending", kind=kind, status=Status.PENDING),
            zebra(f"{kind} archived", kind=kind, status=Status.ARCHIVED),
            zebra(f"{kind} expired", kind=kind, expires_at=ago(0.5)),
            zebra(f"{kind} rejected", kind=kind, approval=Approval.REJECTED),
            zebra(f"{kind} learned", kind=kind, provenance=LEARNED),
            zebra(f"{kind} of ben", kind=kind, user_id="ben"),
        )
    ]
    await store(app, *every)
    await publish(api, "zebra said by anna")
    await publish(api, "zebra said by ben", user_id="ben")
    shared = {"agent_playbook", "skill"}
    safe = {f"{kind}" for kind in KINDS} | {f"{kind} learned" for kind in KINDS if kind not in shared}
    both = safe | {f"{kind} of ben" for kind in shared}
    kinds = [*KINDS, "interaction"]
    found = await ask(api, query="zebra", user_id="anna", kinds=kinds)
    assert names(found) == both | {"said by anna"}
    archived = await ask(api, query="zebra", user_id="anna", kinds=kinds, status_filter=["archived"])
    assert names(archived) == {f"{kind} archived" for kind in KINDS}, "a turn is always current"
    for path, kind in KIND_OF.items():
        body = (
            {"query": "zebra"} if kind is MemoryKind.AGENT_PLAYBOOK else {"query": "zebra", "user_id": "anna"}
        )
        for query in ({}, {"query": None}):
            asked = body | query
            current = {f"{kind}", f"{kind} of ben"} if str(kind) in shared else {f"{kind}", f"{kind} learned"}
            assert names(await ask(api, path, **asked)) == current, (path, asked)
            pending = await ask(api, path, **asked, status_filter=["pending"])
            assert names(pending) == {f"{kind} pending"}
            expired = await ask(api, path, **asked, include_expired=True)
            assert names(expired) == current | {f"{kind} expired"}


async def test_another_organisation_sees_nothing_by_any_option(app, api):
    """Equal users, tags and metadata: no option reaches across."""
    tagged = {"keywords": ("t",), "metadata": {"p": 1}}
    one, two = await make_token(app, "one"), await make_token(app, "two")
    await store(app, *(zebra(f"{kind} of one", kind=kind, **tagged) for kind in MemoryKind), org="one")
    async with client_of(app, token=one) as mine, client_of(app, token=two) as theirs:
        await publish(mine, "zebra said in one", metadata={"p": 1, "tags": ["t"]})
        body = {
            "query": "zebra",
            "tags": ["t"],
            "metadata": {"p": {"eq": 1}},
            "explain": True,
            "neighbours": 2,
        }
        body |= {"user_ids": ["anna", "ben"], "kinds": [*KINDS, "interaction"]}
        assert names(await ask(mine, **body)) == {f"{kind} of one" for kind in KINDS} | {"said in one"}
        assert names(await ask(theirs, **body)) == set()
        for path in (*ROUTES, "/api/search_interactions"):
            for query in ("zebra", None):
                asked = {"query": query, "user_ids": ["anna"], "tags": ["t"]}
                assert names(await ask(theirs, path, **asked)) == set()
                assert len(names(await ask(mine, path, **asked))) == 1, path


async def test_what_waits_for_a_review_does_not_crowd_out_what_is_approved(app, api):
    """However much of it matches better."""
    book = MemoryKind.AGENT_PLAYBOOK
    waiting = [zebra(f"zebra zebra {n}", kind=book, provenance=LEARNED) for n in range(20)]
    await store(
        app,
        *waiting,
        zebra("and many other words", kind=book, approval=Approval.APPROVED, provenance=LEARNED),
    )
    found = await ask(api, query="zebra", top_k=1, explain=True)
    assert names(found) == {"and many other words"}
    assert found["explanation"]["dropped"]["waits_for_review"] == 20
    asked = await ask(api, query="zebra", playbook_status_filter="pending")
    assert len(asked["agent_playbooks"]) == 20
    assert {one["playbook_status"] for one in asked["agent_playbooks"]} == {"pending"}


async def test_approval_is_asked_of_what_is_reviewed_and_of_nothing_else(app, api):
    """A user's profiles need no review, so a filter by approval leaves them alone."""
    book = MemoryKind.AGENT_PLAYBOOK
    await store(app, zebra("profile"), *(zebra(f"{one}", kind=book, approval=one) for one in Approval))
    for wanted, expected in (
        ("rejected", {"rejected"}),
        (["approved", "rejected"], {"approved", "rejected"}),
        (None, {"approved", "pending"}),
    ):
        found = await ask(api, query="zebra", user_id="anna", playbook_status_filter=wanted)
        assert names(found) == expected | {"profile"}
        only = await ask(api, query="zebra", kinds=["agent_playbook"], playbook_status_filter=wanted)
        assert names(only) == expected
        for query in ("zebra", None):
            alone = await ask(api, ROUTES[2], query=query, playbook_status_filter=wanted)
            assert names(alone) == expected


async def test_kinds_choose_the_lists(app, api):
    """Profiles, playbooks and skills by default; the others where they are named, each in its list."""
    await store(app, *(zebra(str(kind), kind=kind) for kind in MemoryKind))
    await publish(api, "zebra turn")
    plain = await ask(api, query="zebra", user_id="anna")
    assert names(plain) == {"profile", "user_playbook", "agent_playbook", "skill"}
    assert plain.keys().isdisjoint({"interactions", "memories", "explanation"})
    for kind, its_list in (
        ("profile", "profiles"),
        ("user_playbook", "user_playbooks"),
        ("agent_playbook", "agent_playbooks"),
        ("semantic", "memories"),
        ("episodic", "memories"),
        ("skill", "skills"),
        ("interaction", "interactions"),
    ):
        found = await ask(api, query="zebra", user_id="anna", kinds=[kind, kind])
        assert names(found) == {"turn" if kind == "interaction" else kind}
        assert len(found[its_list]) == 1
        assert found[its_list][0]["score"] > 0
        assert found[its_list][0]["score_components"]["keyword"] > 0
    memory = (await ask(api, query="zebra", user_id="anna", kinds=["episodic"]))["memories"][0]
    assert (memory["kind"], memory["content"]) == ("episodic", "zebra episodic")
    assert (memory["approval"], memory["provenance"]["method"]) == ("pending", "direct")


async def test_several_users_are_those_named_and_no_other(app, api):
    """`user_ids` stands in for `user_id`; what belongs to users needs one of them."""
    users = ("anna", "ben", "carl")
    await store(
        app, *(zebra(f"{kind} {user}", kind=kind, user_id=user) for user in users for kind in MemoryKind)
    )
    for user in users:
        await publish(api, f"zebra turn {user}", user_id=user)
    found = await ask(
        api, query="zebra", user_ids=["anna", "carl"], kinds=["profile", "episodic", "interaction"]
    )
    of_two = {f"{what} {user}" for what in ("profile", "episodic", "turn") for user in ("anna", "carl")}
    assert names(found) == of_two
    for query in ("zebra", None):
        for path, what in (
            (ROUTES[0], "profile"),
            (ROUTES[1], "user_playbook"),
            ("/api/search_interactions", "turn"),
        ):
            several = await ask(api, path, query=query, user_ids=["anna", "carl"])
            assert names(several) == {f"{what} anna", f"{what} carl"}, (path, query)
            assert names(await ask(api, path, query=query, user_ids=["ben"])) == {f"{what} ben"}
        everybody = await ask(api, ROUTES[1], query=query)
        assert names(everybody) == {f"user_playbook {user}" for user in users}
    assert "user_id" in await refused(api, query="zebra", kinds=["profile", "agent_playbook"])
    assert "user_id" in await refused(api, query="zebra", kinds=["interaction"])
    assert "user_id" in await refused(api, ROUTES[0], query="zebra")
    assert "user_id" in await refused(api, "/api/search_interactions", query="zebra")


@pytest.mark.parametrize("path", [*ROUTES, "/api/search"])
async def test_filters_of_memories_hold_with_and_without_a_query(app, api, path):
    """Tags, metadata, versions, names, and each pair of times."""
    kind = KIND_OF.get(path, MemoryKind.USER_PLAYBOOK)
    await store(
        app,
        zebra("one", kind=kind, keywords=("Urgent", "home"), metadata={"priority": 3, "project": {"name": "atlas"}},
              agent_version="v1", name="n1", at=ago(30), valid_from=ago(300)),
        zebra("two", kind=kind, keywords=("urgent",), metadata={"priority": 1, "done": True},
              agent_version="v2", name="n2", at=ago(3), valid_from=ago(10)),
        zebra("three", kind=kind, attributes=Attributes(custom_features={"mood": "calm"}),
              agent_version="v3", name="n3", at=ago(2)),
    )  # fmt: skip
    cases = [
        ({"tags": ["urgent"]}, {"one", "two"}),
        ({"tags": ["URGENT", "home"]}, {"one"}),
        ({"tags": ["nothing"]}, set()),
        ({"metadata": {"priority": {"gte": 2}}}, {"one"}),
        ({"metadata": {"or": [{"priority": {"lt": 2}}, {"project.name": {"eq": "atlas"}}]}}, {"one", "two"}),
        ({"metadata": {"not": {"done": {"exists": True}}}}, {"one", "three"}),
        ({"metadata": {"custom_features.mood": {"in": ["calm", "glad"]}}}, {"three"}),
        ({"start_time": ago(5).isoformat()}, {"two", "three"}),
        ({"start_time": ago(40).isoformat(), "end_time": ago(2.5).isoformat()}, {"one", "two"}),
        ({"event_start_time": ago(20).isoformat(), "event_end_time": ago(2.5).isoformat()}, {"two"}),
    ]
    of_playbooks = [
        ({"agent_versions": ["v1", "v3"]}, {"one", "three"}),
        ({"agent_version": "v2"}, {"two"}),
        ({"playbook_names": ["n2", "n3"]}, {"two", "three"}),
        ({"playbook_name": "n1", "tags": ["home"]}, {"one"}),
    ]
    user = {} if kind is MemoryKind.AGENT_PLAYBOOK else {"user_id": "anna"}
    if kind is MemoryKind.PROFILE:  # which have neither version nor name
        for wanted, _ in of_playbooks:
            assert f"{next(iter(wanted))} is not known" in await refused(
                api, path, query="zebra", **user, **wanted
            )
        of_playbooks = []
    for wanted, expected in cases + of_playbooks:
        for query in ("zebra", None) if path != "/api/search" else ("zebra",):
            found = await ask(api, path, query=query, **user, **wanted)
            assert names(found) == expected, (wanted, query)


async def test_filters_of_turns_hold_with_and_without_a_query(api):
    """Turns have the tags and the metadata of the request that brought them."""
    await publish(api, "zebra one", metadata={"tags": ["urgent", "home"], "priority": 3})
    await publish(api, "zebra two", metadata={"tags": ["urgent"], "priority": 1})
    cases = [
        ({"tags": ["urgent"]}, {"one", "two"}),
        ({"tags": ["Home"]}, {"one"}),
        ({"metadata": {"priority": {"lte": 2}}}, {"two"}),
        ({"metadata": {"tags": {"contains": "home"}}}, {"one"}),
        ({"start_time": ago(1).isoformat()}, {"one", "two"}),
        ({"end_time": ago(1).isoformat()}, set()),
        ({"as_of": ago(1).isoformat()}, set()),
    ]
    for wanted, expected in cases:
        for query in ("zebra", None):
            found = await ask(api, "/api/search_interactions", query=query, user_id="anna", **wanted)
            assert names(found) == expected, (wanted, query)
        unified = await ask(api, query="zebra", user_id="anna", kinds=["interaction"], **wanted)
        assert names(unified) == expected, wanted


async def test_as_of_answers_with_what_was_known_then(app, api):
    """What came later is not there, what was put away or ran out since is."""
    await store(
        app,
        zebra("since long", at=ago(100)),
        zebra("put away now", at=ago(100)),
        zebra("expired since", at=ago(100), expires_at=ago(5)),
        zebra("new", at=ago(1)),
    )
    storage, tenant = app.state.runtime.storage, Tenant(org_id=LOCAL_ORG)
    async with storage.begin(tenant) as transaction:
        listed = await transaction.memories.list_newest(MemoryKind.PROFILE, limit=10)
        [old] = [one for one in listed if one.content == "zebra put away now"]
        await transaction.memories.save([old.model_copy(update={"status": Status.ARCHIVED})])
    for query in ("zebra", None):
        for path in (ROUTES[0], "/api/search") if query else (ROUTES[0],):
            then = await ask(api, path, query=query, user_id="anna", as_of=ago(10).isoformat())
            assert names(then) == {"since long", "put away now", "expired since"}
            later = await ask(api, path, query=query, user_id="anna", as_of=ago(0.5).isoformat())
            assert names(later) == {"since long", "put away now", "new"}
            assert names(await ask(api, path, query=query, user_id="anna")) == {"since long", "new"}


async def test_as_of_shows_the_words_of_then(api):
    """What was edited since reads as it did, and what was put away since is current."""
    await add_profile(api, "zebra first", profile_id="p1")
    first = datetime.now(UTC).isoformat()
    for body in ({"content": "zebra second"}, {"content": "zebra third"}):
        changed = await api.put(
            "/api/update_user_profile", json={"user_id": "anna", "profile_id": "p1"} | body
        )
        assert changed.status_code == 200, changed.text
    for query in ("zebra", None):
        for path in (ROUTES[0], "/api/search") if query else (ROUTES[0],):
            assert names(await ask(api, path, query=query, user_id="anna", as_of=first)) == {"first"}
            assert names(await ask(api, path, query=query, user_id="anna")) == {"third"}


async def test_neighbours_come_with_the_turns_found(api):
    """Up to so many before and after, of the same session, oldest first; none unless asked for."""
    await publish(api, "one", "two", "the zebra", "four", "five", session_id="s1")
    await publish(api, "elsewhere", session_id="s2")
    path = "/api/search_interactions"
    for body in (
        {"query": "zebra", "neighbours": 1},
        {"query": "zebra", "neighbours": 5, "search_mode": "fts"},
    ):
        [turn] = (await ask(api, path, user_id="anna", **body))["interactions"]
        beside = [one["content"] for one in turn["neighbours"]]
        assert beside == (["two", "four"] if body["neighbours"] == 1 else ["one", "two", "four", "five"])
        unified = await ask(api, user_id="anna", kinds=["interaction"], **body)
        assert unified["interactions"][0]["neighbours"] == turn["neighbours"]
    newest = (await ask(api, path, user_id="anna", neighbours=1, top_k=2))["interactions"]
    assert [(one["content"], [it["content"] for it in one["neighbours"]]) for one in newest] == [
        ("elsewhere", []),
        ("five", ["four"]),
    ]
    plain = await ask(api, path, user_id="anna", query="zebra")
    assert "neighbours" not in plain["interactions"][0]


async def indexed(api, count: int) -> None:
    """Wait until everything has its vector."""
    for _ in range(400):
        found = await ask(api, ROUTES[0], user_id="anna", query="animal", search_mode="vector", threshold=0)
        if len(found["user_profiles"]) == count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the index was not made in time")


async def test_ranking_strategies_and_threshold_do_what_they_say(api):
    """Each named ranking orders the same results; only strategies that were named are asked; a threshold cuts."""
    for content in ("Keeps a zebra at home.", "Owns a sailing boat.", "Is fond of horses and ponies."):
        await add_profile(api, content)
    await indexed(api, 3)
    body = {"user_id": "anna", "query": "zebra horse", "explain": True, "threshold": 0}
    scores = {}
    for ranking in ("blended", "rrf", "weighted"):
        found = await ask(api, ranking=ranking, **body)
        assert found["explanation"]["ranking"] == ranking
        assert found["profiles"][-1]["content"] == "Owns a sailing boat."
        values = [one["score"] for one in found["profiles"]]
        assert values == sorted(values, reverse=True)
        scores[ranking] = tuple(values)
    assert len(set(scores.values())) == 3
    for strategies, expected in ((["keyword"], 2), (["vector"], 3), (["keyword", "vector", "keyword"], 3)):
        found = await ask(api, strategies=strategies, **body)
        counted = {one["name"] for one in found["explanation"]["strategies"] if "found" in one}
        assert counted == set(strategies)
        assert len(found["profiles"]) == expected
    profile = await ask(api, ROUTES[0], strategies=["profile"], **body)
    assert len(profile["user_profiles"]) == 3
    everything = {"search_mode": "vector", "user_id": "anna", "query": "zebra horse"}
    assert (await ask(api, **everything, threshold=1.0))["profiles"] == []
    cut = await ask(api, **everything, threshold=1.0, explain=True)
    assert cut["explanation"]["dropped"]["below_threshold"] == 3


async def test_every_route_explains_itself_where_it_is_asked_to(app, api):
    """What the question was taken for, what each strategy took and found; without `explain` not a word of it."""
    await store(app, *(zebra(str(kind), kind=kind) for kind in MemoryKind))
    await publish(api, "zebra turn")
    for path in (*ROUTES, "/api/search_interactions", "/api/search"):
        body = {"query": 'Where was the "white zebra" last week?', "user_id": "anna"}
        told = (await ask(api, path, explain=True, **body))["explanation"]
        assert told["query"] == body["query"]
        assert told["analysis"]["phrases"] == ["white zebra"]
        steps = {one["name"]: one for one in told["strategies"]}
        assert steps["keyword"]["found"] >= 1
        assert steps["keyword"]["milliseconds"] > 0
        assert "failed" not in steps["keyword"]
        assert "explanation" not in await ask(api, path, **body)
    empty = await ask(api, ROUTES[0], user_id="anna", explain=True)
    assert empty["explanation"]["strategies"] == []
    assert "analysis" not in empty["explanation"]


async def test_reference_time_says_what_today_is(api):
    """A time in the question is read from where the caller stands."""
    asked = {"query": "What did I say yesterday?", "user_id": "anna", "explain": True}
    for today, yesterday in (("2023-05-20T12:00:00Z", "2023-05-19"), ("2024-03-01T00:30:00Z", "2024-02-29")):
        found = await ask(api, reference_time=today, **asked)
        assert found["explanation"]["analysis"]["time_reference"]["start"].startswith(yesterday)


async def test_as_of_reads_days_of_the_users_life_as_they_were_known(api):
    """A birthday that was put right since: the question is about the day that was believed then."""
    await add_profile(api, "Birthday is May 3rd.", profile_id="p1")
    then = datetime.now(UTC).isoformat()
    body = {"user_id": "anna", "profile_id": "p1", "content": "Birthday is October 9th."}
    assert (await api.put("/api/update_user_profile", json=body)).status_code == 200
    asked = {"query": "What was two days before my birthday?", "user_id": "anna", "explain": True}
    for moment, day in (({"as_of": then}, "05-01"), ({}, "10-07")):
        found = await ask(api, reference_time="2023-12-20T12:00:00Z", **moment, **asked)
        assert found["explanation"]["analysis"]["time_reference"]["start"].startswith(f"2023-{day}")


async def choose_model(api, server) -> None:
    load_litellm()  # takes seconds where many tests run, and the first question would not wait for it
    endpoint = {"model": "scripted", "api_key": "k", "api_base": server.base_url}
    reply = await api.post("/api/set_config", json={"api_key_config": {"custom_endpoint": endpoint}})
    assert reply.status_code == 200, reply.text


async def test_a_model_rewrites_the_question_if_it_is_asked_to(app, api):
    """Off by default; on, the rewritten question finds, and the words of the caller are kept."""
    await store(app, zebra("Clara lives in Rome"), zebra("order X-4711"))
    history = [{"role": "user", "content": "My sister is called Clara."}]
    body = {
        "query": "and her home? X-4711",
        "user_id": "anna",
        "search_mode": "fts",
        "conversation_history": history,
    }
    off = await ask(api, **body)
    assert "reformulated_query" not in off
    assert names(off) == {"order X-4711"}
    unset = await ask(api, enable_reformulation=True, **body)
    assert unset["msg"] == "the question was not reformulated: no model is configured"
    with scripted_llm() as server:
        await choose_model(api, server)
        server.answer_with("Where does Anna's sister Clara live?")
        assert "reformulated_query" not in await ask(api, **body)
        assert server.requests == []
        for path in ("/api/search", ROUTES[0]):
            found = await ask(api, path, enable_reformulation=True, explain=True, **body)
            assert found["reformulated_query"] == "Where does Anna's sister Clara live?"
            assert names(found) == {"Clara lives in Rome", "order X-4711"}
            assert found["explanation"]["query"] == "Where does Anna's sister Clara live? home? X-4711"
            assert "msg" not in found
        reply = await api.post("/api/entities", json={"user_id": "anna", "name": "Clara"})
        assert reply.status_code == 200, reply.text
        page = await ask(api, "/api/context", enable_reformulation=True, **body)
        assert "[n:1] Clara" in page["context"]
        assert "user: My sister is called Clara." in server.requests[0].prompt
        for answer, says in ((status(401), "401"), ("I'm sorry, I can't help.", "the model refused")):
            server.answer_with(answer)
            failed = await ask(api, enable_reformulation=True, **body)
            assert "reformulated_query" not in failed
            assert says in failed["msg"]
            assert names(failed) == {"order X-4711"}


async def test_a_silent_model_costs_no_more_than_its_limit(tmp_path):
    """The words of the caller answer."""
    settings = settings_in(tmp_path, strategy_timeout_seconds=5)
    async with running(settings) as app, client_of(app) as api:
        await store(app, zebra("one"))
        with scripted_llm() as server:
            await choose_model(api, server)
            server.answer_with(never())
            found = await ask(api, query="zebra", user_id="anna", enable_reformulation=True, explain=True)
    assert names(found) == {"one"}
    assert found["msg"] == "the question was not reformulated: the model gave no answer in time"
    [step] = [one for one in found["explanation"]["strategies"] if one["name"] == "reformulation"]
    assert 5_000 <= step["milliseconds"] < 20_000


DEEP = {"a": {"eq": 1}}
for _ in range(60):
    DEEP = {"not": DEEP}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"strategies": ["psychic"]}, "strategies.0"),
        ({"strategies": []}, "strategies"),
        ({"strategies": "vector"}, "strategies"),
        ({"ranking": "best"}, "ranking"),
        ({"ranking": ["rrf"]}, "ranking"),
        ({"kinds": []}, "kinds"),
        ({"kinds": ["everything"]}, "kinds"),
        ({"user_ids": []}, "user_ids"),
        ({"user_ids": ["anna", ""]}, "user_ids.1"),
        ({"user_ids": ["anna"] * 101}, "user_ids"),
        ({"user_id": "anna", "user_ids": ["ben"]}, "user_id or user_ids"),
        ({"agent_version": "a", "agent_versions": ["b"]}, "agent_version or agent_versions"),
        ({"playbook_name": "a", "playbook_names": ["b"]}, "playbook_name or playbook_names"),
        ({"tags": [""]}, "tags.0"),
        ({"tags": []}, "tags"),
        ({"tags": ["x"] * 51}, "tags"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {}}, "metadata"),
        ({"metadata": {"a": 1}}, "metadata"),
        ({"metadata": {"a": {"like": 1}}}, "metadata"),
        ({"metadata": {"a": {"eq": {"b": 1}}}}, "metadata"),
        ({"metadata": DEEP}, "metadata"),
        ({"metadata": {"or": [{"a": {"eq": n}} for n in range(101)]}}, "metadata"),
        ({"threshold": "high"}, "threshold"),
        ({"threshold": -0.1}, "threshold"),
        ({"neighbours": 6}, "neighbours"),
        ({"neighbours": -1}, "neighbours"),
        ({"neighbours": 1}, "neighbours"),
        ({"rerank": "perhaps"}, "rerank"),
        ({"explain": 7}, "explain"),
        ({"as_of": "then"}, "as_of"),
        ({"reference_time": "soon"}, "reference_time"),
        ({"event_start_time": "2026-01-02", "event_end_time": "2026-01-01"}, "event_end_time"),
        ({"start_time": "2026-01-02", "end_time": "2026-01-01"}, "end_time"),
        ({"search_mode": "fts", "strategies": ["vector"]}, "search_mode"),
        ({"search_mode": "vector", "strategies": ["vector", "keyword"]}, "search_mode"),
        ({"as_of": "2026-01-01", "include_expired": True}, "as_of"),
        ({"status_filter": ["current"]}, "status_filter.0"),
        ({"playbook_status_filter": []}, "playbook_status_filter"),
        ({"playbook_status_filter": "maybe"}, "playbook_status_filter"),
    ],
    ids=str,
)  # fmt: skip
async def test_wrong_options_are_refused_by_name(app, body, says):
    """Wrong types and values, lists that are empty or too long, options that contradict one another."""
    async with client_of(app) as api:
        assert says in await refused(api, **({"query": "x"} | body))


async def test_large_and_odd_bodies_are_refused_quickly(api):
    """A million strategies, a number that is none, a tree as deep as JSON allows."""
    json_body = {"Content-Type": "application/json"}
    deep = '{"not":'
    for options, says in (
        ('"strategies": [' + ",".join(['"x"'] * 1_000_000) + "]", "body"),
        ('"strategies": [' + ",".join(['"graph"'] * 100_000) + "]", "strategies"),
        ('"user_ids": [' + ",".join(["1"] * 100_000) + "]", "user_ids"),
        ('"status_filter": [' + ",".join(["1"] * 100_000) + "]", "status_filter"),
        ('"threshold": NaN', "JSON"),
        ('"threshold": 1e999', "finite"),
        ('"metadata": ' + deep * 190 + "1" + "}" * 190, "metadata"),
        ('"metadata": ' + deep * 50_000 + "1" + "}" * 50_000, "JSON"),
    ):
        body = '{"query": "x", ' + options + "}"
        reply = await api.post("/api/search", content=body, headers=json_body)
        assert reply.status_code == 422, reply.text
        assert says in reply.json()["message"], body[:60]
        assert len(reply.content) < 20_000


async def test_odd_conditions_are_answered(app, api):
    """Fields and values that mean something to a database are only texts."""
    odd = {'a"b': "x", "$": [1], "%_": {"'": True}, "🦓": 10**30, "n": -0.0}
    await store(app, zebra("one", metadata=odd))
    fields = (
        'a"b',
        "$",
        "$[0]",
        "%_.'",
        "🦓",
        "n",
        "'; drop table memories; --",
        "\\",
        "a" * 512,
        " ",
        "*",
        ":x",
    )
    values = ("x", "", "%", "'", '"', "\\", 1, -0.0, 1e308, 10**30, "1", "🦓" * 1000)
    for field in fields:
        parts = [{field: {how: value}} for how in ("eq", "gt", "contains") for value in values]
        every = {
            "and": [
                {"not": {"or": parts}},
                {"or": [{field: {"in": list(values)}}, {field: {"exists": False}}]},
            ]
        }
        for metadata in (every, parts[0], {field: {"exists": True}}):
            found = await ask(api, query="zebra", user_id="anna", metadata=metadata)
            assert names(found) <= {"one"}
    for metadata, expected in (
        ({'a"b': {"eq": "x"}}, {"one"}),
        ({"%_.'": {"eq": True}}, {"one"}),
        ({"🦓": {"gt": 1}}, {"one"}),
        ({"n": {"eq": 0}}, {"one"}),
        ({"$": {"contains": 1}}, {"one"}),
        ({"$": {"contains": "1"}}, set()),
        ({"%_.'": {"eq": 1}}, set()),
    ):
        assert names(await ask(api, query="zebra", user_id="anna", metadata=metadata)) == expected, metadata


@pytest.mark.parametrize(
    "option", [{"ranking": "rrf"}, {"strategies": ["keyword"]}, {"rerank": True}], ids=json.dumps
)
async def test_options_of_ranking_need_a_question(api, option):
    """Without one the newest are listed, and nothing is ranked."""
    for path in (*ROUTES, "/api/search_interactions"):
        assert "needs a query" in await refused(api, path, user_id="anna", **option)


async def test_a_result_says_how_likely_it_answers(api):
    """Beside its place in the answer; where nothing is likely enough, the reply says that nothing relevant is known."""
    await add_profile(api, "Owns a sailing boat.")
    await indexed(api, 1)
    body = {"user_id": "anna", "query": "zebra", "search_mode": "vector"}
    found = await ask(api, ROUTES[0], threshold=0, **body)
    [one] = found["user_profiles"]
    assert one["score"] == 1
    assert 0 <= one["relevance"] < 0.5
    assert "msg" not in found
    for path in (ROUTES[0], "/api/search"):
        empty = await ask(api, path, threshold=0.9, **body)
        assert empty["msg"] == (
            "nothing relevant is known: the relevance of what was found (1) is below the threshold of 0.9"
        )
    newest = await ask(api, ROUTES[0], user_id="anna")
    assert "relevance" not in newest["user_profiles"][0]
