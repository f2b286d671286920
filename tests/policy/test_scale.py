"""What the page on growth says of the schema is so."""

import re

import sqlalchemy as sa

from sagacity.storage.schema.tables import metadata
from support.documents import ROOT

ORG = "org_id"
ROW = re.compile(
    r"^\| `(?P<table>\w+)` \|(?P<primary>[^|]*)\|(?P<others>[^|]*)\|(?P<foreign>[^|]*)\|$", re.MULTILINE
)


def _first(columns) -> str:
    return next(iter(columns)).name


def _without_organisation(table: sa.Table) -> tuple[set[str], set[str], set[str]]:
    """The first columns of keys and indexes that do not begin with the organisation, and foreign keys without it."""
    unique = [one.columns for one in table.constraints if isinstance(one, sa.UniqueConstraint)]
    others = [index.columns for index in table.indexes] + unique
    foreign = [one for one in table.foreign_key_constraints if one.referred_table.name != "organisations"]
    return (
        {_first(table.primary_key.columns)} - {ORG},
        {_first(columns) for columns in others} - {ORG},
        {_first(one.columns) for one in foreign} - {ORG},
    )


def test_keys_without_the_organisation_are_listed():
    """Partitioning by organisation has to change these and no others."""
    page = (ROOT / "docs/explanation/scale.md").read_text()
    listed = {
        row["table"]: tuple(
            set(re.findall(r"`(\w+)`", row[part])) for part in ("primary", "others", "foreign")
        )
        for row in ROW.finditer(page)
    }
    tenants = {table.name: table for table in metadata.sorted_tables if ORG in table.c}
    expected = {name: _without_organisation(table) for name, table in tenants.items()}
    assert listed == {name: found for name, found in expected.items() if any(found)}


def test_one_table_has_no_organisation():
    """Every other row says whose it is."""
    assert [table.name for table in metadata.sorted_tables if ORG not in table.c] == ["search_index"]
