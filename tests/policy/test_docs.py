"""What the documents show runs, and what there is is documented."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from sagacity.api import accounts
from sagacity.api.app import ROUTERS
from sagacity.api.errors import STATUS, status_of
from sagacity.api.rates import limits_of
from sagacity.cli.main import tree
from sagacity.cli.output import exit_code
from sagacity.client import Sagacity
from sagacity.client import errors as client_errors
from sagacity.config.settings import Settings
from sagacity.domain import errors
from sagacity.domain.errors import SagacityError
from sagacity.prompts.load import list_prompts
from support.documents import ROOT, blocks, documents, run_document, user_environment
from support.routes import described
from support.scripted_llm import Answer, ChatRequest, scripted_llm
from support.server import running_server

ELSEWHERE = {"docs/reference/reflexio-client.md"}
"""Runs in an environment of its own: tests/acceptance/test_reflexio_client.py."""
NOT_RUN = {
    ("README.md", "make demo"),
    ("README.md", "GEMINI_API_KEY=… make serve"),
    (
        "docs/howto/back-up-and-reindex.md",
        (
            "pg_dump --format=custom --enable-row-security --no-comments --file=sagacity.dump "
            "postgresql://sagacity_owner@db.example/sagacity"
        ),
    ),
    ("docs/howto/configuration-history.md", "sagacity config forget-keys --yes"),
    (
        "docs/howto/quotas.md",
        "sagacity organizations set-quota acme members=10 interactions=100000 memories=20000",
    ),
    (
        "docs/howto/accounts.md",
        "export SAGACITY_MAIL_URL=ses://eu-central-1 SAGACITY_MAIL_FROM=sagacity@example.com",
    ),
    (
        "docs/howto/accounts.md",
        "export SAGACITY_MAIL_URL=smtps://user:password@smtp.example.com:465 SAGACITY_MAIL_FROM=sagacity@example.com",
    ),
    ("docs/howto/accounts.md", "sagacity account verify tH0FisbAD7AV…"),
    ("docs/howto/accounts.md", "sagacity account totp-begin"),
    ("docs/howto/accounts.md", "from sagacity.client import Sagacity"),
    ("README.md", "uv pip install -e '.[scale]'"),
    ("CONTRIBUTING.md", "make check"),
    ("docs/howto/release.md", "make audit ADVISORIES=all.zip"),
    ("docs/howto/run-with-systemd.md", "python3 -m venv --without-pip /opt/sagacity"),
    ("docs/howto/run-with-systemd.md", "cp deploy/systemd/sagacity.service /etc/systemd/system/"),
    ("CONTRIBUTING.md", ".venv/bin/pytest tests/unit/learning"),
    ("docs/howto/configure-models.md", "GEMINI_API_KEY=… sagacity serve"),
    (
        "docs/howto/move-to-postgresql.md",
        "export SAGACITY_MIGRATION_URL=postgresql://owner@db.example/sagacity",
    ),
    (
        "docs/howto/move-to-postgresql.md",
        "export SAGACITY_DATABASE_URL=postgresql://sagacity_app@db.example/sagacity",
    ),
    (
        "docs/howto/move-to-postgresql.md",
        (
            "sagacity migrate-data --from sqlite:////home/me/.sagacity/sagacity.db "
            "--to postgresql://sagacity_app@db.example/sagacity --verify-only"
        ),
    ),
    (
        "docs/howto/move-to-postgresql.md",
        (
            "sagacity migrate-data --from postgresql://sagacity_app@db.example/sagacity "
            "--to sqlite:////home/me/.sagacity/back.db"
        ),
    ),
    ("docs/howto/tokens-and-access.md", "sagacity serve --host 0.0.0.0"),
    (
        "docs/howto/tokens-and-access.md",
        "export SAGACITY_JWT_JWKS_URL=https://PROJECT.supabase.co/auth/v1/.well-known/jwks.json",
    ),
    (
        "docs/howto/use-postgresql.md",
        "export SAGACITY_MIGRATION_URL=postgresql://sagacity_owner@db.example/sagacity",
    ),
    ("docs/howto/run-workers.md", "uv pip install -e '.[redis]'"),
    ("docs/howto/run-workers.md", "sagacity worker --check"),
    ("docs/howto/run-workers.md", "sagacity worker --port 8082"),
    ("docs/howto/deploy-with-helm.md", "kubectl create namespace memory"),
    ("docs/howto/traces.md", "uv pip install -e '.[tracing]'"),
    ("docs/howto/add-a-language.md", ".venv/bin/pytest tests/unit/learning/rules/test_languages.py"),
    ("docs/howto/add-a-language.md", ".venv/bin/python benchmarks/learning/rules.py --show"),
    ("docs/reference/benchmarks.md", ".venv/bin/python benchmarks/learning/replay.py --show"),
    (
        "docs/reference/rule-learner.md",
        ".venv/bin/python benchmarks/learning/rules.py --split development --show",
    ),
    ("docs/howto/deploy-with-compose.md", "umask 077"),
    ("docs/howto/deploy-with-compose.md", "docker compose -f deploy/compose.yaml build"),
    ("docs/howto/deploy-with-compose.md", "docker compose -f deploy/compose.yaml up --detach --wait"),
    (
        "docs/howto/deploy-with-compose.md",
        "docker compose -f deploy/compose.yaml up --detach --wait --scale worker=4",
    ),
    (
        "docs/howto/deploy-with-compose.md",
        "docker compose -f deploy/compose.yaml exec -T postgres pg_dump -U sagacity_owner -Fc sagacity > sagacity.dump",
    ),
    ("docs/howto/deploy-on-kubernetes.md", "kubectl apply -k deploy/kubernetes/setup"),
    (
        "docs/howto/deploy-on-kubernetes.md",
        "kubectl -n sagacity delete job sagacity-migrate --ignore-not-found",
    ),
    (
        "docs/howto/deploy-on-kubernetes.md",
        "kubectl -n sagacity exec deployment/sagacity-worker -- sagacity token create --name first",
    ),
    ("docs/howto/deploy-on-kubernetes.md", "kubectl apply -k deploy/kubernetes/backlog"),
    (
        "docs/howto/run-behind-a-proxy.md",
        "export SAGACITY_CORS_ORIGINS=https://app.example.com,http://localhost:3000",
    ),
    (
        "docs/howto/upgrade-without-downtime.md",
        "kubectl -n sagacity delete job sagacity-migrate --ignore-not-found",
    ),
    ("docs/howto/members.md", "sagacity members add ana@example.com --role owner --org acme"),
    ("docs/howto/members.md", "sagacity invitations create ben@example.com --role viewer"),
    ("docs/howto/members.md", "sagacity invitations accept inv_tH0FisbAD7AV…"),
    ("docs/howto/members.md", "sagacity members list"),
    ("docs/howto/members.md", "sagacity organizations list"),
    (
        "docs/howto/sessions-by-cookie.md",
        "export SAGACITY_COOKIE_SESSIONS=true SAGACITY_PUBLIC_URL=https://memory.example.com",
    ),
    (
        "docs/howto/sessions-by-cookie.md",
        "export SAGACITY_CORS_ORIGINS=https://app.example.com SAGACITY_CORS_CREDENTIALS=true",
    ),
    (
        "docs/howto/sign-in-with-openid-connect.md",
        "export SAGACITY_PUBLIC_URL=https://memory.example.com",
    ),
    ("docs/howto/sign-in-with-openid-connect.md", "sagacity account login --code eyJhbGciOiJIUzI1NiJ9…"),
    ("docs/howto/store-configurations.md", "SAGACITY_CONFIG_FOLDER=/etc/sagacity sagacity serve"),
    (
        "docs/howto/store-configurations.md",
        "export CONFIG_S3_PATH=s3://my-bucket/sagacity CONFIG_S3_REGION=eu-west-1",
    ),
}
"""Blocks that only show: they set up the checkout, need a real key or a cluster, or listen to the world."""
SHOWN = {"js", "json", "text", "nginx", "ini", "yaml"}
READ = [document for document in documents() if document not in ELSEWHERE]
RUN = [document for document in READ if any(block.is_run for block in blocks(document))]
OF_BROWSERS = {"GET /api/auth/oidc/start", "GET /api/auth/oidc/callback"}
"""Routes that send a browser on: no client calls them, so the API's description has them not."""
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
ROW = re.compile(r"^\| `(?P<name>[^`]+)` \|(?P<rest>.*)$", re.MULTILINE)


