"""Export skills as folders with a `SKILL.md`, following the Agent Skills convention; pure."""

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import yaml

from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Memory, SkillFacts
from sagacity.learning.distil.skills.text import clean, one_line

FILE_NAME = "SKILL.md"
MOST_NAME = 64
MOST_DESCRIPTION = 1_024
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")
_RESERVED = re.compile("anthropic|claude")
"""Words that loaders refuse in a name; broken by a hyphen they pass: `cla-ude`."""
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
"""Names that no folder can have on Windows."""
_TAG = re.compile(r"<([^<>]*)>")
_MARK = re.compile(r"^---", re.MULTILINE)


class SkillFolder(Value):
    """One skill as a folder: its name, and the two parts of the `SKILL.md` in it."""

    name: str
    """1 to 64 of a-z, 0-9 and single hyphens between them: safe as a path on every system."""
    front: str
    """The YAML front matter, with every value quoted."""
    body: str
    """Markdown."""

    @property
    def text(self) -> str:
        """The content of the file."""
        return _document(self.front, self.body)


def skill_folders(
    skills: Sequence[Memory], approved: Mapping[MemoryId, str] = MappingProxyType({})
) -> list[SkillFolder]:
    """
    Return a folder for each skill, in order, with distinct names.

    Args:
        skills: the skills to export.
        approved: the names of all approved current skills, oldest first. They take precedence, even those that are not
            exported, so that an export of some skills does not overwrite the folder of another.
    """
    names = _settled({**approved, **{skill.memory_id: _called(skill) for skill in skills}})
    return [_folder(skill, names[skill.memory_id]) for skill in skills]


def as_one_document(folders: Sequence[SkillFolder]) -> str:
    """
    Return the `SKILL.md` of every folder, one after another, each with its front matter.

    Lines begin with three hyphens only where front matter begins and ends. In a body, a space is put before them: for
    Markdown that is the same rule or heading, and no body can be mistaken for another skill.
    """
    return "\n".join(_document(folder.front, _MARK.sub(r" \g<0>", folder.body)) for folder in folders)


def as_zip(folders: Iterable[SkillFolder]) -> bytes:
    """Return the folders as a zip archive; equal folders give equal bytes."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for folder in folders:
            entry = zipfile.ZipInfo(f"{folder.name}/{FILE_NAME}")  # with a constant date
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, folder.text, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def folder_name(text: str) -> str:
    """Return *text* as a folder name; `skill` if no part of it can be used."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = _RESERVED.sub(lambda word: f"{word[0][:-3]}-{word[0][-3:]}", _NOT_IN_A_NAME.sub("-", plain))
    name = words.strip("-")[:MOST_NAME].strip("-") or "skill"
    return f"skill-{name}" if name in _DEVICES else name


def _folder(skill: Memory, name: str) -> SkillFolder:
    return SkillFolder(name=name, front=_front(skill, name), body=clean(skill.content))


def _document(front: str, body: str) -> str:
    return f"---\n{front}\n---\n\n{body}\n"


def _called(skill: Memory) -> str:
    """Return the name of a skill, from which its folder's name is made."""
    facts = skill.attributes.skill or SkillFacts()
    return facts.name or skill.name


def _settled(names: Mapping[MemoryId, str]) -> dict[MemoryId, str]:
    """Return a distinct name for each skill; if a name is taken, add the skill's number or, if needed, a higher one."""
    settled: dict[MemoryId, str] = {}
    taken: set[str] = set()
    for memory_id, text in names.items():
        name, number = folder_name(text), int(memory_id)
        wanted = name
        while name in taken:
            ending = f"-{number}"
            name = wanted[: MOST_NAME - len(ending)].rstrip("-") + ending
            number += 1
        taken.add(name)
        settled[memory_id] = name
    return settled


def _front(skill: Memory, name: str) -> str:
    facts = skill.attributes.skill or SkillFacts()
    metadata = {
        "version": facts.version,
        "status": str(skill.approval),
        "playbook": one_line(skill.name),
        "agent-version": one_line(skill.agent_version),
        "skill-id": str(skill.memory_id),
    }
    lines = [
        f"name: {_quoted(name)}",
        f"description: {_quoted(_description(skill, facts))}",
        "metadata:",
        *(f"  {key}: {_quoted(value)}" for key, value in metadata.items() if value),
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """Return *text* as YAML that every reader reads as text, and not as a number, Boolean or date."""
    return yaml.safe_dump(text, default_style='"', allow_unicode=True, width=1_000_000).rstrip("\n")


def _description(skill: Memory, facts: SkillFacts) -> str:
    """Return when to use a skill, on one line, without anything that looks like a tag; never empty."""
    when = _TAG.sub(r"‹\1›", one_line(skill.trigger or ""))
    said = when or f"How to handle {one_line(facts.name or skill.name) or 'this'}."
    return said if len(said) <= MOST_DESCRIPTION else f"{said[: MOST_DESCRIPTION - 1].rstrip()}…"
