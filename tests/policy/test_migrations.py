"""Migrations that databases have seen are not edited: a change is a migration of its own."""

import hashlib

from sagacity.storage.schema.migrate import VERSIONS

SEEN = {
    "0001_first.py": "e3031d11708e26c1",
    "0002_answering.py": "2a6fe369f0936e62",
}
"""The first 16 digits of each file's SHA-256. A migration adds its line; no line changes."""


def test_migration_that_databases_have_seen_is_as_it_was() -> None:
    """Who has run it would never run what is added."""
    scripts = sorted(VERSIONS[0].glob("*.py"))
    assert {script.name: hashlib.sha256(script.read_bytes()).hexdigest()[:16] for script in scripts} == SEEN
