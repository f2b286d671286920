"""How a diff of versions looks to people."""

import io
from datetime import UTC, datetime

from rich.console import Console

from sagacity.cli.versions import draw_diff
from sagacity.domain.views.profile import ProfileView
from sagacity.schemas.versions import ChangedProfile, ProfileDiff

NOW = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp())


def profile(content: str) -> ProfileView:
    return ProfileView.model_validate(
        {
            "profile_id": content,
            "user_id": "ana",
            "content": content,
            "last_modified_timestamp": NOW,
            "generated_from_request_id": "r",
        }
    )


def test_what_is_lost_stands_beside_what_says_it_too() -> None:
    """One look tells what would really be gone."""
    gone, kept, fuller = (profile(one) for one in ("Sings.", "Swims.", "Swims on Mondays."))
    reply = ProfileDiff(
        added=(fuller,),
        lost=(gone, kept),
        covered=(ChangedProfile(before=kept, after=fuller, similarity=0.7),),
        added_count=1,
        lost_count=2,
        covered_count=1,
    )
    console = Console(file=io.StringIO(), width=200, highlight=False)
    draw_diff(reply, 10)(console)
    text = console.file.getvalue()
    assert "2 lost (1 of them covered by another)" in text
    rows = {line.split()[0]: line for line in text.splitlines() if "ana" in line}
    assert "Swims on Mondays." in rows["covered"]
    assert rows["lost"].rstrip().endswith("Sings.")
