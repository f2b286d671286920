"""The chain of the audit log: what it proves, computed here by its description alone."""

import hashlib
import json
from datetime import timedelta

import pytest

from sagacity.domain.audit import (
    GENESIS,
    AuditAction,
    AuditEntry,
    ChainCheck,
    NewAuditEntry,
    hash_of,
    line_of,
)
from support.parts import ORG, OTHER_ORG, START


def chain(count: int) -> list[AuditEntry]:
    rows: list[AuditEntry] = []
    for seq in range(1, count + 1):
        details = {"scopes": ("read", "ärger"), "is_for_one_user": seq % 2 == 0, "expires_at": None}
        new = NewAuditEntry(action=AuditAction.TOKEN_CREATED, actor="local", target=str(seq), details=details)
        at = START + timedelta(microseconds=seq)
        previous = rows[-1].hash if rows else GENESIS
        made = hash_of(previous, ORG.org_id, new, seq=seq, at=at)
        rows.append(AuditEntry(**new.model_dump(), seq=seq, at=at, hash=made))
    return rows


def checked(rows: list[AuditEntry], org=ORG) -> int | None:
    """The first row that does not hold."""
    check = ChainCheck(org.org_id)
    for row in rows:
        check.see([row])
    return None if check.result.broken is None else check.result.broken.seq


def test_an_export_proves_itself_by_what_the_page_says() -> None:
    """SHA-256 over the hash before, a line feed, and the line without its hash."""
    previous = "0" * 64
    for row in chain(3):
        said = json.loads(line_of(ORG.org_id, row))
        known = said.pop("hash")
        text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        previous = hashlib.sha256(f"{previous}\n{text}".encode()).hexdigest()
        assert previous == known
    read = AuditEntry.model_validate(
        {k: v for k, v in json.loads(line_of(ORG.org_id, row)).items() if k != "org_id"}
    )
    assert read == row


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (lambda rows: rows, None),
        (lambda rows: [], None),
        (lambda rows: rows[1:], 1),
        (lambda rows: [*rows[:2], *rows[3:]], 3),
        (lambda rows: [rows[1], rows[0], *rows[2:]], 1),
        (lambda rows: [*rows[:2], rows[1], *rows[2:]], 3),
        (lambda rows: [rows[0], rows[1].model_copy(update={"actor": "operator"}), *rows[2:]], 2),
        (lambda rows: [rows[0], rows[1].model_copy(update={"details": {}}), *rows[2:]], 2),
        (lambda rows: [*rows[:3], rows[3].model_copy(update={"at": START}), rows[4]], 4),
        (lambda rows: [*rows[:4], rows[4].model_copy(update={"hash": "0" * 64})], 5),
    ],
)  # fmt: skip
def test_the_first_row_that_does_not_hold_is_named(changed, expected) -> None:
    assert checked(changed(chain(5))) == expected


def test_rows_of_another_organisation_do_not_hold() -> None:
    assert checked(chain(2), OTHER_ORG) == 1
