"""A server for one organisation: tokens of others, who share its database, are no tokens."""

from pathlib import Path

from sagacity.domain.tenant import LOCAL_ORG
from support.api import client_of, make_token, running, settings_in


async def test_a_self_hosted_server_refuses_tokens_of_other_organisations(tmp_path: Path) -> None:
    """The own organisation's work; without the setting, so do the others'."""
    for self_host, expected in ((True, 401), (False, 200)):
        settings = settings_in(tmp_path, self_host=self_host, config_folder=tmp_path / "configs")
        async with running(settings) as app:
            own, other = await make_token(app, LOCAL_ORG), await make_token(app, "other")
            async with client_of(app, token=own) as api, client_of(app, token=other) as theirs:
                assert (await api.get("/api/whoami")).status_code == 200
                assert (await theirs.get("/api/whoami")).status_code == expected
                assert (await theirs.get("/health/detailed")).status_code == expected
