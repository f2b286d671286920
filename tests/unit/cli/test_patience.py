"""Calls that a rate limit refuses: made again, told of, and given up in the end."""

import pytest

from sagacity.cli.patience import LONGEST_SECONDS, patient
from sagacity.domain.errors import Conflict, RateLimited


class Server:
    """Refuses the first calls."""

    def __init__(self, refusals: int, retry_after_seconds: int | None = None) -> None:
        self.refusals = refusals
        self.retry_after_seconds = retry_after_seconds
        self.waited: list[float] = []
        self.told: list[float] = []

    def call(self) -> str:
        if len(self.waited) < self.refusals:
            raise RateLimited("too many", retry_after_seconds=self.retry_after_seconds)
        return "done"

    def patiently(self) -> str:
        return patient(self.call, self.told.append, sleep=self.waited.append)


def test_it_waits_as_long_as_the_server_says_and_tells() -> None:
    """Or for five seconds, and never for none."""
    for asked, waits in ((7, 7), (None, 5), (0, 5)):
        server = Server(3, asked)
        assert server.patiently() == "done"
        assert server.waited == server.told == [waits] * 3


def test_it_gives_up_after_five_minutes() -> None:
    """It says that the same command goes on; a wait that is longer than what is left is not begun."""
    server = Server(10_000, 7)
    with pytest.raises(RateLimited, match="run the same command again later"):
        server.patiently()
    assert LONGEST_SECONDS - 7 < sum(server.waited) <= LONGEST_SECONDS
    hour = Server(1, 3_600)
    with pytest.raises(RateLimited):
        hour.patiently()
    assert hour.waited == []


def test_other_errors_are_not_waited_for() -> None:
    def refuse() -> None:
        raise Conflict("no")

    with pytest.raises(Conflict):
        patient(refuse, lambda _: None, sleep=lambda _: pytest.fail("it waits"))
