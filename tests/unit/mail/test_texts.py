"""What e-mails say: the same as text and as HTML, in every language, with the code where no log keeps it."""

import re
import tomllib
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sagacity.config.account_settings import mail_of_others
from sagacity.config.settings import load_settings
from sagacity.domain.account import Mail
from sagacity.domain.errors import ConfigError
from sagacity.mail import texts
from sagacity.mail.message import message_of
from sagacity.mail.texts import LANGUAGES, invitation_letter, letter_of, phrases_of

CODE = "tH0FisbAD7AV_code-of-forty-three-characters"
PAGES = "https://app.example.com/"
FETCHING = {"img", "link", "script", "style", "iframe", "object", "embed", "video", "audio", "form", "base"}

DAY = timedelta(hours=24)


class Page(HTMLParser):
    """What a page shows, fetches and leads to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.shown = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href" and value]
        assert not {name for name, _ in attrs} & {"src", "background", "srcset"}
        assert "ses:no-track" in dict(attrs) or tag != "a"

    def handle_data(self, data: str) -> None:
        self.shown += data


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("purpose", Mail)
def test_both_parts_say_the_same(purpose: Mail, language: str) -> None:
    """And nothing is fetched when a letter is opened; the code is in no part of a link that a server is told."""
    code = "" if purpose is Mail.KNOWN else CODE
    letter = letter_of(purpose, "ana@example.com", code=code, lasts=DAY, pages=PAGES, language=language)
    page = Page(letter.html)
    assert set(page.tags) & FETCHING == set()
    phrases = phrases_of(language)[purpose]
    within = phrases_of(language)["within"]["hours"].format(count=24)
    for said in (phrases["before"].format(within=within), phrases["after"], code):
        assert said in letter.text
        assert said in page.shown
    assert letter.subject == phrases["subject"]
    linked = re.findall(r"https?://\S+", letter.text)
    assert linked == page.links
    assert len(linked) == bool(code)
    for link in map(urlsplit, linked):
        assert (link.netloc, link.query, link.fragment) == ("app.example.com", "", f"code={CODE}")
        assert CODE not in link.path
    without = letter_of(purpose, "ana@example.com", code=code, lasts=DAY, pages="", language=language)
    assert Page(without.html).links == re.findall(r"https?://", without.text) == []
    assert "\n\n\n" not in letter.text + without.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_invitation_says_who_invites_and_as_what(language: str) -> None:
    """A name is no template and no markup, whatever it is."""
    name = "<b>{role}</b>"
    letter = invitation_letter(
        "ben@example.com",
        organisation=name,
        role="viewer",
        code=CODE,
        lasts=DAY,
        pages=PAGES,
        language=language,
    )
    page = Page(letter.html)
    for said in (name, "viewer", CODE):
        assert said in letter.text
        assert said in page.shown
    assert "b" not in page.tags
    assert page.links == [f"{PAGES}accept-invitation#code={CODE}"]


@pytest.mark.parametrize(
    ("lasts", "english", "german"),
    [
        (timedelta(hours=1), "1 hour", "einer Stunde"),
        (timedelta(minutes=90), "90 minutes", "90 Minuten"),
        (timedelta(days=7), "7 days", "7 Tagen"),
        (timedelta(hours=36), "36 hours", "36 Stunden"),
    ],
)
def test_an_e_mail_says_how_long_its_code_is_good_for(lasts: timedelta, english: str, german: str) -> None:
    """As the settings have it, in each language."""
    for language, words in (("en", f"within {english}."), ("de", f"innerhalb von {german}.")):
        letter = letter_of(Mail.RESET, "a@example.com", code=CODE, lasts=lasts, pages="", language=language)
        assert words in letter.text


def test_languages_have_the_same_phrases() -> None:
    """Every file is offered, and lacks nothing that the first has."""
    folder = Path(str(texts._FOLDER / "languages"))
    assert {path.stem for path in folder.iterdir()} == set(LANGUAGES)
    keys = {
        language: {
            (part, key)
            for part, phrases in tomllib.loads((folder / f"{language}.toml").read_text()).items()
            for key in phrases
        }
        for language in LANGUAGES
    }
    assert all(found == keys[LANGUAGES[0]] for found in keys.values())
    every = [phrase for one in LANGUAGES for part in phrases_of(one).values() for phrase in part.values()]
    assert [phrase for phrase in every if not phrase.strip() or "\n" in phrase] == []


def test_markup_in_an_address_stays_text() -> None:
    """What settings and callers give is escaped in the HTML."""
    letter = letter_of(
        Mail.RESET, "ana@example.com", code='"><b>', lasts=DAY, pages="https://a.example/?x=<i>"
    )
    assert "<b>" not in letter.html
    assert "<i>" not in letter.html
    assert "<b>" in letter.text


def test_a_message_has_two_parts_and_its_language() -> None:
    """Plain text first, as RFC 2046 asks."""
    letter = letter_of(Mail.VERIFY, "ana@example.com", code=CODE, lasts=DAY, pages=PAGES, language="de")
    message = message_of(
        letter, sender="Sagacity <sagacity@example.com>", at=datetime(2026, 5, 4, tzinfo=UTC)
    )
    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
    assert (message["Content-Language"], message["Subject"]) == ("de", "Bestätigen Sie Ihre E-Mail-Adresse")
    assert message["Message-ID"].endswith("@example.com>")


def test_names_of_others_stand_in_for_ours() -> None:
    """A region alone, which many machines have, sends nothing; a setting of ours goes first."""
    given = {"AWS_REGION": "eu-central-1", "SES_SENDER_EMAIL": "sagacity@example.com"}
    assert mail_of_others({"AWS_REGION": "eu-central-1"}) == {}
    settings = load_settings(**mail_of_others(given))
    assert settings.mail_url.get_secret_value() == "ses://eu-central-1"
    assert settings.mail_from == "sagacity@example.com"
    assert mail_of_others(given | {"SAGACITY_MAIL_URL": ""}) == {"mail_from": "sagacity@example.com"}
    assert "mail_from" not in mail_of_others(given | {"SAGACITY_MAIL_FROM": "b@example.com"})


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"mail_url": "ses://"}, "SAGACITY_MAIL_URL must name a region"),
        ({"mail_url": "ses://eu-central-1/path"}, "SAGACITY_MAIL_URL must name a region"),
        ({"mail_url": "ses://eu central"}, "SAGACITY_MAIL_URL must name a region"),
        ({"mail_url": "ses://eu-central-1?x=1"}, "SAGACITY_MAIL_URL x is no option"),
        ({"mail_url": "ses://eu-central-1?endpoint"}, "SAGACITY_MAIL_URL"),
        ({"mail_url": "ses://eu-central-1?endpoint=http://mail.example.com"}, "must be https"),
        ({"mail_url": "ses://eu-central-1?endpoint=https://mail.example.com:99999"}, "SAGACITY_MAIL_URL"),
        ({"mail_url": "smtp://"}, "SAGACITY_MAIL_URL must be"),
        ({"mail_url": "ses://eu-central-1", "mail_from": ""}, "SAGACITY_MAIL_FROM"),
        ({"mail_language": "xx"}, "SAGACITY_MAIL_LANGUAGE: must be one of en, de"),
    ],
)
def test_wrong_settings_are_told(wrong: dict[str, str], told: str) -> None:
    """By the name of the setting, and with what it may be."""
    with pytest.raises(ConfigError, match=told):
        load_settings(**{"mail_from": "sagacity@example.com", **wrong})
