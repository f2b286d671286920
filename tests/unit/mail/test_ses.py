"""E-mails by SES: Amazon's own client against an endpoint that checks its signatures."""

from datetime import timedelta

import pytest

from sagacity.cli.doctor import _mail
from sagacity.config.settings import load_settings
from sagacity.domain.account import Mail
from sagacity.mail.base import MailRefused
from sagacity.mail.open import open_service
from sagacity.mail.texts import letter_of
from support.accounts import plain_text
from support.aws import ENVIRONMENT
from support.parts import StoppedClock
from support.ses import ses_endpoint

SENDER = "sagacity@example.com"
CODE = "tH0FisbAD7AV_code-of-forty-three-characters"


@pytest.fixture
def signed_in(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The credentials that the endpoint knows are in the environment."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


@pytest.mark.usefixtures("all_logs")
async def test_a_letter_arrives_and_its_code_is_in_no_log(
    signed_in: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole and signed; a refusal is told by its code, without the address that the reply repeats."""
    letter = letter_of(
        Mail.VERIFY, "ana@example.com", code=CODE, lasts=timedelta(days=1), pages="https://app.example.com"
    )
    with ses_endpoint() as endpoint:
        mailer = open_service(endpoint.mail_url, SENDER, StoppedClock())
        await mailer.send(letter)
        endpoint.refuses = ["MessageRejected"]
        with pytest.raises(MailRefused, match=r"^MessageRejected$"):
            await mailer.send(letter)
        signed_in.setenv("AWS_SECRET_ACCESS_KEY", "another")
        with pytest.raises(MailRefused, match=r"^SignatureDoesNotMatch$"):
            await open_service(endpoint.mail_url, SENDER, StoppedClock()).send(letter)
    [arrived] = endpoint.letters
    assert endpoint.recipients == [["ana@example.com"]]
    assert (arrived["From"], arrived["To"], arrived["Auto-Submitted"]) == (
        SENDER,
        "ana@example.com",
        "auto-generated",
    )
    assert plain_text(arrived) == letter.text
    html = arrived.get_body(("html",))
    assert html is not None
    assert html.get_content().replace("\r\n", "\n") == letter.html
    assert CODE not in capsys.readouterr().err


@pytest.mark.usefixtures("signed_in")
def test_doctor_says_whether_ses_takes_e_mails() -> None:
    """To everybody, to verified addresses only, or not at all, and what to correct."""
    with ses_endpoint() as endpoint:
        settings = load_settings(mail_url=endpoint.mail_url, mail_from=SENDER)
        sandbox = _mail(settings)
        assert sandbox.ok
        assert "verified addresses only" in sandbox.found
        endpoint.account["ProductionAccessEnabled"] = True
        assert _mail(settings).found == f"SES in eu-central-1 takes e-mails from {SENDER}"
        endpoint.account["SendingEnabled"] = False
        assert (_mail(settings).ok, "SendingDisabled" in _mail(settings).found) == (False, True)
    away = _mail(settings)
    assert not away.ok
    assert "EndpointConnectionError" in away.found
    assert "ses:SendEmail" in away.advice
