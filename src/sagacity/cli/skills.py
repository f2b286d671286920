"""`sagacity skills`: instructions for one kind of task."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sagacity.cli import draw, options
from sagacity.cli.invocation import connected
from sagacity.cli.nouns import APPROVAL, FOUND, LISTED, LISTED_STATUS, NAME, STATUS, VERSION, Noun, Option
from sagacity.cli.operations import Wait, run
from sagacity.cli.output import Render, facts, plain, said, show
from sagacity.cli.progress import stderr
from sagacity.cli.skill_folders import write_folders
from sagacity.domain.cluster import SkillsMade
from sagacity.domain.errors import InvalidInput

if TYPE_CHECKING:
    from sagacity.client import Sagacity
    from sagacity.domain.views.skill import SkillView
    from sagacity.schemas.skills import SkillGenerationReply

app = typer.Typer(no_args_is_help=True, help="Instructions for one kind of task, for all agents.")

_NOTHING = "no skills that are approved; see --approval"
SkillId = Annotated[int, typer.Option("--skill-id", min=1, help="Which skill.")]
SkillIds = Annotated[
    list[int] | None,
    typer.Option("--skill-id", metavar="<int>", min=1, help="Only this one; may be given several times."),
]
Name = Annotated[str | None, typer.Option("--name", help="What it is called.")]
Description = Annotated[str | None, typer.Option("--description", help="What it does and when to use it.")]
Instructions = Annotated[
    str | None,
    typer.Option("--instructions", help="The skill in Markdown, or @FILE, or - for standard input."),
]


def _whole(skill: "SkillView") -> Render:
    about = {
        "name": skill.skill_name,
        "description": skill.description,
        "version": skill.version,
        "approval": skill.skill_status,
        "takes the place of": skill.replaces,
        "status": skill.status or "current",
        "agent": skill.agent_version,
        "playbook": skill.playbook_name,
        "tools": ", ".join(skill.allowed_tools),
        "user playbooks": len(skill.user_playbook_ids),
    }

    def render(console: Console) -> None:
        facts({name: value for name, value in about.items() if value})(console)
        console.print()
        console.print(plain(skill.instructions), soft_wrap=True)

    return render


SKILLS = Noun(app, "skills", "a skill", "skills", "skill_id", Option(SkillId), draw.skills)
SKILLS.lists(
    "get_skills",
    "--approval pending",
    limit=LISTED,
    playbook_name=NAME,
    agent_version=VERSION,
    status_filter=LISTED_STATUS,
    skill_status_filter=APPROVAL,
)
SKILLS.searches(
    "search_skills",
    '"the customer wants the money back"',
    top_k=FOUND,
    agent_version=VERSION,
    playbook_name=NAME,
    status_filter=STATUS,
    skill_status_filter=APPROVAL,
)
SKILLS.shows("get_skills", "Show one skill with its instructions.", "--skill-id 3", _whole)


@app.command()
def add(
    context: typer.Context,
    *,
    name: Annotated[str, typer.Option("--name", help="What it is called.")],
    description: Annotated[str, typer.Option("--description", help="What it does and when to use it.")],
    instructions: Annotated[
        str, typer.Option("--instructions", help="The skill in Markdown, or @FILE, or - for standard input.")
    ],
    agent_version: Annotated[str, typer.Option("--agent-version", help="For which agent version.")] = "",
    playbook_name: Annotated[str, typer.Option("--playbook-name", help="With which playbooks.")] = "",
    approval: options.NewApproval = "pending",
) -> None:
    """
    Write a skill by hand.

    Example: sagacity skills add --name process-refunds --description "Use for refunds." --instructions @refunds.md
    """
    skill = {
        "skill_name": name,
        "description": description,
        "instructions": _text(instructions),
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "skill_status": approval,
    }
    with connected(context, "writing") as client:
        reply = client.add_skills([skill])
    show(context, reply, said(f"skill {reply.skill_ids[0]} added"))


@app.command()
def update(
    context: typer.Context,
    *,
    skill_id: SkillId,
    name: Name = None,
    description: Description = None,
    instructions: Instructions = None,
) -> None:
    """
    Change a skill; what is not given stays.

    Example: sagacity skills update --skill-id 3 --description "Use when a customer wants money back."
    """
    options.require_one({"name": name, "description": description, "instructions": instructions})
    text = None if instructions is None else _text(instructions)
    with connected(context, "writing") as client:
        reply = client.update_skill(skill_id, skill_name=name, description=description, instructions=text)
    show(context, reply.skill, said(f"changed, now {reply.skill.version}"))


SKILLS.is_reviewed("update_skill_status", "skill_status", "--skill-id 3")
SKILLS.deletes("delete_skill", "--skill-id 3")


@app.command()
def generate(
    context: typer.Context,
    *,
    playbook_name: Annotated[
        str, typer.Option("--playbook-name", help="Of which playbooks.")
    ] = "default_playbook_extractor",
    agent_version: Annotated[
        str, typer.Option("--agent-version", help="For which agent version.")
    ] = "agent-v0",
    wait: Wait = False,
) -> None:
    """
    Write skills from what users taught. They wait for approval.

    Example: sagacity skills generate --wait
    """

    def start(client: "Sagacity") -> "SkillGenerationReply":
        return client.run_skill_generation(
            playbook_name, agent_version=agent_version, wait_for_response=False
        )

    run(context, start, "writing skills", SkillsMade, wait=wait)


@app.command()
def export(
    context: typer.Context,
    *,
    directory: Annotated[
        Path | None, typer.Option("--dir", file_okay=False, help="Write a folder for each skill in there.")
    ] = None,
    skill_id: SkillIds = None,
    playbook_name: options.PlaybookName = None,
    agent_version: options.AgentVersion = None,
    approval: options.OnlyApproval = None,
) -> None:
    """
    Write skills as folders, or print them as one document. By default approved ones.

    Redirected into a file, the document is written byte for byte.

    Example: sagacity skills export --dir ./skills
    """
    with connected(context, "exporting") as client:
        if directory is None:
            reply = client.export_skills(
                skill_ids=skill_id or None,
                playbook_name=playbook_name,
                agent_version=agent_version,
                skill_status_filter=approval,
            )
            show(context, reply, _document(reply.markdown))
            return
        archive = client.export_skill_folders(
            skill_ids=skill_id or None,
            playbook_name=playbook_name,
            agent_version=agent_version,
            skill_status_filter=approval,
        )
    files = write_folders(archive, directory)
    paths = [str(file) for file in files]
    text = "\n".join(paths) or _NOTHING
    show(context, {"files": [*paths]}, said(text), count=len(paths))


def _document(markdown: str) -> Render:
    """Return what prints a document; into a file or another program it goes byte for byte, and nothing beside it."""

    def render(console: Console) -> None:
        if sys.stdout.isatty():
            console.print(plain(markdown or _NOTHING), soft_wrap=True)
        elif markdown:
            sys.stdout.flush()
            sys.stdout.buffer.write(markdown.encode())
            sys.stdout.buffer.flush()
        else:
            stderr().print(plain(_NOTHING))

    return render


def _text(given: str) -> str:
    """
    Return a text as it was given, or what the file that it names holds.

    Raises:
        InvalidInput: the file cannot be read.
    """
    if given == "-":
        return sys.stdin.read()
    if not given.startswith("@"):
        return given
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {given[1:]!r}: {error}") from error
