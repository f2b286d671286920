"""An account with a row in each table that is about accounts."""

from datetime import timedelta

from sagacity.domain.account import Account, AccountSession, Mail, Totp
from sagacity.domain.ids import OrgId
from sagacity.domain.member import Invitation
from sagacity.domain.role import Role
from sagacity.storage.transaction import Transaction
from support.parts import ANNA, START

LONG = timedelta(days=3_650)


def account(word: str) -> Account:
    """The account of the user whom tests know; *word* is its address and its secrets."""
    return Account(
        user_id=ANNA,
        email=word,
        full_name=word,
        password_hash=word,
        issuer=word,
        subject=word,
        created_at=START,
    )


def invitation(word: str) -> Invitation:
    """An invitation whose address and secrets are *word*."""
    return Invitation(
        invitation_id=word,
        email=word,
        role=Role.ADMIN,
        created_at=START,
        created_by="local",
        expires_at=START + LONG,
    )


def session(word: str) -> AccountSession:
    """What the account is signed in with."""
    return AccountSession(
        session_id=word,
        user_id=ANNA,
        refresh_hash=word,
        acts_in=OrgId(word),
        created_at=START,
        expires_at=START + LONG,
    )


def totp(word: str) -> Totp:
    """The secret of the account's authenticator app."""
    return Totp(user_id=ANNA, sealed=word, created_at=START)


async def with_account(tx: Transaction, word: str) -> None:
    """Add the account, a session, an authenticator app, an e-mail that is due and whose code is known, and a try."""
    await tx.accounts.add(account(word))
    await tx.account_sessions.add(session(word))
    await tx.account_mails.ask(ANNA, Mail.RESET)
    await tx.account_mails.put_code(ANNA, Mail.RESET, word, expires_at=START + LONG)
    await tx.account_totp.put(totp(word))
    await tx.account_totp.confirm(ANNA, step=0, recovery_hashes=[word])
    await tx.members.put(ANNA, Role.ADMIN, by="local", target="user:x")
    await tx.invitations.add(invitation(word))
    await tx.invitations.put_code(word, word, expires_at=START + LONG)
    await tx.attempts.count(word, since=START, wait_until=lambda _: None)
