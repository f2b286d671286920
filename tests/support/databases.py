"""Run tests on one database only, if the other would add nothing."""

import pytest

SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""`tests/contract` asks the same of each database."""
POSTGRESQL = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
"""For tests with real workers; `tests/contract` tests dispatchers on both databases."""
