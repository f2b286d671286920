"""Tests for one database only, where the other has nothing to add."""

import pytest

SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""What is asked of the database there, `tests/contract` asks of each."""
POSTGRESQL = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
"""What has workers in earnest; dispatchers are tested on both databases in `tests/contract`."""