@pytest.mark.parametrize("document", RUN)
def test_commands_and_programs_of_a_document_run_in_order(document: str, tmp_path: Path) -> None:
    run_document(document, tmp_path)


def test_blocks_that_are_not_run_are_on_the_list_and_say_why() -> None:
    shown = [
        block
        for document in READ
        for block in blocks(document)
        if block.info and block.language in {"sh", "python"}
    ]
    unexplained = [block.place for block in shown if not re.fullmatch(r"serve|no-run \S.*", block.info)]
    assert unexplained == []
    not_run = {(block.document, block.text.partition("\n")[0]) for block in shown if block.info != "serve"}
    assert not_run == NOT_RUN


def test_other_blocks_are_of_known_languages_and_json_parses() -> None:
    for document in READ:
        for block in blocks(document):
            assert block.language in SHOWN | {"sh", "python"}, block.place
            if block.language == "json":
                json.loads(block.text)


def test_relative_links_resolve() -> None:
    broken = [
        f"{document}: {target}"
        for document in documents()
        for target in LINK.findall(_prose(document))
        if not _resolves(document, target)
    ]
    assert broken == []


def test_every_page_is_in_the_index() -> None:
    listed = {f"docs/{target}" for target in LINK.findall(_read("docs/README.md"))}
    folders = ("docs/howto/", "docs/explanation/", "docs/reference/")
    assert {document for document in documents() if document.startswith(folders)} <= listed


