"""Every `search` takes the same options, and hands them on as the SDK takes them."""

import inspect
import io
from datetime import UTC, datetime
from typing import get_args

import pytest
import typer
from rich.console import Console

from sagacity.cli import (
    agent_playbooks,
    draw,
    interactions,
    profiles,
    search,
    search_options,
    skills,
    user_playbooks,
)
from sagacity.cli.explain import Result, explanation, in_meta, results, with_explanation
from sagacity.cli.main import tree
from sagacity.cli.output import said
from sagacity.cli.search_options import Options, moment, searching
from sagacity.client import Sagacity
from sagacity.client.wire import checked
from sagacity.client.words.query import RankingWord, StrategyNameWord
from sagacity.domain.analysis import Intent, QueryAnalysis, TimeReference
from sagacity.domain.errors import InvalidInput
from sagacity.domain.query import Ranking, StrategyName
from sagacity.domain.views.interaction import InteractionView
from sagacity.domain.views.profile import ProfileView
from sagacity.schemas.found import Explanation, StrategyReport
from sagacity.schemas.search import SearchBody, SearchInteractionsBody

NOUNS = (profiles, user_playbooks, agent_playbooks, skills)
COMMANDS = [search.search, interactions.search] + [
    command.callback for noun in NOUNS for command in noun.app.registered_commands if command.name == "search"
]


def drawn(render) -> list[str]:
    console = Console(file=io.StringIO(), width=160, highlight=False)
    render(console)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def parsed(*arguments: str) -> dict:
    """What a command gets when it is called with *arguments*."""
    got: dict = {}

    def command(*, asked: Options, top: int = 3) -> None:
        got.update(asked=asked, top=top)

    program = typer.Typer()
    program.command()(searching(command))
    program(list(arguments), standalone_mode=False)
    return got


@pytest.mark.parametrize("command", COMMANDS)
def test_every_search_has_the_shared_options(command):
    """By one list, whatever else each of them takes."""
    assert {
        "threshold", "mode", "ranking", "strategy", "rerank", "after", "before", "event_after", "event_before",
        "as_of", "reference_date", "tag", "where", "explain",
    } <= inspect.signature(command).parameters.keys()  # fmt: skip
    assert "asked" not in inspect.signature(command).parameters


def test_every_kind_of_memory_has_a_search():
    assert len(COMMANDS) == len(NOUNS) + 2


def test_options_become_those_of_the_sdk():
    """Each under its name there; several of a sort as a list; and the server's schema takes them all."""
    got = parsed(
        "--top", "4", "--ranking", "rrf", "--strategy", "vector", "--strategy", "graph", "--no-rerank",
        "--after", "2026-05-01", "--before", "2026-05-02T10:00:00+02:00", "--event-after", "2026-01-01",
        "--as-of", "2026-06-01", "--reference-date", "2026-06-02", "--tag", "a", "--tag", "b",
        "--where", "priority>=2", "--explain", "--threshold", "0.25",
    )  # fmt: skip
    assert got["top"] == 4
    body = checked(SearchBody, {"query": "x"} | got["asked"])
    assert (body.ranking, body.strategies, body.rerank) == (Ranking.RRF, ("vector", "graph"), False)
    assert body.start_time == datetime(2026, 5, 1, tzinfo=UTC)
    assert body.end_time == datetime(2026, 5, 2, 8, tzinfo=UTC)
    assert body.event_start_time == datetime(2026, 1, 1, tzinfo=UTC)
    assert (body.as_of, body.reference_time) == (
        datetime(2026, 6, 1, tzinfo=UTC),
        datetime(2026, 6, 2, tzinfo=UTC),
    )
    assert (body.tags, body.metadata) == (("a", "b"), {"priority": {"gte": 2}})
    assert (body.explain, body.threshold) == (True, 0.25)


def test_every_ranking_and_strategy_can_be_named():
    """On the command line and, without importing it, in the SDK."""
    offered = get_args(search_options.Ranking)[0]
    assert {word for one in get_args(offered) for word in get_args(one)} == set(Ranking)
    for words, named in ((RankingWord, Ranking), (StrategyNameWord, StrategyName)):
        assert set(get_args(get_args(words)[1])) == set(named)


def test_what_is_not_said_is_left_to_the_server():
    body = checked(SearchBody, {"query": "x"} | parsed()["asked"])
    assert body.model_fields_set <= {"query", "search_mode", "explain"}


