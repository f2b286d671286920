"""What a vector store is opened with, and how its state is judged."""

import pytest

from sagacity.cli.doctor import judge_copy
from sagacity.domain.errors import ConfigError
from sagacity.storage.open import open_vector_store
from sagacity.storage.replica.copy import CopyReport


def test_no_url_opens_no_store() -> None:
    assert open_vector_store("", "key") is None


@pytest.mark.parametrize(
    "url", ["localhost:6333", "ftp://qdrant:6333", "http://", "http://secret@qdrant:6333", "://"]
)
def test_a_url_that_is_none_names_the_setting_and_not_itself(url: str) -> None:
    with pytest.raises(ConfigError, match="setting SAGACITY_VECTOR_URL") as caught:
        open_vector_store(url, "")
    assert "secret" not in str(caught.value)


async def test_a_store_is_opened_without_being_asked() -> None:
    store = open_vector_store("http://127.0.0.1:9", "key")
    assert store is not None
    await store.close()


def report(documents=3, behind=0, dimension=384, copied: int | None = 3) -> CopyReport:
    return CopyReport(384, documents, behind, None if copied is None else dimension, copied)


@pytest.mark.parametrize(
    ("state", "ok", "found", "advice"),
    [
        (None, True, "none yet", "start the server"),
        (report(copied=None), False, "none yet", "start the server"),
        (report(documents=0, copied=None), True, "none yet", "start the server"),
        (report(), True, "3 of 3 vectors", ""),
        (report(copied=2, behind=1), True, "2 of 3 vectors; the server is copying", ""),
        (report(copied=2), False, "2 of 3 vectors", "sagacity reindex"),
        (report(copied=4), False, "4 of 3 vectors", "sagacity reindex"),
        (report(dimension=8), False, "vectors of 8 dimensions, and the index has 384", "sagacity reindex"),
    ],
)
def test_a_copy_is_judged_by_what_the_database_has(state, ok, found, advice) -> None:
    check = judge_copy(state)
    assert (check.name, check.ok, check.found) == ("vector copy", ok, found)
    assert advice in check.advice
    assert bool(advice) == bool(check.advice)