def test_quickstart_example_shows_what_was_learned(tmp_path: Path) -> None:
    with running_server(tmp_path / "home") as server:
        said = _example("quickstart.py", tmp_path, server.url)
    assert "profile: Lives in Lyon." in said
    assert "profile: Is vegetarian." in said
    assert "Give prices in euros, not dollars." in said


def test_chat_example_gives_a_model_what_is_remembered(tmp_path: Path) -> None:
    with running_server(tmp_path / "home") as server, scripted_llm() as model:
        _example("quickstart.py", tmp_path, server.url)
        prompt = _example("chat_with_memory.py", tmp_path, server.url, "Where shall we have lunch?")
        assert "- Is vegetarian." in prompt
        model.answer_with("At Culture Crêpes.")
        arguments = ("chat_with_memory.py", tmp_path, server.url, "Where shall we have lunch?")
        said = _example(*arguments, OPENAI_BASE_URL=model.base_url, OPENAI_MODEL="scripted")
        assert said == "At Culture Crêpes.\n"
        assert "- Is vegetarian." in model.requests[0].prompt
        assert "user: Where shall we have lunch?" in model.requests[0].prompt


def test_agent_example_uses_its_memory_and_is_judged(tmp_path: Path) -> None:
    """Publish, context, tools, citations, verdict: each step is seen from the outside."""
    call = {"id": "c-1", "function": {"name": "find_order", "arguments": '{"number": 17}'}}
    calling = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}
    rule = re.compile(r"\[(u:\d+)\] .*Always give dates like 2026-12-01")

    def answers(request: ChatRequest) -> str | Answer:
        last = request.messages[-1]
        if last["role"] == "user" and "order" in last["content"]:
            return Answer(raw_body=json.dumps(calling).encode())
        shown = rule.search(request.prompt)
        assert shown
        return f"On 2026-12-01 [{shown[1]}]." if last["role"] == "tool" else "You are welcome."

    with (
        running_server(tmp_path / "home", {"SAGACITY_EVALUATION_DELAY_SECONDS": "1"}) as server,
        scripted_llm() as model,
        Sagacity(server.url) as memory,
    ):
        memory.set_config(
            {"agent_success_configs": [{"evaluation_name": "helped", "success_definition_prompt": "…"}]}
        )
        taught = [{"content": "Please always give dates like 2026-12-01."}]
        memory.publish_interaction("ana", taught, force_extraction=True, wait_for_response=True)
        model.answer_with(answers)
        questions = ("On which date is my order 17 here?", "Thanks, that worked!")
        provider = {"OPENAI_BASE_URL": model.base_url, "OPENAI_MODEL": "scripted"}
        said = _example("agent_loop.py", tmp_path, server.url, *questions, **provider)
        turns = memory.get_interactions("ana").interactions
    assert said.splitlines() == [
        "On 2026-12-01.",
        "You are welcome.",
        "shown 2, cited 1 times: Always give dates like 2026-12-01.",
        "helped: success",
    ]
    output = '{"order": 17, "state": "sent", "arrives": "2026-12-01"}'
    used = [used.tool_data for turn in turns for used in turn.tools_used]
    assert used == [{"input": {"number": 17}, "output": output}]