@pytest.mark.parametrize("text", ["yesterday", "", "2026-13-01", "1"])
def test_a_date_that_is_none_is_refused_by_its_option(text):
    with pytest.raises(InvalidInput, match="--as-of"):
        moment(text, "--as-of")


def test_an_option_that_a_search_does_not_have_is_an_error():
    """A slip of the pen is not passed over, though the server would."""
    with Sagacity("http://127.0.0.1:1") as client:
        with pytest.raises(TypeError, match="'reranking'"):
            client.search("x", reranking=True)
        with pytest.raises(TypeError, match="'agent_versions'"):
            client.search_interactions("a", agent_versions=["x"])
        with pytest.raises(InvalidInput, match=r"strategies\.0"):
            client.search_profiles("a", "x", strategies=["psychic"])


def test_every_option_is_one_of_the_server():
    assert Options.__annotations__.keys() <= SearchInteractionsBody.model_fields.keys()


EXPLAINED = Explanation(
    query="where was Ana last week",
    ranking=Ranking.BLENDED,
    analysis=QueryAnalysis(
        original_query="where was Ana last week",
        intent=Intent.QUESTION,
        reference_at=datetime(2026, 5, 11, tzinfo=UTC),
        keywords=("ana",),
        entities_mentioned=("Ana",),
        time_reference=TimeReference(text="last week", kind="week", start=datetime(2026, 5, 4, tzinfo=UTC)),
    ),
    strategies=(
        StrategyReport(name="keyword", milliseconds=1.25, found=3),
        StrategyReport(name="vector", failed="the embedder is away"),
    ),
    dropped={"over_limit": 2},
)


def test_an_explanation_shows_strategies_and_components():
    """What the question was taken for, what each step took, found or failed with, and what made each score."""
    found = [
        Result(
            "profile",
            "p-1",
            "Ana was in Rome " + "and further " * 10,
            0.9,
            0.75,
            {"keyword": 2.5, "vector": 0.5},
        ),
        Result("interaction", 7, "Hello", 0.1, None, {"keyword": 0.25}),
    ]
    lines = drawn(explanation(EXPLAINED, found))
    assert "searched for where was Ana last week" in lines
    assert "ranking blended" in lines
    assert "intent question (0.50)" in lines
    assert "time last week 2026-05-04 00:00:00+00:00" in lines
    assert "held back 2 over_limit" in lines
    assert "keyword 1.2 3" in lines
    assert "vector the embedder is away" in lines
    assert "kind id content relevance score made of" in lines
    [first] = [line for line in lines if line.startswith("profile p-1")]
    assert first.endswith("… 0.75 0.90 keyword 2.500, vector 0.500")
    assert "interaction 7 Hello 0.10 keyword 0.250" in lines


def test_an_explanation_of_many_components_can_be_read():
    """However many there are, a text is not squeezed into a column of single letters."""
    components = {f"component_{n}": 0.5 for n in range(9)}
    lines = drawn(
        explanation(EXPLAINED, [Result("profile", "p" * 36, "Ana was in Rome", 0.9, 0.5, components)])
    )
    assert any("Ana was in" in line for line in lines)


def test_without_an_explanation_only_the_results_are_drawn():
    assert drawn(with_explanation(said("found"), None, [])) == ["found"]
    assert drawn(with_explanation(said("found"), EXPLAINED, []))[:3] == ["found", "", "how it was found"]
    assert in_meta(None) == {}
    assert in_meta(EXPLAINED)["explanation"]["dropped"] == {"over_limit": 2}


def test_results_are_named_by_kind_and_id():
    view = ProfileView(
        profile_id="p",
        user_id="u",
        content="c",
        last_modified_timestamp=0,
        generated_from_request_id="",
        score=0.5,
        relevance=0.75,
    )
    assert results("profile", [view], "profile_id") == [Result("profile", "p", "c", 0.5, 0.75, None)]


def test_neighbours_stand_around_their_turn():
    """In the order in which they were said."""
    turns = [
        InteractionView(interaction_id=n, user_id="u", request_id="r", created_at=0, content=f"turn {n}")
        for n in (1, 2, 3)
    ]
    found = turns[1].model_copy(update={"score": 1.0, "relevance": 0.5, "neighbours": (turns[0], turns[2])})
    lines = drawn(draw.interactions([found]))
    assert [line.partition(" u ")[0] for line in lines[-3:]] == [
        "User turn 1",
        "0.50 User turn 2",
        "User turn 3",
    ]


def test_the_program_has_these_options(capsys):
    tree(("interactions",))(["interactions", "search", "--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "--neighbours" in shown
    assert "--reference-date" in shown
