"""An exported audit log is read a part at a time."""

from pathlib import Path

import pytest

from sagacity.cli.audit import _read
from sagacity.domain.audit import (
    GENESIS,
    AuditAction,
    AuditEntry,
    ChainCheck,
    NewAuditEntry,
    hash_of,
    line_of,
)
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import OrgId
from support.parts import START

ORG, ROWS = OrgId("acme"), 2_500


def lines(count: int) -> list[str]:
    """So many rows of one log."""
    new, head, told = NewAuditEntry(action=AuditAction.TOKEN_CREATED, actor="a", target="t"), GENESIS, []
    for seq in range(1, count + 1):
        head = hash_of(head, ORG, new, seq=seq, at=START)
        told.append(line_of(ORG, AuditEntry(**new.model_dump(), seq=seq, at=START, hash=head)))
    return told


def test_a_chain_is_checked_over_all_parts(tmp_path: Path) -> None:
    """No part has more than a page of rows, and a row that is missing between two is named."""
    file, rows = tmp_path / "audit.jsonl", lines(ROWS)
    for kept, broken in ((rows, None), ([*rows[:1_000], "", *rows[1_001:]], 1_001)):
        file.write_text("\n".join(kept))
        check, sizes = ChainCheck(ORG), []
        for org_id, entries in _read(file):
            assert org_id == ORG
            sizes.append(len(entries))
            check.see(entries)
        assert max(sizes) == 1_000
        assert check.result.rows == sum(sizes)
        assert (check.result.broken and check.result.broken.seq) == broken


@pytest.mark.parametrize("last", ["{", "7", "{}", '{"org_id": "acme"}', '{"org_id": "acme", "seq": 1}'])
def test_a_bad_row_behind_the_first_part_is_refused(tmp_path: Path, last: str) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_text("\n".join([*lines(1_001), last]))
    with pytest.raises(InvalidInput, match="not an export of an audit log"):
        list(_read(file))


def test_rows_of_another_organisation_behind_the_first_part_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    rows = lines(1_002)
    file.write_text("\n".join([*rows[:-1], rows[-1].replace("acme", "other")]))
    with pytest.raises(InvalidInput, match="several organisations"):
        list(_read(file))
