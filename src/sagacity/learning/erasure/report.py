"""Make, sign and verify the report of an erasure; pure, except that it reads backups."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sagacity.auth.erasure_key import ErasureKey, is_signed
from sagacity.domain.erasure import BackupFound, Erasure, ErasureReport, Scan
from sagacity.domain.ids import OrgId, UserId
from sagacity.storage.erasure.places import PLACES, Place
from sagacity.storage.transfer.known_backups import KnownBackup, holds_user

_EVERYWHERE = (
    "logs of other programs, and what providers of models keep of the calls that were made",
    "copies of the database that `sagacity backup` did not make: snapshots of disks, replicas, dumps",
)
_OF_SERVER = (
    "the write-ahead log of PostgreSQL and its archives, until they are recycled",
    "pages of PostgreSQL's files, where deleted bytes stay until they are written over; VACUUM FULL rewrites them",
)


@dataclass(frozen=True, slots=True)
class Searched:
    """A database that was searched after the user's rows were deleted."""

    database: str
    """The location of the database, with secrets masked."""
    is_file: bool
    files: str
    """What the database did to remove deleted data from its files."""
    scan: Scan


def make_report(
    erasure: Erasure,
    org_id: OrgId,
    searched: Searched,
    backups: Sequence[BackupFound],
    *,
    gone_at: datetime,
    at: datetime,
) -> ErasureReport:
    """Return the unsigned report."""
    unnamed = {name: count for name, count in erasure.counts.items() if PLACES[name] is Place.UNNAMED}
    return ErasureReport(
        erasure_id=erasure.erasure_id,
        org_id=org_id,
        user_hash=erasure.user_hash,
        key_id=erasure.key_id,
        database=searched.database,
        requested_at=erasure.created_at,
        gone_at=gone_at,
        finished_at=at,
        deleted={name: count for name, count in erasure.counts.items() if name not in unnamed},
        unnamed=unnamed,
        withdrawn=erasure.withdrawn,
        files=searched.files,
        scan=searched.scan,
        backups=tuple(backups),
        beyond_reach=_EVERYWHERE if searched.is_file else (*_EVERYWHERE, *_OF_SERVER),
    )


def signed(report: ErasureReport, key: ErasureKey) -> ErasureReport:
    """Return a report with its signature."""
    named = report.model_copy(update={"public_key": key.public_key, "signature": ""})
    return named.model_copy(update={"signature": key.sign(_message(named))})


def is_genuine(report: ErasureReport) -> bool:
    """Return whether a report's signature, by the key that it names, is valid."""
    bare = report.model_copy(update={"signature": ""})
    return is_signed(_message(bare), signature=report.signature, public_key=report.public_key)


def _message(report: ErasureReport) -> bytes:
    fields = report.model_dump(mode="json", exclude={"signature"})
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()


def look_into(
    backups: Sequence[KnownBackup], org_id: OrgId, user_id: UserId, *, gone_at: datetime
) -> list[BackupFound]:
    """Return the backups that were made before the user's rows were deleted, and whether each contains the user."""
    return [
        BackupFound(
            path=one.path, made_at=one.made_at, holds_user=holds_user(Path(one.path), org_id, user_id)
        )
        for one in backups
        if one.made_at is None or one.made_at <= gone_at
    ]