def test_every_setting_is_documented() -> None:
    page = _read("docs/reference/configuration.md")
    settings = {f"SAGACITY_{name.upper()}" for name in Settings.model_fields}
    assert settings == {name for name, _ in ROW.findall(page) if name.startswith("SAGACITY_")}
    known = settings | {"SAGACITY_URL", "SAGACITY_API_KEY"}
    for document in documents():
        named = set(re.findall(r"\bSAGACITY_[A-Z0-9_]+[A-Z]", _read(document)))
        assert named <= known, document


def test_every_error_is_documented_with_its_status_and_exit_code() -> None:
    ours, _, rest = _read("docs/reference/errors.md").partition("## Names that only HTTP has")
    documented = {name: rest.split("|")[:2] for name, rest in ROW.findall(ours)}
    expected = {
        kind.__name__: [f" {status_of(kind(''))} ", f" {exit_code(kind(''))} "]
        for kind in _tree(SagacityError)
    }
    assert documented == expected
    clients = {
        name: rest.split("|")[0] for name, rest in ROW.findall(rest.partition("## Errors of the client")[2])
    }
    assert clients == {
        name: f" {exit_code(kind(''))} "
        for name, kind in vars(client_errors).items()
        if isinstance(kind, type)
        and issubclass(kind, SagacityError)
        and kind.__module__ == client_errors.__name__
    }
    assert STATUS.keys() <= set(_tree(SagacityError))


def test_every_route_is_documented() -> None:
    paths = described()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert {name for name, _ in ROW.findall(_read("docs/reference/http-api.md"))} == routes | OF_BROWSERS


def test_documented_rates_are_those_of_the_routes() -> None:
    """In every table that has them; an older route shares the rate of its successor."""
    limits = limits_of((accounts.root, *ROUTERS))
    real = {re.sub(r":path(?=})", "", call): str(rate) for call, rate in limits.items()}
    tables, _, _ = _read("docs/reference/http-api.md").partition("## Older names")
    documented = {call: rest.partition("|")[0].strip() for call, rest in ROW.findall(tables)}
    assert documented == {call: real.get(call, "") for call in documented}
    assert real.keys() <= documented.keys()


def test_every_command_is_documented() -> None:
    headings = set(re.findall(r"^#+ `sagacity ?([^`]*)`$", _read("docs/reference/cli.md"), re.MULTILINE))
    assert {" ".join(path) for path in _commands(typer.main.get_command(tree()))} <= headings


def test_every_prompt_is_documented() -> None:
    documented = {name for name, _ in ROW.findall(_read("docs/reference/prompts.md"))}
    assert documented == {f"{name}/v{version}" for name, version in list_prompts()}


def _read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def _prose(document: str) -> str:
    text = _read(document)
    for block in blocks(document):
        text = text.replace(block.text, "")
    return text


def _resolves(document: str, target: str) -> bool:
    path, _, anchor = target.partition("#")
    if re.match(r"https?:|mailto:", target):
        return True
    found = (ROOT / document).parent / path if path else ROOT / document
    return found.exists() and (not anchor or anchor in _anchors(found))


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _example(name: str, folder: Path, url: str, *arguments: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), *arguments],
        env=user_environment(folder, {"SAGACITY_URL": url, **environment}),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _tree(kind: type[SagacityError]) -> list[type[SagacityError]]:
    found = [kind, *(leaf for child in kind.__subclasses__() for leaf in _tree(child))]
    return [one for one in found if one.__module__ == errors.__name__]


def _commands(group: typer.core.TyperGroup, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, command in group.commands.items():
        if not command.hidden:
            found.append((*above, name))
            found += _commands(command, (*above, name)) if hasattr(command, "commands") else []
    return found
