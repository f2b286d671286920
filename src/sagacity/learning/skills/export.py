"""Skills as files: one folder a skill with its `SKILL.md`, as the Agent Skills convention has it; pure."""

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Sequence

import yaml

from sagacity.domain.base import Value
from sagacity.domain.memory import Memory, SkillFacts

FILE_NAME = "SKILL.md"
MOST_NAME = 64
MOST_DESCRIPTION = 1_024
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
"""What no folder can be called on Windows."""
_TAG = re.compile(r"<([^<>]*)>")
_BREAK = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class SkillFolder(Value):
    """One skill as a folder: its name, and the text of the `SKILL.md` in it."""

    name: str
    """1 to 64 of a-z, 0-9 and single hyphens between them: safe as a path on every system."""
    text: str


def skill_folders(skills: Iterable[Memory]) -> list[SkillFolder]:
    """Return a folder for each skill, in order; no two names are alike."""
    taken: set[str] = set()
    made: list[SkillFolder] = []
    for skill in skills:
        name = _free_name(skill, taken)
        taken.add(name)
        made.append(SkillFolder(name=name, text=_document(skill, name)))
    return made


def as_one_document(folders: Sequence[SkillFolder]) -> str:
    """Return the `SKILL.md` of every folder, one after another, each with its front matter."""
    return "\n".join(folder.text for folder in folders)


def as_zip(folders: Iterable[SkillFolder]) -> bytes:
    """Return the folders as a zip archive; equal folders give equal bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for folder in folders:
            entry = zipfile.ZipInfo(f"{folder.name}/{FILE_NAME}")  # its date is a constant
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, folder.text, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def folder_name(text: str) -> str:
    """Return *text* as the name of a folder; `skill` where nothing of it can be in a name."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = _NOT_IN_A_NAME.sub("-", plain).strip("-")[:MOST_NAME].strip("-") or "skill"
    return f"skill-{name}" if name in _DEVICES else name


def _free_name(skill: Memory, taken: set[str]) -> str:
    """Return the skill's name; where another has it, with the skill's number or, if need be, a higher one."""
    facts = skill.attributes.skill or SkillFacts()
    name = wanted = folder_name(facts.name or skill.name)
    number = skill.memory_id
    while name in taken:
        ending = f"-{number}"
        name = wanted[: MOST_NAME - len(ending)].rstrip("-") + ending
        number += 1
    return name


def _document(skill: Memory, name: str) -> str:
    facts = skill.attributes.skill or SkillFacts()
    metadata = {
        "version": facts.version,
        "status": str(skill.approval),
        "playbook": _line(skill.name),
        "agent-version": _line(skill.agent_version),
        "skill-id": str(skill.memory_id),
    }
    front = {
        "name": name,
        "description": _description(skill, facts),
        "metadata": {key: value for key, value in metadata.items() if value},
    }
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=1_000_000)
    return f"---\n{head}---\n\n{_body(skill.content)}\n"


def _description(skill: Memory, facts: SkillFacts) -> str:
    """Return when to use it, on one line, without what reads as a tag; never empty."""
    when = _TAG.sub(r"‹\1›", _line(skill.trigger or ""))
    said = when or f"How to handle {_line(facts.name or skill.name) or 'this'}."
    return said if len(said) <= MOST_DESCRIPTION else f"{said[: MOST_DESCRIPTION - 1].rstrip()}…"


def _line(text: str) -> str:
    """Return *text* on one line, without control characters."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def _body(text: str) -> str:
    """Return *text* with plain line ends, without other control characters."""
    lines = _BREAK.sub("\n", text)
    return "".join(one for one in lines if one in "\n\t" or unicodedata.category(one) != "Cc").strip()
