"""Who waits for a run whose server goes away."""

import pytest

from sagacity.cli.operations import follow
from sagacity.client import Sagacity
from sagacity.client.errors import Unreachable
from sagacity.domain.views.operation import OperationView

RUN = "0199c2e4-0000-7000-8000-000000000001"


class Restarted:
    """Gives no reply at first, as a server that starts again."""

    def __init__(self, *, outages: int) -> None:
        self.outages = outages

    def wait_for_operation(self, operation_id: str, *, on_progress) -> OperationView:
        if self.outages:
            self.outages -= 1
            raise Unreachable("no connection")
        standing = OperationView(
            operation_id=operation_id,
            service_name="profile_generation",
            mode="rerun",
            status="completed",
            started_at=0,
            total_users=1,
            processed_users=1,
        )
        on_progress(standing)
        return standing


def test_a_lost_server_is_looked_for_again(capsys: pytest.CaptureFixture[str]) -> None:
    """It is said once that it is gone; the run is followed to its end."""
    ended = follow(Restarted(outages=2), RUN, "learning profiles")
    assert (ended.operation_id, ended.status) == (RUN, "completed")
    said = capsys.readouterr().err
    assert said.count("no connection; trying again for 30 s") == 1
    assert "goes on without you" not in said


def test_who_gives_up_a_lost_server_is_told_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """The run's number, how to follow and to stop it, and what does not happen now."""
    with Sagacity("http://127.0.0.1:1", retry_seconds=0) as client, pytest.raises(Unreachable):
        follow(client, RUN, "learning profiles", undone="nothing was taken into use", patience_seconds=0.1)
    said = capsys.readouterr().err
    assert "trying again for 0.1 s" in said
    assert f"operation {RUN} goes on without you" in said
    assert f"sagacity operations watch {RUN}" in said
    assert f"sagacity operations cancel {RUN}" in said
    assert "nothing was taken into use" in said
