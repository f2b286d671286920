"""Erasing a user: its state while it runs, and the report that remains."""

from datetime import datetime
from typing import Literal

from sagacity.domain.account import Person
from sagacity.domain.base import DescribedValue, Value
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.memory import MemoryKind

FORMAT = "sagacity-erasure-1"
VectorCopyState = Literal["none", "clean"]


class Subject(Value):
    """What must be known about a user until the erasure ends; kept encrypted, and deleted with it."""

    user_id: UserId
    needles: tuple[str, ...] = ()
    """Texts that stand in the user's rows and in nobody else's: by them leftovers are found."""
    scope_ids: tuple[int, ...] = ()
    """The user's scopes of the search index."""
    person: Person | None = None
    """The user's account, if there is one that belongs to the organisation."""

    def is_account_of(self, org_id: OrgId) -> bool:
        """Return whether the account goes with the user: the organisation is the one that has it."""
        return self.person is not None and self.person.home == org_id


class Withdrawn(DescribedValue):
    """An agent playbook or a skill that rested on the user; it was deleted with its history."""

    kind: MemoryKind
    uid: str
    name: str
    """The name of the playbooks that it was made of."""
    agent_version: str
    was_approved: bool = False
    """Whether a person had approved it."""
    is_derived_again: bool = False
    """Whether what other users taught is distilled again by itself; otherwise a person has to see to it."""


class Scan(DescribedValue):
    """Where leftovers were searched for after everything was deleted."""

    tables: int
    """Tables of the database that were searched, of this organisation."""
    needles: int
    """Texts that were searched for: the user's id and ids that only the user's rows had."""
    found: tuple[str, ...] = ()
    """Where something of the user was found: tables and files. An erasure continues until nothing is found."""
    mentions: tuple[str, ...] = ()
    """Tables of which rows that are not the user's hold one of the texts: other people's words, or the organisation's
    settings. They stay; a person has to look at them."""
    files: tuple[str, ...] = ()
    """The database's own files that were searched byte by byte; none where a server keeps them."""
    vector_copy: VectorCopyState = "none"
    """The separate vector store: there is none, or it holds nothing of the user."""
    is_user_back: bool = False
    """Whether the user has published again since. From then on, an id alone does not tell whose a row is."""


class BackupFound(DescribedValue):
    """A file older than the erasure, and what was found in it."""

    path: str
    """Where the file was written."""
    made_at: datetime | None = None
    """When it was complete; empty where nobody wrote that down."""
    holds_user: bool | None = None
    """None: the file is not on this machine, or cannot be read."""


class ErasureReport(DescribedValue):
    """What was erased, and how that was checked. It names the user only by a keyed hash, and is signed."""

    format: str = FORMAT
    erasure_id: str
    """The id of the operation that did it."""
    org_id: str
    user_hash: str
    """HMAC-SHA256 of organisation and user id, by the key of this installation."""
    key_id: str
    """Which key that was."""
    database: str
    """Which kind of database it is, and its name."""
    requested_at: datetime
    """When it was requested."""
    gone_at: datetime
    """When the last row was deleted; what is stored under the same id since then is a new user's."""
    finished_at: datetime
    """When nothing was found any more."""
    deleted: dict[str, int]
    """Rows that were deleted, by table."""
    unnamed: dict[str, int]
    """Rows that stay for sums, without the user's name."""
    withdrawn: tuple[Withdrawn, ...]
    """Agent playbooks and skills that rested on the user, and were deleted."""
    files: str
    """What was done so that deleted rows do not stay in the database's files."""
    scan: Scan
    """The search for leftovers, and its result."""
    backups: tuple[BackupFound, ...]
    """Files made before the user was gone, as far as they are known."""
    beyond_reach: tuple[str, ...]
    """What this program cannot reach: somebody has to take care of it."""
    public_key: str = ""
    """Ed25519, in hexadecimal."""
    signature: str = ""
    """By that key, of all other fields as JSON with sorted keys and without spaces."""


class Erasure(Value):
    """One erasure; the operation of the same id says how far it is."""

    erasure_id: str
    user_hash: str
    key_id: str
    sealed: str | None = None
    """The `Subject`, encrypted; None once it has ended."""
    counts: dict[str, int] = {}
    """Rows that were deleted so far, by table."""
    withdrawn: tuple[Withdrawn, ...] = ()
    report: ErasureReport | None = None
    created_at: datetime
    gone_at: datetime | None = None
    finished_at: datetime | None = None
